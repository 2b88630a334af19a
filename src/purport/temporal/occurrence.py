"""Events in time: what a publication tells of when something happened, and what is known of it.

Times are whole microseconds since 1970.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from msgspec import Struct, structs

from purport.errors import EventError
from purport.model.event import Event, Statement
from purport.model.interval import (
    Interval,
    is_in_calendar,
    microseconds_of,
    read_instant,
    time_of,
)
from purport.model.term import Term, Text, Time
from purport.model.units import Quantity


class Occurrence(Struct, frozen=True, gc=False):
    """An event with the time in which it happened; one that goes on has no `end` yet."""

    id: str
    start: int
    end: int | None
    statements: tuple[Statement, ...]
    sequence: int = 0  # in the order of arrival
    is_in_parts: bool = False  # its beginning was told before its end
    is_late: bool = False  # told too late to take part in answers

    @property
    def event(self) -> Event:
        """The same as an event."""
        end = None if self.end is None else time_of(self.end)
        return Event(self.statements, self.id, Interval(time_of(self.start), end))


class ReportPart(StrEnum):
    """Which part of what happened a publication tells of."""

    WHOLE = "WHOLE"
    START = "START"
    END = "END"


@dataclass(frozen=True, slots=True)
class Report:
    """What one publication tells; `start` or `end` may be unknown, as its part says."""

    part: ReportPart
    id: str | None
    start: int | None
    end: int | None
    statements: tuple[Statement, ...]
    is_without_time: bool = field(default=False, compare=False)  # so it happened when it was told

    @classmethod
    def of(
        cls,
        identifier: str | None,
        start: int | None,
        end: int | None,
        statements: tuple[Statement, ...],
    ) -> Report:
        """What is told with one of the bounds, or with both."""
        part = ReportPart.WHOLE
        if start is None or end is None:
            part = ReportPart.END if start is None else ReportPart.START
        return cls(part, identifier, start, end, statements)

    @classmethod
    def without_time(
        cls, identifier: str | None, at: int | None, statements: tuple[Statement, ...]
    ) -> Report:
        """What is told of something that happened just when it was told."""
        return cls(ReportPart.WHOLE, identifier, at, at, statements, is_without_time=True)

    @property
    def time(self) -> int:
        """When it could be told at the earliest."""
        known = self.start if self.end is None else self.end
        assert known is not None
        return known

    def begun(self, identifier: str, sequence: int) -> Occurrence:
        """What is known by it of something new; `EventError` if it tells of an end alone."""
        if self.start is None:
            raise EventError(
                f"the event {identifier!r} ended, but nobody said that it began: publish its start "
                "first, or both"
            )
        return Occurrence(
            identifier,
            self.start,
            self.end,
            self.statements,
            sequence,
            is_in_parts=self.part is ReportPart.START,
        )

    def ends(self, known: Occurrence) -> Occurrence | None:
        """What is known of an event after this; None if all of it was known before.

        `EventError` if it contradicts what is known.
        """
        if self.part is ReportPart.END and known.end is None:
            assert self.end is not None
            if self.end < known.start:
                raise EventError(
                    f"the event {known.id!r} ends ({time_of(self.end).isoformat()}) before it "
                    f"starts ({time_of(known.start).isoformat()})"
                )
            more = (one for one in self.statements if one not in known.statements)
            return structs.replace(known, end=self.end, statements=(*known.statements, *more))
        if self._repeats(known):
            return None
        raise EventError(f"the event {known.id!r} was told before, with another content or time")

    def is_over(self, known: Occurrence) -> bool:
        """Whether this is the END of what has ended since; so it is with one that came too late."""
        is_after = self.end is not None and known.end is not None and self.end <= known.end
        is_end = self.part is ReportPart.END and known.is_in_parts and known.start <= self.time
        return is_end and is_after and set(self.statements) <= set(known.statements)

    def _repeats(self, known: Occurrence) -> bool:
        match self.part:
            case ReportPart.WHOLE:
                is_same_time = (self.start, self.end) == (known.start, known.end)
                if self.is_without_time:  # whoever publishes it again does so later
                    is_same_time = known.start == known.end and not known.is_in_parts
                return is_same_time and self.statements == known.statements
            case ReportPart.START:
                is_begun = known.is_in_parts and self.start == known.start
                return is_begun and self.statements == known.statements[: len(self.statements)]
            case ReportPart.END:
                is_ended = known.is_in_parts and self.end == known.end
                return is_ended and set(self.statements) <= set(known.statements)


def report_of(event: Event, at: int) -> Report:
    """What a publication at this time tells; without a time of its own it happened just then.

    KBN's attributes (`PUB_ID`, `KBN_PUB_TYPE`, `KBN_START_TIME`, `KBN_END_TIME`) say the same as an
    id and an interval, where the event has none.
    """
    aliases = _aliases_of(event)
    interval = event.interval or _aliased_interval(aliases)
    identifier = event.id or _aliased_id(aliases)
    statements = event.statements
    if aliases:
        statements = tuple(one for one in statements if _alias(one.attribute) is None)
    if interval is None:
        return Report.without_time(identifier, at, statements)
    start, end = _counted(interval.start), _counted(interval.end)
    if start is None and identifier is None:
        raise EventError("the end of an event is told, but not of which: it needs an id")
    return Report.of(identifier, start, end, statements)


def told_id(event: Event) -> str | None:
    """The id that an event has, or that KBN's `PUB_ID` gives it; None if nobody gave it one."""
    return event.id or _aliased_id(_aliases_of(event))


