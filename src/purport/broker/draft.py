"""Entries in the making: what publishing some events will put into the journal.

A draft looks at the state and changes nothing. It finds out who is told of each event and under
which number, what rules publish in turn, and what is dropped because too much waits; all of that is
one change, which the journal takes as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from purport.broker.access import OPEN, AccessRules, Action, Forbidden
from purport.broker.cursor import Cursor
from purport.broker.derivation import derived_event
from purport.broker.engine import Answer
from purport.broker.records import (
    Acknowledged,
    Entry,
    Failed,
    Overflow,
    Paused,
    Published,
    Record,
    Told,
    Unsubscribed,
    microseconds_of,
)
from purport.broker.registry import Registration
from purport.broker.state import BrokerState, rearms
from purport.errors import InvalidInput, PurportError
from purport.model.event import Event
from purport.model.subscription import Publish, Rule

_NOTHING = Published()


class BacklogFull(PurportError):
    """More waits for a subscriber than may, and it asked that publishers be refused then."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far rules may go on, one from the other, and how much one event may lead to in all."""

    depth: int = 8
    derived: int = 10_000


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where an event comes from; `root` is the sequence of the event that it all began with."""

    topic: str = ""
    publisher: str | None = None
    causes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    probability: float = 1.0
    root: int = 0


class _Hearing(NamedTuple):
    """Somebody who is about to be told."""

    answer: Answer
    registration: Registration
    cursor: Cursor


def published(
    state: BrokerState,
    events: Sequence[Event],
    at: datetime,
    *,
    topic: str = "",
    publisher: str | None = None,
    limits: Limits | None = None,
    access: AccessRules = OPEN,
    received: Mapping[str, int] | None = None,
) -> list[Entry]:
    """The entries for some events that are published one after the other, rules included.

    `received` is what subscribers have received and the journal does not know yet.
    """
    draft = _Draft(state, at, limits or _LIMITS, access)
    if received:
        draft.acknowledge(received)
    draft.expire()
    origin = _Origin(topic, publisher) if topic or publisher else _NOWHERE
    draft.publish(events, [origin] * len(events))
    return draft.entries


class _Draft:
    __slots__ = (
        "_access", "_at", "_cursors", "_derived", "_derived_from", "_limits", "_next", "_quiet",
        "_state", "_time", "entries",
    )  # fmt: skip

    def __init__(
        self, state: BrokerState, at: datetime, limits: Limits, access: AccessRules
    ) -> None:
        self.entries: list[Entry] = []
        self._next = state.sequence + 1
        self._state, self._limits, self._access = state, limits, access
        self._time, self._at = at, max(microseconds_of(at), state.at)
        self._cursors: dict[str, Cursor] = {}  # where they differ from those of the state
        self._quiet: set[str] = set()  # have been paused or have expired, in this draft
        self._derived: list[tuple[Event, _Origin]] = []
        self._derived_from: dict[int, int] = {}  # how many, by the root

    def acknowledge(self, received: Mapping[str, int]) -> None:
        """Take up what was received."""
        for identifier, through in received.items():
            cursor = self._state.cursors.get(identifier)
            if cursor is not None and through > cursor.acknowledged:
                self._cursors[identifier] = cursor.through(through)
                self._add(Acknowledged(identifier, through))

    def expire(self) -> None:
        """Let subscriptions go whose time is up."""
        for identifier in self._state.expired(self._time):
            self._quiet.add(identifier)
            self._add(Unsubscribed(identifier, "expired"))

    def publish(self, events: Sequence[Event], origins: Sequence[_Origin]) -> None:
        """Publish events, then what rules derive from them, and so on."""
        while events:
            answers = self._state.answers(events, self._time)
            for event, found, origin in zip(events, answers, origins, strict=True):
                self._publish_one(event, found, origin)
            events = [event for event, _ in self._derived]
            origins = [origin for _, origin in self._derived]
            self._derived.clear()

    def _publish_one(self, event: Event, answers: Sequence[Answer], origin: _Origin) -> None:
        if event.id is None:
            event = event.with_id(f"event-{self._next}")
        if not answers and origin is _NOWHERE:
            self._add(_NOTHING, event)
            return
        hearing = self._hearing(answers, origin.topic)
        try:
            self._require_room(hearing)
        except BacklogFull as error:
            if not origin.rules:
                raise
            self._add(Failed(origin.rules[0], origin.causes[0], str(error)))
            return
        record = Published(
            tuple(map(self._told, hearing)),
            tuple(self._rearmed(answers, origin.topic)),
            origin.topic,
            origin.publisher,
            origin.causes,
            origin.rules,
            origin.probability,
        )
        sequence = self._next
        self._add(record, event)
        for one in hearing:
            self._make_room(one.registration)
        for told in record.told:
            self._fire(told, event, origin, origin.root or sequence)

    def _hearing(self, answers: Sequence[Answer], topic: str) -> list[_Hearing]:
        """Who is told, of those whose subscriptions are answered: the oldest first."""
        found: list[_Hearing] = []
        for answer in answers:
            if rearms(answer.subscription) is None and answer.subscription not in self._quiet:
                registration = self._state.registry.get(answer.subscription)
                cursor = self._cursor(registration.id)
                opens = cursor.gate.opens(registration.subscription.options, self._at)
                if opens and self._access.allows(registration.owner, Action.SUBSCRIBE, topic=topic):
                    found.append(_Hearing(answer, registration, cursor))
        return sorted(found, key=_age) if len(found) > 1 else found

    def _told(self, one: _Hearing) -> Told:
        cursor = one.cursor.told(self._at)
        if one.registration.is_immediate:
            cursor = cursor.through(one.cursor.next)
        self._cursors[one.registration.id] = cursor
        return Told(one.registration.id, one.cursor.next, one.answer.best, one.answer.others)

    def _rearmed(self, answers: Sequence[Answer], topic: str) -> list[str]:
        """The subscriptions `on change` of which the opposite was seen, and not they themselves."""
        answered = {answer.subscription for answer in answers}
        found = []
        for identifier in filter(None, map(rearms, answered)):
            cursor, owner = self._cursor(identifier), self._state.registry.get(identifier).owner
            is_heard = self._access.allows(owner, Action.SUBSCRIBE, topic=topic)
            if identifier not in answered and is_heard and not cursor.gate.is_armed:
                self._cursors[identifier] = cursor.rearmed()
                found.append(identifier)
        return sorted(found)

    def _require_room(self, hearing: Sequence[_Hearing]) -> None:
        for _, registration, cursor in hearing:
            is_strict = registration.overflow is Overflow.REFUSE
            if is_strict and cursor.waiting >= registration.most_waiting:
                raise BacklogFull(
                    f"{cursor.waiting:,} notifications wait for {registration.id!r}, which wants "
                    "no more than that: acknowledge some, or publish fewer at once"
                )

    def _make_room(self, registration: Registration) -> None:
        """What happens when too much waits for a subscriber."""
        identifier, cursor = registration.id, self._cursor(registration.id)
        most = registration.most_waiting
        if registration.overflow is Overflow.DROP_OLDEST and cursor.waiting > most:
            through = cursor.next - 1 - most
            self._cursors[identifier] = cursor.through(through, is_missed=True)
            self._add(Acknowledged(identifier, through, is_missed=True))
        elif registration.overflow is Overflow.PAUSE and cursor.waiting >= most:
            self._quiet.add(identifier)
            self._add(Paused(identifier, "overflow"))

    def _fire(self, told: Told, event: Event, origin: _Origin, root: int) -> None:
        """Let a rule publish what it derives; what it cannot do is recorded."""
        registration = self._state.registry.get(told.subscription)
        rule, owner = registration.subscription, registration.owner
        if not isinstance(rule, Rule) or not isinstance(rule.action, Publish):
            return
        assert event.id is not None
        rules = (told.subscription, *origin.rules)
        try:
            self._require_bounds(rules, root)
            self._access.require(owner, Action.PUBLISH, topic=origin.topic)
            derived = derived_event(rule, event, told.best, f"{event.id}>{told.subscription}")
        except _TooMuch as error:
            self._add(Failed(told.subscription, event.id, str(error), rules))
        except (InvalidInput, Forbidden) as error:
            self._add(Failed(told.subscription, event.id, str(error)))
        else:
            self._derived_from[root] = self._derived_from.get(root, 0) + 1
            probability = origin.probability * told.best.probability
            causes = (event.id, *origin.causes)
            came = _Origin(origin.topic, owner, causes, rules, probability, root)
            self._derived.append((derived, came))

    def _require_bounds(self, rules: tuple[str, ...], root: int) -> None:
        if len(rules) > self._limits.depth:
            circle = " <- ".join(dict.fromkeys(rules))
            raise _TooMuch(
                f"rules went on from one another more than {self._limits.depth} times: {circle}"
            )
        if self._derived_from.get(root, 0) >= self._limits.derived:
            raise _TooMuch(f"more than {self._limits.derived:,} events derived from one")

    def _cursor(self, identifier: str) -> Cursor:
        return self._cursors.get(identifier) or self._state.cursors[identifier]

    def _add(self, record: Record, event: Event | None = None) -> None:
        self.entries.append(Entry(self._next, self._at, record, event))
        self._next += 1


def _age(one: _Hearing) -> int:
    """An order that a restart does not change, unlike that in which an engine answers."""
    return one.registration.sequence


class _TooMuch(Exception):
    """Rules go on for too long."""


_NOWHERE = _Origin()
_LIMITS = Limits()
