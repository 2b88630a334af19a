"""Updates that wait for their time, as the journal has them."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

from purport.broker.records import Scheduled, time_of
from purport.errors import InvalidInput


class DelayedUpdate(Struct, frozen=True, array_like=True, order=True):
    """An update that is to run at a time; of two at the same time, the earlier one first."""

    due_at: int  # microseconds since 1970
    number: int  # never that of another one
    text: str
    publisher: str | None = None

    @property
    def due(self) -> datetime:
        """When it is to run."""
        return time_of(self.due_at)


class Schedule:
    """All of them, by number."""

    def __init__(self) -> None:
        self._by_number: dict[int, DelayedUpdate] = {}
        self._turns: list[tuple[int, int]] = []  # a heap of when and which, of gone ones too

    def __iter__(self) -> Iterator[DelayedUpdate]:
        """In the order in which they are due."""
        return iter(sorted(self._by_number.values(), key=_turn))

    def get(self, number: int) -> DelayedUpdate:
        """One of them; `InvalidInput` if it does not wait."""
        found = self._by_number.get(number)
        if found is None:
            raise InvalidInput(f"no delayed update {number}")
        return found

    def add(self, number: int, asked: Scheduled) -> None:
        """Have an update wait."""
        self.put(DelayedUpdate(asked.due, number, asked.text, asked.publisher))

    def put(self, update: DelayedUpdate) -> None:
        """The same of one that a snapshot has."""
        self._by_number[update.number] = update
        heapq.heappush(self._turns, _turn(update))

    def remove(self, number: int) -> None:
        """It waits no more."""
        self._by_number.pop(number, None)

    def next(self) -> DelayedUpdate | None:
        """The one that is due first."""
        while self._turns:
            found = self._by_number.get(self._turns[0][1])
            if found is not None:
                return found
            heapq.heappop(self._turns)
        return None


def _turn(update: DelayedUpdate) -> tuple[int, int]:
    return update.due_at, update.number
