"""Things in the order of time: those of a period, or the best of them, are found quickly."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

_MOST = 512  # in a block, before it is split
_Key = tuple[int, str]


class _Block(Generic[T]):
    """Neighbours in time, and the greatest weight among them."""

    __slots__ = ("items", "keys", "most", "weights")

    def __init__(self, keys: list[_Key], items: list[T], weights: list[float]) -> None:
        self.keys, self.items, self.weights = keys, items, weights
        self.most = max(weights)

    def places(self, first: int | None, last: int | None) -> slice:
        """Where those of a period are."""
        start = 0 if first is None else bisect_left(self.keys, (first, ""))
        stop = len(self.keys) if last is None else bisect_left(self.keys, (last + 1, ""))
        return slice(start, stop)

    def part(self, start: int, stop: int) -> _Block[T]:
        """Some of them."""
        return _Block(self.keys[start:stop], self.items[start:stop], self.weights[start:stop])


class TimeIndex(Generic[T]):
    """Items by time and, of the same time, by name; each has a weight.

    Blocks of neighbours know their greatest weight, so that the best of a period is found without
    a look at each; where all weigh 1, the first look finds it.
    """

    __slots__ = ("_blocks", "_lasts", "_size")

    def __init__(self) -> None:
        self._blocks: list[_Block[T]] = []
        self._lasts: list[_Key] = []  # of each block
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, time: int, name: str, item: T, weight: float = 1.0) -> None:
        """Have one more; of those alike in time and name, the last to come is the latest."""
        key = (time, name)
        self._size += 1
        if not self._lasts or key >= self._lasts[-1]:
            self._append(key, item, weight)
            return
        number = bisect_right(self._lasts, key)
        block = self._blocks[number]
        place = bisect_right(block.keys, key)
        block.keys.insert(place, key)
        block.items.insert(place, item)
        block.weights.insert(place, weight)
        if weight > block.most:
            block.most = weight
        if len(block.keys) > _MOST:
            self._split(number)

    def remove(self, time: int, name: str, item: T) -> None:
        """Have one less; nothing happens if it is not here."""
        key = (time, name)
        number = bisect_left(self._lasts, key)
        while number < len(self._blocks) and self._blocks[number].keys[0] <= key:
            block = self._blocks[number]
            for place in range(bisect_left(block.keys, key), bisect_right(block.keys, key)):
                if block.items[place] is item:
                    self._take_out(number, place)
                    return
            number += 1

    def between(
        self, first: int | None, last: int | None, *, newest_first: bool = True
    ) -> Iterator[T]:
        """The items of a period, both ends included; others may come and go meanwhile."""
        if not self._lasts or (first is not None and self._lasts[-1][0] < first):
            return iter(())
        keys = self._blocks[-1].keys
        if newest_first and first is not None and keys[0][0] < first:  # all is in the last block
            stop = len(keys) if last is None else bisect_left(keys, (last + 1, ""))
            return iter(self._blocks[-1].items[bisect_left(keys, (first, "")) : stop][::-1])
        return self._newest_first(first, last) if newest_first else self._oldest_first(first, last)

    def _newest_first(self, first: int | None, last: int | None) -> Iterator[T]:
        for block in reversed(self._blocks_between(first, last)):
            yield from reversed(block.items[block.places(first, last)])

    def _oldest_first(self, first: int | None, last: int | None) -> Iterator[T]:
        for block in self._blocks_between(first, last):
            yield from block.items[block.places(first, last)]

    def best(self, first: int | None, last: int | None) -> T | None:
        """Of a period the item with the greatest weight, and of these the latest."""
        if not self._lasts or (first is not None and self._lasts[-1][0] < first):
            return None
        block = self._blocks[-1]
        place = len(block.keys) if last is None else bisect_left(block.keys, (last + 1, ""))
        if place and block.weights[place - 1] >= 1.0:  # the latest of the period, and certain
            is_there = first is None or block.keys[place - 1][0] >= first
            return block.items[place - 1] if is_there else None
        found, most = None, 0.0
        for block in reversed(self._blocks_between(first, last)):
            if block.most <= most:
                continue
            weights, places = block.weights, block.places(first, last)
            for place in range(places.stop - 1, places.start - 1, -1):
                if weights[place] > most:
                    found, most = block.items[place], weights[place]
                    if most >= block.most:
                        break
            if most >= 1.0:
                break
        return found

    def before(self, time: int) -> int:
        """How many there are before a time."""
        return self._before((time, ""))

    def drop_through(self, time: int, name: str) -> list[T]:
        """Have none up to a time and a name; gives what was there, in order."""
        return self.drop_oldest(self._before((time, name + "\0")))

    def drop_oldest(self, count: int) -> list[T]:
        """Have the first so many no more; gives them."""
        gone: list[T] = []
        whole = 0
        while whole < len(self._blocks) and len(gone) + len(self._blocks[whole].keys) <= count:
            gone += self._blocks[whole].items
            whole += 1
        del self._blocks[:whole], self._lasts[:whole]
        if len(gone) < count and self._blocks:
            block, stop = self._blocks[0], count - len(gone)
            gone += block.items[:stop]
            self._blocks[0] = block.part(stop, len(block.keys))
        self._size -= len(gone)
        return gone

    def _before(self, key: _Key) -> int:
        """How many come before a time and a name."""
        number = bisect_left(self._lasts, key)
        count = sum(len(block.keys) for block in self._blocks[:number])
        if number < len(self._blocks):
            count += bisect_left(self._blocks[number].keys, key)
        return count

    def _blocks_between(self, first: int | None, last: int | None) -> list[_Block[T]]:
        """The blocks that may reach into a period."""
        begin = 0 if first is None else bisect_left(self._lasts, (first, ""))
        if last is None:
            return self._blocks[begin:]
        return self._blocks[begin : bisect_left(self._lasts, (last + 1, "")) + 1]

    def _append(self, key: _Key, item: T, weight: float) -> None:
        """Have a latest one, as nearly all are: time goes on."""
        if not self._blocks or len(self._blocks[-1].keys) >= _MOST:
            self._blocks.append(_Block([key], [item], [weight]))
            self._lasts.append(key)
            return
        block = self._blocks[-1]
        block.keys.append(key)
        block.items.append(item)
        block.weights.append(weight)
        if weight > block.most:
            block.most = weight
        self._lasts[-1] = key

    def _split(self, number: int) -> None:
        block = self._blocks[number]
        half = len(block.keys) // 2
        lower, upper = block.part(0, half), block.part(half, len(block.keys))
        self._blocks[number : number + 1] = [lower, upper]
        self._lasts[number : number + 1] = [lower.keys[-1], upper.keys[-1]]

    def _take_out(self, number: int, place: int) -> None:
        block = self._blocks[number]
        del block.keys[place], block.items[place]
        weight = block.weights.pop(place)
        self._size -= 1
        if not block.keys:
            del self._blocks[number], self._lasts[number]
            return
        self._lasts[number] = block.keys[-1]
        if weight >= block.most and weight not in block.weights:
            block.most = max(block.weights)
