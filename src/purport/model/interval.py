"""When an event happened."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_DATE_AND_ZONE = re.compile(r"(\d{4}-\d{2}-\d{2})(Z|[+-]\d{2}:\d{2})")
_LONGEST_DATE = len("2016-04-11+01:00")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)
_SECONDS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
_UNIT_OF_TIME = {"milliseconds": "ms", "sec": "s", "seconds": "s", "minutes": "min", "hours": "h",
                 "days": "d", "weeks": "w"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Interval:
    """The time from `start` to `end`; a bound that is None is not known (yet).

    An instant starts and ends at once. An event that has begun and not ended has no `end`; the
    notice that an event ended, sent apart from its beginning, has no `start`.
    """

    start: datetime | None
    end: datetime | None

    def __post_init__(self) -> None:
        for bound in (self.start, self.end):
            if bound is not None and bound.tzinfo is None:
                raise ValueError(f"a time needs a time zone: {bound}")
        if self.start is None and self.end is None:
            raise ValueError("an interval needs a start or an end")
        if self.start is not None and self.end is not None and self.end < self.start:
            raise ValueError(
                f"the interval ends ({self.end.isoformat()}) before it starts "
                f"({self.start.isoformat()})"
            )

    def __str__(self) -> str:
        start, end = ("..." if one is None else one.isoformat() for one in (self.start, self.end))
        return start if start == end else f"{start} to {end}"

    @classmethod
    def at(cls, instant: datetime) -> Interval:
        """The instant as an interval of no length."""
        return cls(instant, instant)


def read_instant(value: str | float) -> datetime:
    """A point in time from ISO 8601 text or seconds since 1970; without a time zone it is UTC."""
    if isinstance(value, str):
        dated = _DATE_AND_ZONE.fullmatch(value) if len(value) <= _LONGEST_DATE else None
        text = f"{dated[1]}T00:00:00{dated[2]}" if dated else value
        try:
            instant = datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(f"not an ISO 8601 time: {value!r}") from None
        return instant if instant.tzinfo else instant.replace(tzinfo=UTC)
    try:
        return _EPOCH + timedelta(seconds=value)
    except (OverflowError, ValueError):
        raise ValueError(f"not a time within the calendar: {value!r} s") from None


def read_duration(text: str) -> timedelta:
    """A length of time from a number and a unit, e.g. `10 s`; `ValueError` if it is none."""
    number = text.rstrip(string.ascii_letters)
    unit = text[len(number) :].lower()
    symbol = unit if unit in _SECONDS else _UNIT_OF_TIME.get(unit) or _UNIT_OF_TIME.get(unit + "s")
    try:
        length = timedelta(seconds=float(number) * _SECONDS[symbol or unit])
    except (KeyError, ValueError):
        raise ValueError(f"expected a duration such as 10 s or 30 d, got {text!r}") from None
    except OverflowError:
        raise ValueError("the duration is too long") from None
    if length <= timedelta(0):
        raise ValueError("a duration is longer than 0")
    return length


def microseconds_of(time: datetime) -> int:
    """A time as a number that can be kept and compared: microseconds since 1970."""
    return length_of(time - _EPOCH)


def length_of(duration: timedelta) -> int:
    """A length of time in microseconds."""
    return duration // _MICROSECOND


def time_of(microseconds: int) -> datetime:
    """The time of such a number."""
    return _EPOCH + timedelta(microseconds=microseconds)


def is_in_calendar(microseconds: int) -> bool:
    """Whether there is a time of such a number: in UTC, from the year 1 to 9999."""
    return EARLIEST <= microseconds <= LATEST


EARLIEST, LATEST = microseconds_of(_FIRST), microseconds_of(_LAST)
