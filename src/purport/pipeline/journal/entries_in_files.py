"""A part of a journal in files, read entry after entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from purport.broker.records import Updated
from purport.model.event import Event
from purport.pipeline.journal.stretch_rows import Span, stretch_errors, stretch_rows

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
        for path in self.paths:
            with stretch_errors(path):
                for rows in stretch_rows(path, column, self.span, kind=kind):
                    columns = rows.sequences.tolist(), rows.times.tolist(), rows.texts.to_pylist()
                    for sequence, at, said in zip(*columns, strict=True):
                        yield sequence, at, None if said is None else decode(said)
