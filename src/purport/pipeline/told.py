"""What was read of a source: events with their ids and places, and records that are none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

import msgspec
import numpy as np
import pyarrow as pa

from purport.errors import EventError
from purport.matching.batch_matches import BatchMatches
from purport.matching.batches import JsonObject, as_event
from purport.matching.flat_lists import Integers, Numbers, Places
from purport.matching.matcher import Matcher
from purport.matching.plain_lines import PlainLines
from purport.model.event import Event
from purport.model.event_lines import DeadLetter, ToldObject
from purport.model.interval import Interval, microseconds_of
from purport.relatedness.array_store import StoreError
from purport.relatedness.remote import MeasureUnavailable

_ABOUT = ("@id", "@start", "@end")
UNKNOWN = -(1 << 63)  # a time that nobody told
_MILLENNIUM = microseconds_of(datetime(2000, 1, 1, tzinfo=UTC))
_ALIASES = "kbn_"  # with which the names begin of attributes that tell times
BEYOND_US = (MeasureUnavailable, StoreError, MemoryError)  # no record is to blame: it has to stop


class Tells(Protocol):
    """Something that was read, and can be matched; `appeared` is when its source last changed."""

    appeared: float | None  # in seconds since 1970

    def match(self, matcher: Matcher) -> Matched:
        """The matches, and what is no event or cannot be matched; nothing stops at a record."""

    def parts(self) -> Sequence[Told]:
        """The events themselves, or the objects that they are, in parts that have one source."""


@dataclass(frozen=True, slots=True)
class EventPlaces:
    """What some events are called, and where they stand, by columns."""

    ids: pa.Array
    sources: pa.Array
    offsets: pa.Array


@dataclass(frozen=True, slots=True)
class EventTimes:
    """When some events happened, by columns: microseconds since 1970, or `UNKNOWN`."""

    starts: Places
    ends: Places
    published: Places  # when they were told, where somebody has noted it

    @classmethod
    def of_intervals(
        cls, count: int, intervals: Mapping[int, Interval], published: Mapping[int, int]
    ) -> EventTimes:
        """The times of so many events, by their numbers."""
        starts, ends, told = np.full((3, count), UNKNOWN, np.int64)
        for number, interval in intervals.items():
            if interval.start is not None:
                starts[number] = microseconds_of(interval.start)
            if interval.end is not None:
                ends[number] = microseconds_of(interval.end)
        told[list(published)] = list(published.values())
        return cls(starts, ends, told)

    @classmethod
    def of_plain(
        cls, lines: PlainLines, places: Integers | Places, published: Places | None = None
    ) -> EventTimes:
        """The times of lines that the kernel has read."""
        if published is None:
            published = np.full(len(places), UNKNOWN, np.int64)
        begun, ended = (_since_1970(one[places]) for one in (lines.times_begun, lines.times_ended))
        return cls(begun, ended, published)


def _since_1970(times: Numbers) -> Places:
    is_told = ~np.isnan(times)
    found = np.full(len(times), UNKNOWN, np.int64)
    found[is_told] = times[is_told].astype(np.int64) + _MILLENNIUM
    return found


class NamedEvents(Protocol):
    """Events that were matched, by their ids and places."""

    @property
    def ids(self) -> Sized:
        """The ids of all."""

    def places(self, events: Integers) -> EventPlaces:
        """What the events of these numbers are called, and where they stand."""

    def times(self) -> EventTimes:
        """When all of them happened."""

    def aliased(self) -> Iterable[int]:
        """The numbers of those whose statements may tell a time, as KBN's do."""

    def event(self, number: int) -> Event:
        """What one of them says."""


@dataclass(frozen=True, slots=True)
class Matched:
    """What was found: events by their ids and places, each with the matches of those."""

    found: Sequence[tuple[NamedEvents, BatchMatches]]
    dead_letters: Sequence[DeadLetter]


