"""What an engine is: it answers subscriptions of some kind, and is told what the journal has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from purport.broker.records import Answered
from purport.model.event import Event
from purport.model.subscription import Subscription


@dataclass(frozen=True, slots=True)
class Answer:
    """That an event answers a subscription: by the best mapping, and by others if asked for."""

    subscription: str  # the id under which the engine was given it
    best: Answered
    others: tuple[Answered, ...] = ()


class Engine(Protocol):
    """Answers subscriptions of some kind.

    `answers` looks and changes nothing: what was asked about may never come to be. `advance` tells
    what has: the same events, in the same order, after a restart from the journal. What an engine
    answers depends on what it was advanced by, and on nothing else.
    """

    @property
    def name(self) -> str:
        """What its part of a snapshot is found by."""

    def refuses(self, subscription: Subscription) -> str | None:
        """The form that it cannot run, in words; None if it can run all of it.

        `InvalidInput` if it could, but something in the subscription does not exist.
        """

    def add(self, identifier: str, subscription: Subscription) -> None:
        """Take up a subscription that it does not refuse."""

    def remove(self, identifier: str) -> None:
        """Drop a subscription."""

    def answers(self, events: Sequence[Event], at: datetime) -> Sequence[Sequence[Answer]]:
        """For each of the events, which come one after the other, what it answers."""

    def advance(self, sequence: int, event: Event, at: datetime) -> None:
        """An event is in the journal."""

    def snapshot(self) -> bytes:
        """What it remembers of events, besides its subscriptions."""

    def restore(self, state: bytes) -> None:
        """Remember what a snapshot has."""
