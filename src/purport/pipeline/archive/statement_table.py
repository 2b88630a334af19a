"""What statement ids mean, read where it is asked for and kept in bounds."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict

import pyarrow as pa
import pyarrow.parquet as pq

from purport.matching.flat_lists import Integers
from purport.pipeline.archive.folder import Archive, ArchivedBatch
from purport.pipeline.archive.statement_rows import StatementRow
from purport.pipeline.tables import ARCHIVED_STATEMENTS, arrow_schema

STATEMENTS_SCHEMA = arrow_schema(ARCHIVED_STATEMENTS)
ROWS_IN_A_GROUP = 16_384
_MOST_GROUPS = 128  # two million statements
_COLUMNS = list(StatementRow._fields)


class StatementTable:
    """The statements of an archive that may grow.

    Ids are given in the order in which statements were first met, so what an event's statements
    mean stands close together, and few groups of rows have to be at hand.
    """

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._batches: list[ArchivedBatch] = []
        self._groups: OrderedDict[tuple[int, int], pa.RecordBatch] = OrderedDict()

    def __len__(self) -> int:
        return self._batches[-1].end_id if self._batches else 0

    def require(self, least: int, most: int) -> None:
        """`StoreError` unless it is known what ids from one to another mean."""
        if most >= len(self):
            self._batches = [one for one in self.archive.batches() if one.statements]
        if least < 0 or most >= len(self):
            wrong = least if least < 0 else most
            raise self.archive.damaged(f"nothing says what statement {wrong} is")

    def rows(self, ids: Integers) -> list[StatementRow]:
        """The statements of some ids; `StoreError` if the archive does not say what one means."""
        if len(ids):
            self.require(int(ids.min()), int(ids.max()))
        starts = [one.first_id for one in self._batches]
        found: dict[int, StatementRow] = {}
        wanted: dict[tuple[int, int], list[int]] = {}
        for number in ids.tolist():
            batch = bisect_right(starts, number) - 1
            group = (number - starts[batch]) // ROWS_IN_A_GROUP
            wanted.setdefault((batch, group), []).append(number)
        for (batch, group), several in wanted.items():
            first = starts[batch] + group * ROWS_IN_A_GROUP
            rows = self._group(batch, group).take(pa.array([number - first for number in several]))
            texts = (rows.column(name).to_pylist() for name in _COLUMNS)
            found.update(zip(several, map(StatementRow, *texts), strict=True))
        return [found[number] for number in ids.tolist()]

    def _group(self, batch: int, group: int) -> pa.RecordBatch:
        """A group of rows, which is kept until others were needed."""
        key = batch, group
        if key in self._groups:
            self._groups.move_to_end(key)
            return self._groups[key]
        path = self.archive.statements_of(self._batches[batch].batch)
        try:
            with pq.ParquetFile(path) as file:
                table = file.read_row_group(group, columns=_COLUMNS, use_threads=False)
        except (OSError, pa.ArrowException, IndexError) as error:
            raise self.archive.damaged(f"{path}: {error}") from None
        rest = self._batches[batch].statements - group * ROWS_IN_A_GROUP
        if len(table) != min(rest, ROWS_IN_A_GROUP):
            raise self.archive.damaged(f"{path}: a part of it is missing")
        [rows] = table.combine_chunks().to_batches()
        self._groups[key] = rows
        if len(self._groups) > _MOST_GROUPS:
            self._groups.popitem(last=False)
        return rows
