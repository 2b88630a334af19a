"""The statements of one file, under numbers of the file's own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from purport.errors import EventError
from purport.matching.batches import JsonObject, as_event
from purport.matching.scales import EXACT_INTEGERS
from purport.model.event import MOST_STATEMENTS, Event, Statement
from purport.model.term import Boolean, Text
from purport.model.units import Quantity
from purport.pipeline.archive.statement_rows import IN_TABLE, StatementRow, parted

Place = tuple[str, int, int]  # source, offset, and number in the event
_NOWHERE: Place = ("", -1, -1)
_NOT_YET = 0
_TERMS: dict[type, Any] = {str: Text, bool: Boolean, float: Quantity, int: Quantity}


class Said(NamedTuple):
    """What an event says: the numbers of its statements, and what does not come again of them."""

    statements: list[int]
    numbers: list[float]
    texts: list[str]


class _New(NamedTuple):
    """A statement that was not looked up; `key` is what it is looked up by from now on, if any."""

    place: int
    row: StatementRow
    key: object | None


class LocalStatements:
    """Different statements, numbered from 1 as they come.

    Each has the first of the places where it stands, whatever the order in which events come.
    """

    def __init__(self) -> None:
        self.letters = 0  # of all of them
        self._numbers: dict[StatementRow, int] = {}
        self._first_places: list[Place] = []
        self._known: dict[object, int] = {}
        self._latest = ("", -1)

    def __len__(self) -> int:
        return len(self._numbers)

    def said(self, event: Event | JsonObject, source: str, offset: int) -> Said:
        """What an event says; an `EventError` says what is wrong with what is none."""
        said, new = self._flat(event) or self._whole(as_event(event))
        require_utf8(said.texts)
        for one in new:
            require_utf8(one.row)
        for one in new:
            number = self._numbers.get(one.row) or self._add(one.row, (source, offset, one.place))
            said.statements[one.place] = number
            if one.key is not None:
                self._known[one.key] = number
        if (source, offset) < self._latest:
            self._move_forward(said.statements, source, offset)
        else:
            self._latest = source, offset
        return said

    def rows(self) -> Iterator[tuple[int, StatementRow, Place]]:
        """All of them, and as number 0 one that says nothing."""
        yield 0, StatementRow("", "", "", "", ""), _NOWHERE
        for (row, number), place in zip(self._numbers.items(), self._first_places, strict=True):
            yield number, row, place

    def _flat(self, told: Event | JsonObject) -> tuple[Said, list[_New]] | None:
        """What an object says that need not become an event; None if it has to, or is one."""
        if type(told) is not dict or len(told) > MOST_STATEMENTS:
            return None
        said, new = Said([], [], []), []
        for place, (name, value) in enumerate(told.items()):
            kind = type(value)
            key: tuple[str, object]
            if kind is str or kind is bool:
                key = name, value
            elif (kind is float and math.isfinite(value)) or (
                kind is int and abs(value) <= EXACT_INTEGERS
            ):
                key = name, kind
            else:
                return None
            number = self._known.get(key)
            if number is None:
                if name[:1] == "@" or not name.strip():
                    return None
                one = Statement(Text(name), _TERMS[kind](value))
                new.append(_apart(one, said, place, key))
            elif key[1] is kind:
                said.numbers.append(value)
            said.statements.append(number or _NOT_YET)
        return said, new

    def _whole(self, event: Event) -> tuple[Said, list[_New]]:
        said, new = Said([], [], []), []
        for place, one in enumerate(event.statements):
            number = self._known.get(one)
            if number is None:
                new.append(_apart(one, said, place, one))
            said.statements.append(number or _NOT_YET)
        return said, new

    def _add(self, row: StatementRow, place: Place) -> int:
        number = self._numbers[row] = 1 + len(self._numbers)
        self._first_places.append(place)
        self.letters += sum(map(len, row))
        return number

    def _move_forward(self, numbers: Sequence[int], source: str, offset: int) -> None:
        """Note that statements stand before where they were met first."""
        for place, number in enumerate(numbers):
            here = source, offset, place
            self._first_places[number - 1] = min(self._first_places[number - 1], here)


def _apart(one: Statement, said: Said, place: int, key: object) -> _New:
    """A statement put apart: what does not come again of it goes with the event."""
    part = parted(one)
    if part.number is not None:
        said.numbers.append(part.number)
    if part.text is not None:
        said.texts.append(part.text)
    comes_again = part.row.scale == IN_TABLE or (part.text is None and key is not one)
    return _New(place, part.row, key if comes_again else None)


def require_utf8(texts: Sequence[str]) -> None:
    """`EventError` if a text has half a character in it, which no file can hold."""
    for text in texts:
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise EventError("the text is not UTF-8") from None
