"""The history: what happened when, so that later events can be told in its light."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from purport.errors import InvalidInput, PurportError
from purport.model.subscription import Conjunction
from purport.temporal.occurrence import Occurrence

_TAKEN_AT_ONCE = 256


class HistoryError(PurportError):
    """A history cannot be read or written: the disk is full, it is locked, damaged or gone."""


class HistoryTaken(InvalidInput):
    """Another process has the history open."""


class TimedEvents(Protocol):
    """Occurrences that are found by their times; none that was told late.

    What is kept or dropped while an iterator is read may be seen by it or not; all else is, once.
    """

    def ended_between(
        self, first: int | None = None, last: int | None = None, *, newest_first: bool = True
    ) -> Iterator[Occurrence]:
        """What ended at one of these times or between, in the order of (end, id) or its reverse."""

    def last_before(self, time: int) -> Iterator[Occurrence]:
        """What ended before a time, the last first, by (end, id)."""

    def going_on_at(self, time: int) -> Iterator[Occurrence]:
        """What had begun by a time and ended at it or later, or goes on still; in any order."""

    def open(self) -> Iterator[Occurrence]:
        """What has begun and not ended, in the order of (start, id)."""

    def starting_at(self, time: int) -> Iterator[Occurrence]:
        """What began just then, whether or not it has ended, in the order of ids."""

    def ending_at(self, time: int) -> Iterator[Occurrence]:
        """What ended just then, in the order of ids."""


class EventHistory(TimedEvents, Protocol):
    """Keeps occurrences, each under its id. One process writes.

    It follows from the journal: `applied` says through where, and what comes after can be kept
    again. What was told late is kept and counted, but no question about times gives it.
    """

    @property
    def applied(self) -> int:
        """The last sequence of the journal that was taken up; 0 if there never was one."""

    @property
    def applied_at(self) -> int | None:
        """When that entry was made: another journal has another one there. None if not told."""

    def keep(self, occurrences: Sequence[Occurrence], applied: int, at: int | None = None) -> None:
        """Take up what is new, or known better, and the journal through a sequence: all or nothing.

        `at` is when that entry was made. Of one id the last counts. When it returns, a crash no
        longer loses it, if this kind of history lasts. `HistoryError` if it cannot be kept, or if
        `applied` would go back.
        """

    def find(self, identifier: str) -> Occurrence | None:
        """What is known under an id, also if it was told late."""

    def all(self) -> Iterator[Occurrence]:
        """Everything, also what was told late, in the order of sequences and then of ids."""

    def late(self) -> int:
        """How many of them were told too late to take part in answers."""

    def drop(self, *, before: int | None = None, most: int | None = None) -> int:
        """Forget what ended before a time, then the oldest by end that are more than `most`.

        What goes on stays, and does not count. Gives how many were dropped; what was told late
        is dropped like the rest.
        """

    def close(self) -> None:
        """Let go of it; nothing can be done with it any more."""


@runtime_checkable
class FilteringHistory(EventHistory, Protocol):
    """A history that can tell by itself what answers exact predicates."""

    def filtered(
        self, inner: Conjunction, judge: Callable[[Occurrence], bool]
    ) -> TimedEvents | None:
        """What answers every predicate, each by any statement; None if it cannot tell that.

        Where it cannot tell of single occurrences, the judge is asked.
        """


class TimeOrder:
    """Ids by a time: a sorted list, to which nearly everything is added near its end."""

    def __init__(self) -> None:
        self._keys: list[tuple[int, str]] = []

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

    def oldest(self, count: int) -> list[str]:
        """The ids of the first so many."""
        return [identifier for _, identifier in self._keys[: max(0, count)]]

    def before(self, time: int) -> int:
        """How many have an earlier time."""
        return bisect_left(self._keys, (time, ""))


class MemoryHistory:
    """A history that lasts as long as the process."""

    def __init__(self) -> None:
        self._applied = 0
        self._applied_at: int | None = None
        self._begin()

    def _begin(self) -> None:
        self._known: dict[str, Occurrence] = {}
        self._late = 0
        self._ended_all = TimeOrder()  # what was told late too, for dropping
        self._ended, self._started, self._open = TimeOrder(), TimeOrder(), TimeOrder()
        self._by_length: dict[int, TimeOrder] = {}  # by end, of those of about the same length

    @property
    def applied(self) -> int:
        return self._applied

    @property
    def applied_at(self) -> int | None:
        return self._applied_at

    def keep(self, occurrences: Sequence[Occurrence], applied: int, at: int | None = None) -> None:
        require_forward(self._applied, applied)
        for occurrence in occurrences:
            self._forget(occurrence.id)
            self._take_up(occurrence)
        self._applied, self._applied_at = applied, at

    def find(self, identifier: str) -> Occurrence | None:
        return self._known.get(identifier)

    def all(self) -> Iterator[Occurrence]:
        return iter(sorted(self._known.values(), key=lambda one: (one.sequence, one.id)))

    def late(self) -> int:
        return self._late

    def ended_between(
        self, first: int | None = None, last: int | None = None, *, newest_first: bool = True
    ) -> Iterator[Occurrence]:
        return self._found(self._ended.between(first, last, newest_first=newest_first))

    def last_before(self, time: int) -> Iterator[Occurrence]:
        return self.ended_between(None, time - 1)

    def going_on_at(self, time: int) -> Iterator[Occurrence]:
        yield from self._found(self._open.between(None, time, newest_first=False))
        for size, ended in tuple(self._by_length.items()):
            keys = ended.between(time, time + longest_of(size), newest_first=False)
            yield from (one for one in self._found(keys) if one.start <= time)

    def open(self) -> Iterator[Occurrence]:
        return self._found(self._open.between(None, None, newest_first=False))

    def starting_at(self, time: int) -> Iterator[Occurrence]:
        return self._found(self._started.between(time, time, newest_first=False))

    def ending_at(self, time: int) -> Iterator[Occurrence]:
        return self.ended_between(time, time, newest_first=False)

    def drop(self, *, before: int | None = None, most: int | None = None) -> int:
        ended = self._ended_all
        by_age = 0 if before is None else ended.before(before)
        by_count = 0 if most is None else len(ended) - most
        dropped = ended.oldest(max(by_age, by_count))
        for identifier in dropped:
            self._forget(identifier)
        return len(dropped)

    def close(self) -> None:
        self._begin()

    def _found(self, keys: Iterator[tuple[int, str]]) -> Iterator[Occurrence]:
        for _, identifier in keys:
            if identifier in self._known:
                yield self._known[identifier]

    def _take_up(self, occurrence: Occurrence) -> None:
        self._known[occurrence.id] = occurrence
        self._late += occurrence.is_late
        for order, time in self._orders(occurrence):
            order.add(time, occurrence.id)

    def _forget(self, identifier: str) -> None:
        known = self._known.pop(identifier, None)
        if known is not None:
            self._late -= known.is_late
            for order, time in self._orders(known):
                order.remove(time, identifier)

    def _orders(self, occurrence: Occurrence) -> Iterator[tuple[TimeOrder, int]]:
        """Where an occurrence is to be found, and under which time."""
        start, end = occurrence.start, occurrence.end
        if end is not None:
            yield self._ended_all, end
        if occurrence.is_late:
            return
        yield self._started, start
        if end is None:
            yield self._open, start
        else:
            yield self._ended, end
            yield self._by_length.setdefault(length_class(start, end), TimeOrder()), end


def length_class(start: int, end: int) -> int:
    """The number of binary digits of a length: what is in one class is at most twice as long.

    Of what goes on at a time, one that is in a class ends at most `longest_of` it later; so what is
    long does not make the search for what is short long.
    """
    return (end - start).bit_length()


def longest_of(size: int) -> int:
    """The largest length in a class of lengths."""
    return (1 << size) - 1


def require_forward(known: int, applied: int) -> None:
    """Raise `HistoryError` if the journal would have been taken up less far than before."""
    if applied < known:
        raise HistoryError(
            f"the journal was taken up through {known}, it cannot be taken back to {applied}"
        )
