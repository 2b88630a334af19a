"""How quick is a stream of matches out of an archive, against one out of JSON lines?

The workload is that of the benchmark of approximate matching: 100 subscriptions, half of their
parts approximate. Words were scored beforehand, as `purport archive tabulate` does. A rate is that
of a whole run, from the start of the stream until its matches are written.
"""

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import msgspec
from pyspark.sql import SparkSession

from benchmarks.finding import Finding, at_least, at_most, quickest_seconds, ratio
from benchmarks.matching_workload import MatchingWorkload
from purport import Matcher
from purport.model.subscription import Subscription
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.jobs.build_archive import BuildArchive
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.jobs.tabulate_archive import TabulateArchive
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.notes import Counts
from purport.pipeline.session import local_session
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.archives import Archived
from purport.pipeline.sources.files import Files
from purport.pipeline.sources.source import Source
from purport.pipeline.watched import Fixed
from purport.relatedness.catalogue import defaults_are_made

CORES = 2
DIFFERENT_EVENTS = 250_000
FILES = 8
EVENTS = FILES * DIFFERENT_EVENTS
LEAST = 350_000


def findings() -> Iterator[Finding]:
    if not defaults_are_made():
        yield Finding("the default space is not there: make space", "-")
        return
    with tempfile.TemporaryDirectory(prefix="purport-bench-") as folder:
        spark = local_session("purport benchmark", cores=str(CORES))
        try:
            yield from _findings(spark, Path(folder))
        finally:
            spark.stop()


def _findings(spark: SparkSession, folder: Path) -> Iterator[Finding]:
    subscriptions = _write_events(folder / "events")
    events = Files(folder / "events")
    started = time.perf_counter()
    archive = BuildArchive(events, folder / "archive").run(spark)
    yield at_least("events a second, JSON to archive", EVENTS / (time.perf_counter() - started))
    lines = sum(path.stat().st_size for path in events.path.iterdir())
    yield ratio("the JSON lines take, of the archive's bytes", lines, archive.summary().bytes)

    settings = MatcherSettings(scores=folder / "scores")
    started = time.perf_counter()
    TabulateArchive(archive, subscriptions, settings).run(spark)
    yield Finding("its words are scored in", f"{time.perf_counter() - started:.1f} s")

    measures = _warm(subscriptions, settings).measures
    sharing = 1000 * quickest_seconds(measures.share_scores, runs=20)
    yield at_most("sharing scores when nothing is new, ms", sharing, 5)

    runs = _Runs(spark, subscriptions, settings, folder)
    first = quickest_seconds(lambda: runs.run(Archived(archive.folder)), runs=1)
    yield at_least("events a second from the archive, workers cold", EVENTS / first)
    seconds = quickest_seconds(lambda: runs.run(Archived(archive.folder)), runs=3)
    yield at_least(f"the same, warm, on {CORES} cores", EVENTS / seconds, LEAST)
    yield from _spent(runs.counts)
    from_lines = quickest_seconds(lambda: runs.run(events), runs=1)
    yield at_least("events a second from JSON lines, warm", EVENTS / from_lines)
    yield ratio("JSON lines take, of the archive's time", from_lines, seconds)


def _write_events(folder: Path) -> list[Subscription]:
    """Write the events as JSON lines; gives the subscriptions."""
    workload = MatchingWorkload.generate(100, DIFFERENT_EVENTS)
    encode = msgspec.json.Encoder().encode
    lines = b"\n".join(map(encode, workload.events))
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number}.jsonl").write_bytes(lines)
    return workload.subscriptions


def _warm(subscriptions: list[Subscription], settings: MatcherSettings) -> Matcher:
    """A matcher that has its scores."""
    matcher = settings.matcher()
    for one in subscriptions:
        matcher.add(one)
    return matcher


@dataclass(slots=True)
class _Runs:
    """Streams of the same subscriptions, each into a folder of its own."""

    spark: SparkSession
    subscriptions: list[Subscription]
    settings: MatcherSettings
    folder: Path
    counts: Counts = field(default_factory=Counts)  # of the last run
    _numbers: Iterator[int] = field(default_factory=count)

    def run(self, source: Source) -> None:
        self.counts = Counts()

        def add(report: BatchReport) -> None:
            self.counts.add(report.counts)

        sink = BatchFolders(self.folder / f"matches-{next(self._numbers)}")
        job = MatchStream(
            source, sink, Fixed(self.subscriptions), JobFolder(sink.home), self.settings
        )
        job.run(self.spark, Watchers(add))
        if self.counts.events != EVENTS:
            raise AssertionError(f"{self.counts.events:,} of {EVENTS:,} events were matched")


def _spent(counts: Counts) -> Iterator[Finding]:
    """What a worker does with its time."""
    for what in ("reading", "matching", "handing_over"):
        taken = 1e6 * getattr(counts, what) / counts.events
        yield Finding(f"  {what.replace('_', ' ')} an event, on one core", f"{taken:.2f} µs")