def _counted(time: datetime | None) -> int | None:
    """A bound as a number; `EventError` if it is a time that UTC has not."""
    if time is None:
        return None
    found = microseconds_of(time)
    if not is_in_calendar(found):
        raise EventError(f"in UTC, {time.isoformat()} is not between the years 1 and 9999")
    return found


_ALIASES = ("pub_id", "kbn_pub_type", "kbn_start_time", "kbn_end_time")


def _aliases_of(event: Event) -> dict[str, Term]:
    """What KBN's attributes tell, where they do; `EventError` if one of them tells two things."""
    told: dict[str, Term] = {}
    if event.interval is not None:
        return told
    for statement in event.statements:
        attribute = statement.attribute
        if type(attribute) is not Text or attribute.text[:1] not in "PpKk":  # as are most
            continue
        name = _alias(attribute)
        if name is not None and told.setdefault(name, statement.value) != statement.value:
            raise EventError(f"{name.upper()} is told twice: {told[name]} and {statement.value}")
    return told


def _alias(attribute: Term) -> str | None:
    """Which of KBN's attributes this is; None if none."""
    name = attribute.text.casefold() if type(attribute) is Text else ""
    return name if name in _ALIASES else None


def _aliased_id(aliases: dict[str, Term]) -> str | None:
    return (str(aliases["pub_id"]) or None) if "pub_id" in aliases else None


def _aliased_interval(aliases: dict[str, Term]) -> Interval | None:
    start, end = (_aliased_time(aliases, name) for name in ("kbn_start_time", "kbn_end_time"))
    kind = str(aliases.get("kbn_pub_type", "")).upper()
    if start is None and end is None and kind in ("", "INSTANT"):
        return None
    try:
        match kind:
            case "START":
                return Interval(_required(start, "START"), None)
            case "END":
                return Interval(None, _required(end, "END"))
            case "INSTANT":
                if start is not None and end is not None and start != end:
                    raise EventError(
                        f"KBN_PUB_TYPE is INSTANT, but KBN_START_TIME ({start.isoformat()}) is not "
                        f"KBN_END_TIME ({end.isoformat()})"
                    )
                return Interval(start or end, start or end)
            case "":
                return Interval(start, end)
            case _:
                raise EventError(f"KBN_PUB_TYPE is START, END or INSTANT, got {kind!r}")
    except ValueError as error:
        raise EventError(str(error)) from None


def _required(time: datetime | None, part: str) -> datetime:
    if time is None:
        raise EventError(f"KBN_PUB_TYPE is {part}, but KBN_{part}_TIME is missing")
    return time


def _aliased_time(aliases: dict[str, Term], name: str) -> datetime | None:
    """A time of KBN's: milliseconds since 1970, as Java counts them, or ISO 8601."""
    value = aliases.get(name)
    try:
        match value:
            case None:
                return None
            case Time(instant):
                return instant
            case Quantity(magnitude, None):
                return read_instant(magnitude / 1000)
            case Text(text):
                return read_instant(float(text) / 1000 if _spells_number(text) else text)
    except ValueError as error:
        raise EventError(f"{name.upper()}: {error}") from None
    raise EventError(f"{name.upper()} is a time, got {value}")


def _spells_number(text: str) -> bool:
    return text.lstrip("-").isdigit()
