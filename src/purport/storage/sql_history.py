"""A history in a database: events in one table, what they say in another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    delete,
    false,
    func,
    select,
    true,
    union_all,
)

from purport.model.subscription import Conjunction
from purport.storage import history_tables as tables
from purport.storage.database import Database
from purport.storage.history_filters import conditions_of
from purport.storage.history_queries import SqlTimedEvents, Statement
from purport.storage.history_rows import (
    LATE,
    OPEN,
    identifier_of,
    is_plain,
    key_of,
    occurrence_of,
    span_of,
)
from purport.storage.notes import set_value, value_of
from purport.storage.ownership import Claim
from purport.storage.reader import Reader
from purport.storage.writer import Writer
from purport.temporal.history import Dropped, TimedEvents, require_forward
from purport.temporal.occurrence import Occurrence

REMEMBERED = 20_000  # occurrences that need not be read again
_AT_ONCE = 500  # that are asked for by number or key
_c = tables.events.c
_DOCUMENTS = select(
    _c.number, _c.document, _c.is_plain, _c.start, _c.end, _c.sequence, _c.is_in_parts, _c.is_late
).where(_c.number.in_(bindparam("numbers", expanding=True)))
_DOCUMENTS_AT = select(_c.number, _c.document).where(
    _c.is_late.in_([False, True]), _c.end == bindparam("end")
)
_ANY_BEFORE = (
    select(_c.number).where(_c.is_late.in_([False, True]), _c.end < bindparam("time")).limit(1)
)
_DROPPED = select(_c.end, _c.start, _c.is_late, _c.document)
_KNOWN = select(_c.number, _c.end, _c.is_late).where(_c.key.in_(bindparam("keys", expanding=True)))


class SqlHistory:
    """A history in SQLite, PostgreSQL or MariaDB.

    A row under a number is never changed: what is known better gets a new number. So what was read
    or written lately can be remembered, and is not read again.
    """

    def __init__(self, database: Database, claim: Claim, *, remembered: int = REMEMBERED) -> None:
        self.database = database
        self._most_remembered = remembered
        self._remembered: dict[int, tuple[Occurrence, bool]] = {}
        self._applied = self._late = self._ended = self._next = 0
        self._applied_at: int | None = None
        self._spans: tuple[int, ...] = ()
        self._timed = SqlTimedEvents(self)
        self._reader = Reader(database)
        self._writer = Writer(database, claim, self._look, tables)
        with self._writer.transaction() as connection:
            self._look(connection)

    @property
    def applied(self) -> int:
        self._make_sure()
        return self._applied

    @property
    def applied_at(self) -> int | None:
        self._make_sure()
        return self._applied_at

    def keep(self, occurrences: Sequence[Occurrence], applied: int, at: int | None = None) -> None:
        new = list({one.id: one for one in occurrences}.values())
        with self._writer.doubting():
            with self._writer.transaction() as connection:
                require_forward(self._applied, applied)
                replaced = self._replace([key_of(one.id) for one in new], connection)
                tables.insert_occurrences(connection, self._next, new)
                set_value(connection, tables.meta, tables.APPLIED, applied)
                tables.set_applied_at(connection, applied, at)
            self._applied, self._applied_at = applied, at
            self._late += sum(one.is_late for one in new)
            self._late -= sum(bool(row.is_late) for row in replaced)
            self._ended += sum(one.end is not None for one in new)
            self._ended -= sum(row.end is not None for row in replaced)
            self._spans = tuple(sorted({*self._spans, *map(span_of, new)} - {OPEN, LATE}))
            self._remember(enumerate(new, self._next))
            self._next += len(new)

    def find(self, identifier: str) -> Occurrence | None:
        rows = self.rows(_KNOWN, {"keys": [key_of(identifier)]})
        found = [one for one, _ in self.occurrences([row.number for row in rows])]
        return found[0] if found else None

    def all(self) -> Iterator[Occurrence]:
        return self._timed.all()

    def late(self) -> int:
        self._make_sure()
        return self._late

    def ended_between(
        self, first: int | None = None, last: int | None = None, *, newest_first: bool = True
    ) -> Iterator[Occurrence]:
        return self._timed.ended_between(first, last, newest_first=newest_first)

    def last_before(self, time: int) -> Iterator[Occurrence]:
        return self._timed.last_before(time)

    def going_on_at(self, time: int) -> Iterator[Occurrence]:
        return self._timed.going_on_at(time)

    def open(self) -> Iterator[Occurrence]:
        return self._timed.open()

    def starting_at(self, time: int) -> Iterator[Occurrence]:
        return self._timed.starting_at(time)

    def ending_at(self, time: int) -> Iterator[Occurrence]:
        return self._timed.ending_at(time)

    def filtered(
        self, inner: Conjunction, judge: Callable[[Occurrence], bool]
    ) -> TimedEvents | None:
        conditions = conditions_of(inner)
        return None if conditions is None else SqlTimedEvents(self, conditions, judge)

    def drop(self, *, before: int | None = None, most: int | None = None) -> list[Dropped]:
        self._make_sure()
        dropped: list[Dropped] = []
        if before is not None and self.rows(_ANY_BEFORE, {"time": before}):
            dropped += self._drop(lambda connection: _ended_before(before))
        if most is not None and self._ended > most:
            dropped += self._drop(lambda connection: self._oldest(connection, self._ended - most))
        return dropped

    def close(self) -> None:
        self._reader.close()
        self._writer.close()
        self._remembered.clear()

    # ---- what `SqlTimedEvents` asks for ----

    def rows(self, statement: Statement, values: dict[str, Any]) -> Sequence[Any]:
        """What a statement gives."""
        self._writer.require_open()
        return self._reader.rows(statement, values)

    def occurrences(self, numbers: Sequence[int]) -> Iterator[tuple[Occurrence, bool]]:
        """The events of these numbers that are still there, and whether each is plain."""
        found = {one: self._remembered[one] for one in numbers if one in self._remembered}
        unknown = [number for number in numbers if number not in found]
        for begin in range(0, len(unknown), _AT_ONCE):
            some = unknown[begin : begin + _AT_ONCE]
            for number, document, plain, *times in self.rows(_DOCUMENTS, {"numbers": some}):
                found[number] = occurrence_of(document, *times), bool(plain)
        self._trim(found)
        return (found[number] for number in numbers if number in found)

    def spans(self) -> tuple[int, ...]:
        """The classes of lengths of what has ended."""
        self._make_sure()
        return self._spans

    # ---- what is done inside ----

    def _look(self, connection: Connection) -> None:
        """Find out where the history is: at first, and after something failed."""
        self._applied = int(value_of(connection, tables.meta, tables.APPLIED))
        self._applied_at = tables.applied_at(connection, self._applied)
        highest, ended = connection.execute(select(func.max(_c.number), func.count(_c.end))).one()
        self._next, self._ended = max(self._next, (highest or 0) + 1), ended
        late = select(func.count()).where(_c.is_late == true())
        self._late = connection.scalar(late) or 0
        spans = connection.scalars(select(_c.span).distinct()).all()
        self._spans = tuple(sorted({*spans} - {OPEN, LATE}))

    def _make_sure(self) -> None:
        if not self._writer.is_sure:
            with self._writer.transaction():
                pass

    def _replace(self, keys: list[bytes], connection: Connection) -> list[Any]:
        """Delete what is kept under some keys; gives what it was."""
        replaced: list[Any] = []
        for begin in range(0, len(keys), _AT_ONCE):
            some = {"keys": keys[begin : begin + _AT_ONCE]}
            replaced += connection.execute(_KNOWN, some).all()
        for begin in range(0, len(replaced), _AT_ONCE):
            numbers = [row.number for row in replaced[begin : begin + _AT_ONCE]]
            _delete(connection, numbers, _c.number.in_(numbers))
        return replaced

    def _drop(self, which: Callable[[Connection], ColumnElement[bool]]) -> list[Dropped]:
        with self._writer.doubting():
            with self._writer.transaction() as connection:
                gone = which(connection)
                rows = connection.execute(_DROPPED.where(gone)).all()
                _delete(connection, select(_c.number).where(gone), gone)
            self._ended -= len(rows)
            self._late -= sum(bool(row.is_late) for row in rows)
        return sorted(Dropped(row.end, identifier_of(row.document), row.start) for row in rows)

    def _oldest(self, connection: Connection, count: int) -> ColumnElement[bool]:
        """The oldest of what has ended; where some of those that ended at once stay, by id."""
        parts = [_oldest_ends(is_late, count) for is_late in (False, True)]
        ends = union_all(*(select(part.c.end) for part in parts)).subquery()
        middle = select(ends.c.end).order_by(ends.c.end).limit(1).offset(count - 1)
        last = connection.execute(middle).scalar_one()
        earlier = _ended_before(last)
        left = count - (connection.scalar(select(func.count()).where(earlier)) or 0)
        at_once = connection.execute(_DOCUMENTS_AT, {"end": last}).all()
        by_id = sorted(at_once, key=lambda row: identifier_of(row.document))
        return earlier | _c.number.in_([row.number for row in by_id[:left]])

    def _remember(self, some: Iterable[tuple[int, Occurrence]]) -> None:
        self._trim({number: (one, is_plain(one)) for number, one in some})

    def _trim(self, found: dict[int, tuple[Occurrence, bool]]) -> None:
        """Remember what was found, and forget what was found first if it is too much."""
        remembered = self._remembered
        if len(found) <= self._most_remembered:
            remembered.update(found)
        excess = len(remembered) - self._most_remembered
        if excess > 0:
            for number in list(islice(remembered, excess)):
                remembered.pop(number, None)


def _ended_before(time: int) -> ColumnElement[bool]:
    return _c.is_late.in_([False, True]) & (_c.end < time)


def _oldest_ends(is_late: bool, count: int) -> Any:
    ended = (_c.is_late == (true() if is_late else false())) & _c.end.is_not(None)
    return select(_c.end).where(ended).order_by(_c.end).limit(count).subquery()


def _delete(
    connection: Connection, numbers: Sequence[int] | Select[tuple[int]], which: ColumnElement[bool]
) -> None:
    """Delete events and what they say; MariaDB looks at all statements where it has to select."""
    connection.execute(delete(tables.statements).where(tables.statements.c.event.in_(numbers)))
    connection.execute(delete(tables.events).where(which))
