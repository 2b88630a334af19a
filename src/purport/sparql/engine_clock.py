"""What time it is for an engine, and when what waits is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from purport.errors import InvalidInput
from purport.model.clock import Clock, SystemClock


class EngineClock:
    """Goes by a clock, if one is given, and is never behind the time that it was advanced to."""

    def __init__(self, clock: Clock | None) -> None:
        self._clock, self.goes_by_itself = clock or SystemClock(), clock is not None
        self._reached: datetime | None = None

    def now(self) -> datetime:
        """The clock's time; without a clock, the time that it was advanced to, if it was."""
        if self._reached is None:
            return self._clock.now()
        return max(self._reached, self._clock.now()) if self.goes_by_itself else self._reached

    def advance_to(self, instant: datetime) -> None:
        """It is at least that late from now on."""
        reached = instant.astimezone(UTC)
        self._reached = max(reached, self._reached or reached)

    def has_come(self, instant: datetime) -> bool:
        """Whether a time is not to be waited for; it is, as long as no time was said to pass."""
        has_time = self.goes_by_itself or self._reached is not None
        return has_time and instant <= self.now()

    def due(self, at: datetime | None, after: timedelta | None) -> datetime:
        """The time that is meant by one of the two; `InvalidInput` if none is."""
        if at is not None and after is not None:
            raise InvalidInput("expected a time or a length of time, got both")
        if at is None:
            if not isinstance(after, timedelta):
                raise InvalidInput(f"expected a length of time (timedelta), got {after!r}")
            try:
                return self.now() + after
            except OverflowError:
                raise InvalidInput(f"no time is {after} away") from None
        if not isinstance(at, datetime):
            raise InvalidInput(f"expected a time (datetime), got {at!r}")
        require_zone(at)
        return at


def require_zone(instant: datetime) -> None:
    """Raise `InvalidInput` if it is not said where a time is that time."""
    if instant.tzinfo is None:
        raise InvalidInput(f"expected a time with its zone, got {instant}")
