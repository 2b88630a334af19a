"""By what a publication is known again when somebody repeats it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from purport.broker.known_events import origin_id
from purport.broker.records import Entry, Published
from purport.errors import EventError
from purport.model.event import Event
from purport.temporal.occurrence import ReportPart, report_of, told_id

_AT_ONCE = 10_000
_ENTRIES_FOR_EACH = 4  # such as what is acknowledged by those who were told of it
_LONGEST = 100  # letters of an id that is remembered as it is
_DIGEST = "sha256:"


class PublishedId(NamedTuple):
    """Whose event, under which id; the start and the end of one are told apart."""

    publisher: str | None
    id: str  # or a digest of a long one
    part: ReportPart


def published_id(event: Event, publisher: str | None) -> PublishedId | None:
    """By what an event is known; None if nobody gave it an id."""
    identifier = given_id(event)
    if identifier is None:
        return None
    try:
        part = report_of(event, 0).part
    except EventError:  # its times say nothing: so it is a whole one
        part = ReportPart.WHOLE
    return PublishedId(publisher, _short(identifier), part)


def given_id(event: Event) -> str | None:
    """The id that somebody gave to an event."""
    try:
        return told_id(event)
    except EventError:
        return event.id


def _short(identifier: str) -> str:
    if len(identifier) <= _LONGEST and not identifier.startswith(_DIGEST):
        return identifier
    encoded = identifier.encode(errors="surrogatepass")
    return _DIGEST + hashlib.sha256(encoded).hexdigest()


def latest_published(
    entries: Callable[[int, int], Iterator[Entry]], *, first: int, last: int, most: int
) -> dict[PublishedId, int]:
    """By what the last so many publications are known, oldest first, with their sequences.

    `entries` gives those after a sequence, through another. So that a long journal of something
    else is not read, no more than some entries for each are looked at.
    """
    first = max(first, last + 1 - most * _ENTRIES_FOR_EACH)
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
        origin = record.origin
        is_named_so = origin is not None and event.id == origin_id(origin)
        if not is_named_so and event.id != f"event-{entry.sequence}":  # which the broker has given
            known = published_id(event, record.publisher)
            if known is not None:
                yield known, entry.sequence
