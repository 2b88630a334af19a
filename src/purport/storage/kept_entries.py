"""Entries wherever they are kept: the last ones in a table, older ones in sealed stretches.

Another thread or process may seal and drop while these functions read. An entry leaves the table
only after its stretch is registered; so whoever looks into the table first and then for a stretch
does not miss it, and whoever goes by its sequence does not read it twice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from sqlalchemy import Connection, Select, func, select

from purport.broker.encoding import EncodedEntry, Row, decoded
from purport.broker.journal import JournalError
from purport.broker.records import Entry
from purport.broker.retention import Stretch
from purport.errors import InvalidInput
from purport.storage import tables
from purport.storage.database import Database
from purport.storage.notes import value_of
from purport.storage.stretches import StretchFolder

ROWS_AT_ONCE = 2_000


class Bounds(NamedTuple):
    """The first sequence that is kept, and the last that there was."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class KeptEntries:
    """What is in a database and, where there is one, in a folder of stretches."""

    database: Database
    folder: StretchFolder | None = None

    def bounds(self) -> Bounds:
        """From where to where entries are kept."""
        with self.database.reading() as connection:
            return bounds_in(connection)

    def stretches(self) -> tuple[Stretch, ...]:
        """The stretches that are registered, oldest first."""
        with self.database.reading() as connection:
            rows = connection.execute(select(tables.stretches).order_by(tables.stretches.c.first))
            return tuple(Stretch(*row) for row in rows)

    def sealed_through(self, first: int) -> int:
        """The last sequence that is in a stretch, or was dropped before the first that is kept."""
        stretches = self.stretches()
        return stretches[-1].last if stretches else first - 1

    def read(self, after: int, through: int) -> Iterator[EncodedEntry]:
        """The entries between, in order; `JournalError` where one is missing."""
        position = after + 1
        while position <= through:
            rows = self.next_kept(position, through)
            if not rows:
                self._require_dropped(position)
                return
            for row in rows:
                entry = EncodedEntry._make(row)
                if entry.sequence != position:
                    self._require_dropped(position)
                yield entry
                position = entry.sequence + 1

    def next_kept(self, position: int, through: int) -> Sequence[Row]:
        """The same as `next_of`, but what is dropped before it is read is passed over."""
        while position <= through:
            try:
                return self.next_of(position, through)
            except JournalError:
                first = self.bounds().first
                if position >= first:
                    raise
                position = first
        return ()

    def next_of(self, position: int, through: int) -> Sequence[Row]:
        """Some of the entries at a sequence or after it, none only if there are none."""
        sequence = tables.entries.c.sequence
        end = min(position + ROWS_AT_ONCE - 1, through)
        rows = self._rows(_ENTRIES.where(sequence.between(position, end)).order_by(sequence))
        if rows and rows[0][0] == position:
            return rows
        stretch = self._stretch_from(position)
        if stretch is not None and stretch.first <= position:
            found = self._require_folder(stretch).group(stretch, position)
            return found[: through + 1 - position]
        if rows:
            return rows
        with self.database.reading() as connection:
            next_row = connection.scalar(select(func.min(sequence)).where(sequence > position))
        starts = [next_row, None if stretch is None else stretch.first]
        start = min((one for one in starts if one is not None), default=through + 1)
        return self.next_of(start, through) if start <= through else ()

    def at(self, sequences: Sequence[int]) -> list[Entry]:
        """The entries with these sequences, which are in order, as far as they are kept."""
        found: dict[int, Row] = {}
        column = tables.entries.c.sequence
        for begin in range(0, len(sequences), ROWS_AT_ONCE):
            some = sequences[begin : begin + ROWS_AT_ONCE]
            found |= {row[0]: row for row in self._rows(_ENTRIES.where(column.in_(some)))}
        elsewhere = [sequence for sequence in sequences if sequence not in found]
        while elsewhere:
            stretch = self._stretch_from(elsewhere[0])
            if stretch is None:
                break
            here = bisect_left(elsewhere, stretch.last + 1)
            inside = [sequence for sequence in elsewhere[:here] if sequence >= stretch.first]
            rows = self._require_folder(stretch).rows(stretch, inside)
            found |= {row[0]: row for row in rows}
            elsewhere = elsewhere[here:]
        kept = (found[sequence] for sequence in sequences if sequence in found)
        return [decoded(EncodedEntry._make(row)) for row in kept]

    def since(self, at: int) -> int:
        """The sequence of the first entry at or after a time; times never go back."""
        while True:
            stretches, bounds = self.stretches(), self.bounds()
            try:
                return self._since(at, stretches, bounds)
            except JournalError:
                if (stretches, bounds.first) == (self.stretches(), self.bounds().first):
                    raise  # and otherwise something was sealed or dropped meanwhile

    def checksums(self, first: int, last: int) -> list[tuple[int, int]]:
        """Time and checksum of the entries between that are in the table."""
        column = tables.entries.c
        query = select(column.at, column.checksum).where(column.sequence.between(first, last))
        with self.database.reading() as connection:
            return [(at, one) for at, one in connection.execute(query.order_by(column.sequence))]

    def sizes(self, first: int, last: int) -> list[int]:
        """How many bytes the entries between have, of those that are in the table."""
        column = tables.entries.c
        size = func.coalesce(func.length(column.event), 0) + func.length(column.record)
        query = select(size).where(column.sequence.between(first, last)).order_by(column.sequence)
        with self.database.reading() as connection:
            return [int(one) for one in connection.scalars(query)]

    def _since(self, at: int, stretches: Sequence[Stretch], bounds: Bounds) -> int:
        place = bisect_left(stretches, at, key=attrgetter("last_at"))
        if place < len(stretches):
            stretch = stretches[place]
            times = self._require_folder(stretch).times(stretch)
            return stretch.first + bisect_left(times, at)
        unsealed = range(stretches[-1].last + 1 if stretches else bounds.first, bounds.last + 1)
        with self.database.reading() as connection:
            place = bisect_left(unsealed, at, key=lambda one: self._time_of(connection, one))
        return unsealed.start + place

    def _time_of(self, connection: Connection, sequence: int) -> int:
        column = tables.entries.c
        at: object = connection.scalar(select(column.at).where(column.sequence == sequence))
        if not isinstance(at, int):
            raise JournalError(
                f"{self.database.place}: entry {sequence} of the journal is missing or damaged"
            )
        return at

    def _rows(self, query: Select[Row]) -> list[Row]:
        """What a query gives, from the driver itself: building SQLAlchemy's rows takes as long."""
        with self.database.reading() as connection:
            cursor = connection.execute(query).cursor
            return list(cursor.fetchall())

    def _stretch_from(self, sequence: int) -> Stretch | None:
        """The stretch with this sequence, or else the one after it."""
        column = tables.stretches.c
        with self.database.reading() as connection:
            row = connection.execute(
                select(tables.stretches)
                .where(column.last >= sequence)
                .order_by(column.first)
                .limit(1)
            ).first()
        return None if row is None else Stretch(*row)

    def _require_dropped(self, sequence: int) -> None:
        if sequence >= self.bounds().first:
            raise JournalError(f"{self.database.place}: entry {sequence} of the journal is missing")

    def _require_folder(self, stretch: Stretch) -> StretchFolder:
        if self.folder is None:
            raise InvalidInput(
                f"{self.database.place}: the journal has stretches, such as {stretch.name}; name "
                "the folder they are in"
            )
        return self.folder


def bounds_in(connection: Connection) -> Bounds:
    """From where to where entries are kept."""
    dropped = int(value_of(connection, tables.meta, tables.DROPPED))
    lasts = (func.max(tables.entries.c.sequence), func.max(tables.stretches.c.last))
    found = [connection.scalar(select(last)) for last in lasts]
    return Bounds(dropped + 1, max(dropped, *(last or 0 for last in found)))


_ENTRIES = select(tables.entries)
