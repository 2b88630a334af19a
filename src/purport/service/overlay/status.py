"""What `GET /overlay` says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import msgspec

from purport.service.overlay.link import Link

MOST_REFUSED = 20


class InterestsStatus(msgspec.Struct, frozen=True):
    """What both ends of a link want to hear of."""

    forwarded: int  # that the neighbour is asked for
    received: int  # that it asks for
    settled: bool  # it knows what it is asked for
    unjudged: int  # of those received, that this broker cannot judge: it is told every event


class EventsStatus(msgspec.Struct, frozen=True):
    """What has passed since the process began, and what waits."""

    sent: int
    received: int
    known: int  # of those received, that were here already
    waiting: int  # in the journal, until the neighbour has them
    dropped: int  # because too much waited
    forbidden: int  # that the neighbour may not publish here
    unreadable: int
    too_long: int  # for the neighbour


class NeighbourStatus(msgspec.Struct, frozen=True):
    """One neighbour."""

    name: str
    state: str  # up or down
    used: bool  # or else it is spare: others lead wherever it does
    since: datetime
    address: str | None
    reason: str | None  # why it is down
    interests: InterestsStatus
    events: EventsStatus


class RefusedStatus(msgspec.Struct, frozen=True):
    """Somebody who came, and was not let in."""

    name: str
    address: str
    code: str
    reason: str
    at: datetime
    times: int


class OverlayStatus(msgspec.Struct, frozen=True):
    """A broker and its neighbours."""

    name: str
    version: int  # of the protocol
    epoch: str
    brokers: list[str]  # those to which some way leads now, this one included
    neighbours: list[NeighbourStatus]
    refused: list[RefusedStatus]


def neighbour_status(link: Link, *, waiting: int, received: int, unjudged: int) -> NeighbourStatus:
    """How a link is doing, with what the broker knows of it."""
    figures, session = link.figures, link.session
    return NeighbourStatus(
        link.name,
        "down" if session is None else "up",
        link.is_used,
        link.since,
        None if session is None else session.address,
        link.reason or None,
        InterestsStatus(link.asked, received, link.is_settled, unjudged),
        EventsStatus(
            figures.events_sent,
            figures.events_received,
            figures.events_known,
            waiting,
            figures.events_dropped,
            figures.events_forbidden,
            figures.events_unreadable,
            figures.events_too_long,
        ),
    )


class RefusedComers:
    """Those that were not let in, the last ones; the same again is counted."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._by_reason: dict[tuple[str, str], RefusedStatus] = {}

    def add(self, name: str, address: str, code: str, reason: str) -> bool:
        """Note one; whether it is the first for this reason."""
        before = self._by_reason.pop((name, reason), None)
        times = 1 if before is None else before.times + 1
        self._by_reason[name, reason] = RefusedStatus(
            name, address, code, reason, self._now(), times
        )
        if len(self._by_reason) > MOST_REFUSED:
            del self._by_reason[next(iter(self._by_reason))]
        return before is None

    def all(self) -> list[RefusedStatus]:
        """Those that are known, the last one first."""
        return list(self._by_reason.values())[::-1]
