"""The history: what happened when, so that later events can be told in its light."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple, Protocol, runtime_checkable

from purport.errors import InvalidInput, PurportError
from purport.model.subscription import Conjunction
from purport.temporal.occurrence import Occurrence
from purport.temporal.time_index import TimeIndex
from purport.temporal.timeline import Timeline


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


class Dropped(NamedTuple):
    """What is left of an event that was dropped; the first to go come first."""

    end: int
    id: str
    start: int


class KeptEvents(Protocol):
    """Keeps occurrences, each under its id. One process writes.

    It follows from the journal: `applied` says through where, and what comes after can be kept
    again.
    """

    @property
    def applied(self) -> int:
        """The last sequence of the journal that was taken up; 0 if there never was one."""

    def keep(self, occurrences: Sequence[Occurrence], applied: int) -> None:
        """Take up what is new, or known better, and the journal through a sequence: all or nothing.

        Of one id the last counts. When it returns, a crash no longer loses it, if this kind of
        history lasts. `HistoryError` if it cannot be kept, or if `applied` would go back.
        """

    def find(self, identifier: str) -> Occurrence | None:
        """What is known under an id, also if it was told late."""

    def all(self) -> Iterator[Occurrence]:
        """Everything, also what was told late, in the order of sequences and then of ids."""

    def drop(self, *, before: int | None = None, most: int | None = None) -> list[Dropped]:
        """Forget what ended before a time, then the oldest by (end, id) that are more than `most`.

        What goes on stays, and does not count. Gives what was dropped, the oldest first; what was
        told late is dropped like the rest. It costs by what is dropped.
        """


class EventHistory(KeptEvents, TimedEvents, Protocol):
    """Finds what it keeps by time, too; but for what was told late, which is kept and counted."""

    @property
    def applied_at(self) -> int | None:
        """When that entry was made: another journal has another one there. None if not told."""

    def keep(self, occurrences: Sequence[Occurrence], applied: int, at: int | None = None) -> None:
        """The same; `at` is when that entry was made."""

    def late(self) -> int:
        """How many of them were told too late to take part in answers."""

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


class MemoryHistory:
    """A history that lasts as long as the process.

    What is found by its id alone costs no more than that: the orders by age and by time are made
    when somebody first drops something, or asks for a time.
    """

    def __init__(self) -> None:
        self._applied = 0
        self._applied_at: int | None = None
        self._begin()

    def _begin(self) -> None:
        self._known: dict[str, Occurrence] = {}
        self._late = 0
        self._by_age: TimeIndex[Occurrence] | None = None  # what ended, what was told late too
        self._by_time: Timeline[Occurrence] | None = None  # what was not told late

    @property
    def applied(self) -> int:
        return self._applied

    @property
    def applied_at(self) -> int | None:
        return self._applied_at

    def keep(self, occurrences: Sequence[Occurrence], applied: int, at: int | None = None) -> None:
        require_forward(self._applied, applied)
        for one in occurrences:
            if one.id in self._known:
                known = self._forget(one.id)
                if self._by_age is not None and known.end is not None:
                    self._by_age.remove(known.end, known.id, known)
            self._known[one.id] = one
            self._late += one.is_late
            if self._by_age is not None and one.end is not None:
                self._by_age.add(one.end, one.id, one)
            if self._by_time is not None and not one.is_late:
                self._by_time.add(one)
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
        return self._times().by_end.between(first, last, newest_first=newest_first)

    def last_before(self, time: int) -> Iterator[Occurrence]:
        return self.ended_between(None, time - 1)

    def going_on_at(self, time: int) -> Iterator[Occurrence]:
        yield from self._times().going_on.between(None, time)
        yield from self._times().at(time)

    def open(self) -> Iterator[Occurrence]:
        return self._times().going_on.between(None, None, newest_first=False)

    def starting_at(self, time: int) -> Iterator[Occurrence]:
        times = self._times()
        found = [*times.by_start.between(time, time), *times.going_on.between(time, time)]
        return iter(sorted(found, key=attrgetter("id")))

    def ending_at(self, time: int) -> Iterator[Occurrence]:
        return self.ended_between(time, time, newest_first=False)

    def drop(self, *, before: int | None = None, most: int | None = None) -> list[Dropped]:
        ages = self._ages()
        by_age = 0 if before is None else ages.before(before)
        by_count = 0 if most is None else len(ages) - most
        oldest = ages.drop_oldest(max(by_age, by_count))
        for one in oldest:
            self._forget(one.id)
        return [Dropped(one.end, one.id, one.start) for one in oldest if one.end is not None]

    def close(self) -> None:
        self._begin()

    def _forget(self, identifier: str) -> Occurrence:
        """What was known of it, which only the order by age has still."""
        one = self._known.pop(identifier)
        self._late -= one.is_late
        if self._by_time is not None and not one.is_late:
            self._by_time.remove(one)
        return one

    def _ages(self) -> TimeIndex[Occurrence]:
        if self._by_age is None:
            self._by_age = TimeIndex()
            for one in self._known.values():
                if one.end is not None:
                    self._by_age.add(one.end, one.id, one)
        return self._by_age

    def _times(self) -> Timeline[Occurrence]:
        if self._by_time is None:
            self._by_time = Timeline(attrgetter("id"))
            for one in self._known.values():
                if not one.is_late:
                    self._by_time.add(one)
        return self._by_time


def require_forward(known: int, applied: int) -> None:
    """Raise `HistoryError` if the journal would have been taken up less far than before."""
    if applied < known:
        raise HistoryError(
            f"the journal was taken up through {known}, it cannot be taken back to {applied}"
        )
