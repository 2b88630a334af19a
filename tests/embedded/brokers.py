"""What tests of brokers share."""

from collections.abc import Sequence
from datetime import UTC, datetime

from purport import Matcher
from purport.broker.journal import JournalError, MemoryJournal
from purport.broker.records import Entry

NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)


def exact() -> Matcher:
    return Matcher(measure="exact")


class FullNowAndThen(MemoryJournal):
    """A journal whose disk may be full."""

    is_full = False

    def append(self, entries: Sequence[Entry]) -> None:
        if self.is_full:
            raise JournalError("the disk is full")
        super().append(entries)
