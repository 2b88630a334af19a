"""How entries get from the table into stretches, and how they are dropped, a few at a time.

A file is written first, then its row in the table `stretches`, then the entries that are in it are
deleted. So a process may die at any moment: what is in a file without a row is in the table still,
and what is in both is read once.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate

from sqlalchemy import Connection, delete, func, insert, select

from purport.broker.encoding import Row, require_whole
from purport.broker.retention import Stretch
from purport.storage import tables
from purport.storage.kept_entries import ROWS_AT_ONCE, Bounds, KeptEntries
from purport.storage.notes import set_value
from purport.storage.stretches import ROWS_A_GROUP, StretchFolder
from purport.storage.told_index import forget_told
from purport.storage.writer import Writer
from purport.whole_file import clear_unfinished

_BYTES_A_GROUP = 16 << 20
_BREATH_SECONDS = 0.001  # between steps, in which others get at the database


@dataclass(frozen=True, slots=True)
class Sealing:
    """What is done to old entries while new ones are appended."""

    kept: KeptEntries
    writer: Writer

    def write(self, folder: StretchFolder, first: int, last: int) -> Stretch:
        """Put entries into a stretch."""
        self.kept.database.checkpoint()
        stretch = folder.write(first, last, self._groups(first, last))
        self.register(stretch)
        self.delete_entries(last)
        return stretch

    def settle(self, folder: StretchFolder, first: int, last: int) -> None:
        """Finish what broke off: files without a row, written or dropped by halves.

        A file that was written in full is registered: somebody may have read it already. Others
        must not lie across the entries that will be sealed next. A file that begins after the last
        entry has nothing to do with these.
        """
        with self.kept.database.speaking():
            clear_unfinished(folder.folder)
            files = folder.files()
        registered = {stretch.name for stretch in self.kept.stretches()}
        sealed = self.kept.sealed_through(first)
        left = {span: path.name for span, path in files.items() if path.name not in registered}
        self.discard(folder, [name for (_, end), name in left.items() if end <= sealed])
        for (begin, end), name in left.items():
            if sealed < end and begin <= last:
                self._settle_file(folder, name, Bounds(begin, end), Bounds(first, last))
        self.delete_entries(self.kept.sealed_through(first))

    def gone_through(self, folder: StretchFolder) -> int:
        """Through where the oldest stretches have no file; 0 if they have, or if none has one.

        A power cut can bring back the row of a stretch that was dropped. But if no file is there,
        it is the folder that is missing.
        """
        stretches = self.kept.stretches()
        is_there = [folder.bytes_of(stretch) is not None for stretch in stretches]
        oldest = is_there.index(True) if any(is_there) else 0
        return stretches[oldest - 1].last if oldest else 0

    def register(self, stretch: Stretch) -> None:
        """Have it that a file is part of the journal."""
        with self.writer.transaction() as connection:
            connection.execute(insert(tables.stretches).values(asdict(stretch)))

    def unregister(self, through: int) -> None:
        """Have it that entries are dropped."""
        with self.writer.transaction() as connection:
            set_value(connection, tables.meta, tables.DROPPED, through)
            is_gone = tables.stretches.c.last <= through
            connection.execute(delete(tables.stretches).where(is_gone))

    def discard(self, folder: StretchFolder, names: Sequence[str]) -> None:
        """Drop files that are no longer registered, as soon as that is on disk.

        Until it is, a power cut could bring back their rows: then they are left to be settled.
        """
        if names and self.kept.database.is_on_disk():
            for name in names:
                self.remove(folder, name)

    def remove(self, folder: StretchFolder, name: str) -> None:
        """Drop a file."""
        with self.kept.database.speaking():
            folder.remove(name)

    def delete_entries(self, through: int) -> None:
        """Take entries out of the table."""
        column = tables.entries.c.sequence

        def some(connection: Connection) -> bool:
            least = connection.scalar(select(func.min(column)))
            if least is None or least > through:
                return False
            end = min(least + ROWS_AT_ONCE - 1, through)
            connection.execute(delete(tables.entries).where(column <= end))
            return bool(end < through)

        self._repeat(some)

    def forget_told(self, through: int) -> None:
        """Forget who was told of entries."""
        self._repeat(lambda connection: forget_told(connection, through))

    def shrink(self) -> None:
        """Give back the room that nothing is in any more."""
        is_more = True
        while is_more:
            with self.writer.lock:
                self.writer.require_open()
                is_more = self.kept.database.shrink()
            time.sleep(_BREATH_SECONDS)

    def _settle_file(self, folder: StretchFolder, name: str, file: Bounds, kept: Bounds) -> None:
        """Register a file whose entries are all in the table, or have it out of the way."""
        if not folder.can_write():
            return  # it cannot be looked at, and nothing will be sealed that it is in the way of
        sealed = self.kept.sealed_through(kept.first)
        known = self.kept.checksums(file.first, file.last)
        if file.last > kept.last or len(known) < file.last - max(file.first - 1, sealed):
            with self.kept.database.speaking():
                folder.set_aside(name)  # it may be all that there is of some entries
        elif file.first == sealed + 1 and folder.holds(name, [one for _, one in known]):
            self.register(folder.stretch_of(folder.folder / name, known[0][0], known[-1][0]))
        else:
            self.remove(folder, name)

    def _groups(self, first: int, last: int) -> Iterator[Sequence[Row]]:
        """Entries that are held in memory at once, and that a reader will hold."""
        while first <= last:
            sizes = self.kept.sizes(first, min(first + ROWS_A_GROUP - 1, last))
            count = max(1, bisect_right(list(accumulate(sizes)), _BYTES_A_GROUP))
            rows = list(self.kept.read(first - 1, first + count - 1))
            for row in rows:
                require_whole(row)
            yield rows
            first += count

    def _repeat(self, step: Callable[[Connection], bool]) -> None:
        """Do something in short transactions until it says that it is done."""
        is_more = True
        while is_more:
            with self.writer.transaction() as connection:
                is_more = step(connection)
            time.sleep(_BREATH_SECONDS if is_more else 0)
