"""One neighbour as this broker sees it: whether there is a link, and what passed over it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from purport.service.overlay.messages import Hello, Said
from purport.service.settings import NeighbourSettings

_LOG = logging.getLogger("purport.service")


class Connection(Protocol):
    """What a link needs of a session."""

    peer: Hello
    address: str
    is_ours: bool  # it was opened here

    def say(self, said: Said) -> None:
        """Say something as soon as it can be."""

    def end(self, reason: str) -> None:
        """Tell and hear no more."""

    async def is_alive(self) -> bool:
        """Whether the other end answers."""


@dataclass(slots=True)
class Figures:
    """What has passed over a link since the process began."""

    events_sent: int = 0
    events_received: int = 0
    events_known: int = 0  # of those received, that were here already
    events_forbidden: int = 0  # that the neighbour may not publish
    events_unreadable: int = 0
    events_dropped: int = 0  # because too much waited for the neighbour
    events_too_long: int = 0  # for the neighbour
    interests_sent: int = 0  # new ones, and those that are over
    interests_received: int = 0
    connections: int = 0


@dataclass(slots=True)
class Detour:
    """Others are told what waits for a neighbour that is down, since another way leads to them."""

    beyond: frozenset[str]  # to whom it leads
    due: float  # by the event loop's clock
    tries: int = 0
    heard: int = -1  # interests of others, by the last time


class Link:
    """At most one session at a time, and what is to be known of it."""

    def __init__(self, settings: NeighbourSettings, now: Callable[[], datetime]) -> None:
        self.name, self.settings, self._now = settings.name, settings, now
        self.session: Connection | None = None
        self.since = now()
        self.reason = "nobody has come yet" if settings.url is None else "not reached yet"
        self.figures = Figures()
        self.lasted_seconds = 0.0  # the last session
        self.is_understood = True  # what was said in it
        self.asked = 0  # interests, that the neighbour is to know of
        self.is_settled = False  # and knows
        self.is_used = True  # or else it is spare
        self.unneeded_since: float | None = None  # by the event loop's clock
        self.detour: Detour | None = None  # while it is down
        self.says_spare = self.is_said_spare = False  # here, and at the other end
        self.news = asyncio.Event()  # it may have to be asked for something else
        self.is_down = asyncio.Event()
        self.is_down.set()

    def go_up(self, session: Connection) -> None:
        """There is a link."""
        self.session, self.since, self.reason = session, self._now(), ""
        self.says_spare = self.is_said_spare = False
        self.detour = None
        self.figures.connections += 1
        self.is_down.clear()
        _LOG.info("the link to %r is up: %s", self.name, session.address)

    def go_down(self, reason: str) -> None:
        """There is none any more."""
        self.session, self.since, self.reason = None, self._now(), reason
        self.is_settled = False
        self.is_down.set()
        _LOG.warning("the link to %r is down: %s", self.name, reason)

    def stay_down(self, reason: str) -> None:
        """It could not be had."""
        if self.session is None and reason != self.reason:
            self.reason = reason
            _LOG.warning("no link to %r: %s", self.name, reason)
