"""Where the time comes from: passed in, never asked of the machine by the code that computes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Says what time it is."""

    def now(self) -> datetime:
        """The time, with its zone; never earlier than the last answer."""


class SystemClock:
    """The machine's time, held back from ever going backwards (NTP may step it)."""

    def __init__(self) -> None:
        self._latest = datetime.now(UTC)

    def now(self) -> datetime:
        self._latest = max(self._latest, datetime.now(UTC))
        return self._latest


class ManualClock:
    """A clock that stands still until it is told to move: for tests and replays."""

    def __init__(self, start: datetime) -> None:
        if start.tzinfo is None:
            raise ValueError(f"a clock needs a time zone: {start}")
        self._now = start

    def now(self) -> datetime:
        return self._now

    def advance(self, by: timedelta) -> datetime:
        """Move forward by a length of time and give the new time."""
        if by < timedelta(0):
            raise ValueError(f"a clock does not go back: {by}")
        self._now += by
        return self._now
