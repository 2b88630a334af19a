"""How far time has come: the watermark, and what waits for it."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

BEGINNING = -(1 << 62)
_NEVER = 1 << 62

Look = Callable[[], None]
IsWanted = Callable[[], bool]


@dataclass(slots=True)
class Progress:
    """Nothing before the watermark is told any more, but for what is late.

    What waits is looked at when the watermark has come to its time: inner patterns (of a lower
    rank) first, so that outer ones see what these found.
    """

    watermark: int = BEGINNING
    next_look: int = _NEVER  # the first watermark at which something is to be looked at
    _waiting: list[tuple[int, int, int, Look]] = field(default_factory=list)
    _serials: count[int] = field(default_factory=count)
    _deadlines: list[tuple[int, int, IsWanted]] = field(default_factory=list)

    def wait(self, time: int, rank: int, look: Look) -> None:
        """Have something looked at when the watermark has come to a time."""
        heapq.heappush(self._waiting, (time, rank, next(self._serials), look))
        self.next_look = self._waiting[0][0]

    def due(self) -> list[tuple[int, int, Look]]:
        """What is to be looked at now, with its rank and its time; it waits no more."""
        found: list[tuple[int, int, Look]] = []
        while self._waiting and self._waiting[0][0] <= self.watermark:
            time, rank, _, look = heapq.heappop(self._waiting)
            found.append((rank, time, look))
        self.next_look = self._waiting[0][0] if self._waiting else _NEVER
        return found

    def add_deadline(self, time: int, is_wanted: IsWanted) -> None:
        """Have the watermark pass a time when the clock has, though nothing is told.

        It counts as long as somebody wants it.
        """
        heapq.heappush(self._deadlines, (time, next(self._serials), is_wanted))

    @property
    def next_deadline(self) -> int | None:
        """The first time that the watermark is to pass by the clock."""
        while self._deadlines:
            time, _, is_wanted = self._deadlines[0]
            if time >= self.watermark and is_wanted():
                return time
            heapq.heappop(self._deadlines)
        return None
