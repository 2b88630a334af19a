"""The lines of a graph in columns, so that the ends of a part of it are found at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purport.covering.candidates import Flags
from purport.matching.flat_lists import Column

_NOWHERE = -1  # where a line leads that has gone: behind all slots


class Lines:
    """From upper to lower slots; the number of a line that has gone is used again."""

    def __init__(self) -> None:
        self._uppers, self._lowers = Column(np.intp), Column(np.intp)  # quickest to look up by
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._uppers) - len(self._free)

    def add(self, upper: int, lower: int) -> int:
        """Draw a line; its number."""
        if self._free:
            number = self._free.pop()
            self._uppers.array()[number], self._lowers.array()[number] = upper, lower
            return number
        self._uppers.extend((upper,))
        self._lowers.extend((lower,))
        return len(self._uppers) - 1

    def remove(self, number: int) -> None:
        """Take a line away."""
        self._uppers.array()[number] = self._lowers.array()[number] = _NOWHERE
        self._free.append(number)

    def lowest(self, some: Flags) -> NDArray[np.int64]:
        """Of some slots, those from which no line leads down to another one of them."""
        return self._ends(some, self._uppers, self._lowers)

    def highest(self, some: Flags) -> NDArray[np.int64]:
        """Of some slots, those to which no line leads down from another one of them."""
        return self._ends(some, self._lowers, self._uppers)

    def _ends(self, some: Flags, near: Column, far: Column) -> NDArray[np.int64]:
        inside = np.append(some, False)  # the last one is nowhere
        starts, ends = near.array(), far.array()
        lines = np.flatnonzero(inside.take(starts))
        lines = lines[inside.take(ends.take(lines))]
        inside[starts.take(lines)] = False
        return np.flatnonzero(inside)
