"""How long a journal keeps what was done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from purport.model.interval import microseconds_of


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a journal that is written and will not change: entries from `first` to `last`."""

    first: int
    last: int
    first_at: int  # microseconds since 1970
    last_at: int
    bytes: int
    name: str  # of its file


@dataclass(frozen=True, slots=True)
class Retention:
    """Entries older than `most_age`, and the oldest beyond `most_bytes`, are dropped.

    Whole stretches are, and none that a durable subscriber still waits for.
    """

    most_age: timedelta | None = None
    most_bytes: int | None = None

    def droppable(
        self, stretches: Sequence[Stretch], now: datetime, first_wanted: int | None
    ) -> int:
        """The last sequence that may go; 0 if nothing may. `first_wanted` has to stay."""
        oldest = None if self.most_age is None else microseconds_of(now - self.most_age)
        kept, through = sum(one.bytes for one in stretches), 0
        for one in stretches:
            is_old = oldest is not None and one.last_at < oldest
            is_much = self.most_bytes is not None and kept > self.most_bytes
            is_wanted = first_wanted is not None and one.last >= first_wanted
            if is_wanted or not (is_old or is_much):
                break
            through = one.last
            kept -= one.bytes
        return through
