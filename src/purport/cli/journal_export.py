"""What `purport journal export` writes: a line of JSON for each entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, get_args

import msgspec

from purport.broker.encoding import require_whole
from purport.broker.records import Record, time_of
from purport.errors import InvalidInput
from purport.storage.sql_journal import SqlJournal
from purport.storage.stretches import kind_of

_LINES_AT_ONCE = 1_000
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

    def write(
        self,
        journal: SqlJournal,
        file: BinaryIO,
        tell: Callable[[int, int], None] = lambda done, total: None,
    ) -> int:
        """Write the entries, and give how many there are; a damaged one is a `JournalError`."""
        first = max(journal.first, self.after + 1)
        last = journal.last if self.through is None else min(journal.last, self.through)
        encode = msgspec.json.Encoder().encode
        lines: list[bytes] = []
        written = 0
        for entry in journal.kept.read(first - 1, last):
            if not self.kinds or kind_of(entry.record) in self.kinds:
                require_whole(entry)
                event = None if entry.event is None else msgspec.Raw(entry.event)
                record = msgspec.Raw(entry.record)
                lines.append(
                    encode(
                        ExportedEntry(
                            entry.sequence, time_of(entry.at), entry.version, event, record
                        )
                    )
                )
            if len(lines) == _LINES_AT_ONCE or entry.sequence == last:
                file.writelines(line + b"\n" for line in lines)
                written += len(lines)
                lines.clear()
                tell(entry.sequence + 1 - first, last + 1 - first)
        return written
