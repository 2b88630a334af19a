"""The job that replays a journal: what would subscribers have been told of a part of it?"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial, reduce
from itertools import islice
from pathlib import Path

import msgspec
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from purport.assembly import journal_to_read
from purport.broker.earlier_graph import graph_before
from purport.errors import InvalidInput
from purport.model.interval import microseconds_of
from purport.model.subscription import Subscription
from purport.pipeline.jobs.how_far import tasks_told
from purport.pipeline.journal.entries_in_files import EntriesInFiles
from purport.pipeline.journal.event_notifications import answers, event_notifications
from purport.pipeline.journal.pattern_notifications import HappenedInFiles, pattern_notifications
from purport.pipeline.journal.query_notifications import UpdatesInFiles, query_notifications
from purport.pipeline.journal.replayable import Replayable
from purport.pipeline.journal.stretch_rows import Span
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.new_folder import new_folder
from purport.pipeline.session import spark_address, spark_pattern
from purport.pipeline.spark_errors import job_errors
from purport.pipeline.tables import REPLAYED, STRETCHES
from purport.pipeline.timed.asked import split
from purport.sparql.ontology_rules import InferenceSource
from purport.storage.sql_journal import SqlJournal
from purport.storage.stretches import ROWS_A_GROUP, StretchFolder, name_of

_NO_ENTRIES = EntriesInFiles((), Span())
_TIMESTAMPS = "spark.sql.parquet.outputTimestampType"


class ToldInAll(msgspec.Struct, frozen=True):
    """What one subscription would have been told."""

    subscription: str
    notifications: int
    first_at: datetime | None = None
    last_at: datetime | None = None


class Replayed(msgspec.Struct, frozen=True):
    """What came of a replay; entries from `first` to `last` were looked at."""

    first: int
    last: int
    told: list[ToldInAll]  # for each subscription, also for those that are told nothing


@dataclass(frozen=True, slots=True)
class Replay:
    """Matches and updates a part of a journal anew, and tells what a broker would have told.

    Subscriptions and queries are taken to be there from the first entry on, and every subscriber to
    keep up. To patterns in time, what the journal has of before counts, but is not told; what is
    missing is told when its time is up. The broker may go on running: what is not sealed yet is
    copied first.
    """

    place: str  # a folder, or the address of a database
    asked: Replayable
    span: Span = field(default_factory=Span)
    settings: MatcherSettings = field(default_factory=MatcherSettings)
    stretches: Path | None = None  # where an address has them
    ontology: InferenceSource | None = None  # that the broker's queries see by

    @property
    def _plain(self) -> list[Subscription]:
        """What single events answer."""
        return split(self.asked.subscriptions)[0]

    @property
    def _in_time(self) -> list[Subscription]:
        """What is about more than single events."""
        return split(self.asked.subscriptions)[1]

    def run(
        self, spark: SparkSession, output: Path, tell: Callable[[str], None] = lambda _: None
    ) -> Replayed:
        """Write the table REPLAYED into a folder that is not there yet, or is empty."""
        with (
            new_folder(output) as building,
            tempfile.TemporaryDirectory(prefix="purport-replay-") as folder,
        ):
            tell("reading what is not sealed")
            part = self._part(Path(folder))
            told = self._run_part(spark, part, building, tell)
        return Replayed(part.first, part.last, told)

    def _part(self, scratch: Path) -> _Part:
        """What is replayed, in files; to what happens in time, all that came before matters too."""
        with closing(journal_to_read(self.place, stretches=self.stretches)) as journal:
            first, last = _bounds(journal, self.span)
            part = _Part(first, last)
            if first > last:
                return part
            begins = journal.first if self._in_time else first
            files = self._files(journal, begins, last, scratch)
            part = replace(part, entries=_entries(files, first, last))
            if self.asked.queries:
                part = replace(part, updates=self._updates(journal, part, scratch))
            if self._in_time:
                past = _entries(files, begins, first - 1)
                until = _ends(journal, self.span, last)
                part = replace(part, happened=HappenedInFiles(past, part.entries, until))
            return part

    def _files(self, journal: SqlJournal, first: int, last: int, scratch: Path) -> list[_File]:
        """The files that some entries are in; what is not sealed is copied into one more."""
        sealed = journal.stretches()
        files = [
            _File(one.first, one.last, (self._folder() / one.name).resolve())
            for one in sealed
            if one.last >= first and one.first <= last
        ]
        unsealed = max(first, sealed[-1].last + 1) if sealed else first
        if unsealed <= last:
            copy = _copied(journal, unsealed, last, scratch)
            files.append(_File(unsealed, last, copy.resolve()))
        return files

    def _updates(self, journal: SqlJournal, part: _Part, scratch: Path) -> UpdatesInFiles:
        """What queries are told of."""
        entry = next(journal.read(part.first - 1, part.first))
        graph = scratch / "graph.json"
        graph.write_bytes(msgspec.json.encode(graph_before(journal, part.first)))
        return UpdatesInFiles(part.entries, graph.resolve(), entry.time, self.ontology)

    def _folder(self) -> Path:
        if self.stretches is not None:
            return self.stretches
        if "://" in self.place:
            raise InvalidInput("of a journal in a database, name the folder of its stretches")
        return Path(self.place) / "stretches"

    def _run_part(
        self, spark: SparkSession, part: _Part, output: Path, tell: Callable[[str], None]
    ) -> list[ToldInAll]:
        step = f"matching {part.last + 1 - part.first:,} entries"

        def tell_tasks(done: int, total: int) -> None:
            tell(f"{step}, {done:,} of {total:,} tasks are done")

        tell(step)
        with job_errors("the replay stopped"), tasks_told(spark, tell_tasks):
            self._write(spark, part, output)
            return self._told(spark, output)

    def _write(self, spark: SparkSession, part: _Part, output: Path) -> None:
        found = [self._of_events(spark, part)] if self._plain else []
        if part.happened is not None:
            found.append(pattern_notifications(spark, self._in_time, part.happened, self.settings))
        if part.updates is not None:
            found.append(query_notifications(spark, self.asked.queries, part.updates))
        empty = spark.createDataFrame([], REPLAYED)
        whole = reduce(partial(DataFrame.unionByName, allowMissingColumns=True), found, empty)
        with _plain_timestamps(spark):
            whole.write.parquet(spark_address(output))

    def _of_events(self, spark: SparkSession, part: _Part) -> DataFrame:
        rows = [(str(path),) for path in part.entries.paths]
        stretches = spark.createDataFrame(rows, STRETCHES).repartition(max(len(rows), 1))
        found = answers(stretches, part.entries.span, self._plain, self.settings)
        return event_notifications(found, self._plain)

    def _told(self, spark: SparkSession, output: Path) -> list[ToldInAll]:
        counted = (
            spark.read.schema(REPLAYED)
            .parquet(spark_pattern(output))
            .groupBy("subscription")
            .agg(f.count("*"), f.min("at"), f.max("at"))
        )
        found = {
            name: ToldInAll(name, count, first.astimezone(UTC), last.astimezone(UTC))
            for name, count, first, last in counted.collect()
        }
        return [found.get(name) or ToldInAll(name, 0) for name in self.asked.names]


@contextmanager
def _plain_timestamps(spark: SparkSession) -> Iterator[None]:
    """Times in Parquet as all tools read them, and not in the form that Spark writes otherwise."""
    before = spark.conf.get(_TIMESTAMPS)
    spark.conf.set(_TIMESTAMPS, "TIMESTAMP_MICROS")
    try:
        yield
    finally:
        spark.conf.set(_TIMESTAMPS, before or "INT96")


@dataclass(frozen=True, slots=True)
class _File:
    """A file with entries from a first to a last one."""

    first: int
    last: int
    path: Path  # as whoever works elsewhere finds it


@dataclass(frozen=True, slots=True)
class _Part:
    """What is replayed: entries from a first to a last one, and what is made of them for whom."""

    first: int
    last: int
    entries: EntriesInFiles = _NO_ENTRIES
    updates: UpdatesInFiles | None = None
    happened: HappenedInFiles | None = None


def _bounds(journal: SqlJournal, span: Span) -> tuple[int, int]:
    """The first and the last sequence of a span, of what a journal keeps."""
    first, last = max(journal.first, span.after + 1), journal.last
    if span.through is not None:
        last = min(last, span.through)
    if span.since is not None:
        first = max(first, journal.kept.since(microseconds_of(span.since)))
    if span.until is not None:
        last = min(last, journal.kept.since(microseconds_of(span.until)) - 1)
    return first, max(last, first - 1)


def _ends(journal: SqlJournal, span: Span, last: int) -> int:
    """The time with which a part ends that has this last entry."""
    is_through = span.through is not None and last >= span.through
    if span.until is not None and last < journal.last and not is_through:
        return microseconds_of(span.until) - 1  # what comes next was published then, or later
    return next(journal.read(last - 1, last)).at


def _entries(files: Iterable[_File], first: int, last: int) -> EntriesInFiles:
    """Some entries of files that have them."""
    paths = [one.path for one in files if one.last >= first and one.first <= last]
    return EntriesInFiles(tuple(paths), Span(first - 1, last))


def _copied(journal: SqlJournal, first: int, last: int, folder: Path) -> Path:
    """Entries that are not sealed, as a stretch elsewhere."""
    entries = journal.kept.read(first - 1, last)
    StretchFolder(folder).write(first, last, iter(lambda: list(islice(entries, ROWS_A_GROUP)), []))
    return folder / name_of(first, last)
