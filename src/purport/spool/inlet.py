"""Where a receiver's messages go into a spool, and what happens when that is full."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from enum import StrEnum

from purport.mqtt.message import Message
from purport.spool.errors import SpoolFull
from purport.spool.spool import Spool

_LOG = logging.getLogger(__name__)


class WhenFull(StrEnum):
    """What a receiver does when its spool is full."""

    WAIT = "wait"  # it stops reading, and the broker keeps what comes
    DROP_OLDEST = "drop-oldest"  # what has waited longest is lost


class SpoolInlet:
    """Keeps what a connection receives in a spool."""

    def __init__(self, spool: Spool, *, when_full: WhenFull = WhenFull.WAIT) -> None:
        self.spool, self.when_full = spool, when_full
        self.dropped = 0  # messages that were lost because the spool was full

    def adopt(self, session: str) -> frozenset[int]:
        """The ids that are open in a session with a broker; those of others are forgotten."""
        return self.spool.adopt(session)

    def keep(
        self, messages: Sequence[Message], *, opened: Collection[int], released: Collection[int]
    ) -> None:
        """Have all of this on disk when it returns; `CannotKeep` if that cannot be done now."""
        while True:
            try:
                self.spool.append(messages, opened=opened, released=released)
            except SpoolFull:
                if self.when_full is WhenFull.WAIT:
                    raise
                self._make_room()
            else:
                return

    def _make_room(self) -> None:
        lost = self.spool.drop_oldest()
        if not lost:
            raise SpoolFull(f"{self.spool.folder}: full, and nothing in it can be dropped")
        if not self.dropped:
            _LOG.warning("%s is full: its oldest messages are lost", self.spool.folder)
        self.dropped += lost
