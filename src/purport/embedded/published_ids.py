"""By what a publication is known again when somebody repeats it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from purport.broker.records import Entry, Published
from purport.errors import EventError
from purport.model.event import Event
from purport.temporal.occurrence import ReportPart, report_of, told_id

_AT_ONCE = 10_000


class PublishedId(NamedTuple):
    """Whose event, under which id; the start and the end of one are told apart."""

    publisher: str | None
    id: str
    part: ReportPart


def published_id(event: Event, publisher: str | None) -> PublishedId | None:
    """By what an event is known; None if nobody gave it an id."""
    try:
        identifier = told_id(event)
        part = report_of(event, 0).part
    except EventError:  # its times say nothing: so it is a whole one, if it has an id
        identifier, part = event.id, ReportPart.WHOLE
    return None if identifier is None else PublishedId(publisher, identifier, part)


def latest_published(
    entries: Callable[[int, int], Iterator[Entry]], *, first: int, last: int, most: int
) -> dict[PublishedId, int]:
    """By what the last so many publications are known, oldest first, with their sequences.

    `entries` gives those after a sequence, through another.
    """
    found: list[tuple[PublishedId, int]] = []
    through = last
    while through >= first and len(found) < most:
        after = max(through - _AT_ONCE, first - 1)
        found += reversed(list(_of_entries(entries(after, through))))
        through = after
    known: dict[PublishedId, int] = {}
    for key, sequence in reversed(found[:most]):
        known.setdefault(key, sequence)
    return known


def _of_entries(entries: Iterator[Entry]) -> Iterator[tuple[PublishedId, int]]:
    for entry in entries:
        event, record = entry.event, entry.record
        if event is None or not isinstance(record, Published) or record.rules:
            continue
        if event.id != f"event-{entry.sequence}":  # which the broker has given it
            known = published_id(event, record.publisher)
            if known is not None:
                yield known, entry.sequence
