"""Publications in the making: who will be told, and what rules will publish and update in turn.

So it is with what is found in time, which is about an event as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from msgspec import structs

from purport.broker.access import OPEN, AccessRules, Action
from purport.broker.asked import options_of
from purport.broker.cursor import Cursor
from purport.broker.derivation import NO_NAMES, Names, derived_event
from purport.broker.drafting import BacklogFull, Drafting, Limits, begun
from purport.broker.engine import Answer, Found
from purport.broker.links import Arrival
from purport.broker.records import (
    Answered,
    Detected,
    Entry,
    Failed,
    Origin,
    Published,
    Told,
    Witness,
)
from purport.broker.registry import Registration
from purport.broker.rerouting import retell
from purport.broker.rule_update import rule_update
from purport.broker.state import BrokerState, rearms
from purport.broker.updating import Cause, UpdateDraft
from purport.errors import PurportError
from purport.model.event import Event
from purport.model.subscription import Rule, Update
from purport.temporal.occurrence import told_id

_NOTHING = Published()


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where an event comes from; `root` is the sequence of the event that it all began with."""

    topic: str = ""
    publisher: str | None = None
    causes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    probability: float = 1.0
    root: int = 0
    first: Origin | None = None  # at another broker
    link: str = ""  # by which it came
    again: Origin | None = None  # if it was rerouted


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
    if state.time is not None:
        state.time.require(events, state.sequence + 1, at)
    drafting = begun(state, at, access, received)
    origin = _Origin(topic, publisher) if topic or publisher else _NOWHERE
    _Publishing(drafting, limits or _LIMITS).publish(events, [origin] * len(events))
    return drafting.entries


def arrived(
    state: BrokerState,
    arrivals: Sequence[Arrival],
    at: datetime,
    *,
    link: str,
    limits: Limits | None = None,
    access: AccessRules = OPEN,
    received: Mapping[str, int] | None = None,
) -> list[Entry]:
    """The entries for events that came by a link, rules included; none for those that are known.

    What is known and rerouted is passed on. What contradicts what is known of time is published all
    the same, and takes no part in it.
    """
    fresh: dict[Origin, Arrival] = {}
    rerouted: dict[Origin, Arrival] = {}
    for one in arrivals:
        if one.again is not None and state.links.is_known(one.again):
            continue
        if not state.links.is_known(one.origin) and one.origin not in fresh:
            fresh[one.origin] = one
        elif one.again is not None:
            rerouted[one.again] = one
    if not fresh and not rerouted:
        return []
    drafting = begun(state, at, access, received)
    origins = [
        _Origin(
            one.topic, one.publisher, one.causes, one.rules, one.probability,
            first=one.origin, link=link, again=one.again,
        )
        for one in fresh.values()
    ]  # fmt: skip
    events = [one.event for one in fresh.values()]
    _Publishing(drafting, limits or _LIMITS).publish(events, origins)
    for one in rerouted.values():
        retell(drafting, one, link)
    return drafting.entries


def detected(
    state: BrokerState,
    at: datetime,
    origins: Mapping[str, Published],
    *,
    limits: Limits | None = None,
    access: AccessRules = OPEN,
) -> list[Entry]:
    """The entries for what was found in time, with what rules derive from it.

    `origins` has the publications of events that rules derived, by their ids.
    """
    drafting = begun(state, at, access)
    draft = _Publishing(drafting, limits or _LIMITS)
    for found in state.found():
        draft.detect(found, _origin_of(found, origins))
    draft.publish((), ())
    return drafting.entries


