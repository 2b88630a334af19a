"""The engine of SPARQL subscriptions: updates in, changes of answers out. No socket, no thread."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial

from purport.errors import InvalidInput, PurportError
from purport.model.clock import Clock, SystemClock
from purport.sparql.basic_plan import BasicPlan, BasicShape, ShapedBasic
from purport.sparql.change import Change
from purport.sparql.context_store import ContextStore
from purport.sparql.engine_time import asks_for_time, at_time
from purport.sparql.errors import NotAllowed
from purport.sparql.graph_store import WHOLE, Answer, Dataset, GraphStore, MemoryStore
from purport.sparql.incremental import NotIncremental
from purport.sparql.lookup_index import LookupIndex
from purport.sparql.query_template import QueryTemplate
from purport.sparql.row_counts import RowCounts
from purport.sparql.schedule import DelayedUpdate, Schedule
from purport.sparql.shape import ShapeCache
from purport.sparql.standing_query import (
    AskedQuery,
    Binding,
    KeptQuery,
    bindings_of,
    rows_of,
    variables_of,
)
from purport.sparql.terms import Fact
from purport.sparql.tokens import tokens_of
from purport.sparql.updating import Updater


@dataclass(frozen=True, slots=True)
class Notification:
    """How the answer to a subscribed query has changed, as multisets of bindings."""

    subscription_id: str
    sequence: int  # counted for each subscription, from 1; 0 is the whole answer
    added: Sequence[Binding]
    removed: Sequence[Binding]
    is_whole: bool = False  # what was added is the whole answer, in the place of what was before


@dataclass(frozen=True, slots=True)
class LiveQuery:
    """A subscription: its id, its variables in order, and the whole answer as it was then."""

    id: str
    variables: Sequence[str]
    initial: Sequence[Binding]


@dataclass(frozen=True, slots=True)
class FailedUpdate:
    """A delayed update that could not be run when its time came."""

    update: DelayedUpdate
    reason: str


@dataclass(slots=True, eq=False)
class _Shared:
    """A query that is evaluated once, for all who subscribed to it."""

    number: int  # counted up: the oldest is told first
    key: tuple[str, Dataset]
    query: KeptQuery | AskedQuery
    sequences: dict[str, int] = field(default_factory=dict)  # of the subscriptions


_Leaf = tuple[_Shared, int]  # which part of a query
_Plan = BasicPlan[_Leaf]
_Target = tuple[_Plan, int] | _Shared  # a pattern of a plan, or a query to be asked again


class Engine:
    """Tells how answers change.

    >>> engine = Engine()
    >>> live = engine.subscribe("SELECT ?lamp ?value WHERE { ?lamp <urn:dim> ?value }")
    >>> [news] = engine.update("INSERT DATA { <urn:l1> <urn:dim> 5 }")
    >>> news.sequence, news.added[0]["value"].value, news.removed
    (1, '5', [])

    Several threads may use one engine. With an `executor`, queries that have to be asked again are
    asked at the same time.
    """

    def __init__(
        self,
        store: GraphStore | None = None,
        *,
        clock: Clock | None = None,
        may_load: bool = False,
        executor: Executor | None = None,
    ) -> None:
        self._store = MemoryStore() if store is None else store
        self._context = ContextStore(self._store)
        self._updater = Updater(self._store, self._context, may_load=may_load)
        self._executor = executor
        self._templates: ShapeCache[QueryTemplate] = ShapeCache(QueryTemplate.of)
        self._plans: dict[BasicShape, _Plan] = {}
        self._index: LookupIndex[_Target] = LookupIndex()
        self._wide: dict[_Shared, None] = {}  # queries that any change may touch
        self._shared: dict[tuple[str, Dataset], _Shared] = {}
        self._by_id: dict[str, _Shared] = {}
        self._stale: dict[_Shared, None] = {}  # could not be asked when they were touched
        self._schedule = Schedule()
        self._failed: list[FailedUpdate] = []
        self._next_id = 1
        self._next_number = 0
        self._clock, self._has_clock = clock or SystemClock(), clock is not None
        self._now: datetime | None = None
        self._lock = threading.RLock()

    # Queries

    def query(self, text: str, dataset: Dataset = WHOLE) -> Answer:
        """The answer to a query, now."""
        _require_text(text)
        with self._lock:
            return self._ask(text, dataset)

    def _ask(self, text: str, dataset: Dataset) -> Answer:
        _refuse_services(text)
        return self._store.query(self._timed(text), dataset)

    def subscribe(
        self,
        text: str,
        dataset: Dataset = WHOLE,
        *,
        id: str | None = None,
    ) -> LiveQuery:
        """Subscribe to a query; equal ones are evaluated once. The id is given out if it is None.

        `SparqlSyntaxError` if the text is no query.
        """
        _require_text(text)
        with self._lock:
            if id is not None and id in self._by_id:
                raise InvalidInput(f"there is a subscribed query {id!r} already")
            shared = self._shared.get((text, dataset))
            if shared is None:
                shared, rows = self._begin(text, dataset)
            else:
                rows = self._whole(shared)
            identifier = self._free_id() if id is None else id
            shared.sequences[identifier] = 0
            self._by_id[identifier] = shared
            came, _ = bindings_of(shared.query.variables, rows)
            return LiveQuery(identifier, shared.query.variables, came)

    def unsubscribe(self, identifier: str) -> None:
        """End a subscription; `InvalidInput` if there is none."""
        with self._lock:
            shared = self._by_id.pop(identifier, None)
            if shared is None:
                raise InvalidInput(f"no subscribed query {identifier!r}")
            del shared.sequences[identifier]
            if not shared.sequences:
                self._end(shared)

    def how(self, identifier: str) -> str:
        """How a query's answer is kept: "kept up to date", or why it is asked again."""
        with self._lock:
            shared = self._by_id.get(identifier)
            if shared is None:
                raise InvalidInput(f"no subscribed query {identifier!r}")
            if isinstance(shared.query, AskedQuery):
                return f"asked again: {shared.query.reason}"
            return "kept up to date"

    def _free_id(self) -> str:
        while True:
            identifier = f"query-{self._next_id}"
            self._next_id += 1
            if identifier not in self._by_id:
                return identifier

    def _begin(self, text: str, dataset: Dataset) -> tuple[_Shared, RowCounts]:
        """Have a query told of changes from now on; gives its whole answer too."""
        answer = self._ask(text, dataset)  # the store's parser has the first word
        template, constants = self._templates.get(text)
        if template.variables is None:
            template.variables = variables_of(text, answer)
        rows = rows_of(answer, template.variables)
        try:
            if asks_for_time(text):
                raise NotIncremental("the time, which passes")
            found = template.incremental(constants, dataset)
        except NotIncremental as error:
            query: KeptQuery | AskedQuery = AskedQuery(
                template.variables,
                partial(self._ask, text, dataset),
                template.patterns(constants, dataset),
                template.sees_graphs,
                str(error),
                rows,
            )
        else:
            query = KeptQuery(template.variables, found.operator, found.leaves)
        shared = _Shared(self._next_number, (text, dataset), query)
        if isinstance(query, KeptQuery):
            query.begin(self._solutions)
            self._listen(shared, query)
        elif query.patterns is None:
            self._wide[shared] = None
        else:
            for pattern in query.patterns:
                self._index.add(shared, pattern)
        self._next_number += 1
        self._shared[shared.key] = shared
        return shared, rows

    def _whole(self, shared: _Shared) -> RowCounts:
        """The whole answer of a query, as those who subscribed before know it."""
        if isinstance(shared.query, AskedQuery):
            return shared.query.answer
        return rows_of(self._ask(*shared.key), shared.query.variables)

    def _listen(self, shared: _Shared, query: KeptQuery) -> None:
        for number, leaf in enumerate(query.leaves):
            plan = self._plans.get(leaf.shape)
            if plan is None:
                plan = self._plans[leaf.shape] = BasicPlan(leaf.shape, self._context)
            if plan.subscribe(leaf, (shared, number)):
                for place in range(len(leaf.shape.patterns)):
                    self._index.add((plan, place), leaf.lookup(place))

    def _end(self, shared: _Shared) -> None:
        query = shared.query
        del self._shared[shared.key]
        self._wide.pop(shared, None)
        self._stale.pop(shared, None)
        if isinstance(query, AskedQuery):
            for pattern in query.patterns or ():
                self._index.remove(shared, pattern)
            return
        for number, leaf in enumerate(query.leaves):
            plan = self._plans[leaf.shape]
            if plan.unsubscribe(leaf, (shared, number)):
                for place in range(len(leaf.shape.patterns)):
                    self._index.remove((plan, place), leaf.lookup(place))
                if not plan.is_used:
                    del self._plans[leaf.shape]

    def _solutions(self, leaf: ShapedBasic) -> RowCounts:
        """The solutions of triple patterns as they are now."""
        return rows_of(self._store.query(leaf.text()), leaf.shape.variables)

    # Updates

    def update(
        self, text: str, *, at: datetime | None = None, after: timedelta | None = None
    ) -> list[Notification]:
        """Run an update, and say whose answers change and how; nothing of it if it fails.

        With `at`, or `after` some time, it waits until `advance_to` passes that time.
        """
        _require_text(text)
        with self._lock:
            if at is not None or after is not None:
                due = self._due(at, after)
                if not self._has_time or due > self._time():
                    self._schedule.add(text, due)
                    return []
            return self._run(text)

    def change_of(self, text: str) -> Change:
        """What an update would change; nothing is done."""
        _require_text(text)
        with self._lock:
            _refuse_services(text)
            return self._updater.change_of(self._timed(text))

    def apply(self, change: Change) -> list[Notification]:
        """Make a change of which it is known what it is, and say whose answers change and how."""
        with self._lock:
            if change:
                self._store.apply(change)
            return self._tell(change)

    def resync(self) -> list[Notification]:
        """After others have written into the store: everybody is told the whole answer."""
        with self._lock:
            everyone = list(self._shared.values())
            asked = {shared: list(shared.sequences.items()) for shared in everyone}
            for shared in everyone:
                self._end(shared)
            news: list[Notification] = []
            for shared in everyone:
                again, rows = self._begin(*shared.key)
                came, _ = bindings_of(again.query.variables, rows)
                for identifier, sequence in asked[shared]:
                    again.sequences[identifier] = sequence + 1
                    self._by_id[identifier] = again
                    news.append(Notification(identifier, sequence + 1, came, [], is_whole=True))
            return news

    def _run(self, text: str) -> list[Notification]:
        _refuse_services(text)
        return self._tell(self._updater.run(self._timed(text)))

    # Time

    def delayed(self) -> list[DelayedUpdate]:
        """The updates that wait, in the order in which they are due."""
        with self._lock:
            return list(self._schedule)

    def cancel(self, number: int) -> None:
        """Let a delayed update go."""
        with self._lock:
            self._schedule.cancel(number)

    def failed(self) -> list[FailedUpdate]:
        """The delayed updates that could not be run when their time came."""
        with self._lock:
            return list(self._failed)

    def advance_to(self, instant: datetime) -> list[Notification]:
        """Let time pass, and run what is due by then, in order; what fails is in `failed`."""
        if instant.tzinfo is None:
            raise InvalidInput(f"expected a time with its zone, got {instant}")
        with self._lock:
            until = max(instant.astimezone(UTC), self._now or instant)
            news: list[Notification] = []
            for due in self._schedule.due(until):
                self._now = max(due.at, self._now or due.at)
                try:
                    news += self._run(due.text)
                except PurportError as error:
                    self._failed.append(FailedUpdate(due, str(error)))
            self._now = until
            return news

    def _due(self, at: datetime | None, after: timedelta | None) -> datetime:
        if at is not None and after is not None:
            raise InvalidInput("expected a time or a length of time, got both")
        if at is None:
            assert after is not None
            return self._time() + after
        if at.tzinfo is None:
            raise InvalidInput(f"expected a time with its zone, got {at}")
        return at

    @property
    def _has_time(self) -> bool:
        """Whether time passes by a clock, or has been said to."""
        return self._has_clock or self._now is not None

    def _time(self) -> datetime:
        """The clock's time; without a clock, the time that it was advanced to, if it was."""
        if self._now is None:
            return self._clock.now()
        return max(self._now, self._clock.now()) if self._has_clock else self._now

    def _timed(self, text: str) -> str:
        return at_time(text, self._time()) if asks_for_time(text) else text

    # Telling

    def _tell(self, change: Change) -> list[Notification]:
        if not change:
            return []
        kept: dict[_Shared, dict[int, RowCounts]] = {}
        asked = dict(self._stale)
        asked.update(self._wide)
        self._collect(self._index.touched(change.removed), -1, kept, asked)
        self._context.advance(change)
        self._collect(self._index.touched(change.added), 1, kept, asked)
        if change.created or change.dropped:
            asked.update(self._watching_graphs())
        changes = [(shared, self._kept_change(shared, leaves)) for shared, leaves in kept.items()]
        if asked:
            changes += zip(asked, self._asked_changes(asked), strict=True)
        changes.sort(key=_age)
        return [news for shared, rows in changes if rows for news in _news(shared, rows)]

    def _collect(
        self,
        touched: dict[_Target, list[Fact]],
        sign: int,
        kept: dict[_Shared, dict[int, RowCounts]],
        asked: dict[_Shared, None],
    ) -> None:
        """Find the solutions through facts that came or went, and whom they concern."""
        by_plan: dict[_Plan, list[tuple[int, Iterable[Fact]]]] = {}
        for target, facts in touched.items():
            if isinstance(target, _Shared):
                asked[target] = None
            else:
                plan, place = target
                by_plan.setdefault(plan, []).append((place, facts))
        for plan, places in by_plan.items():
            for leaves, row in plan.solutions(places):
                for shared, number in leaves:
                    rows = kept.setdefault(shared, {}).setdefault(number, {})
                    rows[row] = rows.get(row, 0) + sign

    def _kept_change(self, shared: _Shared, leaves: dict[int, RowCounts]) -> RowCounts:
        assert isinstance(shared.query, KeptQuery)
        return shared.query.advance(leaves)

    def _asked_changes(self, asked: Iterable[_Shared]) -> list[RowCounts]:
        """How the answers of queries changed that are asked again; those that cannot be wait."""
        if self._executor is None:
            return [self._asked_change(shared) for shared in asked]
        return list(self._executor.map(self._asked_change, asked))

    def _asked_change(self, shared: _Shared) -> RowCounts:
        assert isinstance(shared.query, AskedQuery)
        try:
            change = shared.query.advance()
        except PurportError:
            self._stale[shared] = None
            return {}
        self._stale.pop(shared, None)
        return change

    def _watching_graphs(self) -> dict[_Shared, None]:
        return {
            shared: None
            for shared in self._shared.values()
            if isinstance(shared.query, AskedQuery) and shared.query.sees_graphs
        }


def _news(shared: _Shared, rows: RowCounts) -> Iterable[Notification]:
    added, removed = bindings_of(shared.query.variables, rows)
    for identifier, sequence in shared.sequences.items():
        shared.sequences[identifier] = sequence + 1
        yield Notification(identifier, sequence + 1, added, removed)


def _age(change: tuple[_Shared, RowCounts]) -> int:
    return change[0].number


def _require_text(text: str) -> None:
    if not isinstance(text, str):
        raise InvalidInput(f"expected a text in SPARQL, got {text!r}")


def _refuse_services(text: str) -> None:
    if "service" in text.lower() and any(one.is_word("SERVICE") for one in tokens_of(text)):
        raise NotAllowed("SERVICE is not allowed here")
