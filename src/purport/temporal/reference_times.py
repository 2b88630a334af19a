"""The time of an event that an operator speaks of: its start, its end, or one that it tells."""

from __future__ import annotations

from purport.model.interval import microseconds_of
from purport.model.subscription import Endpoint, ReferenceTime
from purport.model.term import Term, Text, Time, read_time
from purport.temporal.occurrence import Occurrence
from purport.temporal.said import values_of


def reference_time(occurrence: Occurrence, reference: ReferenceTime) -> int | None:
    """The time, of an attribute the first that it says; None if there is none."""
    if reference is Endpoint.START:
        return occurrence.start
    if reference is Endpoint.END:
        return occurrence.end
    values = values_of(occurrence.statements, reference.term)
    return next((time for time in map(_time_said, values) if time is not None), None)


def _time_said(value: Term) -> int | None:
    match value:
        case Time(instant):
            return microseconds_of(instant)
        case Text(text):
            time = read_time(text)
            return None if time is None else microseconds_of(time.instant)
    return None