class _Publishing:
    __slots__ = ("_access", "_derived", "_derived_from", "_drafting", "_limits", "_state")

    def __init__(self, drafting: Drafting, limits: Limits) -> None:
        self._drafting, self._limits = drafting, limits
        self._state, self._access = drafting.state, drafting.access
        self._derived: list[tuple[Event, _Origin]] = []
        self._derived_from: dict[int, int] = {}  # how many, by the root

    def publish(self, events: Sequence[Event], origins: Sequence[_Origin]) -> None:
        """Publish events, then what rules derive from them, and so on."""
        events, origins = self._with_derived(events, origins)
        while events:
            answers = self._state.answers(events, self._drafting.time)
            for event, found, origin in zip(events, answers, origins, strict=True):
                self._publish_one(event, found, origin)
            events, origins = self._with_derived((), ())

    def _with_derived(
        self, events: Sequence[Event], origins: Sequence[_Origin]
    ) -> tuple[list[Event], list[_Origin]]:
        """Events, and what rules have derived so far, which does not wait any longer."""
        derived, self._derived = self._derived, []
        return (
            [*events, *(event for event, _ in derived)],
            [*origins, *(origin for _, origin in derived)],
        )

    def detect(self, found: Found, origin: _Origin) -> None:
        """Tell whom a pattern in time concerns, and let its rules go on."""
        best = Answered(found.probability)
        answers = [Answer(one, best) for one in found.subscriptions]
        hearing = [
            one for one in self._hearing(answers, _NOWHERE) if self._hears_all(one.registration)
        ]
        record = Detected(
            found.event.to_json().decode(),
            found.subscriptions,
            tuple(map(self._told, hearing)),
            tuple(
                Witness(one.place, one.event.to_json().decode(), one.probability)
                for one in found.witnesses
            ),
            origin.causes,
            origin.rules,
        )
        sequence = self._drafting.next
        self._drafting.add(record)
        for one in hearing:
            self._drafting.make_room(one.registration)
        cause = structs.replace(found.event, interval=found.derives_in)
        for told in record.told:
            self._fire(told, cause, origin, origin.root or sequence, found.names)

    def _hears_all(self, registration: Registration) -> bool:
        """Whether somebody may hear of all topics: a pattern does not say which its events had."""
        access = self._access
        return access is OPEN or access.allows_everywhere(registration.owner, Action.SUBSCRIBE)

    def _publish_one(self, event: Event, answers: Sequence[Answer], origin: _Origin) -> None:
        if event.id is None:
            event = event.with_id(told_id(event) or f"event-{self._drafting.next}")
        if not answers and origin is _NOWHERE:
            self._drafting.add(_NOTHING, event)
            return
        hearing = self._hearing(answers, origin)
        try:
            for one in hearing:
                self._drafting.require_room(one.registration)
        except BacklogFull as error:
            if not origin.rules or origin.first is not None:
                raise
            self._drafting.add(Failed(origin.rules[0], origin.causes[0], str(error)))
            return
        record = Published(
            tuple(map(self._told, hearing)),
            tuple(self._rearmed(answers, origin.topic)),
            origin.topic,
            origin.publisher,
            origin.causes,
            origin.rules,
            origin.probability,
            origin.first,
            origin.link,
            origin.again,
        )
        sequence = self._drafting.next
        self._drafting.add(record, event)
        for one in hearing:
            self._drafting.make_room(one.registration)
        for told in record.told:
            self._fire(told, event, origin, origin.root or sequence)

    def _hearing(self, answers: Sequence[Answer], origin: _Origin) -> list[_Hearing]:
        """Who is told, of those whose subscriptions are answered: the oldest first.

        A neighbour is not told what it has told.
        """
        topic, found = origin.topic, list[_Hearing]()
        for answer in answers:
            if origin.link and answer.subscription == origin.link:
                continue
            if rearms(answer.subscription) is None and self._drafting.hears(answer.subscription):
                registration = self._state.registry.get(answer.subscription)
                cursor = self._drafting.cursor(registration.id)
                opens = cursor.gate.opens(options_of(registration.subscription), self._drafting.at)
                if opens and self._access.allows(registration.owner, Action.SUBSCRIBE, topic=topic):
                    found.append(_Hearing(answer, registration, cursor))
        return sorted(found, key=_age) if len(found) > 1 else found

    def _told(self, one: _Hearing) -> Told:
        cursor = one.cursor.told(self._drafting.at)
        if one.registration.is_immediate:
            cursor = cursor.through(one.cursor.next)
        self._drafting.move(one.registration.id, cursor)
        return Told(one.registration.id, one.cursor.next, one.answer.best, one.answer.others)

    def _rearmed(self, answers: Sequence[Answer], topic: str) -> list[str]:
        """The subscriptions `on change` of which the opposite was seen, and not they themselves."""
        answered = {answer.subscription for answer in answers}
        found = []
        for identifier in filter(None, map(rearms, answered)):
            cursor = self._drafting.cursor(identifier)
            owner = self._state.registry.get(identifier).owner
            is_heard = self._access.allows(owner, Action.SUBSCRIBE, topic=topic)
            if identifier not in answered and is_heard and not cursor.gate.is_armed:
                self._drafting.move(identifier, cursor.rearmed())
                found.append(identifier)
        return sorted(found)

    def _fire(
        self, told: Told, event: Event, origin: _Origin, root: int, names: Names = NO_NAMES
    ) -> None:
        """Let a rule publish what it derives, or update; what it cannot do is recorded."""
        registration = self._state.registry.get(told.subscription)
        rule = registration.subscription
        if not isinstance(rule, Rule) or not registration.is_immediate:
            return
        assert event.id is not None
        rules = (told.subscription, *origin.rules)
        probability = origin.probability * told.best.probability
        causes = (event.id, *origin.causes)
        came = _Origin(origin.topic, registration.owner, causes, rules, probability, root)
        try:
            self._require_bounds(rules, root)
            if isinstance(rule.action, Update):
                self._update(rule, event, told.best, came, names)
            else:
                self._derive(rule, event, told.best, came, names)
        except _TooMuch as error:
            self._drafting.add(Failed(told.subscription, event.id, str(error), rules, told.number))
        except PurportError as error:
            self._drafting.add(Failed(told.subscription, event.id, str(error), number=told.number))
        else:
            self._derived_from[root] = self._derived_from.get(root, 0) + 1

    def _derive(
        self, rule: Rule, event: Event, answered: Answered, came: _Origin, names: Names
    ) -> None:
        self._access.require(came.publisher, Action.PUBLISH, topic=came.topic)
        derived = derived_event(rule, event, answered, f"{event.id}>{came.rules[0]}", names)
        self._derived.append((derived, came))

    def _update(
        self, rule: Rule, event: Event, answered: Answered, came: _Origin, names: Names
    ) -> None:
        text = rule_update(rule, event, answered, names)
        cause = Cause(came.publisher, causes=came.causes, rules=came.rules)
        UpdateDraft(self._drafting).update(text, cause)

    def _require_bounds(self, rules: tuple[str, ...], root: int) -> None:
        if len(rules) > self._limits.depth:
            circle = " <- ".join(dict.fromkeys(rules))
            raise _TooMuch(
                f"rules went on from one another more than {self._limits.depth} times: {circle}"
            )
        if self._derived_from.get(root, 0) >= self._limits.derived:
            raise _TooMuch(f"more than {self._limits.derived:,} events derived from one")


def _origin_of(found: Found, origins: Mapping[str, Published]) -> _Origin:
    """Where a pattern's events come from: those that went on from one another the longest."""
    events = (found.event, *(one.event for one in found.witnesses))
    known = [origins[one.id] for one in events if one.id is not None and one.id in origins]
    if not known:
        return _NOWHERE
    longest = max(known, key=lambda one: len(one.rules))
    return _Origin(longest.topic, None, longest.causes, longest.rules, longest.probability)


def _age(one: _Hearing) -> int:
    """An order that a restart does not change, unlike that in which an engine answers."""
    return one.registration.sequence


class _TooMuch(Exception):
    """Rules go on for too long."""


_NOWHERE = _Origin()
_LIMITS = Limits()
