"""Updates that wait for their time."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from purport.errors import InvalidInput


@dataclass(frozen=True, slots=True, order=True)
class DelayedUpdate:
    """An update that is to run at a time; of two at the same time, the earlier one first."""

    at: datetime
    number: int
    text: str = field(compare=False)


class Schedule:
    """Delayed updates, in the order in which they are due."""

    def __init__(self) -> None:
        self._heap: list[DelayedUpdate] = []
        self._next = 0

    def __len__(self) -> int:
        return len(self._heap)

    def __iter__(self) -> Iterator[DelayedUpdate]:
        return iter(sorted(self._heap))

    def add(self, text: str, at: datetime) -> DelayedUpdate:
        """Have an update wait."""
        if at.tzinfo is None:
            raise InvalidInput(f"expected a time with its zone, got {at}")
        waiting = DelayedUpdate(at, self._next, text)
        self._next += 1
        heapq.heappush(self._heap, waiting)
        return waiting

    def cancel(self, number: int) -> None:
        """Let a delayed update go; `InvalidInput` if it does not wait."""
        left = [one for one in self._heap if one.number != number]
        if len(left) == len(self._heap):
            raise InvalidInput(f"no delayed update {number}")
        heapq.heapify(left)
        self._heap = left

    def due(self, at: datetime) -> Iterator[DelayedUpdate]:
        """Take out what is due by a time, one after the other."""
        while self._heap and self._heap[0].at <= at:
            yield heapq.heappop(self._heap)
