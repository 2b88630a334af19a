"""How quick does Spark read the sealed stretches of a journal: as a table, a stream, a replay?

Events are those of the benchmark of approximate matching, ten statements each. A rate is that of a
whole run, from the start until what was asked for is there.
"""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from benchmarks.finding import Finding, at_least, quickest_seconds
from benchmarks.matching_workload import MatchingWorkload
from purport import Event, parse
from purport.assembly import journal_at
from purport.broker.records import Entry, Published
from purport.model.subscription import Subscription
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.jobs.replay import Replay
from purport.pipeline.journal.replayable import Replayable
from purport.pipeline.journal.stretch_rows import journal_table
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.notes import Counts
from purport.pipeline.session import local_session
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.journals import Journaled
from purport.pipeline.watched import Fixed
from purport.relatedness.catalogue import defaults_are_made

CORES = 2
DIFFERENT_EVENTS = 100_000
ENTRIES = 2_000_000
LEAST = 300_000
AT_ONCE = 10_000
_FIRST_AT = 1_790_000_000_000_000

EXACT = [
    parse("{value > 999} as high"),
    parse("{value < 1, municipality = lubeck} as low"),
    parse("{country = nobody says this} as nothing"),
]
GATED = [parse("{value > 500} on change as change")]


def findings() -> Iterator[Finding]:
    with tempfile.TemporaryDirectory(prefix="purport-bench-") as folder:
        workload = MatchingWorkload.generate(100, DIFFERENT_EVENTS)
        _write_journal(Path(folder) / "broker", workload)
        spark = local_session("purport benchmark", cores=str(CORES))
        try:
            yield from _findings(spark, Path(folder), workload.subscriptions)
        finally:
            spark.stop()


def _findings(
    spark: SparkSession, folder: Path, approximate: list[Subscription]
) -> Iterator[Finding]:
    broker = folder / "broker"
    stretches = list((broker / "stretches").glob("*.parquet"))
    size = sum(path.stat().st_size for path in stretches) / ENTRIES
    yield Finding(f"{ENTRIES:,} entries in {len(stretches)} stretches, each", f"{size:.0f} bytes")

    seconds = quickest_seconds(lambda: _read_table(spark, broker), runs=3)
    yield at_least("records a second, as a table, all columns", ENTRIES / seconds, LEAST)

    runs = _Runs(spark, broker, folder)
    runs.run(EXACT)
    seconds = quickest_seconds(lambda: runs.run(EXACT), runs=3)
    yield at_least("records a second, as a stream, three exact", ENTRIES / seconds, LEAST)
    yield from _spent(runs.counts)
    if defaults_are_made():
        runs.run(approximate)
        seconds = quickest_seconds(lambda: runs.run(approximate), runs=2)
        yield at_least("the same, 100 approximate, words met before", ENTRIES / seconds)
        yield from _spent(runs.counts)

    outputs = (folder / f"told-{number}" for number in count())
    for what, asked in (("three exact", EXACT), ("each past the gate of an on change", GATED)):
        replayed = partial(_replay, spark, broker, asked, outputs)
        seconds = quickest_seconds(replayed, runs=2)
        yield at_least(f"records a second replayed, {what}", ENTRIES / seconds)


def _write_journal(folder: Path, workload: MatchingWorkload) -> None:
    """Write and seal a journal of publications, as a broker does."""
    events = [Event.from_json(one) for one in workload.events]
    with closing(journal_at(folder, durability="relaxed")) as journal:
        for begin in range(1, ENTRIES + 1, AT_ONCE):
            journal.append(
                [
                    Entry(
                        sequence,
                        _FIRST_AT + sequence * 1_000,
                        Published(),
                        events[sequence % len(events)].with_id(f"event-{sequence}"),
                    )
                    for sequence in range(begin, begin + AT_ONCE)
                ]
            )
            journal.seal()


def _read_table(spark: SparkSession, folder: Path) -> None:
    columns = [f.max("sequence"), f.max("at"), f.sum("checksum"), f.max("version"), f.max("kind")]
    columns += [f.sum(f.length("event")), f.sum(f.length("record"))]
    [row] = journal_table(spark, folder).agg(*columns).collect()
    if row[0] != ENTRIES:
        raise AssertionError(f"{row[0]:,} of {ENTRIES:,} entries were read")


def _replay(
    spark: SparkSession, broker: Path, asked: list[Subscription], outputs: Iterator[Path]
) -> None:
    done = Replay(str(broker), Replayable(asked)).run(spark, next(outputs))
    if done.last != ENTRIES:
        raise AssertionError(f"{done.last:,} of {ENTRIES:,} entries were replayed")


@dataclass(slots=True)
class _Runs:
    """Streams out of the same journal, each into a folder of its own."""

    spark: SparkSession
    broker: Path
    folder: Path
    counts: Counts = field(default_factory=Counts)  # of the last run
    _numbers: Iterator[int] = field(default_factory=count)

    def run(self, subscriptions: list[Subscription]) -> None:
        self.counts = Counts()

        def add(report: BatchReport) -> None:
            self.counts.add(report.counts)

        sink = BatchFolders(self.folder / f"matches-{next(self._numbers)}")
        settings = MatcherSettings(scores=self.folder / "scores")
        job = MatchStream(
            Journaled(self.broker), sink, Fixed(subscriptions), JobFolder(sink.home), settings
        )
        job.run(self.spark, Watchers(add))
        if self.counts.events != ENTRIES:
            raise AssertionError(f"{self.counts.events:,} of {ENTRIES:,} events were matched")


def _spent(counts: Counts) -> Iterator[Finding]:
    """What a worker does with its time."""
    for what in ("reading", "matching", "handing_over"):
        taken = 1e6 * getattr(counts, what) / counts.events
        yield Finding(f"  {what.replace('_', ' ')} an event, on one core", f"{taken:.2f} µs")
