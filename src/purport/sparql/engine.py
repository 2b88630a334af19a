"""The engine of SPARQL subscriptions: updates in, changes of answers out.

No socket, and no thread of its own; one lock, since users have threads.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import datetime, timedelta

from purport.errors import InvalidInput, PurportError
from purport.model.clock import Clock
from purport.sparql.change import Change
from purport.sparql.context_store import ContextStore
from purport.sparql.engine_clock import EngineClock, require_zone
from purport.sparql.engine_time import asks_for_time, at_time
from purport.sparql.graph_store import WHOLE, Answer, Dataset, GraphStore
from purport.sparql.inferring_store import InferringStore
from purport.sparql.lazy_query import answered_later
from purport.sparql.memory_store import MemoryStore
from purport.sparql.modesty import require_modest, require_text
from purport.sparql.ontology_rules import InferenceSource, rules_of
from purport.sparql.row_counts import RowCounts
from purport.sparql.schedule import DelayedUpdate, Schedule
from purport.sparql.services import refuse_services
from purport.sparql.standing_queries import SharedQuery, StandingQueries
from purport.sparql.standing_query import AskedQuery, Binding, bindings_of
from purport.sparql.updater import Updater


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


_MOST_FAILED = 1_000


class Engine:
    """Tells how answers change.

    >>> engine = Engine()
    >>> live = engine.subscribe("SELECT ?lamp ?value WHERE { ?lamp <urn:dim> ?value }")
    >>> [news] = engine.update("INSERT DATA { <urn:l1> <urn:dim> 5 }")
    >>> news.sequence, news.added[0]["value"].value, news.removed
    (1, '5', [])

    Several threads may use one engine. With an `executor`, queries that have to be asked again are
    asked at the same time. With an `ontology`, queries and patterns see what follows from the facts
    as well.
    """

    def __init__(
        self,
        store: GraphStore | None = None,
        *,
        clock: Clock | None = None,
        may_load: bool = False,
        executor: Executor | None = None,
        ontology: InferenceSource | None = None,
    ) -> None:
        if ontology is not None:
            store = InferringStore(rules_of(ontology), store)
        self._store = MemoryStore() if store is None else store
        self._clock = EngineClock(clock)
        context = ContextStore(self._store)
        self._updater = Updater(self._store, context, self._clock.now, may_load=may_load)
        self._executor = executor
        self._queries = StandingQueries(self._store, context, self._ask, executor)
        self._by_id: dict[str, SharedQuery] = {}
        self._is_unsure = False  # whether the queries know what the store has
        self._untold: list[Notification] = []  # what came of finding out
        self._schedule = Schedule()
        self._failed: deque[FailedUpdate] = deque(maxlen=_MOST_FAILED)
        self._next_id = 1
        self._lock = threading.RLock()

    # Queries

    def query(self, text: str, dataset: Dataset = WHOLE) -> Answer:
        """The answer to a query, now."""
        require_text(text)
        with self._lock:
            self._run_due()
            return self._ask(text, dataset)

    def begin(self, text: str, dataset: Dataset = WHOLE) -> Callable[[], Answer]:
        """Begin to answer a query, which sees what is there now; what this gives does the work."""
        require_text(text)
        with self._lock:
            self._run_due()
            return answered_later(text, lambda asked: self._ask(asked, dataset))

    def _ask(self, text: str, dataset: Dataset) -> Answer:
        require_modest(text)
        refuse_services(text)
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
        require_text(text)
        with self._lock:
            if id is not None and id in self._by_id:
                raise InvalidInput(f"there is a subscribed query {id!r} already")
            self._run_due()
            if self._is_unsure:
                self._find_out()
            shared, rows = self._queries.begin(text, dataset)
            identifier = self._free_id() if id is None else id
            shared.sequences[identifier] = 0
            self._by_id[identifier] = shared
            came, _ = bindings_of(shared.query.variables, rows)
            return LiveQuery(identifier, shared.query.variables, came)

    def unsubscribe(self, identifier: str) -> None:
        """End a subscription; `InvalidInput` if there is none."""
        with self._lock:
            shared = self._shared(identifier)
            del self._by_id[identifier], shared.sequences[identifier]
            self._untold = [one for one in self._untold if one.subscription_id != identifier]
            if not shared.sequences:
                self._queries.end(shared)

    def is_subscribed(self, text: str, dataset: Dataset = WHOLE) -> bool:
        """Whether somebody is told how the answer to a query changes."""
        return self._queries.has(text, dataset)

    def how(self, identifier: str) -> str:
        """How a query's answer is kept: "kept up to date", or why it is asked again."""
        with self._lock:
            query = self._shared(identifier).query
            if isinstance(query, AskedQuery):
                return f"asked again: {query.reason}"
            return "kept up to date"

    @property
    def read_texts(self) -> int:
        """How many queries and updates had to be read: alike ones are read once."""
        return self._queries.read_texts + self._updater.read_texts

    @property
    def kept_facts(self) -> int:
        """How many facts and rows are kept beside the store, for the queries."""
        return self._queries.size

    def _shared(self, identifier: str) -> SharedQuery:
        shared = self._by_id.get(identifier)
        if shared is None:
            raise InvalidInput(f"no subscribed query {identifier!r}")
        return shared

    def _free_id(self) -> str:
        while True:
            identifier = f"query-{self._next_id}"
            self._next_id += 1
            if identifier not in self._by_id:
                return identifier

    # Updates

    def update(
        self, text: str, *, at: datetime | None = None, after: timedelta | None = None
    ) -> list[Notification]:
        """Run an update, and say whose answers change and how; nothing of it if it fails.

        With `at`, or `after` some time, it waits until that time has come: until `advance_to`
        passes it, or something is done after it by the clock. A time that has passed is now.
        """
        require_text(text)
        with self._lock:
            self._run_due()
            if at is not None or after is not None:
                due = self._clock.due(at, after)
                if not self._clock.has_come(due):
                    self._updater.check(text)
                    self._schedule.add(text, due)
                    return []
            return self._run(text)

    def change_of(self, text: str) -> Change:
        """What an update would change; afterwards everything is as it was."""
        require_text(text)
        with self._lock:
            if self._is_unsure:
                self._find_out()
            return self._updater.change_of(text)

    def apply(self, change: Change) -> list[Notification]:
        """Make a change of which it is known what it is, and say whose answers change and how."""
        with self._lock:
            return self._changed(lambda: self._updater.make(change) if change else change)

    def resync(self) -> list[Notification]:
        """After others have written into the store: everybody is told the whole answer.

        If the store cannot be asked, everything stays as it is.
        """
        with self._lock:
            self._find_out()
            news, self._untold = self._untold, []
            return news

    def _run(self, text: str) -> list[Notification]:
        return self._changed(lambda: self._updater.run(text))

    def _changed(self, make: Callable[[], Change]) -> list[Notification]:
        """Make a change and say who is to be told what.

        If it is not known afterwards whether it was made, or who was told, everybody is told the
        whole answer with the next change.
        """
        if self._is_unsure:
            self._find_out()
        try:
            told = self._tell(make())
        except InvalidInput:  # before anything was done
            raise
        except BaseException:
            self._is_unsure = True
            raise
        if not self._untold:
            return told
        news, self._untold = self._untold + told, []
        return news

    def _find_out(self) -> None:
        """Begin all queries anew with what the store has."""
        if isinstance(self._store, InferringStore):
            self._store.refresh()
        context = ContextStore(self._store)
        queries = StandingQueries(self._store, context, self._ask, self._executor)
        found = [(shared, *queries.begin(*shared.key)) for shared in self._queries.all()]
        self._queries, self._updater.context, self._is_unsure = queries, context, False
        for shared, again, rows in found:
            came, _ = bindings_of(again.query.variables, rows)
            for identifier, sequence in shared.sequences.items():
                again.sequences[identifier] = sequence + 1
                self._by_id[identifier] = again
                whole = Notification(identifier, sequence + 1, came, [], is_whole=True)
                self._untold.append(whole)

    # Time

    def now(self) -> datetime:
        """The engine's time, which texts can ask for: `NOW()`, `<urn:purport:clock>()`."""
        with self._lock:
            return self._clock.now()

    def delayed(self) -> list[DelayedUpdate]:
        """The updates that wait, in the order in which they are due."""
        with self._lock:
            return list(self._schedule)

    def cancel(self, number: int) -> None:
        """Let a delayed update go."""
        with self._lock:
            self._schedule.cancel(number)

    def failed(self) -> list[FailedUpdate]:
        """The last delayed updates that could not be run when their time came."""
        with self._lock:
            return list(self._failed)

    def advance_to(self, instant: datetime) -> list[Notification]:
        """Let time pass, and run what is due by then, in order; what fails is in `failed`."""
        require_zone(instant)
        with self._lock:
            news = self._passed(instant)
            self._clock.advance_to(instant)
            return news

    def _passed(self, until: datetime) -> list[Notification]:
        """Run what is due, in order."""
        news: list[Notification] = []
        for due in self._schedule.due(until):
            self._clock.advance_to(due.at)
            try:
                news += self._run(due.text)
            except PurportError as error:
                self._failed.append(FailedUpdate(due, str(error)))
        return news

    def _run_due(self) -> None:
        """Run what is due by the clock; who is told of it is told with the next change."""
        if self._clock.goes_by_itself and self._schedule:
            news = self._passed(self._clock.now())  # with what was not told before
            self._untold += news

    def _timed(self, text: str) -> str:
        return at_time(text, self._clock.now()) if asks_for_time(text) else text

    # Telling

    def _tell(self, change: Change) -> list[Notification]:
        if not change:
            return []
        return [
            news for shared, rows in self._queries.advance(change) for news in _news(shared, rows)
        ]


def _news(shared: SharedQuery, rows: RowCounts) -> Iterable[Notification]:
    added, removed = bindings_of(shared.query.variables, rows)
    for identifier, sequence in shared.sequences.items():
        shared.sequences[identifier] = sequence + 1
        yield Notification(identifier, sequence + 1, added, removed)
