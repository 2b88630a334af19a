"""The state of a broker: what follows from its journal, and from nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

import msgspec

from purport.broker.asked import Asked, Query, options_of
from purport.broker.cursor import Cursor
from purport.broker.engine import Answer, Engine, Found, TimeEngine
from purport.broker.gate import Gate, asked_of, contraries
from purport.broker.graph import Graph
from purport.broker.journal import JournalError
from purport.broker.kept_state import (
    VERSION,
    KeptCursor,
    KeptRegistration,
    KeptState,
    kept_state,
)
from purport.broker.links import Links, interest_id
from purport.broker.records import (
    Acknowledged,
    AnswerTold,
    Begun,
    Cancelled,
    Detected,
    Entry,
    Linked,
    Paused,
    Published,
    Rerouted,
    Resumed,
    Scheduled,
    Subscribed,
    TimePassed,
    Unsubscribed,
    Updated,
    UpdateFailed,
    addressees,
)
from purport.broker.registry import Registration, Registry
from purport.broker.rule_update import require_rule_update
from purport.broker.schedule import Schedule
from purport.covering.interest import EVERYTHING, PARTS
from purport.errors import NotSupportedYet, PurportError
from purport.model.event import Event
from purport.model.interval import microseconds_of, time_of
from purport.model.language.label import label
from purport.model.language.parse import parse
from purport.model.subscription import Rule, Subscription, Update
from purport.temporal.asked import is_in_time
from purport.temporal.history import HistoryError, HistoryTaken

_CONTRARY = "\x00"  # after the id of a subscription `on change`: what re-arms it


class BrokerState:
    """Registry, cursors, engines and graph, after the entries that were applied.

    `apply` is a function of the state and an entry: no clock, no file, no thread in here. Only what
    was received by those that are not durable stands in no entry (`receive`). Without a graph,
    updates are followed as far as it takes to know how far subscribers are.
    """

    def __init__(self, engines: Sequence[Engine], graph: Graph | None = None) -> None:
        self.engines, self.graph = engines, graph
        self.schedule = Schedule()
        self.registry = Registry()
        self.links = Links()
        self.cursors: dict[str, Cursor] = {}
        self.ended: dict[str, int] = {}  # of ids whose subscription ended, the next number
        self.sequence = 0  # of the last entry that was applied
        self.at = 0
        self.unrunnable: dict[str, str] = {}  # subscriptions that no engine runs any more, and why
        self._engine_of: dict[str, Engine] = {}
        self._contraries: dict[str, int] = {}  # of a subscription `on change`, how many there are
        self._queries: set[str] = set()  # that the graph answers
        self._is_asleep = False
        self.time = next((one for one in engines if isinstance(one, TimeEngine)), None)
        self._at_once = [one for one in engines if one is not self.time]  # that answer so
        self._first_expiry: datetime | None = None  # or earlier

    def require_graph(self) -> Graph:
        """The graph; `NotSupportedYet` where there is none."""
        if self.graph is None:
            raise NotSupportedYet("SPARQL, without a graph", "this broker")
        return self.graph

    def sleep(self) -> None:
        """Ask no query while much is applied: `wake` asks them all."""
        self._is_asleep = True

    def wake(self) -> None:
        """Have the graph answer what is subscribed to."""
        self._is_asleep = False
        if self.graph is not None:
            self.graph.set_time(self.at)
        for registration in self.registry:
            if isinstance(registration.subscription, Query):
                self._run(registration)

    def require_runnable(self, subscription: Subscription) -> Engine:
        """The engine that runs a subscription; `NotSupportedYet` if none does."""
        if isinstance(subscription, Rule) and isinstance(subscription.action, Update):
            if self.graph is None:
                raise NotSupportedYet("a rule that updates (update)", label(subscription))
            require_rule_update(subscription.action.sparql)
        if subscription.options.on_change and is_in_time(subscription.pattern):
            raise NotSupportedYet("on change, of a pattern in time", label(subscription))
        asked, forms = asked_of(subscription), []
        for engine in self.engines:
            form = engine.refuses(asked)
            if form is None:
                return engine
            forms.append(form)
        raise NotSupportedYet(forms[0] if forms else "any subscription", label(subscription))

    def answers(self, events: Sequence[Event], at: datetime) -> list[list[Answer]]:
        """What each of some events answers, over all engines; nothing changes by it.

        An answer to what re-arms a subscription has an id that `rearms` understands.
        """
        found: list[list[Answer]] = [[] for _ in events]
        for engine in self._at_once:
            for all_of_one, some in zip(found, engine.answers(events, at), strict=True):
                all_of_one.extend(some)
        if self.links:
            told = zip(events, found, strict=True)
            return [self.links.told(event, some) for event, some in told]
        return found

    def found(self) -> Sequence[Found]:
        """What was found in time, and no entry has yet."""
        return () if self.time is None else self.time.found

    def expired(self, at: datetime) -> list[str]:
        """The subscriptions whose time is up."""
        if self._first_expiry is None or at < self._first_expiry:
            return []
        return [one.id for one in self.registry if one.is_expired(at)]

    def apply(self, entry: Entry, subscription: Asked | None = None) -> None:
        """Take up the next entry; `subscription` is what its text says, if it was read before."""
        if entry.sequence != self.sequence + 1:
            raise JournalError(
                f"entry {self.sequence + 1} of the journal is missing: {entry.sequence} follows "
                f"{self.sequence}"
            )
        self.sequence, self.at = entry.sequence, entry.at
        match entry.record:
            case Published() as published:
                self._publish(entry, published)
            case Updated() as updated:
                self._update(entry, updated)
            case Detected() as detected:
                self._detect(entry, detected)
            case TimePassed(now):
                if self.time is not None:
                    self.time.pass_time(time_of(now))
            case AnswerTold():
                self._tell(entry)
            case Rerouted() as rerouted:
                self.links.note(rerouted)
                self._tell(entry)
            case Linked() as linked:
                self._take_interests(linked)
            case Begun() as begun:
                self.links.begin(entry.sequence, begun)
            case Scheduled() as scheduled:
                self.schedule.add(entry.sequence, scheduled)
            case Cancelled(number) | UpdateFailed(number):
                self.schedule.remove(number)
            case Subscribed(identifier):
                self._subscribe(entry, identifier, subscription)
            case Unsubscribed(identifier):
                self._unsubscribe(entry, identifier)
            case Paused(identifier):
                self._stop(identifier)
                self.registry.apply(entry)
            case Resumed(identifier):
                self.registry.apply(entry)
                if identifier in self.registry and not self._is_run(identifier):
                    self._run(self.registry.get(identifier))
            case Acknowledged(identifier, through, is_missed):
                if identifier in self.cursors:
                    cursor = self.cursors[identifier]
                    self.cursors[identifier] = cursor.through(through, is_missed=is_missed)

    def receive(self, identifier: str, through: int) -> None:
        """A subscriber has everything through a number, and no entry will say so.

        Only of a subscription that ends with its process, so that nothing follows from it later.
        """
        self.cursors[identifier] = self.cursors[identifier].through(through)

    def snapshot(self) -> bytes:
        """The state as bytes that `restore` reads."""
        kept = KeptState(
            VERSION,
            self.sequence,
            self.at,
            self.registry.version,
            [
                KeptRegistration(
                    one.asked(),
                    one.version,
                    microseconds_of(one.since),
                    one.sequence,
                    one.is_paused,
                    one.pause_reason,
                )
                for last in self.registry
                for one in self.registry.versions(last.id)
            ],
            {
                name: KeptCursor(
                    one.next,
                    one.acknowledged,
                    one.first,
                    one.missed,
                    one.gate.told_at,
                    one.gate.is_armed,
                )
                for name, one in self.cursors.items()
            },
            self.ended,
            {engine.name: engine.snapshot() for engine in self.engines},
            () if self.graph is None else self.graph.facts(),
            () if self.graph is None else self.graph.named_graphs(),
            tuple(self.schedule),
            self.links.kept(),
        )
        return msgspec.json.encode(kept)

    def restore(self, state: bytes) -> None:
        """Become what a snapshot says; only a state that nothing was applied to can.

        `JournalError` if it is one that this version does not read.
        """
        kept = kept_state(state)
        if self.graph is not None:
            self.graph.restore(kept.facts, kept.graphs)
        self.sequence, self.at = kept.sequence, kept.at
        if self.time is not None:
            self.time.follow(kept.sequence)
        for engine in self.engines:
            if engine.name in kept.engines:
                engine.restore(kept.engines[engine.name])
        for delayed in kept.delayed:
            self.schedule.put(delayed)
        self.ended = kept.ended
        for name, one in kept.cursors.items():
            gate = Gate(one.told_at, one.is_armed)
            self.cursors[name] = Cursor(one.next, one.acknowledged, one.first, one.missed, gate)
        for version in kept.registrations:
            registration = Registration.of(
                version.asked, at=version.since, sequence=version.sequence, version=version.version
            )
            if version.is_paused:
                registration = registration.paused(version.pause_reason)
            self.registry.put(registration)
        for registration in self.registry:
            self._run(registration)
        if kept.links is not None:
            for linked in self.links.restore(kept.links):
                self._take_interests(linked)
        self.registry.version = kept.registry_version

    def _publish(self, entry: Entry, published: Published) -> None:
        assert entry.event is not None
        self.links.note(published)
        for engine in self.engines:
            engine.advance(entry.sequence, entry.event, entry.time)
        cursors = self.cursors
        for identifier in published.rearmed:
            if identifier in cursors:
                cursors[identifier] = cursors[identifier].rearmed()
        self._tell(entry)

    def _detect(self, entry: Entry, detected: Detected) -> None:
        if self.time is not None:
            self.time.told(Event.from_json(detected.event).id or "", detected.found)
        self._tell(entry)

    def _update(self, entry: Entry, updated: Updated) -> None:
        if self.graph is not None:
            self.graph.follow(entry.sequence, updated)
        if updated.delayed is not None:
            self.schedule.remove(updated.delayed)
        self._tell(entry)

    def _tell(self, entry: Entry) -> None:
        """Move the cursors of all whom an entry tells something."""
        for one in addressees(entry.record):
            cursor = self.cursors.get(one.subscription)
            if cursor is not None:
                cursor = cursor.told(entry.at)
                if self.registry.get(one.subscription).is_immediate:
                    cursor = cursor.through(one.number)
                self.cursors[one.subscription] = cursor

    def _subscribe(self, entry: Entry, identifier: str, asked: Asked | None) -> None:
        self._stop(identifier)
        before = self.registry.find(identifier)
        self.registry.apply(entry, asked)
        registration = self.registry.get(identifier)
        if before is None:
            self.cursors[identifier] = Cursor.beginning(self.ended.pop(identifier, 0))
        elif before.subscription != registration.subscription:
            self.cursors[identifier] = self.cursors[identifier].anew()
        if registration.is_link:
            self.links.open(identifier)
        self._run(registration)

    def _unsubscribe(self, entry: Entry, identifier: str) -> None:
        self._stop(identifier)
        for text in self.links.close(identifier):
            self._drop_interest(identifier, text)
        self._forget_cursor(identifier)
        self.registry.apply(entry)
        expiries = (options_of(one.subscription).expires for one in self.registry)
        self._first_expiry = min((one for one in expiries if one), default=None)

    def _forget_cursor(self, identifier: str) -> None:
        """Forget how far a subscriber was, but for the number with which its id would go on."""
        cursor = self.cursors.pop(identifier, None)
        if cursor and cursor.next and identifier in self.registry:
            first, *_ = self.registry.versions(identifier)
            if identifier != id_at(first.sequence):
                self.ended[identifier] = cursor.next

    def _run(self, registration: Registration) -> None:
        """Have an engine answer a subscription."""
        expires = options_of(registration.subscription).expires
        if expires is not None:
            self._first_expiry = min(expires, self._first_expiry or expires)
        if registration.is_paused or registration.is_link:
            return
        try:
            if isinstance(registration.subscription, Query):
                self._run_query(registration.id, registration.subscription)
            else:
                self._run_on_engine(registration.id, registration.subscription)
        except (HistoryError, HistoryTaken):  # it would miss what happens until that is over
            raise
        except PurportError as error:  # it could be run when it was registered: say so, go on
            self.unrunnable[registration.id] = str(error)

    def _run_query(self, identifier: str, query: Query) -> None:
        if self.graph is not None and not self._is_asleep:
            self.graph.subscribe(identifier, query)
            self._queries.add(identifier)

    def _run_on_engine(self, identifier: str, subscription: Subscription) -> None:
        engine = self.require_runnable(subscription)
        engine.add(identifier, asked_of(subscription))
        self._engine_of[identifier] = engine
        if subscription.options.on_change:
            count = 0
            for count, opposite in enumerate(contraries(subscription), 1):
                engine.add(f"{identifier}{_CONTRARY}{count}", opposite)
            self._contraries[identifier] = count

    def _take_interests(self, linked: Linked) -> None:
        """Have engines answer what a neighbour wants to hear of."""
        before = set(self.links.interests(linked.id))
        for text in linked.unwanted:
            if text in before:
                self._drop_interest(linked.id, text)
        self.links.take(linked)
        for one in linked.wanted:
            if one.text not in before and one.text not in (EVERYTHING, PARTS):
                self._run_interest(linked.id, one.text)

    def _run_interest(self, link: str, text: str) -> None:
        try:
            subscription = parse(text)
            engine = self.require_runnable(subscription)
            if engine is self.time:
                raise NotSupportedYet("time", text)
        except PurportError:  # of a measure or class, say, that is known there, and not here
            self.links.cannot_judge(link, text)
            return
        identifier = interest_id(link, text)
        engine.add(identifier, asked_of(subscription))
        self._engine_of[identifier] = engine

    def _drop_interest(self, link: str, text: str) -> None:
        identifier = interest_id(link, text)
        engine = self._engine_of.pop(identifier, None)
        if engine is not None:
            engine.remove(identifier)

    def _is_run(self, identifier: str) -> bool:
        return identifier in self._engine_of or identifier in self._queries

    def _stop(self, identifier: str) -> None:
        self.unrunnable.pop(identifier, None)
        if identifier in self._queries:
            assert self.graph is not None
            self._queries.remove(identifier)
            self.graph.unsubscribe(identifier)
        engine = self._engine_of.pop(identifier, None)
        if engine is None:
            return
        engine.remove(identifier)
        for number in range(1, self._contraries.pop(identifier, 0) + 1):
            engine.remove(f"{identifier}{_CONTRARY}{number}")


def id_at(sequence: int) -> str:
    """The id that is given to a subscription without a name by its place: never to another one."""
    return f"subscription-{sequence}"


def is_given_out(identifier: str) -> bool:
    """Whether this is such an id."""
    return re.fullmatch(r"subscription-\d+", identifier) is not None


def rearms(answered: str) -> str | None:
    """The subscription that an answer re-arms; None if it answers one."""
    identifier, mark, _ = answered.partition(_CONTRARY)
    return identifier if mark else None
