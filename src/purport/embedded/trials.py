"""Dry runs: what a subscription or rule would tell, had it been there.

A trial is a broker of its own, in memory, whose clock is that of what is tried: the same code as
always says who is told what, and the broker that lends the events stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, islice
from typing import TYPE_CHECKING

from purport.assembly import history_engine, matching_engine
from purport.broker.asked import written
from purport.broker.graph import Graph
from purport.broker.journal import MemoryJournal
from purport.broker.matching_engine import MatchingEngine
from purport.broker.records import (
    Detected,
    Entry,
    Failed,
    Published,
    Subscribed,
    Unsubscribed,
    Updated,
    addressees,
)
from purport.broker.registering import Wanted
from purport.broker.retention import Retention
from purport.broker.telling import Explain, notification_of
from purport.embedded.ledger import Ledger
from purport.embedded.settings import BrokerSettings
from purport.errors import EventError, InvalidInput
from purport.matching.matcher import Matcher
from purport.model.clock import Clock, ManualClock
from purport.model.event import Event
from purport.model.match import Match
from purport.model.notification import AnswerChange, Notification
from purport.model.subscription import Subscription
from purport.temporal.history import MemoryHistory

if TYPE_CHECKING:
    from purport.matching.individuals import GivenOntology

MOST_LOOKED_AT = 10_000  # entries, unless it is said how many
MOST_AT_ALL = 100_000
_TRIED = "tried"  # what is called so if it has no name
_EXAMPLE = "example"  # the id of an event that has none
_NEVER = 2**62


@dataclass(frozen=True, slots=True)
class Trial:
    """Something that would have been told, and what a rule would have done then."""

    news: Match | AnswerChange
    at: datetime | None = None
    position: int | None = None  # of the event in the journal; None of an example, or of a pattern
    topic: str = ""
    published: tuple[Event, ...] = ()  # by the rule
    updates: tuple[str, ...] = ()  # that the rule would have run: SPARQL
    failures: tuple[str, ...] = ()  # why the rule could not do it

    @property
    def match(self) -> Match:
        """The match; `InvalidInput` if a query was tried."""
        if not isinstance(self.news, Match):
            raise InvalidInput("what is told of the answer to a query has no match")
        return self.news


@dataclass(frozen=True, slots=True)
class Happened:
    """An event that something is tried against, and where it stands in a journal, if it does."""

    event: Event
    at: datetime
    topic: str = ""
    publisher: str | None = None
    position: int | None = None
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrialParts:
    """What a trial is made of: the same as the broker whose events it borrows."""

    matcher: Callable[[], Matcher]
    ontology: GivenOntology | None
    clock: Clock


@dataclass(slots=True)
class _Done:
    """What came of one match."""

    published: list[Event] = field(default_factory=list)
    updates: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


class Trials:
    """Tries subscriptions, several at a time; what takes long to load is loaded once for each."""

    def __init__(self, parts: TrialParts, explain: Explain) -> None:
        self._parts, self._explain = parts, explain
        self._idle: list[MatchingEngine] = []

    def against(
        self,
        asked: Subscription,
        events: Iterable[Happened],
        until: datetime | None,
        *,
        owner: str | None,
        settings: BrokerSettings,
    ) -> list[Trial]:
        """What would be told of events, one after the other, and of what is missing until a time.

        `NotSupportedYet` if no engine here runs what is asked.
        """
        coming = iter(events)
        first = next(coming, None)
        start = self._parts.clock.now() if first is None else first.at
        with self._engine() as engine:
            trial = _Trial(asked, owner, engine, self._parts, start, settings)
            try:
                trial.begin()
                for one in () if first is None else chain((first,), coming):
                    trial.go_on(one)
                if until is not None:
                    trial.let_pass(until)
                return list(trial.told(self._explain))
            finally:
                trial.end()

    @contextmanager
    def _engine(self) -> Iterator[MatchingEngine]:
        """An engine that nobody else uses meanwhile; after a failure, it is not used again."""
        try:
            engine = self._idle.pop()
        except IndexError:
            engine = matching_engine(self._parts.matcher, self._parts.ontology)
        yield engine
        self._idle.append(engine)


class _Trial:
    """A broker that has one subscription."""

    def __init__(
        self,
        asked: Subscription,
        owner: str | None,
        engine: MatchingEngine,
        parts: TrialParts,
        start: datetime,
        settings: BrokerSettings,
    ) -> None:
        self._asked, self._owner = asked, owner
        self._id = asked.name or _TRIED
        self._journal, self._clock = MemoryJournal(), ManualClock(start)
        times = history_engine(
            self._journal,
            MemoryHistory,
            settings.history,
            matcher=parts.matcher,
            ontology=parts.ontology,
        )
        own = replace(settings, snapshot_every=_NEVER, memory_entries=_NEVER, retention=Retention())
        self._ledger = Ledger(self._journal, [engine, times], Graph(), self._clock, own)
        self._happened: dict[int, Happened] = {}  # by sequences of the trial

    def begin(self) -> None:
        """Subscribe."""
        self._ledger.require_runnable(self._asked)
        record = Subscribed(self._id, written(self._asked), self._owner, most_waiting=_NEVER)
        self._ledger.register([Wanted(record, self._asked)])
        self._registration = self._ledger.registration(self._id)  # which may expire meanwhile

    def go_on(self, one: Happened) -> None:
        """Let an event happen, unless this very rule has derived it: it will do so again."""
        if self._asked.name is not None and self._asked.name in one.rules:
            return
        self._reach(one.at)
        event = one.event if one.event.id is not None else one.event.with_id(_EXAMPLE)
        try:
            entries, _ = self._ledger.publish([event], one.topic, one.publisher)
        except EventError:  # it contradicts what is known, and takes no part in time
            return
        own = (entry for entry in entries if isinstance(entry.record, Published))
        for entry in islice(own, 1):
            self._happened[entry.sequence] = one

    def let_pass(self, until: datetime) -> None:
        """So late is it in the end: what is missing by then is found out."""
        self._reach(until)
        self._ledger.run_what_may()

    def told(self, explain: Explain) -> Iterator[Trial]:
        """What would have been told, in order."""
        done: dict[str, _Done] = {}  # by events, each as it was met last
        matched: list[tuple[Entry, _Done]] = []
        for entry in self._journal.read():
            match entry.record:
                case Published(rules=rules, causes=causes) if rules:
                    assert entry.event is not None
                    done[causes[0]].published.append(entry.event)
                case Updated(text, causes=causes):
                    done[causes[0]].updates.append(text)
                case Failed(event=event, reason=reason) if event in done:
                    done[event].failures.append(reason)
            if any(one.subscription == self._id for one in addressees(entry.record)):
                about = _about(entry)
                done[about] = _Done()
                matched.append((entry, done[about]))
        for entry, one in matched:
            told = notification_of(entry, self._registration, explain=explain)
            yield self._trial(entry, one, told)

    def end(self) -> None:
        """Leave the engine as it was."""
        self._ledger.record(Unsubscribed(self._id))
        self._ledger.close()

    def _trial(self, entry: Entry, done: _Done, told: Notification) -> Trial:
        happened = self._happened.get(entry.sequence)
        return Trial(
            told.news,
            told.at,
            None if happened is None else happened.position,
            told.topic,
            tuple(done.published),
            tuple(done.updates),
            tuple(done.failures),
        )

    def _reach(self, at: datetime) -> None:
        now = self._clock.now()
        if at > now:
            self._clock.advance(at - now)


def _about(entry: Entry) -> str:
    """The id of the event that an entry is about."""
    if isinstance(entry.record, Detected):
        return Event.from_json(entry.record.event).id or ""
    assert entry.event is not None
    return entry.event.id or ""
