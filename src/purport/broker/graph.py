"""The graph of a broker: the quads that its updates have made, and the queries over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pyoxigraph import NamedNode

from purport.broker.asked import Query
from purport.broker.rdf_text import Binding, change_from, fact_texts
from purport.broker.records import Updated
from purport.errors import PurportError
from purport.model.interval import time_of
from purport.sparql.change import Change
from purport.sparql.engine import Engine
from purport.sparql.errors import NotAllowed, SparqlSyntaxError
from purport.sparql.graph_store import Answer
from purport.sparql.inferring_store import AssertedFacts, InferringStore
from purport.sparql.memory_store import MemoryStore
from purport.sparql.ontology_rules import InferenceSource, rules_of
from purport.sparql.row_limit import at_most
from purport.sparql.terms import Term

_LOOKING = "\x00looking"  # the id of a subscription that is there for a moment
_HELD = "\x00held"  # the beginning of the ids of those that are there until they are let go
_Row = tuple[tuple[str, Term], ...]  # a binding that can be counted


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """How the answer to a subscribed query changes."""

    subscription: str
    added: Sequence[Binding]
    removed: Sequence[Binding]


@dataclass(frozen=True, slots=True)
class _Drafted:
    """A change that the journal does not have yet."""

    sequence: int  # of its entry
    change: Change
    told: Sequence[ChangedAnswer]


class _SetClock:
    """A clock that is set: what is asked about an entry is asked at its time, in a replay too."""

    time = time_of(0)

    def now(self) -> datetime:
        return self.time


class Graph:
    """Follows from the journal, like all that a broker has.

    What an update tells is known only when it has been made. So a change is *drafted*: it is made,
    and taken back unless the journal has it in the end. Some queries are answered otherwise each
    time they are asked, so that taking back leaves another answer than was told: the next change
    then tells the difference too. With an ontology, queries and patterns see what follows from the
    quads as well; the journal has what was asserted.
    """

    def __init__(
        self,
        ontology: InferenceSource | None = None,
        *,
        most_rows: int | None = None,
        may_load: bool = False,
    ) -> None:
        """Whoever subscribes has so many rows made at a time at the most; None: any number.

        If updates `may_load`, LOAD reads files of this machine.
        """
        self._most_rows, self._may_load = most_rows, may_load
        self._clock = _SetClock()
        self._store: MemoryStore | InferringStore = MemoryStore()
        self._asserted: MemoryStore | AssertedFacts = self._store
        if ontology is not None:
            self._store = InferringStore(rules_of(ontology))
            self._asserted = self._store.asserted
        self._engine = Engine(self._store, clock=self._clock, may_load=self._may_load)
        self._queries: dict[str, Query] = {}  # those that are subscribed to
        self._held = 0  # how many are there until they are let go
        self._drafted: list[_Drafted] = []
        self._untold: dict[str, Counter[_Row]] = {}  # by which answers are not as they were told

    def set_time(self, at: int) -> None:
        """What `NOW()` is from now on, in microseconds since 1970: the time of an entry."""
        self._clock.time = time_of(at)

    def begin(self, query: Query) -> Callable[[], Answer]:
        """Begin to answer a query, which sees what is there now; what this gives does the work."""
        return self._engine.begin(query.text, query.dataset)

    def is_followed(self, query: Query) -> bool:
        """Whether the answer to a query is kept, so that who subscribes to it costs little."""
        return self._engine.is_subscribed(query.text, query.dataset)

    def change_of(self, text: str) -> Change:
        """What an update would change; it is not run."""
        return self._engine.change_of(text)

    def whole_answer(self, query: Query) -> Sequence[Binding]:
        """The answer to a query, as those know it who have subscribed to it, if anybody has."""
        live = self._engine.subscribe(query.text, query.dataset, id=_LOOKING)
        self._engine.unsubscribe(_LOOKING)
        return live.initial

    def hold(self, query: Query) -> Sequence[Binding]:
        """The same, and whoever subscribes before it is let go begins with this very answer."""
        with at_most(self._most_rows):
            live = self._engine.subscribe(query.text, query.dataset, id=f"{_HELD}{self._held}")
        self._held += 1
        return live.initial

    def let_go(self) -> None:
        """Hold no answers any longer."""
        while self._held:
            self._held -= 1
            self._engine.unsubscribe(f"{_HELD}{self._held}")

    def subscribe(self, identifier: str, query: Query) -> None:
        """Say from now on how the answer to a query changes."""
        self._engine.subscribe(query.text, query.dataset, id=identifier)
        self._queries[identifier] = query

    def unsubscribe(self, identifier: str) -> None:
        """No longer say so."""
        del self._queries[identifier]
        self._untold.pop(identifier, None)
        self._engine.unsubscribe(identifier)

    def is_subscribed(self, identifier: str) -> bool:
        """Whether somebody is told how an answer changes."""
        return identifier in self._queries

    def is_as_told(self, identifier: str) -> bool:
        """Whether the answer to a subscribed query follows from what was told."""
        return identifier not in self._untold

    def draft(self, sequence: int, change: Change) -> list[ChangedAnswer]:
        """Make a change that an entry will say, if the journal takes it; who will be told what."""
        told = self.make(change)
        if self._untold:
            self._count(told)
            told = [_changed_answer(*one) for one in self._untold.items()]
            self._untold.clear()
        self._drafted.append(_Drafted(sequence, change, told))
        return told

    def make(self, change: Change) -> list[ChangedAnswer]:
        """Make a change for good, all of it or, if something fails, nothing; who is told what."""
        try:
            told = self._engine.apply(change)
        except BaseException:
            self._store.apply(change.undone())
            self._ask_anew()
            raise
        return [ChangedAnswer(one.subscription_id, one.added, one.removed) for one in told]

    def take_back_last(self) -> None:
        """Take the last draft back."""
        drafted = self._drafted.pop()
        undone = self.make(drafted.change.undone())
        self._count((*drafted.told, *undone))

    def take_back(self) -> None:
        """Take back all drafts that the journal does not have."""
        while self._drafted:
            self.take_back_last()

    def follow(self, sequence: int, updated: Updated) -> None:
        """The journal has a change, which was drafted or, after a restart, was not."""
        if self._drafted:
            drafted = self._drafted.pop(0)
            assert drafted.sequence == sequence
        else:
            self._engine.apply(recorded_change(updated))

    def facts(self) -> tuple[str, ...]:
        """All quads that were asserted, as lines of N-Quads without their points."""
        return fact_texts(self._asserted.matching(None, None, None, None))

    def named_graphs(self) -> tuple[str, ...]:
        """The IRIs of all graphs, those without quads too."""
        return tuple(sorted(one.value for one in self._store.named_graphs()))

    def restore(self, facts: Sequence[str], graphs: Sequence[str]) -> None:
        """Take up what `facts` and `named_graphs` have said."""
        self._engine.apply(change_from(facts, (), graphs))

    def _ask_anew(self) -> None:
        """After an engine broke off: who knows which answers it has taken up."""
        self._engine = Engine(self._store, clock=self._clock, may_load=self._may_load)
        self._held = 0
        for identifier, query in self._queries.items():
            self._engine.subscribe(query.text, query.dataset, id=identifier)

    def _count(self, changes: Iterable[ChangedAnswer]) -> None:
        """Add changes to what was not told; what adds up to nothing is gone."""
        for change in changes:
            rows = self._untold.setdefault(change.subscription, Counter())
            rows.update(tuple(one.items()) for one in change.added)
            rows.subtract(tuple(one.items()) for one in change.removed)
        self._untold = {name: rows for name, rows in self._untold.items() if any(rows.values())}


def _changed_answer(subscription: str, rows: Counter[_Row]) -> ChangedAnswer:
    added = [dict(row) for row in (+rows).elements()]
    removed = [dict(row) for row in (-rows).elements()]
    return ChangedAnswer(subscription, added, removed)


def recorded_change(updated: Updated) -> Change:
    """What a record says that an update has changed."""
    return change_from(updated.added, updated.removed, updated.created, updated.dropped)


def require_update(text: str, *, may_load: bool = False) -> None:
    """Raise `SparqlSyntaxError` if a text is no update, `NotAllowed` if it is none for here."""
    try:
        Engine(clock=_SetClock(), may_load=may_load).change_of(text)
    except (SparqlSyntaxError, NotAllowed):
        raise
    except PurportError:  # it is one, though it could not be run on a graph without quads
        pass


def require_query(text: str) -> None:
    """Raise `SparqlSyntaxError` if a text is no query, `NotAllowed` if it is none for here."""
    Engine(clock=_SetClock()).query(text)


def graph_names(change: Change) -> frozenset[str]:
    """The graphs that a change touches, by name: the default one is called `default`."""
    touched = {fact[3] for facts in (change.added, change.removed) for fact in facts}
    names = {one.value if isinstance(one, NamedNode) else DEFAULT for one in touched}
    return frozenset(names | {one.value for one in (*change.created, *change.dropped)})


DEFAULT = "default"  # what access rules call the default graph
