"""The demo: a city reports, Spark matches, a report says who was heard."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from pyspark.sql import SparkSession

from purport.demo.city import City, CityEvent
from purport.matching.matcher import Matcher
from purport.matching.supported import label
from purport.model.event import Event
from purport.model.event_lines import DeadLetter
from purport.model.language.parse import parse_file
from purport.model.language.write import write
from purport.model.subscription import Subscription
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.session import spark_pattern
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.watched import Fixed
from purport.relatedness.catalogue import defaults_are_made

FILES = 12


def demo_subscriptions() -> list[Subscription]:
    """The subscriptions that come with the demo; those with `~` need the default space."""
    every = parse_file(Path(__file__).with_name("subscriptions.purport"))
    return every if defaults_are_made() else [one for one in every if "~" not in write(one)]


@dataclass(frozen=True, slots=True)
class Heard:
    """Of one subscription: how many events meant it and how many of them were heard, by maker."""

    name: str
    asks: str
    meant: Counter[str]
    heard: Counter[str]
    example: CityEvent | None  # one that was heard
    missed: CityEvent | None  # one that means the same and was not


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the demo found, for a summary and a report."""

    city: City
    subscriptions: tuple[Heard, ...]
    matches: int
    dead_letters: tuple[DeadLetter, ...]
    seconds_streaming: float

    @property
    def heard(self) -> int:
        """How many matches there were of events that mean what was asked."""
        return sum(heard.heard.total() for heard in self.subscriptions)

    @property
    def meant(self) -> int:
        """How many matches there would have been had all makers shared the words."""
        return sum(heard.meant.total() for heard in self.subscriptions)


@dataclass(slots=True)
class Progress:
    """How far the demo has come; told to whoever shows it."""

    batches: int = 0
    matches: Counter[str] = field(default_factory=Counter)
    dead_letters: int = 0

    def add(self, report: BatchReport) -> None:
        """Count one more batch."""
        self.batches += 1
        self.matches.update(report.counts.matches)
        self.dead_letters += report.counts.dead_letters


def run_demo(
    spark: SparkSession, city: City, folder: Path, on_progress: Callable[[Progress], None]
) -> DemoResult:
    """Stream a city through Spark, see who was heard; `folder` is the demo's own, made anew."""
    subscriptions = demo_subscriptions()
    progress = Progress()

    def tell(report: BatchReport) -> None:
        progress.add(report)
        on_progress(progress)

    shutil.rmtree(folder, ignore_errors=True)
    city.write_lines(folder / "events", FILES)
    source, sink = Files(folder / "events", files_per_batch=1), BatchFolders(folder / "matches")
    job = JobFolder(sink.home)
    started = time.perf_counter()
    MatchStream(source, sink, Fixed(subscriptions), job).run(spark, Watchers(tell))
    seconds = time.perf_counter() - started

    rows = spark.read.parquet(spark_pattern(sink.folder)).collect()
    matched = {(row.subscription, row.event_id) for row in rows}
    heard = tuple(_heard(city, subscriptions, matched))
    return DemoResult(city, heard, len(rows), _dead_letters(spark, job), seconds)


def _heard(
    city: City, subscriptions: list[Subscription], matched: set[tuple[str, str]]
) -> Iterator[Heard]:
    """What was matched, beside what the events mean in the subscribers' own words."""
    matcher = Matcher(subscriptions)
    heard: dict[str, list[CityEvent]] = {label(one): [] for one in subscriptions}
    missed: dict[str, list[CityEvent]] = {label(one): [] for one in subscriptions}
    for event in city.happenings():
        for match in matcher.match(Event.from_json(event.meant)):
            name = label(match.subscription)
            side = heard if (name, event.meant["@id"]) in matched else missed
            side[name].append(event)
    for subscription in subscriptions:
        name = label(subscription)
        yield Heard(
            name,
            write(replace(subscription, name=None)),
            Counter(event.maker for event in heard[name] + missed[name]),
            Counter(event.maker for event in heard[name]),
            next(iter(heard[name]), None),
            next(iter(missed[name]), None),
        )


def _dead_letters(spark: SparkSession, job: JobFolder) -> tuple[DeadLetter, ...]:
    if not job.dead_letters.exists():
        return ()
    letters = spark.read.parquet(spark_pattern(job.dead_letters))
    rows = letters.orderBy("source", "offset").collect()
    return tuple(DeadLetter(row.source, row.offset, row.reason, row.text) for row in rows)
