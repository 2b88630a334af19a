"""Updates that wait for their time, as the journal has them."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from purport.broker.records import Scheduled
from purport.model.interval import time_of
from purport.sparql.schedule import WaitingList


class DelayedUpdate(Struct, frozen=True, array_like=True):
    """An update that is to run at a time; of two at the same time, the earlier one first."""

    due_at: int  # microseconds since 1970
    number: int  # never that of another one
    text: str
    publisher: str | None = None

    @property
    def due(self) -> datetime:
        """When it is to run."""
        return time_of(self.due_at)


class Schedule(WaitingList[DelayedUpdate]):
    """All of them; their numbers are sequences of the journal."""

    def add(self, number: int, asked: Scheduled) -> None:
        """Have an update wait."""
        self.put(DelayedUpdate(asked.due, number, asked.text, asked.publisher))
