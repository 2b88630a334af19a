"""The engine of SPARQL subscriptions: updates in, changes of answers out. No socket, no thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pyoxigraph import Quad

from purport.errors import InvalidInput
from purport.sparql.change import Change
from purport.sparql.errors import NotAllowed
from purport.sparql.graph_store import WHOLE, Answer, Dataset, GraphStore, MemoryStore
from purport.sparql.lookup_index import LookupIndex
from purport.sparql.patterns import Pattern, patterns_of
from purport.sparql.schedule import DelayedUpdate, Schedule
from purport.sparql.standing_query import Binding, StandingQuery
from purport.sparql.tokens import tokens_of


@dataclass(frozen=True, slots=True)
class Notification:
    """How the answer to a subscribed query has changed, as multisets of bindings."""

    subscription_id: str
    sequence: int  # counted for each subscription, from 1; 0 is the whole answer
    added: Sequence[Binding]
    removed: Sequence[Binding]


@dataclass(frozen=True, slots=True)
class LiveQuery:
    """A subscription: its id, its variables in order, and the whole answer as it was then."""

    id: str
    variables: Sequence[str]
    initial: Sequence[Binding]


@dataclass(slots=True, eq=False)
class _Shared:
    """A query that is evaluated once, for all who subscribed to it."""

    key: tuple[str, Dataset]
    query: StandingQuery
    patterns: frozenset[Pattern]
    sequences: dict[str, int] = field(default_factory=dict)  # of the subscriptions


class Engine:
    """Tells how answers change.

    >>> engine = Engine()
    >>> live = engine.subscribe("SELECT ?lamp ?value WHERE { ?lamp <urn:dim> ?value }")
    >>> [news] = engine.update("INSERT DATA { <urn:l1> <urn:dim> 5 }")
    >>> news.sequence, news.added[0]["value"].value, news.removed
    (1, '5', [])
    """

    def __init__(self, store: GraphStore | None = None) -> None:
        self._store = MemoryStore() if store is None else store
        self._queries: dict[tuple[str, Dataset], _Shared] = {}
        self._by_id: dict[str, _Shared] = {}
        self._index: LookupIndex[_Shared] = LookupIndex()
        self._schedule = Schedule()
        self._next_id = 1
        self._now: datetime | None = None

    def query(self, text: str, dataset: Dataset = WHOLE) -> Answer:
        """The answer to a query, now."""
        _refuse_services(text)
        return self._store.query(text, dataset)

    def subscribe(self, text: str, dataset: Dataset = WHOLE, *, id: str | None = None) -> LiveQuery:
        """Subscribe to a query; equal ones are evaluated once."""
        key = text, dataset
        shared = self._queries.get(key)
        if shared is None:
            query = StandingQuery(text, lambda asked: self.query(asked, dataset))
            shared = self._queries[key] = _Shared(key, query, patterns_of(text))
            self._index.add(shared, shared.patterns)
        identifier = f"query-{self._next_id}" if id is None else id
        self._next_id += 1
        shared.sequences[identifier] = 0
        self._by_id[identifier] = shared
        query = shared.query
        return LiveQuery(identifier, tuple(query.variables), query.bindings(query.answer))

    def unsubscribe(self, identifier: str) -> None:
        """End a subscription; `InvalidInput` if there is none."""
        shared = self._by_id.pop(identifier, None)
        if shared is None:
            raise InvalidInput(f"no subscribed query {identifier!r}")
        del shared.sequences[identifier]
        if not shared.sequences:
            self._index.remove(shared, shared.patterns)
            del self._queries[shared.key]

    def update(self, text: str, *, at: datetime | None = None) -> list[Notification]:
        """Run an update, and say whose answers change and how; nothing of it if it fails.

        With `at` it waits until `advance_to` passes that time.
        """
        if at is not None and (self._now is None or at > self._now):
            self._schedule.add(text, at)
            return []
        _refuse_services(text)
        return self._tell(self._store.update(text))

    def change_of(self, text: str) -> Change:
        """What an update would change; it is not run."""
        _refuse_services(text)
        assert isinstance(self._store, MemoryStore)
        change = self._store.update(text)
        self._store.apply(change.undone())
        return change

    def apply(self, change: Change) -> list[Notification]:
        """Change the store, and say whose answers change and how."""
        assert isinstance(self._store, MemoryStore)
        added, removed = (
            frozenset(Quad(*one) for one in facts) for facts in (change.added, change.removed)
        )
        change = Change(added, removed, change.created, change.dropped)
        self._store.apply(change)
        return self._tell(change)

    def delayed(self) -> list[DelayedUpdate]:
        """The updates that wait, in the order in which they are due."""
        return list(self._schedule)

    def cancel(self, number: int) -> None:
        """Let a delayed update go."""
        self._schedule.cancel(number)

    def advance_to(self, instant: datetime) -> list[Notification]:
        """Let time pass, and run what is due by then, in order."""
        if instant.tzinfo is None:
            raise InvalidInput(f"expected a time with its zone, got {instant}")
        self._now = max(instant.astimezone(UTC), self._now or instant)
        return [news for due in self._schedule.due(self._now) for news in self.update(due.text)]

    def _tell(self, change: Change) -> list[Notification]:
        touched = self._index.touched((*change.added, *change.removed))
        if change.created or change.dropped:  # which a pattern such as GRAPH ?g {} may look for
            touched = list(dict.fromkeys([*touched, *self._queries.values()]))
        return [news for shared in touched for news in self._news(shared)]

    def _news(self, shared: _Shared) -> list[Notification]:
        change = shared.query.advance()
        if not change:
            return []
        added, removed = map(shared.query.bindings, (change.added, change.removed))
        for identifier in shared.sequences:
            shared.sequences[identifier] += 1
        return [
            Notification(identifier, sequence, added, removed)
            for identifier, sequence in shared.sequences.items()
        ]


def _refuse_services(text: str) -> None:
    if any(token.is_word("SERVICE") for token in tokens_of(text)):
        raise NotAllowed("SERVICE is not allowed here")
