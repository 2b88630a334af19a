"""Updates that wait for their time."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from purport.errors import NotFound


class Waiting(Protocol):
    """Something that is to be done at a time."""

    @property
    def number(self) -> int:
        """Never that of another one; of two at the same time, the smaller one is first."""

    @property
    def due(self) -> datetime:
        """When it is to be done."""


Update = TypeVar("Update", bound=Waiting)


class WaitingList(Generic[Update]):
    """Updates that wait, by number, and in the order in which they are due."""

    def __init__(self) -> None:
        self._by_number: dict[int, Update] = {}
        self._turns: list[tuple[datetime, int]] = []  # a heap of when and which, of gone ones too

    def __len__(self) -> int:
        return len(self._by_number)

    def __iter__(self) -> Iterator[Update]:
        """In the order in which they are due."""
        return iter(sorted(self._by_number.values(), key=_turn))

    def get(self, number: int) -> Update:
        """One of them; `NotFound` if it does not wait."""
        found = self._by_number.get(number)
        if found is None:
            raise NotFound(f"no delayed update {number}")
        return found

    def put(self, update: Update) -> None:
        """Have an update wait."""
        self._by_number[update.number] = update
        heapq.heappush(self._turns, _turn(update))

    def remove(self, number: int) -> None:
        """It waits no more, if it did."""
        self._by_number.pop(number, None)

    def next(self) -> Update | None:
        """The one that is due first."""
        while self._turns:
            found = self._by_number.get(self._turns[0][1])
            if found is not None:
                return found
            heapq.heappop(self._turns)
        return None


@dataclass(frozen=True, slots=True, order=True)
class DelayedUpdate:
    """An update that is to run at a time; of two at the same time, the earlier one first."""

    at: datetime
    number: int
    text: str = field(compare=False)

    @property
    def due(self) -> datetime:
        """When it is to run."""
        return self.at


class Schedule(WaitingList[DelayedUpdate]):
    """The delayed updates of an engine, which counts them."""

    def __init__(self) -> None:
        super().__init__()
        self._next = 0

    def add(self, text: str, at: datetime) -> DelayedUpdate:
        """Have an update wait."""
        waiting = DelayedUpdate(at, self._next, text)
        self._next += 1
        self.put(waiting)
        return waiting

    def cancel(self, number: int) -> None:
        """Let a delayed update go; `NotFound` if it does not wait."""
        self.remove(self.get(number).number)

    def due(self, at: datetime) -> Iterator[DelayedUpdate]:
        """Take out what is due by a time, one after the other."""
        while (first := self.next()) is not None and first.at <= at:
            self.remove(first.number)
            yield first


def _turn(update: Waiting) -> tuple[datetime, int]:
    return update.due, update.number
