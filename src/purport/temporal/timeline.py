"""What has a start and maybe an end, found by when it ended, began, or went on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from purport.temporal.time_index import TimeIndex


class InTime(Protocol):
    """Something that begins; it goes on as long as it has no end."""

    @property
    def start(self) -> int:
        """When it begins."""

    @property
    def end(self) -> int | None:
        """When it ends."""


T = TypeVar("T", bound=InTime)


class Timeline(Generic[T]):
    """Things by time.

    Those that have ended are found by their end, by their start, and by a time in between: for
    that they are kept by the class of their length, so that what begins too early to reach a time
    is hardly looked at. What nobody has looked into yet is not kept.
    """

    __slots__ = ("_by_length", "_by_start", "_name", "_weight", "by_end", "going_on")

    def __init__(
        self, name: Callable[[T], str], weight: Callable[[T], float] = lambda one: 1.0
    ) -> None:
        self._name, self._weight = name, weight
        self.by_end: TimeIndex[T] = TimeIndex()
        self.going_on: TimeIndex[T] = TimeIndex()  # by start, as long as there is no end
        self._by_start: TimeIndex[T] | None = None
        self._by_length: dict[int, TimeIndex[T]] | None = None  # by start

    def __len__(self) -> int:
        return len(self.by_end) + len(self.going_on)

    @property
    def by_start(self) -> TimeIndex[T]:
        """Those with an end, by when they began."""
        if self._by_start is None:
            self._by_start = TimeIndex()
            for one in self.by_end.between(None, None, newest_first=False):
                self._by_start.add(one.start, self._name(one), one, self._weight(one))
        return self._by_start

    def add(self, one: T) -> None:
        """Have one more."""
        name, weight = self._name(one), self._weight(one)
        if one.end is None:
            self.going_on.add(one.start, name, one, weight)
            return
        self.by_end.add(one.end, name, one, weight)
        if self._by_start is not None:
            self._by_start.add(one.start, name, one, weight)
        if self._by_length is not None:
            self._add_by_length(self._by_length, one)

    def remove(self, one: T) -> None:
        """Have one less."""
        if one.end is None:
            self.going_on.remove(one.start, self._name(one), one)
            return
        self.by_end.remove(one.end, self._name(one), one)
        self._remove_by_start(one)

    def at(self, time: int) -> Iterator[T]:
        """Those with an end that went on at a time, or began or ended just then."""
        if self._by_length is None:
            self._by_length = {}
            for one in self.by_end.between(None, None, newest_first=False):
                self._add_by_length(self._by_length, one)
        for length, some in list(self._by_length.items()):
            for one in some.between(time - longest_of(length), time):
                if one.end is not None and one.end >= time:
                    yield one

    def drop_through(self, end: int, name: str) -> list[T]:
        """Forget what ended up to a time and, of those that ended then, a name; gives them."""
        gone = self.by_end.drop_through(end, name)
        for one in gone:
            self._remove_by_start(one)
        return gone

    def _add_by_length(self, by_length: dict[int, TimeIndex[T]], one: T) -> None:
        length = _length(one)
        if length not in by_length:
            by_length[length] = TimeIndex()
        by_length[length].add(one.start, self._name(one), one, self._weight(one))

    def _remove_by_start(self, one: T) -> None:
        if self._by_start is not None:
            self._by_start.remove(one.start, self._name(one), one)
        if self._by_length is not None:
            self._by_length[_length(one)].remove(one.start, self._name(one), one)


def length_class(start: int, end: int) -> int:
    """The number of binary digits of a length: what is in one class is at most twice as long.

    Of what goes on at a time, one that is in a class began at most `longest_of` it before, and ends
    at most so much later; so what is long does not make the search for what is short long.
    """
    return (end - start).bit_length()


def longest_of(length: int) -> int:
    """The largest length in a class of lengths."""
    return (1 << length) - 1


def _length(one: InTime) -> int:
    assert one.end is not None
    return length_class(one.start, one.end)