@dataclass(slots=True)
class Told:
    """Events of one source, by columns: `events[i]` has the id `ids[i]` and stands at `offsets[i]`.

    An offset is the number of a line, of a row, or of a description in its file. `records` are the
    events as they were read, for dead letters; `intervals` are those of events that have one, and
    `published` says when events were told, where that is known (in microseconds since 1970).
    """

    source: str
    events: list[Event | JsonObject] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    records: list[object] = field(default_factory=list)
    dead_letters: list[DeadLetter] = field(default_factory=list)
    appeared: float | None = None
    intervals: dict[int, Interval] = field(default_factory=dict)
    published: dict[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.events)

    def add(self, said: ToldObject, offset: int, record: object) -> None:
        """Take an event, as the object that it was told in; what is about it is known by now."""
        data = said.data
        if isinstance(data, dict):
            for key in _ABOUT:
                data.pop(key, None)
        self.add_event(data, said.id, offset, record, said.interval)

    def add_event(
        self,
        event: Event | JsonObject,
        identifier: str,
        offset: int,
        record: object,
        interval: Interval | None = None,
    ) -> None:
        """Take an event, or a flat object that is one."""
        if interval is not None:
            self.intervals[len(self.events)] = interval
        self.events.append(event)
        self.ids.append(identifier)
        self.offsets.append(offset)
        self.records.append(record)

    def refuse(self, offset: int, reason: str, record: object) -> None:
        """Set a record aside."""
        letter = DeadLetter.of_line(self.source, offset, reason=reason, said=_text(record))
        self.dead_letters.append(letter)

    def match(self, matcher: Matcher) -> Matched:
        """The matches of the events; one that cannot be matched is set aside."""
        if not self.events:
            return Matched([], self.dead_letters)
        try:
            return Matched([(self, matcher.match_batch(self.events))], self.dead_letters)
        except BEYOND_US:
            raise
        except Exception:  # noqa: BLE001 - what is wrong with which record is found out
            return self.checked()._match_parts(matcher)

    def parts(self) -> Sequence[Told]:
        """The events of this one source."""
        return [self]

    def places(self, events: Integers) -> EventPlaces:
        """What the events of these numbers are called, and where they stand."""
        numbers = events.tolist()
        return EventPlaces(
            pa.array([self.ids[number] for number in numbers], pa.string()),
            pa.array([self.source] * len(numbers), pa.string()),
            pa.array([self.offsets[number] for number in numbers], pa.int64()),
        )

    def times(self) -> EventTimes:
        """When the events happened."""
        return EventTimes.of_intervals(len(self.ids), self.intervals, self.published)

    def aliased(self) -> Iterable[int]:
        """Those whose attributes may tell a time."""
        for number, one in enumerate(self.events):
            if number not in self.intervals and _may_be_aliased(one):
                yield number

    def event(self, number: int) -> Event:
        """What one of the events says."""
        return as_event(self.events[number])

    def checked(self) -> Told:
        """The same with every object made an event, or a dead letter where that cannot be done."""
        told = Told(self.source, dead_letters=list(self.dead_letters))
        for place, one in enumerate(self.events):
            try:
                event = as_event(one)
            except EventError as error:
                told.refuse(self.offsets[place], str(error), self.records[place])
            else:
                told._add_again(event, self, place)
        return told

    def _add_again(self, event: Event | JsonObject, before: Told, place: int) -> None:
        """Take an event that stood at a place before."""
        if place in before.published:
            self.published[len(self.events)] = before.published[place]
        self.add_event(
            event,
            before.ids[place],
            before.offsets[place],
            before.records[place],
            before.intervals.get(place),
        )

    def _match_parts(self, matcher: Matcher) -> Matched:
        """Match what can be, in halves of halves."""
        if not self.events:
            return Matched([], self.dead_letters)
        try:
            return Matched([(self, matcher.match_batch(self.events))], self.dead_letters)
        except BEYOND_US:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it must not stop the rest
            if len(self) == 1:
                self.refuse(self.offsets[0], f"cannot be matched: {error}", self.records[0])
                return Matched([], self.dead_letters)
        half = len(self) // 2
        parts = [self.only(range(half)), self.only(range(half, len(self)))]
        matched = [part._match_parts(matcher) for part in parts]
        return Matched(
            [found for part in matched for found in part.found],
            [*self.dead_letters, *(one for part in matched for one in part.dead_letters)],
        )

    def only(self, places: Sequence[int]) -> Told:
        """Some of the events, without the records that are none."""
        told = Told(self.source)
        for place in places:
            told._add_again(self.events[place], self, place)
        return told


def may_be_aliased(name: str) -> bool:
    """Whether an attribute of this name may tell a time."""
    return name[: len(_ALIASES)].casefold() == _ALIASES


def aliased_lines(text: bytes, lines: Iterable[bytes]) -> Iterator[int]:
    """The numbers of the lines, some of those of a text, whose names may tell a time."""
    sign = _ALIASES.encode()
    if sign in text.lower():
        yield from (number for number, line in enumerate(lines) if sign in line.lower())


def _may_be_aliased(event: Event | JsonObject) -> bool:
    if isinstance(event, Event):
        return any(may_be_aliased(str(one.attribute)) for one in event.statements)
    return any(map(may_be_aliased, event))


def _text(record: object) -> bytes:
    """A record as a dead letter keeps it."""
    if isinstance(record, Event):
        return "\n".join(map(str, record.statements)).encode("utf-8", "replace")
    return record if isinstance(record, bytes) else msgspec.json.encode(record, enc_hook=str)
