"""The demo: a city reports, Spark matches, a report says who was heard."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
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
from purport.pipeline.jobs.match_files import BatchSummary, MatchFiles
from purport.pipeline.session import spark_address
from purport.pipeline.sinks.parquet_folder import ParquetFolder
from purport.pipeline.sources.json_lines import JsonLinesFolder

FILES = 12


def demo_subscriptions() -> list[Subscription]:
    """The subscriptions that come with the demo."""
    return parse_file(Path(__file__).with_name("subscriptions.purport"))


@dataclass(frozen=True, slots=True)
class Heard:
    """Of one subscription: how many events meant it, how many were heard, by maker."""

    name: str
    asks: str
    meant: Counter[str]
    heard: Counter[str]
    example: CityEvent | None
    missed: CityEvent | None


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the demo found, for a summary and a report."""

    city: City
    subscriptions: tuple[Heard, ...]
    dead_letters: tuple[DeadLetter, ...]
    seconds_streaming: float

    @property
    def matches(self) -> int:
        return sum(heard.heard.total() for heard in self.subscriptions)

    @property
    def meant(self) -> int:
        return sum(heard.meant.total() for heard in self.subscriptions)


@dataclass(slots=True)
class Progress:
    """How far the demo has come; told to whoever shows it."""

    batches: int = 0
    matches: Counter[str] = field(default_factory=Counter)
    dead_letters: int = 0

    def add(self, summary: BatchSummary) -> None:
        self.batches += 1
        self.matches.update(summary.matches)
        self.dead_letters += summary.dead_letters


def run_demo(
    spark: SparkSession, city: City, folder: Path, on_progress: Callable[[Progress], None]
) -> DemoResult:
    """Write the city's events below `folder`, stream them through Spark, and see who was heard."""
    subscriptions = demo_subscriptions()
    city.write_lines(folder / "events", FILES)
    progress = Progress()

    def tell(summary: BatchSummary) -> None:
        progress.add(summary)
        on_progress(progress)

    sink = ParquetFolder(folder)
    with tempfile.TemporaryDirectory(prefix="purport-checkpoint-") as checkpoint:
        for leftover in (sink.matches, sink.dead_letters):
            shutil.rmtree(leftover, ignore_errors=True)
        job = MatchFiles(
            JsonLinesFolder(folder / "events", files_per_batch=1),
            sink,
            subscriptions,
            Path(checkpoint),
        )
        started = time.perf_counter()
        job.run(spark, tell)
        seconds = time.perf_counter() - started
    return DemoResult(
        city,
        tuple(_heard(spark, city, sink, subscriptions)),
        _dead_letters(spark, sink),
        seconds,
    )


def _heard(
    spark: SparkSession, city: City, sink: ParquetFolder, subscriptions: list[Subscription]
) -> list[Heard]:
    """What Spark matched, beside what the events mean in the subscribers' own words."""
    rows = spark.read.parquet(spark_address(sink.matches)).collect()
    matched = {(row.subscription, row.event_id) for row in rows}
    matcher = Matcher(subscriptions)
    found = {
        label(s): Heard(label(s), write(replace(s, name=None)), Counter(), Counter(), None, None)
        for s in subscriptions
    }
    for event in city.happenings():
        for match in matcher.match(Event.from_json(event.meant)):
            name = label(match.subscription)
            is_heard = (name, event.meant["@id"]) in matched
            found[name] = _counted(found[name], event, is_heard)
    return list(found.values())


def _counted(heard: Heard, event: CityEvent, is_heard: bool) -> Heard:
    heard.meant[event.maker] += 1
    heard.heard[event.maker] += is_heard
    example = heard.example or (event if is_heard else None)
    missed = heard.missed or (None if is_heard else event)
    return Heard(heard.name, heard.asks, heard.meant, heard.heard, example, missed)


def _dead_letters(spark: SparkSession, sink: ParquetFolder) -> tuple[DeadLetter, ...]:
    rows = spark.read.parquet(spark_address(sink.dead_letters)).orderBy("source", "line").collect()
    return tuple(DeadLetter(row.source, row.line, row.reason, row.text) for row in rows)
