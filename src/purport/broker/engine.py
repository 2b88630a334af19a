"""What an engine is: it answers subscriptions of some kind, and is told what the journal has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol, runtime_checkable

from purport.broker.records import Answered
from purport.model.event import Event
from purport.model.interval import Interval
from purport.model.match import Evidence
from purport.model.subscription import Subscription
from purport.model.term import Term


@dataclass(frozen=True, slots=True)
class Answer:
    """That an event answers a subscription: by the best mapping, and by others if asked for."""

    subscription: str  # the id under which the engine was given it
    best: Answered
    others: tuple[Answered, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """That an event answers subscriptions in time, with the events that this rests on."""

    event: Event
    subscriptions: tuple[str, ...]
    probability: float
    witnesses: tuple[Evidence, ...] = ()
    names: Mapping[str, Term] = field(default_factory=dict)  # that a pattern gives to values
    derives_in: Interval | None = None  # when what rules derive from it happens


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


@runtime_checkable
class TimeEngine(Engine, Protocol):
    """Answers subscriptions by what happens in time, which one publication alone does not decide.

    What it finds when it is advanced stays with it until an entry of the journal has it.
    """

    @property
    def found(self) -> Sequence[Found]:
        """What was found, and no entry of the journal has yet."""

    @property
    def next_deadline(self) -> datetime | None:
        """When something may be found though nothing is published."""

    def require(self, events: Sequence[Event], sequence: int, at: datetime) -> None:
        """Raise `EventError` if events, the first of which will have this sequence, cannot be."""

    def late_by(self, sequence: int) -> timedelta | None:
        """By how much what was published last came too late to count; None if it was in time."""

    def follow(self, sequence: int) -> None:
        """What comes next follows an entry of the journal: a snapshot has what was before."""

    def told(self, event: str, subscriptions: Sequence[str]) -> None:
        """An entry has it that an event, by its id, answers these."""

    def pass_time(self, now: datetime) -> None:
        """So late is it now."""

    def close(self) -> None:
        """Let go of what it keeps."""
