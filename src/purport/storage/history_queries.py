"""Questions about times, as SQL: which events, in which order, a page at a time.

The tables give numbers and times; the occurrences themselves come from who remembers them. Pages
follow each other by (time, number), so nothing is held open while somebody reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Protocol

from sqlalchemy import (
    BindParameter,
    Column,
    ColumnElement,
    CompoundSelect,
    Select,
    and_,
    bindparam,
    false,
    or_,
    select,
    union_all,
)

from purport.storage.history_filters import Conditions
from purport.storage.history_rows import OPEN
from purport.storage.history_tables import events
from purport.temporal.occurrence import Occurrence
from purport.temporal.timeline import longest_of

EARLIEST, LATEST = -(2**63), 2**63 - 1
_FIRST_PAGE, _LARGEST_PAGE = 128, 1024
_OF_ONE_TIME = {
    "end": attrgetter("end"),
    "start": attrgetter("start"),
    "sequence": attrgetter("sequence"),
}

Statement = Select[Any] | CompoundSelect[Any]


_NO_CONDITIONS = Conditions()


def _integer(name: str) -> BindParameter[int]:
    return bindparam(name, type_=events.c.number.type)


class Rows(Protocol):
    """Where rows come from."""

    def rows(self, statement: Statement, values: dict[str, int]) -> Sequence[Any]:
        """What a statement gives."""

    def occurrences(self, numbers: Sequence[int]) -> Iterator[tuple[Occurrence, bool]]:
        """The events of these numbers that are still there, and whether each is plain."""

    def spans(self) -> tuple[int, ...]:
        """The classes of lengths of what has ended."""


class SqlTimedEvents:
    """Occurrences that are found by their times, of those that fulfil some conditions.

    Where an event is not plain, SQL cannot be sure of the conditions and the judge decides.
    """

    def __init__(
        self,
        rows: Rows,
        conditions: Conditions = _NO_CONDITIONS,
        judge: Callable[[Occurrence], bool] | None = None,
    ) -> None:
        self._rows, self._conditions, self._judge = rows, conditions, judge
        c, timely = events.c, events.c.is_late == false()
        self._newest = self._page(c.end, timely, newest_first=True)
        self._oldest = self._page(c.end, timely, newest_first=False)
        self._started = self._page(c.start, timely, newest_first=False)
        still = and_(c.span == OPEN, c.end.is_(None))
        self._open = self._page(c.start, still, newest_first=False)
        self._in_sequence = self._page(c.sequence, None, newest_first=False)
        self._going_on: tuple[tuple[int, ...], Statement] | None = None

    def ended_between(
        self, first: int | None = None, last: int | None = None, *, newest_first: bool = True
    ) -> Iterator[Occurrence]:
        statement = self._newest if newest_first else self._oldest
        return self._read(statement, "end", first, last, newest_first=newest_first)

    def last_before(self, time: int) -> Iterator[Occurrence]:
        return self.ended_between(None, time - 1)

    def going_on_at(self, time: int) -> Iterator[Occurrence]:
        statement = self._going_on_statement()
        numbers = [number for (number,) in self._rows.rows(statement, {"time": time})]
        size = _FIRST_PAGE
        while numbers:
            some, numbers = numbers[:size], numbers[size:]
            size = _LARGEST_PAGE
            yield from self._judged(some)

    def open(self) -> Iterator[Occurrence]:
        return self._read(self._open, "start", None, None)

    def starting_at(self, time: int) -> Iterator[Occurrence]:
        return self._read(self._started, "start", time, time)

    def ending_at(self, time: int) -> Iterator[Occurrence]:
        return self.ended_between(time, time, newest_first=False)

    def all(self) -> Iterator[Occurrence]:
        """Everything in the order of sequences, also what was told late."""
        return self._read(self._in_sequence, "sequence", None, None)

    def _page(
        self, time: Column[Any], which: ColumnElement[bool] | None, *, newest_first: bool
    ) -> Select[Any]:
        """A page by (time, number) from where the last one ended."""
        number = events.c.number
        first, last, beyond = map(_integer, ("first", "last", "beyond"))
        if newest_first:
            follows = or_(time < last, number < beyond)
            order = (time.desc(), number.desc())
        else:
            follows = or_(time > first, number > beyond)
            order = (time.asc(), number.asc())
        wanted = (time >= first, time <= last, follows, *self._conditions.on(number))
        found = select(time, number).where(*wanted).order_by(*order).limit(bindparam("most"))
        return found if which is None else found.where(which)

    def _going_on_statement(self) -> Statement:
        """What goes on: of each class of lengths, what ends soon enough to have begun."""
        spans = self._rows.spans()
        if self._going_on is None or self._going_on[0] != spans:
            c, time = events.c, _integer("time")
            begun = c.start <= time
            parts = [select(c.number).where(c.span == OPEN, c.end.is_(None), begun)]
            for span in spans:
                until = time + longest_of(span) if longest_of(span) <= LATEST // 2 else LATEST
                parts.append(
                    select(c.number).where(c.span == span, c.end >= time, c.end <= until, begun)
                )
            found = union_all(*parts).subquery()
            wanted = self._conditions.on(found.c.number)
            self._going_on = spans, select(found.c.number).where(*wanted)
        return self._going_on[1]

    def _read(
        self,
        statement: Statement,
        time: str,
        first: int | None,
        last: int | None,
        *,
        newest_first: bool = False,
    ) -> Iterator[Occurrence]:
        """All pages; within one time in the order of ids, which is not that of the numbers."""
        pages = self._pages(
            statement,
            EARLIEST if first is None else first,
            LATEST if last is None else last,
            newest_first=newest_first,
        )
        found = (one for numbers in pages for one in self._judged(numbers))
        for _, together in groupby(found, _OF_ONE_TIME[time]):
            yield from sorted(together, key=attrgetter("id"), reverse=newest_first)

    def _pages(
        self, statement: Statement, first: int, last: int, *, newest_first: bool
    ) -> Iterator[list[int]]:
        size, beyond = _FIRST_PAGE, LATEST if newest_first else -1
        while True:
            values = {"first": first, "last": last, "beyond": beyond, "most": size}
            rows = self._rows.rows(statement, values)
            if rows:
                yield [number for _, number in rows]
            if len(rows) < size:
                return
            time, beyond = rows[-1]
            first, last = (first, time) if newest_first else (time, last)
            size = min(4 * size, _LARGEST_PAGE)

    def _judged(self, numbers: Sequence[int]) -> Iterator[Occurrence]:
        for occurrence, is_plain in self._rows.occurrences(numbers):
            if is_plain or self._judge is None or self._judge(occurrence):
                yield occurrence
