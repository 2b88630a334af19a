"""Whether a journal is whole, and what is in it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import msgspec

from purport.broker.encoding import SAME_FORM, EncodedEntry, Row, decoded, is_whole
from purport.broker.journal import JournalError
from purport.broker.records import Record
from purport.broker.retention import Stretch
from purport.model.interval import time_of
from purport.storage.kept_entries import Bounds, KeptEntries
from purport.storage.sql_journal import SqlJournal
from purport.storage.stretches import StretchFolder, kind_of

_DECODER = msgspec.json.Decoder(Record)
_DAMAGED = "damaged"  # instead of the kind of a record
_LOOKS = 5  # at what is wrong with a file, before it is believed
_SECONDS_BETWEEN_LOOKS = 0.05


class _Problem(NamedTuple):
    """What is wrong with entries through this one; it is over when they are dropped."""

    through: int
    text: str


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
    found = list(_wrong_with_files(kept))
    entries, position, last_at = 0, first, 0
    while position <= last:
        try:
            rows = kept.next_kept(position, last)
        except JournalError as error:
            through = _unreadable_through(kept, position, last)
            found.append(
                _Problem(through, f"entries {position} to {through} cannot be read: {error}")
            )
            position = through + 1
            continue
        position = _still_kept(kept, position, rows)
        if not rows:
            if position <= last:
                found.append(_missing(position, last))
            break
        found += _wrong_with(rows, position, last_at)
        entries += len(rows)
        position = rows[-1][0] + 1
        last_at = next((row[1] for row in reversed(rows) if _is_sound(row)), last_at)
        tell(min(position - first, last + 1 - first), last + 1 - first)
    first_now = kept.bounds().first
    problems = (one.text for one in found if one.through >= first_now)
    return Verification(entries, first, last, tuple(problems))


def summary(journal: SqlJournal) -> Summary:
    """What is in a journal; what is dropped meanwhile may be counted or not.

    If nobody said where its stretches are, the kinds of records in them are not counted.
    """
    kept, stretches = journal.kept, tuple(journal.stretches())
    first, last = kept.bounds()
    position = stretches[-1].last + 1 if stretches else first
    kinds = _kinds_in_files(kept, stretches) + _kinds_from(kept, position, last)
    times = list(_ends(kept, stretches, Bounds(position, last)))
    snapshot = journal.snapshot()
    return Summary(
        last + 1 - first,
        first,
        last,
        time_of(times[0]) if times else None,
        time_of(times[-1]) if times else None,
        dict(kinds.most_common()),
        journal.database.bytes(),
        stretches,
        None if snapshot is None else snapshot.sequence,
    )


def _kinds_in_files(kept: KeptEntries, stretches: Sequence[Stretch]) -> Counter[str]:
    kinds: Counter[str] = Counter()
    if kept.folder is None:
        return kinds
    for stretch in stretches:
        try:
            kinds += kept.folder.kinds(stretch)
        except JournalError:
            if stretch.last >= kept.bounds().first:
                raise
    return kinds


def _kinds_from(kept: KeptEntries, position: int, last: int) -> Counter[str]:
    kinds: Counter[str] = Counter()
    while rows := kept.next_kept(position, last):
        for *_, record, _ in rows:
            try:
                kinds[kind_of(record)] += 1
            except JournalError:
                kinds[_DAMAGED] += 1
        position = rows[-1][0] + 1
    return kinds


def _ends(kept: KeptEntries, stretches: Sequence[Stretch], unsealed: Bounds) -> Iterator[int]:
    """The times of the first and the last entry, as far as they are known."""
    if stretches:
        yield from (stretches[0].first_at, stretches[-1].last_at)
    for sequence in unsealed if unsealed.first <= unsealed.last else ():
        with suppress(JournalError):
            yield from (row.at for row in kept.read(sequence - 1, sequence) if _is_sound(row))


def _wrong_with(rows: Sequence[Row], expected: int, last_at: int) -> Iterator[_Problem]:
    """What is wrong with entries; the first should have this sequence, and no time before that."""
    decode = _DECODER.decode
    for row in rows:
        sequence, at, version, _, record, _ = row
        if sequence > expected:
            yield _missing(expected, sequence - 1)
        expected = sequence + 1
        if not _is_sound(row):
            yield _Problem(sequence, f"entry {sequence}: damaged, its checksum differs")
            continue
        if at < last_at:
            yield _Problem(sequence, f"entry {sequence}: its time is before that of the last one")
        last_at = at
        try:
            if version in SAME_FORM:
                decode(record)
            else:
                decoded(EncodedEntry._make(row))
        except (msgspec.MsgspecError, JournalError, LookupError, TypeError, ValueError) as error:
            yield _Problem(sequence, f"entry {sequence}: cannot be read: {error}")


def _is_sound(row: Row) -> bool:
    """Whether an entry is as it was written; to a checksum alone, 1 and 1.0 are the same."""
    return type(row[1]) is int and type(row[2]) is int and is_whole(row)


def _still_kept(kept: KeptEntries, position: int, rows: Sequence[Row]) -> int:
    """Where these rows should begin: after what was dropped since they were asked for."""
    if rows and rows[0][0] == position:
        return position
    first = max(position, kept.bounds().first)
    return min(first, rows[0][0]) if rows else first


def _wrong_with_files(kept: KeptEntries) -> Iterator[_Problem]:
    """What is wrong with stretches, even after a while in which others may have finished."""
    if kept.folder is None:
        for stretch in kept.stretches()[:1]:
            yield _Problem(
                stretch.last, f"stretch {stretch.name}: it is not known in which folder it is"
            )
        return
    found = set(_doubtful_files(kept, kept.folder))
    for _ in range(_LOOKS if found else 0):
        time.sleep(_SECONDS_BETWEEN_LOOKS)
        found &= set(_doubtful_files(kept, kept.folder))
    yield from sorted(found)


def _doubtful_files(kept: KeptEntries, folder: StretchFolder) -> Iterator[_Problem]:
    """What does not fit, or does not fit yet: a file comes before its row, and goes after it."""
    for stretch in kept.stretches():
        size = folder.bytes_of(stretch)
        if size is None:
            yield _Problem(stretch.last, f"stretch {stretch.name}: its file is missing")
        elif size != stretch.bytes:
            yield _Problem(
                stretch.last,
                f"stretch {stretch.name}: expected {stretch.bytes} bytes, found {size}",
            )
    files = folder.files()
    names = {stretch.name for stretch in kept.stretches()}
    for (_, last), path in files.items():
        if path.name not in names:
            yield _Problem(last, f"file {path.name}: it is no stretch of this journal")


def _unreadable_through(kept: KeptEntries, position: int, last: int) -> int:
    """Through where it is no use to go on reading: the end of a stretch, or of it all."""
    inside = (one.last for one in kept.stretches() if one.first <= position <= one.last)
    return next(inside, last)


def _missing(first: int, last: int) -> _Problem:
    is_one = first == last
    which = f"entry {first} is" if is_one else f"entries {first} to {last} are"
    return _Problem(last, f"{which} missing")
