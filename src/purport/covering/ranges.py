"""Spans and lists of slots in columns: which lie around others, and which inside?"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from purport.covering.marks import Span
from purport.matching.flat_lists import Column

Slots = NDArray[np.int32]
Values = Collection[Hashable]


@dataclass(slots=True)
class Spans:
    """The spans of slots on one line."""

    slots: Column = field(default_factory=lambda: Column(np.int32))
    lows: Column = field(default_factory=lambda: Column(np.float64))
    highs: Column = field(default_factory=lambda: Column(np.float64))

    def __len__(self) -> int:
        return len(self.slots)

    def add(self, slot: int, span: Span) -> None:
        self.slots.extend((slot,))
        self.lows.extend((span.low,))
        self.highs.extend((span.high,))

    def discard(self, slot: int) -> None:
        others = self.slots.array() != slot
        for column in (self.slots, self.lows, self.highs):
            keep(column, others)

    def around_any(self, spans: Iterable[Span]) -> Slots:
        """The slots of each span that lies around one of some others."""
        lows, highs = self.lows.array(), self.highs.array()
        is_around = np.zeros(len(lows), np.bool_)
        for low, high in spans:
            is_around |= (lows <= low) & (highs >= high)
        return self.slots.array()[is_around]

    def inside(self, span: Span) -> Slots:
        """The slots of each span that lies inside another one."""
        is_inside = (self.lows.array() >= span.low) & (self.highs.array() <= span.high)
        return self.slots.array()[is_inside]


@dataclass(slots=True)
class Lists:
    """The lists of values that slots have, each under all of its values.

    A list has a number; that of one that has gone is used again.
    """

    _slots: Column = field(default_factory=lambda: Column(np.int32))
    _sizes: Column = field(default_factory=lambda: Column(np.int32))
    _under: dict[Hashable, Column] = field(default_factory=dict)
    _values: dict[int, Values] = field(default_factory=dict)
    _free: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def slots(self) -> Slots:
        """The slot of each list."""
        return self._slots.array()[list(self._values)]

    def add(self, slot: int, values: Values) -> None:
        """Have one more list of a slot."""
        if not self._free:
            self._slots.extend((slot,))
            self._sizes.extend((0,))
            self._free.append(len(self._slots) - 1)
        number = self._free.pop()
        self._slots.array()[number], self._sizes.array()[number] = slot, len(values)
        self._values[number] = values
        for value in values:
            if value not in self._under:
                self._under[value] = Column(np.int32)
            self._under[value].extend((number,))

    def discard(self, slot: int) -> None:
        """Have no list of a slot."""
        for number in np.flatnonzero(self._slots.array() == slot).tolist():
            for value in self._values.pop(number, ()):
                column = self._under[value]
                keep(column, column.array() != number)
                if not len(column):
                    del self._under[value]
            self._slots.array()[number] = self._sizes.array()[number] = -1
            self._free.append(number)

    def around_any(self, lists: Iterable[Values]) -> Slots:
        """The slot of each list that has all values of one of some others."""
        is_around = np.zeros(len(self._slots), np.bool_)
        for values in lists:
            is_around |= self._counts(values) == len(values)
        return self._slots.array()[is_around]

    def inside(self, values: Values) -> Slots:
        """The slot of each list all values of which are among some."""
        is_inside: NDArray[np.bool_] = self._counts(values) == self._sizes.array()
        return self._slots.array()[is_inside]

    def _counts(self, values: Values) -> NDArray[np.int64]:
        """How many of some values each list has."""
        found = [self._under[one].array() for one in values if one in self._under]
        numbers = np.concatenate(found) if found else np.zeros(0, np.int32)
        return np.bincount(numbers, minlength=len(self._slots))


def keep(column: Column, kept: NDArray[np.bool_]) -> None:
    """Have only some of what is in a column."""
    left = column.array()[kept]
    column.count = 0
    column.extend(left)
