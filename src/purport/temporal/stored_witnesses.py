"""What stands to an event in time as a predicate says: asked of a history, each question once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from msgspec import structs

from purport.model.interval import length_of
from purport.model.subscription import (
    After,
    AllenRelated,
    AllenRelation,
    During,
    Endpoint,
    Simultaneous,
)
from purport.temporal.allen import allen_relation
from purport.temporal.asked import Witnessed
from purport.temporal.history import TimedEvents
from purport.temporal.occurrence import Occurrence
from purport.temporal.reference_times import reference_time


@dataclass(slots=True)
class _Shared:
    """What a question gives, read once however often it is asked."""

    source: Iterator[Occurrence]
    known: list[Occurrence] = field(default_factory=list)

    def __iter__(self) -> Iterator[Occurrence]:
        yield from self.known
        place = len(self.known)
        while True:
            if place == len(self.known):
                found = next(self.source, None)
                if found is None:
                    return
                self.known.append(found)
            yield self.known[place]
            place += 1


@dataclass(frozen=True, slots=True)
class AsOf:
    """Occurrences as they were known at a time: what ended later was not, or still went on."""

    events: TimedEvents
    time: int

    def ended_between(
        self, first: int | None = None, last: int | None = None, *, newest_first: bool = True
    ) -> Iterator[Occurrence]:
        """What ended at one of these times or between."""
        until = self.time if last is None else min(last, self.time)
        return self.events.ended_between(first, until, newest_first=newest_first)

    def last_before(self, time: int) -> Iterator[Occurrence]:
        """What ended before a time, the last first."""
        return self.ended_between(None, time - 1)

    def going_on_at(self, time: int) -> Iterator[Occurrence]:
        """What had begun by a time and not ended before it, as far as that was known."""
        return self._seen(self.events.going_on_at(time))

    def open(self) -> Iterator[Occurrence]:
        """What had begun and not ended."""
        ended_later = self.events.ended_between(self.time + 1, None, newest_first=False)
        yield from self._seen(self.events.open())
        yield from self._seen(ended_later)

    def starting_at(self, time: int) -> Iterator[Occurrence]:
        """What began just then."""
        return self._seen(self.events.starting_at(time))

    def ending_at(self, time: int) -> Iterator[Occurrence]:
        """What ended just then."""
        return self.events.ending_at(time) if time <= self.time else iter(())

    def _seen(self, some: Iterable[Occurrence]) -> Iterator[Occurrence]:
        for one in some:
            if one.end is not None and one.end <= self.time:
                yield one
            elif one.is_in_parts and one.start <= self.time:
                yield structs.replace(one, end=None)


@dataclass(slots=True)
class Look:
    """One look at a history: what was asked of it once is not asked again."""

    history: TimedEvents
    known_at: int | None = None  # a time: what was told later counts for nothing
    _shared: dict[tuple[TimedEvents, str, int], _Shared] = field(default_factory=dict)

    def witnesses(
        self, predicate: Witnessed, event: Occurrence, view: TimedEvents | None
    ) -> Iterable[Occurrence]:
        """What stands so in time to an event, of all or of those in view."""
        match predicate:
            case After(endpoint, limit):
                time = reference_time(event, endpoint)
                if time is None:
                    return ()
                past = self._ask(view, "last_before", time)
                return past if limit is None else ended_since(past, time - length_of(limit))
            case During(endpoint):
                time = reference_time(event, endpoint)
                return () if time is None else self._ask(view, "going_on_at", time)
            case Simultaneous(endpoint):
                question = "starting_at" if endpoint is Endpoint.START else "ending_at"
                return self._ask(view, question, _time(event, endpoint))
            case AllenRelated(relation):
                return self._related(relation, event, view)

    def _related(
        self, relation: AllenRelation, event: Occurrence, view: TimedEvents | None
    ) -> Iterator[Occurrence]:
        assert event.end is not None
        question, endpoint = _CANDIDATES[relation]
        for one in self._ask(view, question, _time(event, endpoint)):
            if one.end is None:
                continue
            found = allen_relation((event.start, event.end), (one.start, one.end))
            if found is relation:
                yield one

    def before(self, time: int, view: TimedEvents | None) -> Iterable[Occurrence]:
        """What ended before a time, the last first."""
        return self._ask(view, "last_before", time)

    def as_of(self, time: int) -> Look:
        """The same history, as it was known at a time."""
        return Look(self.history, time)

    def _ask(self, view: TimedEvents | None, question: str, time: int) -> Iterable[Occurrence]:
        events = self.history if view is None else view
        key = events, question, time
        if key not in self._shared:
            seen = events if self.known_at is None else AsOf(events, self.known_at)
            self._shared[key] = _Shared(_QUESTIONS[question](seen, time))
        return self._shared[key]


_QUESTIONS: dict[str, Callable[[TimedEvents, int], Iterator[Occurrence]]] = {
    "last_before": lambda events, time: events.last_before(time),
    "ended_since": lambda events, time: events.ended_between(time, None),
    "going_on_at": lambda events, time: events.going_on_at(time),
    "starting_at": lambda events, time: events.starting_at(time),
    "ending_at": lambda events, time: events.ending_at(time),
}
# What can stand so to an event is found at its start or end.
_CANDIDATES = {
    AllenRelation.BEFORE: ("ended_since", Endpoint.END),
    AllenRelation.AFTER: ("last_before", Endpoint.START),
    AllenRelation.MEETS: ("starting_at", Endpoint.END),
    AllenRelation.MET_BY: ("ending_at", Endpoint.START),
    AllenRelation.OVERLAPS: ("going_on_at", Endpoint.END),
    AllenRelation.OVERLAPPED_BY: ("going_on_at", Endpoint.START),
    AllenRelation.STARTS: ("starting_at", Endpoint.START),
    AllenRelation.STARTED_BY: ("starting_at", Endpoint.START),
    AllenRelation.DURING: ("going_on_at", Endpoint.START),
    AllenRelation.CONTAINS: ("ended_since", Endpoint.START),
    AllenRelation.FINISHES: ("ending_at", Endpoint.END),
    AllenRelation.FINISHED_BY: ("ending_at", Endpoint.END),
    AllenRelation.EQUALS: ("starting_at", Endpoint.START),
}


def ended_since(past: Iterable[Occurrence], time: int) -> Iterator[Occurrence]:
    """Those of the last ones that ended at a time or later."""
    return takewhile(lambda one: one.end is not None and one.end >= time, past)


def _time(event: Occurrence, endpoint: Endpoint) -> int:
    time = reference_time(event, endpoint)
    assert time is not None  # or the conjunction could not have been asked
    return time
