"""What `purport journal export` writes: a line of JSON for each entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import BinaryIO, get_args

import msgspec

from purport.broker.encoding import EncodedEntry, require_whole
from purport.broker.records import Record
from purport.errors import InvalidInput
from purport.model.interval import time_of
from purport.storage.sql_journal import SqlJournal
from purport.storage.stretches import kind_of

_ENTRIES_AT_ONCE = 1_000
_ENCODER = msgspec.json.Encoder()
_KINDS = tuple(str(one.__struct_config__.tag) for one in get_args(Record))


class ExportedEntry(msgspec.Struct, frozen=True):
    """An entry; `record` has the kind under `type`, and `event` is null if it is none of one."""

    sequence: int
    at: datetime
    version: int
    event: msgspec.Raw | None
    record: msgspec.Raw


@dataclass(frozen=True, slots=True)
class EntriesWanted:
    """A part of a journal: after one entry and through another, of some kinds or of all."""

    after: int = 0
    through: int | None = None
    kinds: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for kind in self.kinds.difference(_KINDS):
            raise InvalidInput(f"expected a kind such as {', '.join(_KINDS)}, got {kind!r}")
        if self.through is not None and self.through <= self.after:
            raise InvalidInput(f"no entry comes after {self.after} and up to {self.through}")

    def write(
        self,
        journal: SqlJournal,
        file: BinaryIO,
        tell: Callable[[int, int], None] = lambda done, total: None,
    ) -> int:
        """Write the entries, and give how many there are; a damaged one is a `JournalError`.

        What retention drops meanwhile, before it is read, is left out.
        """
        first = max(journal.first, self.after + 1)
        last = journal.last if self.through is None else min(journal.last, self.through)
        written, entries = 0, journal.kept.read(first - 1, last)
        while some := list(islice(entries, _ENTRIES_AT_ONCE)):
            lines = [_line(entry) for entry in some if self._wants(entry)]
            file.writelines(lines)
            written += len(lines)
            tell(some[-1].sequence + 1 - first, last + 1 - first)
        return written

    def _wants(self, entry: EncodedEntry) -> bool:
        require_whole(entry)  # or else it has no kind
        return not self.kinds or kind_of(entry.record) in self.kinds


def _line(entry: EncodedEntry) -> bytes:
    event = None if entry.event is None else msgspec.Raw(entry.event)
    record = msgspec.Raw(entry.record)
    written = ExportedEntry(entry.sequence, time_of(entry.at), entry.version, event, record)
    return _ENCODER.encode(written) + b"\n"
