"""What matters to subscriptions to events in time, found by the tasks of a batch.

An event matters if it passes the plain part of one of them, or is told in parts: its other part may
say what is missing. Of all other events only the time matters, since with it time goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from purport.errors import EventError
from purport.matching.batch_matches import BatchMatches
from purport.matching.flat_lists import Integers
from purport.matching.kernel import Found
from purport.model.event import Event
from purport.model.event_lines import DeadLetter
from purport.pipeline.tables import TIMED_EVENTS, record_batch_of_rows
from purport.pipeline.timed.asked import Asked, is_filter
from purport.pipeline.told import UNKNOWN, Matched, NamedEvents
from purport.temporal.occurrence import Report, report_of

Flags = NDArray[np.bool_]

LAST = 1 << 62  # the offset of what is told after all events of a source


@dataclass(slots=True)
class _Passed:
    """How far time has come in one source, by events that do not matter themselves.

    Those without a time of their own count one after the other: so many are there since the last
    event that matters, and the last of them is at least so late.
    """

    appeared: float | None
    until: int = UNKNOWN
    instants: int = 0
    instant: int = UNKNOWN

    def note(self, time: int, published: int) -> None:
        """An event, by its own time or, if it has none, by when it was told."""
        if time != UNKNOWN:
            self.until = max(self.until, time)
        elif published != UNKNOWN:
            self.instants += 1
            self.instant = max(self.instant + 1, published)


@dataclass(slots=True)
class TimedRows:
    """The rows of the table TIMED_EVENTS that one task finds."""

    asked: Asked
    without_time: int = 0  # events that pass a filter, and cannot be said to be before or after any
    _passed: dict[str, _Passed] = field(default_factory=dict)

    def take(self, matched: Matched, appeared: float | None) -> Taken:
        """What was found for time; the rest are matches of single events."""
        plain: list[tuple[NamedEvents, BatchMatches]] = []
        letters: list[DeadLetter] = []
        found: list[_TimedEvent] = []
        for events, matches in matched.found:
            is_of_time = _is_of_time(matches)
            plain.append((events, _selected(matches, ~is_of_time)))
            passing = np.unique(matches.events[is_of_time])
            found += self._timed(events, passing, letters)
        found.sort(key=lambda one: one.place)
        rows = [row for one in found for row in self._row(one, appeared)]
        return Taken(
            Matched(plain, [*matched.dead_letters, *letters]),
            record_batch_of_rows(TIMED_EVENTS, rows) if rows else None,
        )

    def last(self) -> pa.RecordBatch | None:
        """How far time has come in each source."""
        rows = [_row(source, LAST, passed) for source, passed in self._passed.items()]
        return record_batch_of_rows(TIMED_EVENTS, rows) if rows else None

    def _timed(
        self, events: NamedEvents, passing: Integers, letters: list[DeadLetter]
    ) -> Iterator[_TimedEvent]:
        """The events whose time is known, and whether they matter."""
        count, times = len(events.ids), events.times()
        aliased = _aliased(events, count, letters)
        passes = np.full(count, self.asked.lets_all_pass)
        passes[passing] = True
        has_start, has_end = times.starts != UNKNOWN, times.ends != UNKNOWN
        is_told = has_start | has_end | (times.published != UNKNOWN)
        is_told[list(aliased)] = True
        self.without_time += int(np.count_nonzero(passes & ~is_told))
        matters = passes | (has_start != has_end)
        numbers = np.flatnonzero(is_told)
        places = events.places(numbers.astype(np.int32))
        columns = (
            *(one.to_pylist() for one in (places.ids, places.sources, places.offsets)),
            *(one[numbers].tolist() for one in (times.starts, times.ends, times.published)),
            matters[numbers].tolist(),
        )
        for number, *known in zip(numbers.tolist(), *columns, strict=True):
            one = _TimedEvent(events, number, *known)
            yield one.as_told(aliased[number]) if number in aliased else one

    def _row(self, one: _TimedEvent, appeared: float | None) -> Iterator[tuple[object, ...]]:
        passed = self._passed.setdefault(one.source, _Passed(appeared))
        if one.matters:
            yield _row(one.source, one.offset, passed, one)
            passed.instants, passed.instant = 0, UNKNOWN
        else:
            passed.note(one.time, one.published)


@dataclass(frozen=True, slots=True)
class Taken:
    """What was matched: single events, and what matters to time."""

    matched: Matched
    timed: pa.RecordBatch | None


@dataclass(slots=True)
class _TimedEvent:
    """An event whose time is known."""

    events: NamedEvents
    number: int
    id: str
    source: str
    offset: int
    start: int
    end: int
    published: int
    matters: bool
    report: Report | None = None  # what its statements tell

    @property
    def place(self) -> tuple[str, int]:
        """Where it stands."""
        return self.source, self.offset

    @property
    def time(self) -> int:
        """When it could be told at the earliest; `UNKNOWN` if it has no time of its own."""
        return self.start if self.end == UNKNOWN else self.end

    def as_told(self, report: Report) -> _TimedEvent:
        """The same, with what its statements tell of its time."""
        self.report = report
        self.start = UNKNOWN if report.start is None else report.start
        self.end = UNKNOWN if report.end is None else report.end
        self.matters = self.matters or report.start is None or report.end is None
        is_named = self.id != f"{self.source}:{self.offset}"
        self.id = self.id if is_named or report.id is None else report.id
        return self

    def said(self) -> bytes:
        """Its statements, as a JSON object."""
        if self.report is not None:
            return Event(self.report.statements).to_json()
        return Event(self.events.event(self.number).statements).to_json()


def _row(
    source: str, offset: int, passed: _Passed, one: _TimedEvent | None = None
) -> tuple[object, ...]:
    event: tuple[object, ...] = (None,) * 5
    if one is not None:
        is_instant = one.time == UNKNOWN
        published = one.published if is_instant else UNKNOWN
        event = (one.id, _known(one.start), _known(one.end), _known(published), one.said())
    so_far = (_known(passed.until), passed.instants, _known(passed.instant))
    return (passed.appeared, source, offset, *event, *so_far)


def _known(time: int) -> int | None:
    return None if time == UNKNOWN else time


def _aliased(events: NamedEvents, count: int, letters: list[DeadLetter]) -> dict[int, Report]:
    """What statements tell of times, by the numbers of events; a wrong time is a dead letter."""
    found: dict[int, Report] = {}
    for number in events.aliased():
        event = events.event(number)
        try:
            report = report_of(Event(event.statements), UNKNOWN)
        except EventError as error:
            letters.append(_letter(events, number, event, error))
        else:
            if not report.is_without_time:
                found[number] = report
    return found


def _letter(events: NamedEvents, number: int, event: Event, error: EventError) -> DeadLetter:
    places = events.places(np.array([number], np.int32))
    source, offset = places.sources[0].as_py(), places.offsets[0].as_py()
    return DeadLetter.of_line(source, offset, reason=str(error), said=event.to_json())


def _is_of_time(matches: BatchMatches) -> Flags:
    """Which matches are those of filters."""
    slots, places = np.unique(matches.found.slots, return_inverse=True)
    return np.array([is_filter(matches.subscriptions[slot]) for slot in slots], np.bool_)[places]


def _selected(matches: BatchMatches, wanted: Flags) -> BatchMatches:
    """Some of the matches."""
    if wanted.all():
        return matches
    found = matches.found
    sizes = np.diff(found.ends, prepend=0)
    statements = np.repeat(wanted, sizes)
    some = Found(
        found.events[wanted],
        found.slots[wanted],
        found.probabilities[wanted],
        np.cumsum(sizes[wanted]),
        found.statements[statements],
        found.similarities[statements],
    )
    return BatchMatches(some, matches.subscriptions, matches.match_of)
