"""The matches of a batch, found where its records lie, while everything else is noted."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from purport.pipeline.matcher_spec import MatcherSpec
from purport.pipeline.notes import Counts, Notes, TaskNotes, task_name
from purport.pipeline.outcomes import match_rows
from purport.pipeline.readers import Reader
from purport.pipeline.tables import MATCHES, TIMED_EVENTS, arrow_schema
from purport.pipeline.timed.asked import Asked
from purport.pipeline.timed.rows import TimedRows
from purport.pipeline.told import Matched
from purport.whole_file import whole_file

_TIMED_EVENTS = arrow_schema(TIMED_EVENTS)

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


def found_matches(
    records: DataFrame, reader: Reader, spec: MatcherSpec, notes: Notes, *, in_time: bool = False
) -> Matches:
    """The matches of records; the rest is noted when they are found, what is in time too."""

    def found(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        notes.require_shared()
        timed = TimedFile(notes.timed, spec.asked()) if in_time else None
        return _matched(batches, reader, spec, notes.task(), timed)

    return Matches(records, found)


def write_part(folder: Path, found: Found) -> None:
    """Write the matches of a task as Parquet; done again, it puts the same in the place of it."""
    path = folder / f"{task_name('part')}.parquet"
    schema = arrow_schema(MATCHES)
    with whole_file(path, is_lasting=False) as hidden, pq.ParquetWriter(hidden, schema) as file:
        for batch in found:
            file.write_batch(batch)


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
