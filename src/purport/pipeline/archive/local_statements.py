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
from purport.pipeline.archive.statement_rows import IN_TABLE, Parted, StatementRow, parted

Place = tuple[str, int, int]  # source, offset, and number in the event
_NOWHERE: Place = ("", -1, -1)


class Said(NamedTuple):
    """What an event says: the numbers of its statements, and what does not come again of them."""

    statements: list[int]
    numbers: list[float]
    texts: list[str]


class LocalStatements:
    """Different statements, numbered from 1 as they come, with the place where each came first."""

    def __init__(self) -> None:
        self.letters = 0  # of all of them
        self._numbers: dict[StatementRow, int] = {}
        self._first_met: list[Place] = []
        self._words: dict[Statement | tuple[str, Any], int] = {}
        self._readings: dict[tuple[str, type], int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def said(self, event: Event | JsonObject, source: str, offset: int) -> Said:
        """What an event says; an `EventError` says what is wrong with an object that is none."""
        if type(event) is dict and len(event) <= MOST_STATEMENTS:
            flat = self._said_flat(event, source, offset)
            if flat is not None:
                return flat
        said = Said([], [], [])
        for place, one in enumerate(as_event(event).statements):
            number = self._words.get(one)
            if number is None:
                part = parted(one)
                number = self._taken(said, part, (source, offset, place))
                if part.row.scale == IN_TABLE:
                    self._words[one] = number
            said.statements.append(number)
        return said

    def rows(self) -> Iterator[tuple[int, StatementRow, Place]]:
        """All of them, and as number 0 one that says nothing."""
        yield 0, StatementRow("", "", "", "", ""), _NOWHERE
        first_met = zip(self._numbers.items(), self._first_met, strict=True)
        for (row, number), place in first_met:
            yield number, row, place

    def _said_flat(self, told: dict[str, Any], source: str, offset: int) -> Said | None:
        """What an object says that need not become an event; None if it has to."""
        said = Said([], [], [])
        for place, (name, value) in enumerate(told.items()):
            kind = type(value)
            if kind is str or kind is bool:
                number = self._words.get((name, value))
            elif (kind is float and math.isfinite(value)) or (
                kind is int and abs(value) <= EXACT_INTEGERS
            ):
                number = self._readings.get((name, kind))
                if number is not None:
                    said.numbers.append(value)
            else:
                return None
            if number is None:
                if name[:1] == "@" or not name.strip():
                    return None
                part = parted(Statement(Text(name), _TERMS[kind](value)))
                number = self._taken(said, part, (source, offset, place))
                if part.row.scale == IN_TABLE:
                    self._words[name, value] = number
                elif kind is not str:
                    self._readings[name, kind] = number
            said.statements.append(number)
        return said

    def _taken(self, said: Said, part: Parted, place: Place) -> int:
        """The number of a statement, a new one if need be; the rest of it goes with the event."""
        number = self._numbers.get(part.row)
        if number is None:
            require_utf8(part.row)
            number = self._numbers[part.row] = 1 + len(self._numbers)
            self._first_met.append(place)
            self.letters += sum(map(len, part.row))
        if part.number is not None:
            said.numbers.append(part.number)
        if part.text is not None:
            said.texts.append(part.text)
        return number


_TERMS: dict[type, Any] = {str: Text, bool: Boolean, float: Quantity, int: Quantity}


def require_utf8(texts: Sequence[str]) -> None:
    """`EventError` if a text has half a character in it, which no file can hold."""
    for text in texts:
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise EventError("the text is not UTF-8") from None
