"""A batch of events, matched and then taken by the engines of what is subscribed to in time.

Two passes: the first reads and matches, and leaves behind what matters to time. The second hands
over what the first has found, and what the engines find, which have to see all of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark import TaskContext
from pyspark.sql import DataFrame

from purport.pipeline.found_matches import Matches, count_rows, found_matches, write_part
from purport.pipeline.matcher_spec import MatcherSpec
from purport.pipeline.notes import Notes, TaskNotes, task_name
from purport.pipeline.readers import Reader
from purport.pipeline.timed.engines import EnginesSpec, claimed_group, take_batch
from purport.pipeline.timed.kept import write_mark


def matches_in_time(
    records: DataFrame, reader: Reader, spec: MatcherSpec, engines: EnginesSpec, notes: Notes
) -> Matches:
    """The matches of records, by themselves and in time; the first pass is made at once."""
    plain, claims = notes.folder / "plain", notes.folder / "claims"
    for folder in (plain, claims, notes.timed):
        folder.mkdir()
    first = found_matches(records, reader, spec, notes, in_time=True)
    first.pass_to(partial(write_part, plain))
    tasks = records.sparkSession.range(0, engines.groups, 1, engines.groups)

    def found(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:  # a number that says nothing
            pass
        yield from _found_before(plain, engines.groups)
        yield from _found_in_time(engines, claims, notes)

    return Matches(tasks, found)


def _found_before(folder: Path, tasks: int) -> Iterator[pa.RecordBatch]:
    """What the first pass has found, as far as it is this task's to hand over."""
    context = TaskContext.get()
    number = context.partitionId() if context else 0
    for path in sorted(folder.glob("*.parquet"))[number::tasks]:
        with pq.ParquetFile(path) as file:
            yield from file.iter_batches()


def _found_in_time(engines: EnginesSpec, claims: Path, notes: Notes) -> Iterator[pa.RecordBatch]:
    """What one of the engines finds; what all of them see is noted by the first."""
    clock = time.perf_counter
    task = TaskNotes(notes.folder, task_name("timed"))
    began = clock()
    group = claimed_group(engines, claims, task.name)
    told, mark = take_batch(engines, group)
    rows = told.rows()
    task.counts.matching = clock() - began
    if rows is not None:
        count_rows(task.counts, [rows])
        yield rows
    if group == 0:
        task.refuse(told.letters)
        task.counts.late = told.late
        write_mark(engines.fresh, mark)
    task.finish()
