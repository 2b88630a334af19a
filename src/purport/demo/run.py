"""The demo: a city reports, Spark matches, and it is told who was heard and why."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pyspark.sql import SparkSession

from purport.demo.city import City, CityEvent
from purport.demo.vocabulary import MAKERS
from purport.matching.matcher import Matcher
from purport.model.event import Event
from purport.model.event_lines import DeadLetter
from purport.model.language.label import label
from purport.model.language.parse import parse, parse_file
from purport.model.language.write import write
from purport.model.subscription import Subscription
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.session import spark_pattern
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.watched import Fixed

FILES = 12


def demo_subscriptions() -> list[Subscription]:
    """The subscriptions that come with the demo."""
    return parse_file(Path(__file__).with_name("subscriptions.purport"))


def in_exact_words(subscription: Subscription) -> Subscription:
    """The same subscription as somebody writes it who has no `~`."""
    options = replace(subscription.options, threshold=None)
    plain = write(replace(subscription, name=None, options=options)).replace("~", "")
    return replace(parse(plain), name=subscription.name)


@dataclass(frozen=True, slots=True)
class Explained:
    """An event that was heard, and why."""

    event: CityEvent
    probability: float
    why: str


@dataclass(frozen=True, slots=True)
class Heard:
    """Of one subscription: how many events meant it, and how many of those were heard, by maker.

    `exact` are those that exact words alone would have heard; `wrong` were heard without being
    meant. `example` is one that only meaning could hear, `missed` one that was not heard.
    """

    name: str
    asks: str
    meant: Counter[str]
    heard: Counter[str]
    exact: Counter[str]
    wrong: int
    example: Explained | None
    missed: CityEvent | None


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the demo found, for a summary and a report."""

    city: City
    subscriptions: tuple[Heard, ...]
    dead_letters: tuple[DeadLetter, ...]
    seconds_streaming: float

    @property
    def heard(self) -> int:
        """How many matches there were of events that mean what was asked."""
        return sum(heard.heard.total() for heard in self.subscriptions)

    @property
    def exact(self) -> int:
        """How many of them exact words alone would have found."""
        return sum(heard.exact.total() for heard in self.subscriptions)

    @property
    def meant(self) -> int:
        """How many matches there would have been had all makers shared the words."""
        return sum(heard.meant.total() for heard in self.subscriptions)

    @property
    def wrong(self) -> int:
        """How many matches were not meant."""
        return sum(heard.wrong for heard in self.subscriptions)


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
    return DemoResult(city, heard, _dead_letters(spark, job), seconds)


def _heard(
    city: City, subscriptions: Sequence[Subscription], matched: set[tuple[str, str]]
) -> Iterator[Heard]:
    """What was matched, beside what events mean and what exact words would have found."""
    exact = Matcher(map(in_exact_words, subscriptions))
    near = Matcher(subscriptions)
    happenings = list(city.happenings())
    meant = _pairs(exact, [event.meant for event in happenings])
    said = _pairs(exact, [event.said for event in happenings])
    for subscription in subscriptions:
        name = label(subscription)
        wanted = [event for event in happenings if (name, event.id) in meant]
        heard = [event for event in wanted if (name, event.id) in matched]
        exactly = [event for event in heard if (name, event.id) in said]
        only_near = [event for event in heard if (name, event.id) not in said]
        missed = [event for event in wanted if (name, event.id) not in matched]
        yield Heard(
            name,
            write(replace(subscription, name=None)),
            Counter(event.maker for event in wanted),
            Counter(event.maker for event in heard),
            Counter(event.maker for event in exactly),
            sum(1 for one, event in matched if one == name and (one, event) not in meant),
            _explained(near, subscription, only_near),
            _typical(missed),
        )


def _pairs(matcher: Matcher, told: Sequence[dict[str, object]]) -> set[tuple[str, str]]:
    """Which subscription is answered by which event."""
    found = matcher.match_batch(told)
    return {
        (label(found.subscription(number)), str(told[event]["@id"]))
        for number, event in enumerate(found.events.tolist())
    }


def _explained(
    matcher: Matcher, subscription: Subscription, events: Sequence[CityEvent]
) -> Explained | None:
    """One of the events, that of the maker with the most words of its own, and why it matches."""
    rank = list(MAKERS)
    for event in sorted(events, key=lambda one: -rank.index(one.maker))[:1]:
        for match in matcher.match(Event.from_json(event.said)):
            if match.subscription == subscription:
                return Explained(event, match.probability, match.explain())
    return None


def _typical(events: Sequence[CityEvent]) -> CityEvent | None:
    """One of the events, of the maker who has most of them."""
    makers = Counter(event.maker for event in events)
    return max(events, key=lambda event: makers[event.maker], default=None)


def _dead_letters(spark: SparkSession, job: JobFolder) -> tuple[DeadLetter, ...]:
    if not job.dead_letters.exists():
        return ()
    letters = spark.read.parquet(spark_pattern(job.dead_letters))
    rows = letters.orderBy("source", "offset").collect()
    return tuple(DeadLetter(row.source, row.offset, row.reason, row.text) for row in rows)
