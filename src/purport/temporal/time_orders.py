"""Ids of occurrences in the order of a time, for a history in memory."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

from purport.temporal.occurrence import Occurrence

_TAKEN_AT_ONCE = 256


class TimeOrder:
    """Ids by a time: a sorted list, to which nearly everything is added near its end."""

    def __init__(self, keys: list[tuple[int, str]] | None = None) -> None:
        self._keys: list[tuple[int, str]] = keys or []

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, time: int, identifier: str) -> None:
        insort(self._keys, (time, identifier))

    def remove(self, time: int, identifier: str) -> None:
        del self._keys[bisect_left(self._keys, (time, identifier))]

    def between(
        self, first: int | None, last: int | None, *, newest_first: bool
    ) -> Iterator[tuple[int, str]]:
        """The keys at these times and between; the list may change while they are read."""
        low = None if first is None else (first, "")
        high = None if last is None else (last + 1, "")
        while some := self._some(low, high, newest_first=newest_first):
            yield from some
            time, identifier = some[-1]
            if newest_first:
                high = (time, identifier)
            else:
                low = (time, identifier + "\0")

    def _some(
        self, low: tuple[int, str] | None, high: tuple[int, str] | None, *, newest_first: bool
    ) -> list[tuple[int, str]]:
        """The first of the keys from `low` up to but not including `high`."""
        begin = 0 if low is None else bisect_left(self._keys, low)
        end = len(self._keys) if high is None else bisect_left(self._keys, high)
        if newest_first:
            return self._keys[max(begin, end - _TAKEN_AT_ONCE) : end][::-1]
        return self._keys[begin : min(end, begin + _TAKEN_AT_ONCE)]

    def take_oldest(self, count: int) -> list[tuple[int, str]]:
        """Have the first so many no more; gives them."""
        count = max(0, count)
        oldest = self._keys[:count]
        del self._keys[:count]
        return oldest

    def before(self, time: int) -> int:
        """How many have an earlier time."""
        return bisect_left(self._keys, (time, ""))


class TimeOrders:
    """Occurrences that were not told late, by each of their times."""

    def __init__(self) -> None:
        self.ended, self.started, self.open = TimeOrder(), TimeOrder(), TimeOrder()
        self.by_length: dict[int, TimeOrder] = {}  # by end, of those of about the same length

    def add(self, occurrence: Occurrence) -> None:
        for order, time in self._orders(occurrence):
            order.add(time, occurrence.id)

    def remove(self, occurrence: Occurrence) -> None:
        for order, time in self._orders(occurrence):
            order.remove(time, occurrence.id)

    def _orders(self, occurrence: Occurrence) -> Iterator[tuple[TimeOrder, int]]:
        """Where an occurrence is to be found, and under which time."""
        start, end = occurrence.start, occurrence.end
        if occurrence.is_late:
            return
        yield self.started, start
        if end is None:
            yield self.open, start
        else:
            yield self.ended, end
            yield self.by_length.setdefault(length_class(start, end), TimeOrder()), end


def length_class(start: int, end: int) -> int:
    """The number of binary digits of a length: what is in one class is at most twice as long.

    Of what goes on at a time, one that is in a class ends at most `longest_of` it later; so what is
    long does not make the search for what is short long.
    """
    return (end - start).bit_length()


def longest_of(size: int) -> int:
    """The largest length in a class of lengths."""
    return (1 << size) - 1
