"""What tests of brokers share."""

import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from tempfile import TemporaryDirectory

from purport import Matcher
from purport.broker.journal import JournalError, MemoryJournal
from purport.broker.records import Entry
from purport.embedded.broker import Broker
from purport.model.notification import Notification

NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)
_MEMORY = "/dev/shm"


def exact() -> Matcher:
    return Matcher(measure="exact")


def quick_folder() -> TemporaryDirectory[str]:
    """A folder in memory, where there is such a thing: hundreds of brokers wait for no disk."""
    return TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None)


def ids(notifications: Iterable[Notification]) -> list[str]:
    """The events that they are about."""
    return [one.match.event.id or "" for one in notifications]


def told(broker: Broker, name: str) -> list[str]:
    """The events that a subscription is told of and has not acknowledged."""
    return ids(broker.subscriber(name).waiting())


class FullNowAndThen(MemoryJournal):
    """A journal whose disk may be full."""

    is_full = False

    def append(self, entries: Sequence[Entry]) -> None:
        if self.is_full:
            raise JournalError("the disk is full")
        super().append(entries)
