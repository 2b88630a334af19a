"""Files of archived events: first with numbers of their own for statements, then with ids.

While a file is filled nobody knows the ids yet, so each file numbers its own statements. When all
are filled, the different ones are put in order, and each file is written again with ids.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from purport.errors import EventError
from purport.matching.flat_lists import Integers
from purport.pipeline.archive.local_statements import LocalStatements, require_utf8
from purport.pipeline.tables import (
    ARCHIVED_EVENTS,
    LOCAL_STATEMENTS,
    arrow_schema,
    record_batch_of_rows,
)
from purport.pipeline.told import Told
from purport.whole_file import whole_file

EVENTS_IN_A_FILE = 131_072
EVENTS_AT_ONCE = 65_536  # that a matcher is given
EVENTS_SCHEMA = arrow_schema(ARCHIVED_EVENTS)
_MOST_STATEMENTS = 500_000
_MOST_LETTERS = 64 * 1024 * 1024
_DICTIONARIES = ["source", "statements.list.element", "texts.list.element"]
_ENCODINGS = {"event_id": "DELTA_BYTE_ARRAY", "offset": "DELTA_BINARY_PACKED"}


class LocalFiles:
    """Fills one file after the other with events, below a folder.

    Their names are of this attempt at the task alone: whatever attempts there are, those of whom
    Spark took the rows left whole files.
    """

    def __init__(self, folder: Path, task: str) -> None:
        self._folder, self._task = folder, task
        self._attempt = uuid.uuid4().hex
        self._count = 0
        self._file = self._next()

    def fill(self, told: Told) -> Iterator[pa.RecordBatch]:
        """Take events, whose dead letters may become more; gives LOCAL_STATEMENTS of full files."""
        for number in range(len(told)):
            try:
                self._file.add(told, number)
            except EventError as error:
                told.refuse(told.offsets[number], str(error), told.records[number])
            if self._file.is_full:
                yield self._file.written(self._folder)
                self._file = self._next()

    def finish(self) -> Iterator[pa.RecordBatch]:
        """Write the last file, if there is something in it."""
        if self._file.ids:
            yield self._file.written(self._folder)

    def _next(self) -> _Filling:
        self._count += 1
        return _Filling(f"{self._task}-{self._count:04}-{self._attempt}")


def final_name(local_name: str) -> str:
    """What a file is called in the archive: the same, whichever attempt it is of."""
    return f"{local_name.rpartition('-')[0]}.parquet"


def write_with_ids(local: Path, ids: Integers, final: Path) -> int:
    """Write a file again, with ids in the place of its own numbers; gives how many events it has.

    Somebody else may be at it: whoever is last has written the same.
    """
    with pq.ParquetFile(local) as file:
        table = file.read()
    at = table.schema.get_field_index("statements")
    column = table.column(at).combine_chunks()
    numbered = pa.ListArray.from_arrays(column.offsets, pa.array(ids[column.values.to_numpy()]))
    kind = EVENTS_SCHEMA.field(at)
    with whole_file(final, is_lasting=False) as hidden:
        pq.write_table(
            table.set_column(at, kind, numbered.cast(kind.type)),
            hidden,
            row_group_size=EVENTS_AT_ONCE,
            use_dictionary=_DICTIONARIES,
            column_encoding=_ENCODINGS,
            compression="zstd",
        )
    return len(table)


@dataclass(slots=True)
class _Lists:
    """A column of lists, one behind the other."""

    items: list[Any] = field(default_factory=list)
    ends: list[int] = field(default_factory=lambda: [0])

    def add(self, items: Iterable[Any]) -> None:
        self.items.extend(items)
        self.ends.append(len(self.items))

    def array(self, kind: pa.DataType) -> pa.ListArray:
        items = pa.array(self.items, kind.value_type)
        return pa.ListArray.from_arrays(pa.array(self.ends, pa.int32()), items).cast(kind)


@dataclass(slots=True)
class _Filling:
    """A file that is being filled."""

    name: str
    ids: list[str] = field(default_factory=list)
    _sources: list[str] = field(default_factory=list)
    _offsets: list[int] = field(default_factory=list)
    _statements: _Lists = field(default_factory=_Lists)
    _numbers: _Lists = field(default_factory=_Lists)
    _texts: _Lists = field(default_factory=_Lists)
    _starts: list[datetime | None] = field(default_factory=list)
    _ends: list[datetime | None] = field(default_factory=list)
    _local: LocalStatements = field(default_factory=LocalStatements)
    _letters: int = 0

    @property
    def is_full(self) -> bool:
        return (
            len(self.ids) >= EVENTS_IN_A_FILE
            or len(self._local) >= _MOST_STATEMENTS
            or self._letters + self._local.letters >= _MOST_LETTERS
        )

    def add(self, told: Told, number: int) -> None:
        """Take an event, or nothing of it: an `EventError` says what is wrong with it."""
        identifier, offset = told.ids[number], told.offsets[number]
        require_utf8([identifier])
        said = self._local.said(told.events[number], told.source, offset)
        interval = told.intervals.get(number)
        self.ids.append(identifier)
        self._sources.append(told.source)
        self._offsets.append(offset)
        self._statements.add(said.statements)
        self._numbers.add(said.numbers)
        self._texts.add(said.texts)
        self._starts.append(interval.start if interval else None)
        self._ends.append(interval.end if interval else None)
        self._letters += sum(map(len, said.texts))

    def written(self, folder: Path) -> pa.RecordBatch:
        """Write the file; gives its statements, and one that says nothing: so it is heard of."""
        kinds = EVENTS_SCHEMA.types
        columns = [
            pa.array(self.ids, kinds[0]),
            pa.array(self._sources, kinds[1]),
            pa.array(self._offsets, kinds[2]),
            self._statements.array(kinds[3]),
            self._numbers.array(kinds[4]),
            self._texts.array(kinds[5]),
            pa.array(self._starts, kinds[6]),
            pa.array(self._ends, kinds[7]),
        ]
        table = pa.table(columns, schema=EVENTS_SCHEMA)
        pq.write_table(table, folder / f"{self.name}.parquet", compression="lz4")
        rows = [(self.name, number, *row, *place) for number, row, place in self._local.rows()]
        return record_batch_of_rows(LOCAL_STATEMENTS, rows)
