"""What has answered a filter so far, found by when it ended, began, or went on."""

from __future__ import annotations

from collections.abc import Iterator

from purport.temporal.instance import Instance
from purport.temporal.time_index import TimeIndex


class Answered:
    """The instances of a filter, by time.

    Those that have ended are found by their end, by their start, and by a time in between: for
    that they are kept by the order of magnitude of their length, so that what begins too early to
    reach a time is hardly looked at. What nobody has looked into yet is not kept.
    """

    __slots__ = ("_by_length", "_by_start", "by_end", "going_on")

    def __init__(self) -> None:
        self.by_end: TimeIndex[Instance] = TimeIndex()
        self.going_on: TimeIndex[Instance] = TimeIndex()  # by start, as long as there is no end
        self._by_start: TimeIndex[Instance] | None = None
        self._by_length: dict[int, TimeIndex[Instance]] | None = None

    def __len__(self) -> int:
        return len(self.by_end) + len(self.going_on)

    @property
    def by_start(self) -> TimeIndex[Instance]:
        """Those with an end, by when they began."""
        if self._by_start is None:
            self._by_start = TimeIndex()
            for one in self._ended():
                self._by_start.add(one.start, one.about.id, one, one.probability)
        return self._by_start

    def add(self, one: Instance) -> None:
        """Have one more."""
        name, weight = one.about.id, one.probability
        if one.end is None:
            self.going_on.add(one.start, name, one, weight)
            return
        self.by_end.add(one.end, name, one, weight)
        if self._by_start is not None:
            self._by_start.add(one.start, name, one, weight)
        if self._by_length is not None:
            _add_by_length(self._by_length, one)

    def remove(self, one: Instance) -> None:
        """Have one less."""
        name = one.about.id
        if one.end is None:
            self.going_on.remove(one.start, name, one)
            return
        self.by_end.remove(one.end, name, one)
        self._remove_by_start(one)

    def at(self, time: int) -> Iterator[Instance]:
        """Those with an end that went on at a time, or began or ended just then."""
        if self._by_length is None:
            self._by_length = {}
            for one in self._ended():
                _add_by_length(self._by_length, one)
        for magnitude, lengths in self._by_length.items():
            for one in lengths.between(time - (1 << magnitude) + 1, time):
                if one.end is not None and one.end >= time:
                    yield one

    def drop_through(self, end: int, name: str) -> list[Instance]:
        """Forget what ended up to a time and, of those that ended then, a name; gives them."""
        gone = self.by_end.drop_through(end, name)
        for one in gone:
            self._remove_by_start(one)
        return gone

    def _ended(self) -> list[Instance]:
        """All with an end, in the order in which they ended."""
        return list(self.by_end.between(None, None))[::-1]

    def _remove_by_start(self, one: Instance) -> None:
        if self._by_start is not None:
            self._by_start.remove(one.start, one.about.id, one)
        if self._by_length is not None:
            self._by_length[_magnitude(one)].remove(one.start, one.about.id, one)


def _add_by_length(by_length: dict[int, TimeIndex[Instance]], one: Instance) -> None:
    magnitude = _magnitude(one)
    if magnitude not in by_length:
        by_length[magnitude] = TimeIndex()
    by_length[magnitude].add(one.start, one.about.id, one, one.probability)


def _magnitude(one: Instance) -> int:
    assert one.end is not None
    return (one.end - one.start).bit_length()
