"""How far time has come: the watermark, and what waits for it."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")

BEGINNING = -(1 << 62)
_NEVER = 1 << 62
_FEW = 512  # who wait: too few to look whether they are over

Look = Callable[[], None]


class Waiter(Protocol):
    """Who waits for a time, until it is over."""

    is_over: bool


class _Queue(Generic[T]):
    """Who waits, by time and then by rank, each with something to do.

    Who is over is let go of as soon as they may be the most.
    """

    __slots__ = ("_most", "_serials", "waiting")

    def __init__(self) -> None:
        self.waiting: list[tuple[int, int, int, Waiter, T]] = []
        self._serials = count()
        self._most = _FEW

    def add(self, time: int, rank: int, waiter: Waiter, what: T) -> None:
        heapq.heappush(self.waiting, (time, rank, next(self._serials), waiter, what))
        if len(self.waiting) > self._most:
            self.waiting = [one for one in self.waiting if not one[3].is_over]
            heapq.heapify(self.waiting)
            self._most = max(_FEW, 2 * len(self.waiting))

    def take_first(self) -> tuple[int, int, int, Waiter, T]:
        return heapq.heappop(self.waiting)


@dataclass(slots=True)
class Progress:
    """Nothing before the watermark is told any more, but for what is late.

    What waits is looked at when the watermark has come to its time: inner patterns (of a lower
    rank) first, so that outer ones see what these found.
    """

    watermark: int = BEGINNING
    next_look: int = _NEVER  # the first watermark at which something is to be looked at
    _looks: _Queue[Look] = field(default_factory=_Queue)
    _deadlines: _Queue[None] = field(default_factory=_Queue)

    def __len__(self) -> int:
        return len(self._looks.waiting) + len(self._deadlines.waiting)

    def wait(self, time: int, rank: int, waiter: Waiter, look: Look) -> None:
        """Have something looked at when the watermark has come to a time."""
        self._looks.add(time, rank, waiter, look)
        self.next_look = self._looks.waiting[0][0]

    def due(self) -> list[tuple[int, int, Look]]:
        """What is to be looked at now, with its rank and its time; it waits no more."""
        found: list[tuple[int, int, Look]] = []
        looks = self._looks
        while looks.waiting and looks.waiting[0][0] <= self.watermark:
            time, rank, _, _, look = looks.take_first()
            found.append((rank, time, look))
        self.next_look = looks.waiting[0][0] if looks.waiting else _NEVER
        return found

    def add_deadline(self, time: int, waiter: Waiter) -> None:
        """Have the watermark pass a time when the clock has, though nothing is told.

        It counts until the waiter is over.
        """
        self._deadlines.add(time, 0, waiter, None)

    @property
    def next_deadline(self) -> int | None:
        """The first time that the watermark is to pass by the clock."""
        while self._deadlines.waiting:
            time, _, _, waiter, _ = self._deadlines.waiting[0]
            if time >= self.watermark and not waiter.is_over:
                return time
            self._deadlines.take_first()
        return None
