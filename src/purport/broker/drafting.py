"""Drafts: the entries that a change will put into the journal, and how far subscribers will be.

A draft looks at the state and leaves it as it is, but for the graph, whose changes can be taken
back. It finds out who is told of what and under which number, what rules publish and update in
turn, and what is dropped because too much waits; all of that is one change, which the journal takes
as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from purport.broker.access import AccessRules
from purport.broker.cursor import Cursor
from purport.broker.records import Acknowledged, Entry, Overflow, Paused, Record, Unsubscribed
from purport.broker.registry import Registration
from purport.broker.state import BrokerState
from purport.errors import PurportError
from purport.model.event import Event
from purport.model.interval import microseconds_of


class BacklogFull(PurportError):
    """More waits for a subscriber than may, and it asked that publishers be refused then."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far rules may go on, one from the other, and how much one event may lead to in all."""

    depth: int = 8
    derived: int = 10_000


class Drafting:
    """The entries of one change, which the journal takes as a whole; the state stays as it is."""

    __slots__ = ("_cursors", "_quiet", "access", "at", "entries", "next", "state", "time")

    def __init__(self, state: BrokerState, at: datetime, access: AccessRules) -> None:
        self.entries: list[Entry] = []
        self.state, self.access = state, access
        self.time, self.at = at, max(microseconds_of(at), state.at)
        self.next = state.sequence + 1  # the sequence of the next entry
        self._cursors: dict[str, Cursor] = {}  # where they differ from those of the state
        self._quiet: set[str] = set()  # have been paused or have expired, in this draft

    def add(self, record: Record, event: Event | None = None) -> None:
        """Have one more entry."""
        self.entries.append(Entry(self.next, self.at, record, event))
        self.next += 1

    def cursor(self, identifier: str) -> Cursor:
        """How far a subscriber will be."""
        return self._cursors.get(identifier) or self.state.cursors[identifier]

    def move(self, identifier: str, cursor: Cursor) -> None:
        """A subscriber will be somewhere else."""
        self._cursors[identifier] = cursor

    def hears(self, identifier: str) -> bool:
        """Whether a subscription is still told of something."""
        return identifier not in self._quiet

    def acknowledge(self, received: Mapping[str, int]) -> None:
        """Take up what was received."""
        for identifier, through in received.items():
            cursor = self.state.cursors.get(identifier)
            if cursor is not None and through > cursor.acknowledged:
                self._cursors[identifier] = cursor.through(through)
                self.add(Acknowledged(identifier, through))

    def expire(self) -> None:
        """Let subscriptions go whose time is up."""
        for identifier in self.state.expired(self.time):
            self._quiet.add(identifier)
            self.add(Unsubscribed(identifier, "expired"))

    def require_room(self, registration: Registration) -> None:
        """Raise `BacklogFull` if as much waits for a subscriber as may, and it wants no more."""
        cursor = self.cursor(registration.id)
        is_strict = registration.overflow is Overflow.REFUSE
        if is_strict and cursor.waiting >= registration.most_waiting:
            raise BacklogFull(
                f"{cursor.waiting:,} notifications wait for {registration.id!r}, which wants "
                "no more than that: acknowledge some, or publish fewer at once"
            )

    def make_room(self, registration: Registration) -> None:
        """What happens when too much waits for a subscriber."""
        identifier, cursor = registration.id, self.cursor(registration.id)
        most = registration.most_waiting
        if registration.overflow is Overflow.DROP_OLDEST and cursor.waiting > most:
            if not registration.is_durable:
                self.say_received(identifier)
            self.drop_oldest(identifier, cursor.next - 1 - most)
        elif registration.overflow is Overflow.PAUSE and cursor.waiting >= most:
            self._quiet.add(identifier)
            self.add(Paused(identifier, "overflow"))

    def say_received(self, identifier: str) -> None:
        """Have an entry say what a subscription that is not durable has received until now.

        Without it, that would count as missed when the entries are applied again.
        """
        cursor = self.cursor(identifier)
        if cursor.acknowledged >= cursor.first and not cursor.missed:
            self.add(Acknowledged(identifier, cursor.acknowledged))

    def drop_oldest(self, identifier: str, through: int) -> None:
        """Drop what waits for a subscriber, through a number."""
        self._cursors[identifier] = self.cursor(identifier).through(through, is_missed=True)
        self.add(Acknowledged(identifier, through, is_missed=True))


def begun(
    state: BrokerState,
    at: datetime,
    access: AccessRules,
    received: Mapping[str, int] | None = None,
) -> Drafting:
    """A draft in which what was received is acknowledged, and what has expired is gone."""
    drafting = Drafting(state, at, access)
    if received:
        drafting.acknowledge(received)
    drafting.expire()
    return drafting
