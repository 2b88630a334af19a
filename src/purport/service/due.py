"""When an update is to run, as `at` and `delay` say."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from purport.errors import InvalidInput
from purport.model.interval import read_duration

_PERIOD = re.compile(
    r"P(?:(?P<weeks>\d+(?:[.,]\d+)?)W)?(?:(?P<days>\d+(?:[.,]\d+)?)D)?"
    r"(?:T(?:(?P<hours>\d+(?:[.,]\d+)?)H)?(?:(?P<minutes>\d+(?:[.,]\d+)?)M)?"
    r"(?:(?P<seconds>\d+(?:[.,]\d+)?)S)?)?",
    re.IGNORECASE | re.ASCII,
)
_ZONE_AFTER_SPACE = re.compile(r"(T\S+) (\d{2}:?\d{2})$")  # a plus that an address has lost


def due_at(text: str) -> datetime:
    """A time with its zone; `InvalidInput` if it is none.

    >>> due_at("2026-11-19T12:00:00+01:00").isoformat()
    '2026-11-19T12:00:00+01:00'
    """
    try:
        found = datetime.fromisoformat(_ZONE_AFTER_SPACE.sub(r"\1+\2", text.strip()))
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise InvalidInput(
            f"at: expected a time with its zone, such as 2026-11-19T12:00:00Z, got {text!r:.80}"
        )
    return found


def due_after(text: str) -> timedelta:
    """A length of time; `InvalidInput` if it is none, or longer than a calendar.

    >>> str(due_after("PT1M30S")), str(due_after("10s"))
    ('0:01:30', '0:00:10')
    """
    told = text.strip()
    try:
        return _period(told) if told[:1] in "Pp" else read_duration(told)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(f"delay: {error}") from None


def _period(text: str) -> timedelta:
    found = _PERIOD.fullmatch(text)
    parts = {} if found is None else {name: one for name, one in found.groupdict().items() if one}
    if not parts or text[-1] in "Tt":
        raise ValueError(
            f"expected a length of time such as PT10S, P1DT12H or 10 s (a month or a year has no "
            f"length), got {text!r:.80}"
        )
    length = timedelta(**{name: float(one.replace(",", ".")) for name, one in parts.items()})
    if length <= timedelta(0):
        raise ValueError("a duration is longer than 0")
    return length
