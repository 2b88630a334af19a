"""Whether a journal is whole, and what is in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from purport.broker.encoding import RECORD_VERSION, EncodedEntry, Row, decoded, is_whole
from purport.broker.journal import JournalError
from purport.broker.records import Record, time_of
from purport.broker.retention import Stretch
from purport.storage.kept_entries import KeptEntries
from purport.storage.sql_journal import SqlJournal
from purport.storage.stretches import kind_of

_DECODER = msgspec.json.Decoder(Record)


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found when all of a journal was read: `entries` of them, and what is wrong."""

    entries: int
    first: int
    last: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """What is in a journal, at a glance."""

    entries: int
    first: int
    last: int
    first_time: datetime | None
    last_time: datetime | None
    kinds: Mapping[str, int]  # how many records there are of each
    database_bytes: int
    stretches: tuple[Stretch, ...]
    snapshot: int | None  # the sequence after which there is one

    @property
    def bytes(self) -> int:
        """How much room all of it takes."""
        return self.database_bytes + sum(stretch.bytes for stretch in self.stretches)


def verify(
    journal: SqlJournal, tell: Callable[[int, int], None] = lambda done, total: None
) -> Verification:
    """Read all of a journal, and say what is not as it was written.

    `tell` is called now and then with how many entries are done, and how many there are.
    """
    kept = journal.kept
    first, last = kept.bounds()
    problems = list(_wrong_with_files(kept))
    entries, position, last_at = 0, first, 0
    while position <= last:
        try:
            rows = kept.next_of(position, last)
        except JournalError as error:
            through = _unreadable_through(kept, position, last)
            problems.append(f"entries {position} to {through} cannot be read: {error}")
            position = through + 1
            continue
        if not rows:
            problems.append(_missing(position, last))
            break
        problems += _wrong_with(rows, position, last_at)
        entries += len(rows)
        position, last_at = rows[-1][0] + 1, rows[-1][1]
        tell(min(position - first, last + 1 - first), last + 1 - first)
    return Verification(entries, first, last, tuple(problems))


def summary(journal: SqlJournal) -> Summary:
    """What is in a journal."""
    kept, stretches = journal.kept, tuple(journal.stretches())
    first, last = kept.bounds()
    kinds: Counter[str] = Counter()
    for stretch in stretches:
        if kept.folder is not None:
            kinds += kept.folder.kinds(stretch)
    position = stretches[-1].last + 1 if stretches else first
    while rows := kept.next_of(position, last):
        kinds.update(kind_of(record) for *_, record, _ in rows)
        position = rows[-1][0] + 1
    ends = [next(kept.read(one - 1, one), None) for one in (first, last)] if first <= last else ()
    times = [time_of(one.at) for one in ends if one is not None]
    snapshot = journal.snapshot()
    return Summary(
        last + 1 - first,
        first,
        last,
        times[0] if times else None,
        times[-1] if times else None,
        dict(kinds.most_common()),
        journal.database.bytes(),
        stretches,
        None if snapshot is None else snapshot.sequence,
    )


def _wrong_with(rows: Sequence[Row], expected: int, last_at: int) -> Iterator[str]:
    """What is wrong with entries; the first should have this sequence, and no time before that."""
    decode = _DECODER.decode
    for row in rows:
        sequence, at, version, _, record, _ = row
        if sequence != expected:
            yield _missing(expected, sequence - 1)
        expected = sequence + 1
        if not is_whole(row):
            yield f"entry {sequence}: damaged, its checksum differs"
            continue
        if at < last_at:
            yield f"entry {sequence}: its time is before that of the last one"
        last_at = at
        try:
            if version == RECORD_VERSION:
                decode(record)
            else:
                decoded(EncodedEntry._make(row))
        except (msgspec.MsgspecError, JournalError) as error:
            yield f"entry {sequence}: cannot be read: {error}"


def _wrong_with_files(kept: KeptEntries) -> Iterator[str]:
    stretches = kept.stretches()
    if kept.folder is None:
        if stretches:
            yield f"stretch {stretches[0].name}: it is not known in which folder it is"
        return
    for stretch in stretches:
        size = kept.folder.bytes_of(stretch)
        if size is None:
            yield f"stretch {stretch.name}: its file is missing"
        elif size != stretch.bytes:
            yield f"stretch {stretch.name}: expected {stretch.bytes} bytes, found {size}"
    names = {stretch.name for stretch in kept.stretches()}
    for path in kept.folder.files().values():
        if path.name not in names:
            yield f"file {path.name}: it is no stretch of this journal"


def _unreadable_through(kept: KeptEntries, position: int, last: int) -> int:
    """Through where it is no use to go on reading: the end of a stretch, or of it all."""
    inside = (one.last for one in kept.stretches() if one.first <= position <= one.last)
    return next(inside, last)


def _missing(first: int, last: int) -> str:
    return (
        f"entry {first} is missing" if first == last else f"entries {first} to {last} are missing"
    )
