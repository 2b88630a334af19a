"""Stretches of a journal as Parquet files, which anything can read that reads Parquet."""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec

from purport.broker.encoding import Row
from purport.broker.journal import JournalError
from purport.broker.retention import Stretch
from purport.errors import MissingExtra
from purport.whole_file import sync, whole_file

ROWS_A_GROUP = 20_000  # are read at once
_ROWS_A_PART = 1_000  # are turned into columns at once, while no other thread gets on
_NAME = re.compile(r"(\d{20})-(\d{20})\.parquet")
_MOST_GROUPS_KEPT = 4


class _Kind(msgspec.Struct):
    type: str


_KIND = msgspec.json.Decoder(_Kind)


class StretchFolder:
    """A folder of files, each named after the first and the last sequence in it.

    A file is written hidden and renamed when all of it is on disk: whoever sees one sees it whole.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._begins: dict[str, list[int]] = {}  # the first sequences of the row groups of a file
        self._groups: dict[tuple[str, int], Any] = {}  # those that were read last, as tables
        self._lock = threading.Lock()

    @staticmethod
    def can_write() -> bool:
        """Whether there is what it takes to write Parquet files."""
        return find_spec("pyarrow") is not None

    def write(self, first: int, last: int, groups: Iterable[Sequence[Row]]) -> Stretch:
        """Write a stretch; when this returns, a crash no longer loses it."""
        pa, parquet = _pyarrow()
        path = self.folder / name_of(first, last)
        schema = _schema(pa)
        times: list[int] = []
        try:
            with (
                whole_file(path) as hidden,
                parquet.ParquetWriter(
                    hidden, schema, compression="zstd", write_page_checksum=True
                ) as writer,
            ):
                for group in groups:
                    parts = [
                        group[at : at + _ROWS_A_PART] for at in range(0, len(group), _ROWS_A_PART)
                    ]
                    tables = [_table(pa, schema, part) for part in parts]
                    writer.write_table(pa.concat_tables(tables))
                    times += group[0][1], group[-1][1]
            sync(self.folder)
        except OSError as error:
            raise JournalError(f"{path}: {error.strerror or error}") from None
        except pa.ArrowException as error:
            raise JournalError(f"{path}: {_first_line(error)}") from None
        return self.stretch_of(path, times[0], times[-1])

    @staticmethod
    def stretch_of(path: Path, first_at: int, last_at: int) -> Stretch:
        """What is said of a file; its first and last sequence are in its name."""
        first, last = map(int, path.stem.split("-"))
        return Stretch(first, last, first_at, last_at, path.stat().st_size, path.name)

    def group(self, stretch: Stretch, sequence: int) -> Sequence[Row]:
        """The entries from this sequence on that are read at once."""
        begins, number = self._group_of(stretch, sequence)
        table = self._table(stretch, number)
        with _reading(stretch):
            return _rows(table.slice(sequence - begins))

    def rows(self, stretch: Stretch, sequences: Iterable[int]) -> Iterator[Row]:
        """The entries with these sequences, which are in order."""
        wanted: dict[tuple[int, int], list[int]] = {}
        for sequence in sequences:
            wanted.setdefault(self._group_of(stretch, sequence), []).append(sequence)
        for (begins, number), some in wanted.items():
            table = self._table(stretch, number)
            with _reading(stretch):
                rows = _rows(table.take([sequence - begins for sequence in some]))
            yield from rows

    def times(self, stretch: Stretch) -> Sequence[int]:
        """When each entry of a stretch was made, in microseconds since 1970."""
        _, parquet = _pyarrow()
        with _reading(stretch):
            table = parquet.read_table(
                self.folder / stretch.name, columns=["at"], partitioning=None
            )
        return _integers(table, "at")

    def kinds(self, stretch: Stretch) -> Counter[str]:
        """How many records of each kind there are in a stretch."""
        _, parquet = _pyarrow()
        with _reading(stretch):
            table = parquet.read_table(
                self.folder / stretch.name, columns=["kind"], partitioning=None
            )
        counted = table.column("kind").value_counts().to_pylist()
        return Counter({one["values"]: one["counts"] for one in counted})

    def holds(self, name: str, checksums: Sequence[int]) -> bool:
        """Whether a file is whole, and has the entries with these checksums."""
        pa, parquet = _pyarrow()
        try:
            table = parquet.read_table(self.folder / name, columns=["checksum"], partitioning=None)
            return _integers(table, "checksum") == checksums
        except (OSError, KeyError, ValueError, pa.ArrowException):
            return False

    def files(self) -> dict[tuple[int, int], Path]:
        """The files that are here, by first and last sequence."""
        if not self.folder.is_dir():
            return {}
        named = [(_NAME.fullmatch(path.name), path) for path in sorted(self.folder.iterdir())]
        return {(int(name[1]), int(name[2])): path for name, path in named if name}

    def bytes_of(self, stretch: Stretch) -> int | None:
        """How large the file of a stretch is; None if there is none."""
        path = self.folder / stretch.name
        return path.stat().st_size if path.is_file() else None

    def remove(self, name: str) -> None:
        """Drop a file, if it is there."""
        with self._lock:
            self._begins.pop(name, None)
            self._groups = {key: group for key, group in self._groups.items() if key[0] != name}
        (self.folder / name).unlink(missing_ok=True)

    def set_aside(self, name: str) -> None:
        """Take a file out of the sight of those who read stretches, and keep it."""
        path = self.folder / name
        path.rename(path.with_name(f".{name}.aside"))

    def _group_of(self, stretch: Stretch, sequence: int) -> tuple[int, int]:
        """With which sequence the row group of an entry begins, and its number."""
        begins = self._begins.get(stretch.name)
        if begins is None:
            _, parquet = _pyarrow()
            with _reading(stretch):
                metadata = parquet.read_metadata(self.folder / stretch.name)
            sizes = [metadata.row_group(one).num_rows for one in range(metadata.num_row_groups)]
            begins = list(accumulate(sizes, initial=stretch.first))
            self._begins[stretch.name] = begins
        if not stretch.first <= sequence < begins[-1]:
            raise JournalError(f"stretch {stretch.name}: entry {sequence} is not in it")
        number = bisect_right(begins, sequence) - 1
        return begins[number], number

    def _table(self, stretch: Stretch, number: int) -> Any:
        key = stretch.name, number
        with self._lock:
            table = self._groups.pop(key, None)
        if table is None:
            _, parquet = _pyarrow()
            with _reading(stretch), parquet.ParquetFile(self.folder / stretch.name) as file:
                table = file.read_row_group(number, use_threads=False)
        with self._lock:
            self._groups[key] = table
            while len(self._groups) > _MOST_GROUPS_KEPT:
                del self._groups[next(iter(self._groups))]
        return table


def name_of(first: int, last: int) -> str:
    """The name of the file of a stretch; names sort as stretches do."""
    return f"{first:020}-{last:020}.parquet"


def kind_of(record: bytes) -> str:
    """What kind of record this is; `JournalError` if it is none."""
    try:
        return _KIND.decode(record).type
    except (msgspec.MsgspecError, TypeError, ValueError) as error:
        raise JournalError(f"what should be a record is none: {error}") from None


def _table(pa: Any, schema: Any, rows: Sequence[Row]) -> Any:
    sequences, times, versions, events, records, checksums = zip(*rows, strict=True)
    kinds = [kind_of(record) for record in records]
    columns = [sequences, times, versions, kinds, events, records, checksums]
    stored = {"at": pa.int64(), "event": pa.binary(), "record": pa.binary()}
    arrays = [
        pa.array(column, stored.get(field.name, field.type)).cast(field.type)
        for column, field in zip(columns, schema, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _rows(table: Any) -> list[Row]:
    pa, _ = _pyarrow()
    numbers = [_integers(table, name) for name in ("sequence", "at", "version", "checksum")]
    texts = [table.column(name).cast(pa.binary()).to_pylist() for name in ("event", "record")]
    return list(zip(*numbers[:3], *texts, numbers[3], strict=True))


def _integers(table: Any, column: str) -> list[int]:
    pa, _ = _pyarrow()
    numbers: list[int] = table.column(column).cast(pa.int64()).to_numpy().tolist()
    return numbers


def _schema(pa: Any) -> Any:
    return pa.schema(
        [
            pa.field("sequence", pa.int64(), nullable=False),
            pa.field("at", pa.timestamp("us", "UTC"), nullable=False),
            pa.field("version", pa.int32(), nullable=False),
            pa.field("kind", pa.string(), nullable=False),
            pa.field("event", pa.string()),
            pa.field("record", pa.string(), nullable=False),
            pa.field("checksum", pa.int64(), nullable=False),
        ]
    )


@contextmanager
def _reading(stretch: Stretch) -> Iterator[None]:
    pa, _ = _pyarrow()
    try:
        yield
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise JournalError(
            f"stretch {stretch.name}: cannot be read: {_first_line(error)}"
        ) from None


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise MissingExtra("spark") from None
    return pyarrow, pyarrow.parquet
