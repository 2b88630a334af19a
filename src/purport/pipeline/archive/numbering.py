"""Events to files with statement ids, on Spark: each step named by what it yields.

A statement is numbered in the order of the place where it was first met, so that the same records
give the same ids on any number of cores, and once more when a batch is repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from purport.errors import InvalidInput
from purport.pipeline.archive.event_files import LocalFiles, final_name, write_with_ids
from purport.pipeline.archive.statement_rows import StatementRow
from purport.pipeline.archive.statement_table import ROWS_IN_A_GROUP, STATEMENTS_SCHEMA
from purport.pipeline.notes import Notes
from purport.pipeline.readers import Reader
from purport.pipeline.tables import FILLED_FILES, LOCAL_STATEMENTS, arrow_schema
from purport.pipeline.tables_at_rest import written_batches

MOST_IDS = 2**31 - 1
_SAME = list(StatementRow._fields)
_FIRST_MET = ["source", "offset", "place"]


def local_statements(records: DataFrame, reader: Reader, notes: Notes, folder: Path) -> DataFrame:
    """The table LOCAL_STATEMENTS of files that are filled with the events of records.

    Dead letters are noted. Give it to `at_rest`, or the files are filled again.
    """

    def filled(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        task = notes.task()
        files = LocalFiles(folder, task.name)
        for tells in reader.read(batches):
            for told in tells.parts():
                yield from files.fill(told)
                task.refuse(told.dead_letters)
        yield from files.finish()
        task.finish()

    return records.mapInArrow(filled, LOCAL_STATEMENTS)


def new_statements(local: DataFrame, known: DataFrame) -> DataFrame:
    """Each statement that has no id yet, once, in the order in which they were first met."""
    first_met = f.min(f.struct(*_FIRST_MET)).alias("first_met")
    different = local.where("number > 0").groupBy(*_SAME).agg(first_met)
    return different.join(known, _SAME, "left_anti").orderBy("first_met", *_SAME).select(*_SAME)


def write_numbered(new: Path, first_id: int, path: Path) -> int:
    """Write ARCHIVED_STATEMENTS of new ones in their order, from an id on; gives their number."""
    next_id = first_id
    writer: pq.ParquetWriter | None = None
    for rows in _groups(written_batches(new, ROWS_IN_A_GROUP)):
        if next_id + len(rows) > MOST_IDS:
            raise InvalidInput(f"an archive has at most {MOST_IDS:,} different statements")
        if writer is None:
            path.parent.mkdir(parents=True)
            writer = pq.ParquetWriter(path, STATEMENTS_SCHEMA, compression="zstd")
        ids = pa.array(np.arange(next_id, next_id + len(rows), dtype=np.int32))
        writer.write_table(rows.add_column(0, "id", ids).cast(STATEMENTS_SCHEMA))
        next_id += len(rows)
    if writer is not None:
        writer.close()
    return next_id - first_id


def events_with_ids(
    local: DataFrame, statements: DataFrame, folder: Path, output: Path
) -> DataFrame:
    """The number of events in each file, which is written again with the ids of its statements."""

    def written(rows: pa.Table) -> pa.Table:
        name = rows.column("file")[0].as_py()
        numbers = rows.column("number").to_numpy()
        ids = np.full(numbers.max() + 1, -1, np.int32)
        ids[numbers] = rows.column("id").fill_null(-1).to_numpy()
        if ids[1:].min(initial=0) < 0:
            raise ValueError(f"{name}: a statement of it has no id")
        count = write_with_ids(folder / f"{name}.parquet", ids, output / final_name(name))
        return pa.table([[count]], schema=arrow_schema(FILLED_FILES))

    numbered = local.join(statements, _SAME, "left").select("file", "number", "id")
    return numbered.groupBy("file").applyInArrow(written, FILLED_FILES)


def _groups(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """The rows of batches, as many at a time as stand in a group of rows."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        rows = pa.Table.from_batches([*waiting, batch])
        while len(rows) >= ROWS_IN_A_GROUP:
            yield rows.slice(0, ROWS_IN_A_GROUP)
            rows = rows.slice(ROWS_IN_A_GROUP)
        waiting = rows.to_batches()
    if waiting:
        yield pa.Table.from_batches(waiting)
