"""What the tasks of a batch note beside their matches: dead letters and counts.

A task writes its notes when it is done, under the number of its partition: done again, or twice at
once, it puts the same ones in the place of the old. The driver reads them when the batch is
written, so that nothing has to be counted in a second pass.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark import TaskContext
from pyspark.sql import DataFrame

from purport.model.event_lines import DeadLetter
from purport.pipeline.matcher_spec import MatcherSpec
from purport.pipeline.matches import dead_letter_rows, match_rows
from purport.pipeline.readers import Reader, require_shared
from purport.pipeline.tables import MATCHES, TIMED_EVENTS, arrow_schema
from purport.pipeline.timed.asked import Asked
from purport.pipeline.timed.rows import TimedRows
from purport.pipeline.told import Matched
from purport.whole_file import whole_file

_LETTERS_AT_ONCE = 10_000
_TIMED_EVENTS = arrow_schema(TIMED_EVENTS)


class Counts(msgspec.Struct):
    """What was done in a task, or in all tasks of a batch; times are in seconds of one core."""

    events: int = 0
    matches: dict[str, int] = msgspec.field(default_factory=dict)  # by subscription
    dead_letters: int = 0
    undelivered: int = 0  # matches that are among them
    late: int = 0  # events in time that came too late to count
    without_time: int = 0  # events that subscriptions to events in time ask for, but for a time
    appeared: float | None = None  # when the oldest of the sources last changed, since 1970
    reading: float = 0.0
    matching: float = 0.0
    handing_over: float = 0.0
    problems: list[str] = msgspec.field(default_factory=list)  # that stop nothing

    @property
    def work(self) -> dict[str, float]:
        """The seconds of cores, by what was done in them."""
        return {
            "reading": self.reading,
            "matching": self.matching,
            "handing_over": self.handing_over,
        }

    def count_matches(self, found: Mapping[str, int]) -> None:
        """Count matches, by their subscriptions."""
        for subscription, count in found.items():
            self.matches[subscription] = self.matches.get(subscription, 0) + count

    def add(self, other: Counts) -> None:
        """Count what another task did."""
        self.events += other.events
        self.count_matches(other.matches)
        self.dead_letters += other.dead_letters
        self.undelivered += other.undelivered
        self.late += other.late
        self.without_time += other.without_time
        self.reading += other.reading
        self.matching += other.matching
        self.handing_over += other.handing_over
        self.problems = list(dict.fromkeys([*self.problems, *other.problems]))
        known = [one.appeared for one in (self, other) if one.appeared is not None]
        self.appeared = min(known, default=None)


@dataclass(frozen=True, slots=True)
class Notes:
    """A folder for the notes of one attempt at a batch.

    It is made before the batch, so that a worker that does not see it, or one of the other
    `places`, lacks what the nodes of a cluster have to share.
    """

    folder: Path
    places: tuple[Path, ...] = ()

    def matches(
        self, records: DataFrame, reader: Reader, spec: MatcherSpec, *, in_time: bool = False
    ) -> Matches:
        """The matches of records; the rest is noted when they are found, what is in time too."""

        def found(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for place in (self.folder, *self.places):
                require_shared(place)
            timed = TimedFile(self.timed, spec.asked()) if in_time else None
            return _matched(batches, reader, spec, self.task(), timed)

        return Matches(records, found)

    def refuse(self, letters: Iterable[DeadLetter], name: str) -> None:
        """Note matches that a sink could not deliver, in a task that has a name of its own.

        They are taken as they come, so that there may be any number of them.
        """
        task = TaskNotes(self.folder, name)
        task.refuse(letters)
        task.counts.undelivered = task.counts.dead_letters
        task.finish()

    def counts(self) -> Counts:
        """What all tasks did."""
        total = Counts()
        for path in sorted(self.folder.glob("*.json")):
            total.add(msgspec.json.decode(path.read_bytes(), type=Counts))
        return total

    def dead_letter_files(self) -> list[Path]:
        """The dead letters, as Parquet."""
        return sorted(self.folder.glob("*.parquet"))

    @property
    def timed(self) -> Path:
        """Where what matters to time is noted, if somebody asks for it."""
        return self.folder / "timed"

    def task(self) -> TaskNotes:
        """The notes of the task that this runs in."""
        return TaskNotes(self.folder, task_name("part"))


def task_name(what: str) -> str:
    """The name of the task that this runs in: done again, it has the same."""
    context = TaskContext.get()
    return f"{what}-{context.partitionId() if context else 0:05}"


Found = Iterable[pa.RecordBatch]


@dataclass(frozen=True, slots=True)
class Matches:
    """The matches of a batch, on their way: found when a sink takes them, which it does once."""

    _records: DataFrame
    _find: Callable[[Found], Iterator[pa.RecordBatch]]

    @property
    def table(self) -> DataFrame:
        """The table MATCHES, which has to be run through to its end, once."""
        return self._records.mapInArrow(self._find, MATCHES)

    def pass_to(self, take: Callable[[Found], None]) -> None:
        """Hand them over where they are found, without a way through the JVM.

        `take` is called in each task with its matches, and runs through all of them.
        """
        find = self._find

        def taken(batches: Found) -> Iterator[pa.RecordBatch]:
            take(find(batches))
            return iter(())

        self._records.mapInArrow(taken, MATCHES).collect()


def write_part(folder: Path, found: Found) -> None:
    """Write the matches of a task as Parquet; done again, it puts the same in the place of it."""
    path = folder / f"{task_name('part')}.parquet"
    schema = arrow_schema(MATCHES)
    with whole_file(path, is_lasting=False) as hidden, pq.ParquetWriter(hidden, schema) as file:
        for batch in found:
            file.write_batch(batch)


@dataclass(slots=True)
class TaskNotes:
    """The notes of one task."""

    folder: Path
    name: str
    counts: Counts = field(default_factory=Counts)
    _letters: pq.ParquetWriter | None = None
    _waiting: list[DeadLetter] = field(default_factory=list)
    _attempt: str = field(default_factory=lambda: uuid.uuid4().hex)

    def refuse(self, letters: Iterable[DeadLetter]) -> None:
        """Note dead letters."""
        for letter in letters:
            self._waiting.append(letter)
            self.counts.dead_letters += 1
            if len(self._waiting) >= _LETTERS_AT_ONCE:
                self._write_letters()

    def finish(self) -> None:
        """Write what is left, and the counts at last: by them a task is known to be done."""
        if self._waiting:
            self._write_letters()
        if self._letters is not None:
            self._letters.close()
            self._hidden("parquet").rename(self.folder / f"{self.name}.parquet")
        else:  # there may be some of an earlier attempt
            (self.folder / f"{self.name}.parquet").unlink(missing_ok=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        counts = self._hidden("json")
        counts.write_bytes(msgspec.json.encode(self.counts))
        counts.rename(self.folder / f"{self.name}.json")

    def _write_letters(self) -> None:
        rows = dead_letter_rows(self._waiting)
        if self._letters is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._letters = pq.ParquetWriter(self._hidden("parquet"), rows.schema)
        self._letters.write_batch(rows)
        self._waiting.clear()

    def _hidden(self, ending: str) -> Path:
        """Where this attempt writes: one given up for dead may still be at it somewhere."""
        return self.folder / f".{self.name}.{ending}-{self._attempt}"


class TimedFile:
    """A file of the table TIMED_EVENTS, which a task fills; done again, it is written over."""

    def __init__(self, folder: Path, asked: Asked) -> None:
        self._folder, self._name = folder, task_name("part")
        self._hidden = folder / f".{self._name}-{uuid.uuid4().hex}"
        self._rows = TimedRows(asked)
        self._file = pq.ParquetWriter(self._hidden, _TIMED_EVENTS)

    def take(self, matched: Matched, appeared: float | None) -> Matched:
        """Keep what matters to time; gives the matches of single events."""
        taken = self._rows.take(matched, appeared)
        if taken.timed is not None:
            self._file.write_batch(taken.timed)
        return taken.matched

    def finish(self) -> int:
        """Write what is left; gives how many events were passed over, without a time."""
        last = self._rows.last()
        if last is not None:
            self._file.write_batch(last)
        self._file.close()
        self._hidden.rename(self._folder / f"{self._name}.parquet")
        return self._rows.without_time


def _matched(
    batches: Iterable[pa.RecordBatch],
    reader: Reader,
    spec: MatcherSpec,
    notes: TaskNotes,
    timed: TimedFile | None = None,
) -> Iterator[pa.RecordBatch]:
    """The matches of a task, while it takes notes; what matters to time goes into a file."""
    matcher = spec.build()
    counts, clock = notes.counts, time.perf_counter
    counts.problems += matcher.measures.share_scores()  # what other workers scored meanwhile
    began = clock()
    for told in reader.read(batches):
        read = clock()
        found = told.match(matcher)
        if timed is not None:
            found = timed.take(found, told.appeared)
        rows = list(match_rows(found, spec.version))
        matched = clock()
        count_rows(counts, rows)
        counts.events += sum(len(part.ids) for part, _ in found.found)
        if told.appeared is not None:
            counts.appeared = min(counts.appeared or told.appeared, told.appeared)
        notes.refuse(found.dead_letters)
        counts.reading += read - began
        counts.matching += matched - read
        yield from rows
        began = clock()
        counts.handing_over += began - matched
    counts.problems += matcher.measures.share_scores()
    if timed is not None:
        counts.without_time += timed.finish()
    notes.finish()


def count_rows(counts: Counts, rows: Iterable[pa.RecordBatch]) -> None:
    """Count matches, as rows of the table MATCHES."""
    for batch in rows:
        found: Iterable[Mapping[str, int]] = batch.column("subscription").value_counts().to_pylist()
        counts.count_matches({str(one["values"]): one["counts"] for one in found})
