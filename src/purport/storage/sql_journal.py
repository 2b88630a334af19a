"""A journal in a database: the last entries in a table, older ones sealed in Parquet files."""

from __future__ import annotations

import sys
import threading
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import suppress
from operator import attrgetter

from sqlalchemy import Connection, delete, insert, select

from purport.broker.encoding import EncodedEntry, decoded, encoded, is_whole
from purport.broker.journal import JournalError, Snapshot, require_following
from purport.broker.records import Entry
from purport.broker.retention import Stretch
from purport.errors import PurportError
from purport.storage import tables
from purport.storage.database import Database
from purport.storage.kept_entries import Bounds, KeptEntries, bounds_in
from purport.storage.notes import value_of
from purport.storage.ownership import Claim
from purport.storage.sealing import Sealing
from purport.storage.stretches import StretchFolder
from purport.storage.told_index import Numbered, ToldTail, told_after, untell
from purport.storage.writer import Writer

STRETCH_SIZE = 100_000
_MOST_IN_TAIL = 10_000  # until the table `told` takes it up
_SNAPSHOTS = 2


class SqlJournal:
    """A journal over SQLite or PostgreSQL. One thread writes at a time; any may read.

    Without a `claim` it is for reading only, beside a process that writes. `mended` says what was
    repaired when it was opened.
    """

    def __init__(
        self,
        database: Database,
        folder: StretchFolder | None = None,
        *,
        claim: Claim | None = None,
        stretch_size: int = STRETCH_SIZE,
    ) -> None:
        self.database, self.kept = database, KeptEntries(database, folder)
        self.mended: str | None = None
        self._folder, self._stretch_size = folder, stretch_size
        self._seals = folder is not None and folder.can_write()
        self._writes = claim is not None
        self._writer = Writer(database, claim, self._make_sure)
        self._sealing = Sealing(self.kept, self._writer)
        self._seal_lock = threading.Lock()
        self._insert = f"INSERT INTO entries VALUES ({', '.join([database.parameter] * 6)})"
        self._first, self._last = 1, sys.maxsize  # as long as it is not known
        self._tail = ToldTail(0)
        try:
            self._open()
        except BaseException:
            self._writer.close()
            raise

    @property
    def first(self) -> int:
        return self._first if self._writes else self.kept.bounds().first

    @property
    def last(self) -> int:
        return self._last if self._writes else self.kept.bounds().last

    def append(self, entries: Sequence[Entry]) -> None:
        if not entries:
            return
        with self._writer.lock:
            self._writer.require_claim()
            require_following(entries, self._last)
            rows = [encoded(entry) for entry in entries]
            with self._writer.doubting():
                with self._writer.transaction() as connection:
                    connection.exec_driver_sql(self._insert, rows)
                    is_full = self._tail.size >= _MOST_IN_TAIL
                    if is_full:
                        self._tail.keep(connection)
                self._tail = ToldTail(self._tail.through) if is_full else self._tail
                self._tail.add(entries)
                self._last = entries[-1].sequence

    def read(self, after: int = 0, through: int | None = None) -> Iterator[Entry]:
        self._writer.require_open()
        first, last = (self._first, self._last) if self._writes else self.kept.bounds()
        end = last if through is None else min(through, last)
        return map(decoded, self.kept.read(max(after, first - 1), end))

    def told(self, subscription: str, after: int, most: int) -> Sequence[Entry]:
        self._writer.require_open()
        found = self._numbered(subscription, after, since=self.first, most=most)
        return self.kept.at([sequence for _, sequence in found])

    def numbered_since(self, subscription: str, at: int) -> int | None:
        self._writer.require_open()
        since = max(self.kept.since(at), self.first)
        found = self._numbered(subscription, -1, since=since, most=1)
        return found[0].number if found else None

    def keep_snapshot(self, snapshot: Snapshot) -> None:
        sequence = tables.snapshots.c.sequence
        newest = select(sequence).order_by(sequence.desc()).limit(_SNAPSHOTS).scalar_subquery()
        checksum = tables.snapshot_checksum(snapshot.sequence, snapshot.state)
        row = {"sequence": snapshot.sequence, "state": snapshot.state, "checksum": checksum}
        with self._writer.transaction() as connection:
            connection.execute(delete(tables.snapshots).where(sequence == snapshot.sequence))
            connection.execute(insert(tables.snapshots).values(row))
            connection.execute(delete(tables.snapshots).where(sequence.not_in(newest)))

    def snapshot(self) -> Snapshot | None:
        self._writer.require_open()
        last = self.last
        newest = select(tables.snapshots).order_by(tables.snapshots.c.sequence.desc())
        with self.database.reading() as connection:
            for sequence, state, checksum in connection.execute(newest).all():
                is_as_kept = tables.snapshot_checksum(sequence, state) == checksum
                if is_as_kept and sequence <= last:
                    return Snapshot(sequence, state)
        return None

    def seal(self, *, all_of_it: bool = False) -> Stretch | None:
        if self._folder is None or not self._seals:
            return None
        with self._seal_lock:
            self._writer.require_claim()
            if self._to_seal(all_of_it) is None:
                return None
            self._keep_tail()
            self._sealing.settle(self._folder, self._first, self._last)
            bounds = self._to_seal(all_of_it)
            if bounds is None:
                return None
            stretch = self._sealing.write(self._folder, bounds.first, bounds.last)
            if all_of_it:
                self._sealing.shrink()
            return stretch

    def stretches(self) -> Sequence[Stretch]:
        self._writer.require_open()
        return self.kept.stretches()

    def drop(self, through: int) -> int:
        with self._seal_lock:
            self._writer.require_claim()
            kept = self.kept.stretches()
            gone = [stretch for stretch in kept if stretch.last <= through]
            end = gone[-1].last if gone else self._first - 1
            if not self._seals and len(gone) == len(kept):
                end = max(end, min(through, self._last))
            dropped = end + 1 - self._first
            if dropped:
                self._keep_tail()
                with self._writer.doubting():
                    self._sealing.unregister(end)
                    self._first = end + 1
                if self._folder is not None:
                    self._sealing.discard(self._folder, [stretch.name for stretch in gone])
                self._sealing.delete_entries(end)
                self._sealing.forget_told(end)
            return dropped

    def droppable_before(self, at: int) -> int:
        """The last sequence that `drop` can drop of the entries before a time; 0 if there is none.

        Where nothing is sealed it is that of an entry, elsewhere that of the last of a stretch.
        """
        self._writer.require_open()
        stretches = self.kept.stretches()
        place = bisect_left(stretches, at, key=attrgetter("last_at"))
        if self._seals or place < len(stretches):
            return stretches[place - 1].last if place else 0
        return self.kept.since(at) - 1

    def close(self) -> None:
        with self._seal_lock, self._writer.lock:
            if self._tail.size or not self._writer.is_sure:
                with suppress(PurportError):  # it follows from the entries, and will again
                    self._keep_tail()
            self._writer.close()

    def _open(self) -> None:
        if not self._writes:
            with self.database.reading() as connection:
                tables.require_current(connection, self.database.place)
            return
        with self._writer.transaction() as connection:
            self._mend(connection)
            self._first, self._last = bounds_in(connection)
        if self._folder is not None:
            self._take_as_dropped(self._folder)
            self._sealing.settle(self._folder, self._first, self._last)
        self._take_up_tail()

    def _take_as_dropped(self, folder: StretchFolder) -> None:
        """Drop the oldest stretches whose files are gone, as if the power had not been cut."""
        through = self._sealing.gone_through(folder)
        if through:
            self._sealing.unregister(through)
            self._first = through + 1
            gone = f"the files of entries through {through} were gone: they count as dropped"
            self.mended = gone if self.mended is None else f"{self.mended}; {gone}"

    def _mend(self, connection: Connection) -> None:
        """Drop the last entry if it is torn, and snapshots of what is no longer there."""
        column = tables.entries.c.sequence
        row = connection.execute(select(tables.entries).order_by(column.desc()).limit(1)).first()
        if row is not None and not is_whole(EncodedEntry(*row)):
            torn = row.sequence
            connection.execute(delete(tables.entries).where(column == torn))
            if bounds_in(connection).last < torn:
                untell(connection, torn)
                self.mended = f"entry {torn}, the last one, was damaged and has been dropped"
        last = bounds_in(connection).last
        connection.execute(delete(tables.snapshots).where(tables.snapshots.c.sequence > last))

    def _make_sure(self, connection: Connection) -> None:
        """After something failed: nothing is there that was not acknowledged."""
        unacknowledged = tables.entries.c.sequence > self._last
        connection.execute(delete(tables.entries).where(unacknowledged))
        self._first = bounds_in(connection).first
        self._tail = self._derived_tail(self._first, self._last)

    def _to_seal(self, all_of_it: bool) -> Bounds | None:
        """The entries that the next stretch will have, if they are enough."""
        first = self.kept.sealed_through(self._first) + 1
        last = min(first + self._stretch_size - 1, self._last)
        is_enough = last + 1 - first == self._stretch_size
        return Bounds(first, last) if is_enough or (all_of_it and first <= last) else None

    def _numbered(
        self, subscription: str, after: int, *, since: int, most: int
    ) -> Sequence[Numbered]:
        """Numbers out of the tail and the table; the tail first, since they move to the table."""
        bounds = Bounds(self._first, self._last) if self._writes else self.kept.bounds()
        tail = self._tail if self._writes else self._derived_tail(*bounds)
        with self.database.reading() as connection:
            found = told_after(connection, subscription, after, since=since, most=most)
        told = tail.after(subscription, after)
        later = [one for one in told if since <= one.sequence <= bounds.last]
        if later:
            found = [one for one in found if one.number < later[0].number]
        return (found + later)[:most]

    def _keep_tail(self) -> None:
        with self._writer.doubting():
            with self._writer.transaction() as connection:
                self._tail.keep(connection)
            self._tail = ToldTail(self._tail.through)

    def _take_up_tail(self) -> None:
        """Find out from the entries what the table `told` does not have."""
        self._tail = ToldTail(self._told_through(self._first))
        for entry in self._readable(self._tail.through, self._last):
            self._tail.add([entry])
            if self._tail.size >= _MOST_IN_TAIL:
                self._keep_tail()

    def _derived_tail(self, first: int, last: int) -> ToldTail:
        through = self._told_through(first)
        return ToldTail(through, self._readable(through, last))

    def _readable(self, after: int, through: int) -> Iterator[Entry]:
        """The entries between that can be read; the others are an error for who asks for them."""
        while after < through and (rows := self.kept.next_kept(after + 1, through)):
            for row in map(EncodedEntry._make, rows):
                try:
                    entry = decoded(row)
                except JournalError:
                    continue
                yield entry
            after = rows[-1][0]

    def _told_through(self, first: int) -> int:
        with self.database.reading() as connection:
            return max(int(value_of(connection, tables.meta, tables.TOLD)), first - 1)
