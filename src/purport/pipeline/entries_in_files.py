"""A part of a journal in files, read entry after entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from purport.broker.encoding import RECORD_VERSION
from purport.broker.records import Updated
from purport.errors import EventError, UnusablePath
from purport.model.event import Event
from purport.pipeline.journaled import Span

_COLUMNS = ["sequence", "at", "version", "kind"]
_ROWS_AT_ONCE = 20_000
_BROKEN = (OSError, pa.ArrowException, KeyError, ValueError, msgspec.MsgspecError, EventError)
_DECODER = msgspec.json.Decoder(Updated)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EntriesInFiles:
    """Files with the entries of a span, in order; a file may have others, too.

    Entries come with their sequences and times in microseconds since 1970. `UnusablePath` if a file
    cannot be read.
    """

    paths: tuple[Path, ...]
    span: Span  # by sequences

    def updates(self) -> Iterator[tuple[int, int, Updated]]:
        """The updates that were run."""
        for sequence, at, updated in self._read("record", _DECODER.decode, kind="updated"):
            assert updated is not None
            yield sequence, at, updated

    def events(self) -> Iterator[tuple[int, int, Event | None]]:
        """All entries, with the events of those that are publications."""
        return self._read("event", Event.from_json)

    def _read(
        self, column: str, decode: Callable[[str], T], *, kind: str | None = None
    ) -> Iterator[tuple[int, int, T | None]]:
        """What a column says in each entry, or in those of a kind."""
        columns = [*_COLUMNS, column]
        for path in self.paths:
            try:
                with pq.ParquetFile(path, page_checksum_verification=True) as file:
                    for rows in file.iter_batches(
                        _ROWS_AT_ONCE, columns=columns, use_threads=False
                    ):
                        for sequence, at, said in _held(rows, column, self.span, kind):
                            yield sequence, at, None if said is None else decode(said)
            except _BROKEN as error:
                raise UnusablePath(path, f"not a whole stretch of a journal: {error}") from None


def _held(
    rows: pa.RecordBatch, column: str, span: Span, kind: str | None
) -> Iterator[tuple[int, int, str | None]]:
    """Sequence, time and what a column says of the rows in a span."""
    newest = pc.max(rows.column("version")).as_py() or 0
    if newest > RECORD_VERSION:
        raise ValueError(f"of version {newest}; this Purport reads versions up to {RECORD_VERSION}")
    if kind is not None:
        rows = rows.filter(pc.equal(rows.column("kind"), kind))
    sequences, times = (
        rows.column(name).cast(pa.int64()).to_numpy() for name in ("sequence", "at")
    )
    held = span.holds(sequences, times)
    texts = rows.column(column).filter(pa.array(held)).to_pylist()
    return zip(sequences[held].tolist(), times[held].tolist(), texts, strict=True)
