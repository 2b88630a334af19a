"""Lists that grow, behind one another in flat arrays, so that a kernel can walk them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int32]
Places = NDArray[np.int64]
Numbers = NDArray[np.float64]


class Lists(NamedTuple):
    """Lists as a kernel sees them: where each starts, how long it is, its items and weights."""

    starts: Places
    sizes: Integers
    items: Integers
    weights: NDArray[Any]


class FlatLists:
    """Lists under numbers from 0, of items that may have weights of some kind.

    A list that outgrows its room moves to the end; what it leaves behind is lost until `clear`.
    """

    def __init__(self, weights: type[np.generic] | None = None) -> None:
        self._is_weighted = weights is not None
        self._kind = weights or np.float64
        self.clear()

    def clear(self) -> None:
        """Forget every list."""
        self.count = 0
        self.used = 0
        self._lists: Lists | None = None
        self._starts: Places = np.zeros(64, np.int64)
        self._sizes: Integers = np.zeros(64, np.int32)
        self._rooms: Integers = np.zeros(64, np.int32)
        self._items: Integers = np.zeros(256, np.int32)
        self._weights: NDArray[Any] = np.zeros(256 if self._is_weighted else 0, self._kind)

    def arrays(self) -> Lists:
        """The lists for a kernel; to be asked for anew after a change."""
        if self._lists is None:
            self._lists = Lists(self._starts, self._sizes, self._items, self._weights)
        return self._lists

    def new(self, count: int = 1) -> int:
        """Begin so many empty lists; the number of the first."""
        first = self.count
        self.count += count
        if self.count > len(self._starts):
            self._lists = None
            size = max(self.count, 2 * len(self._starts))
            self._starts = grown(self._starts, size)
            self._sizes = grown(self._sizes, size)
            self._rooms = grown(self._rooms, size)
        return first

    def append(self, number: int, item: int, weight: float = 0.0) -> None:
        """Put an item at the end of a list."""
        size = int(self._sizes[number])
        if size == self._rooms[number]:
            self._move(number, max(2, 2 * size))
        place = self._starts[number] + size
        self._items[place] = item
        if self._is_weighted:
            self._weights[place] = weight
        self._sizes[number] = size + 1

    def remove(self, number: int, item: int) -> None:
        """Take an item out of a list; the last one takes its place."""
        start, size = int(self._starts[number]), int(self._sizes[number])
        place = start + int(np.flatnonzero(self._items[start : start + size] == item)[0])
        self._items[place] = self._items[start + size - 1]
        if self._is_weighted:
            self._weights[place] = self._weights[start + size - 1]
        self._sizes[number] = size - 1

    def items(self, number: int) -> Integers:
        """The items of a list."""
        start = self._starts[number]
        return self._items[start : start + self._sizes[number]]

    def place(self, numbers: Places, sizes: Integers) -> None:
        """Give lists room at the end for so many items each, which the caller then writes."""
        ends = np.cumsum(sizes, dtype=np.int64)
        self._starts[numbers] = self.used + ends - sizes
        self._sizes[numbers] = sizes
        self._rooms[numbers] = sizes
        self._take_room(int(ends[-1]) if len(ends) else 0)

    def _move(self, number: int, room: int) -> None:
        old = slice(int(self._starts[number]), int(self._starts[number] + self._sizes[number]))
        start = self.used
        self._take_room(room)
        new = slice(start, start + old.stop - old.start)
        self._items[new] = self._items[old]
        if self._is_weighted:
            self._weights[new] = self._weights[old]
        self._starts[number] = start
        self._rooms[number] = room

    def _take_room(self, room: int) -> None:
        self.used += room
        if self.used > len(self._items):
            self._lists = None
            size = max(self.used, 2 * len(self._items))
            self._items = grown(self._items, size)
            if self._is_weighted:
                self._weights = grown(self._weights, size)


class Column:
    """Numbers behind one another, with room for more."""

    def __init__(self, kind: type[np.generic]) -> None:
        self.count = 0
        self._array: NDArray[Any] = np.zeros(64, kind)

    def __len__(self) -> int:
        return self.count

    def extend(self, numbers: Sequence[float] | NDArray[Any]) -> None:
        """Put numbers at the end."""
        count = self.count + len(numbers)
        if count > len(self._array):
            self._array = grown(self._array, max(count, 2 * len(self._array)))
        self._array[self.count : count] = numbers
        self.count = count

    def array(self) -> NDArray[Any]:
        """The numbers, for a kernel; to be asked for anew after a change."""
        return self._array[: self.count]


def grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    """An array with room for more."""
    larger = np.zeros(size, array.dtype)
    larger[: len(array)] = array
    return larger
