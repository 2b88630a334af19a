"""How entries get from the table into stretches, and how they are dropped, a few at a time.

A file is written first, then its row in the table `stretches`, then the entries that are in it are
deleted. So a process may die at any moment: what is in a file without a row is in the table still,
and what is in both is read once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, delete, func, insert, select

from purport.broker.encoding import Row, require_whole
from purport.broker.retention import Stretch
from purport.storage import tables
from purport.storage.kept_entries import ROWS_AT_ONCE, KeptEntries
from purport.storage.stretches import ROWS_A_GROUP, StretchFolder
from purport.storage.told_index import forget_told
from purport.storage.writer import Writer

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
        """Finish what a process died over: files without a row, written or dropped by halves.

        A file that was written in full is registered: somebody may have read it already. One that
        has nothing to do with these entries is left alone.
        """
        folder.clear_unfinished()
        registered = {stretch.name for stretch in self.kept.stretches()}
        for (begin, end), path in folder.files().items():
            sealed = self.kept.sealed_through(first)
            if path.name in registered:
                continue
            if end <= sealed:
                self.remove(folder, path.name)
            elif begin == sealed + 1 and end <= last:
                rows = list(self.kept.read(sealed, end))
                if folder.holds(path.name, [row.checksum for row in rows]):
                    self.register(folder.stretch_of(path, rows[0].at, rows[-1].at))
                else:
                    self.remove(folder, path.name)
        self.delete_entries(self.kept.sealed_through(first))

    def register(self, stretch: Stretch) -> None:
        """Have it that a file is part of the journal."""
        with self.writer.transaction() as connection:
            connection.execute(insert(tables.stretches).values(asdict(stretch)))

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

    def _groups(self, first: int, last: int) -> Iterator[Sequence[Row]]:
        for begin in range(first, last + 1, ROWS_A_GROUP):
            rows = list(self.kept.read(begin - 1, min(begin + ROWS_A_GROUP - 1, last)))
            for row in rows:
                require_whole(row)
            yield rows

    def _repeat(self, step: Callable[[Connection], bool]) -> None:
        """Do something in short transactions until it says that it is done."""
        is_more = True
        while is_more:
            with self.writer.transaction() as connection:
                is_more = step(connection)
            time.sleep(_BREATH_SECONDS if is_more else 0)
