"""Where the triples are: a port, and the store in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    Quad,
    QueryBoolean,
    QuerySolutions,
    QueryTriples,
    Store,
    Triple,
)

from purport.errors import InvalidInput
from purport.sparql.change import Change
from purport.sparql.diagnosis import query_error
from purport.sparql.errors import StoreFailed
from purport.sparql.terms import (
    DEFAULT,
    Fact,
    Graph,
    Subject,
    Term,
    fact_of,
    has_blank_node,
    quad_of,
)

Answer = QuerySolutions | QueryBoolean | QueryTriples


@dataclass(frozen=True, slots=True)
class Dataset:
    """Which graphs a query sees; None: those that the store has."""

    default_graphs: tuple[str, ...] | None = None
    named_graphs: tuple[str, ...] | None = None


WHOLE = Dataset()


class GraphStore(Protocol):
    """Keeps facts and answers queries."""

    def query(self, text: str, dataset: Dataset = WHOLE) -> Answer:
        """The answer to a query; `SparqlSyntaxError` if it is none."""

    def matching(
        self,
        subject: Subject | None,
        predicate: NamedNode | None,
        value: Term | None,
        graph: Graph | None,
    ) -> Iterable[Fact]:
        """The facts with these terms; None is any, the default graph among the graphs.

        Where a term cannot stand, such as a literal as a subject, there are none.
        """

    def holds(self, facts: Collection[Fact]) -> set[Fact]:
        """Those of some facts that are there."""

    def named_graphs(self) -> Collection[NamedNode]:
        """The named graphs that are there, empty ones among them if the store keeps those."""

    def apply(self, change: Change) -> None:
        """Make a change, all of it or, if something fails, none of it; a second time is harmless.

        `StoreFailed` if it cannot be made.
        """


class OxigraphStore:
    """A store of pyoxigraph's, wherever that keeps its triples."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def query(self, text: str, dataset: Dataset = WHOLE) -> Answer:
        try:
            return self._store.query(
                text,
                default_graph=_nodes(dataset.default_graphs),
                named_graphs=_nodes(dataset.named_graphs),
            )
        except SyntaxError as error:
            raise query_error(error, text) from None
        except (OSError, ValueError, RuntimeError) as error:
            raise StoreFailed(f"the query could not be answered: {error}") from None

    def matching(
        self,
        subject: Subject | None,
        predicate: NamedNode | None,
        value: Term | None,
        graph: Graph | None,
    ) -> Iterable[Fact]:
        if isinstance(subject, Literal | Triple) or isinstance(predicate, Literal | BlankNode):
            return ()  # a join may ask for what no fact can be
        return map(fact_of, self._store.quads_for_pattern(subject, predicate, value, graph))

    def holds(self, facts: Collection[Fact]) -> set[Fact]:
        store = self._store
        return {fact for fact in facts if quad_of(fact) in store}

    def named_graphs(self) -> list[NamedNode]:
        return [graph for graph in self._store.named_graphs() if isinstance(graph, NamedNode)]

    def apply(self, change: Change) -> None:
        """One text, which pyoxigraph runs as a whole; blank nodes cannot stand in such a text."""
        try:
            if _has_blank_nodes(change):
                self._apply_in_parts(change)
            else:
                self._store.update(text_of(change))
        except (OSError, ValueError, RuntimeError) as error:
            raise StoreFailed(f"the change could not be made: {error}") from None

    def _apply_in_parts(self, change: Change) -> None:
        store = self._store
        for fact in change.removed:
            store.remove(quad_of(fact))
        for graph in change.created:
            store.add_graph(graph)
        store.extend(map(quad_of, change.added))
        for graph in change.dropped:
            store.remove_graph(graph)


class MemoryStore(OxigraphStore):
    """A store in memory, which keeps as quick as it was.

    pyoxigraph keeps old versions of what is removed and passes them whenever it looks things up: so
    the facts are copied into a new store when there are more of those than of facts, or many with
    the same subject and predicate. A store that is given from outside is left as it is.
    """

    def __init__(self, store: Store | None = None) -> None:
        super().__init__(Store() if store is None else store)
        self._may_renew = store is None
        self._size = 0
        self._old = 0  # versions, since the store was new
        self._old_under: dict[tuple[Subject, NamedNode], int] = {}
        self._most_under = 0
        self.renewals = 0

    @classmethod
    def filled(cls, quads: Iterable[Quad]) -> Self:
        """A store with some quads in it: quicker than updates, if there are many."""
        made = cls()
        made._store.bulk_extend(quads)
        made._size = len(made._store)
        return made

    def apply(self, change: Change) -> None:
        super().apply(change)
        if self._may_renew:
            self._size += len(change.added) - len(change.removed)
            if change.removed:
                self._count(change.removed)

    def _count(self, removed: Collection[Fact]) -> None:
        under, most = self._old_under, self._most_under
        for subject, predicate, _, _ in removed:
            key = subject, predicate
            times = under[key] = under.get(key, 0) + 1
            if times > most:
                most = times
        self._most_under = most
        self._old += len(removed)
        size = self._size
        if most >= max(_FEW, size // 32) or self._old >= max(_MANY, size):
            self._renew()

    def _renew(self) -> None:
        fresh = Store()
        fresh.bulk_extend(self._store)
        for graph in self._store.named_graphs():
            fresh.add_graph(graph)
        self._store = fresh
        self._size = len(fresh)
        self._old = self._most_under = 0
        self._old_under.clear()
        self.renewals += 1


_FEW, _MANY = 500, 20_000  # old versions that cost less than a copy, whatever the size of a store


def text_of(change: Change) -> str:
    """A change as an update."""
    parts = [
        _data("DELETE", change.removed),
        "".join(f"CREATE SILENT GRAPH {graph};" for graph in change.created),
        _data("INSERT", change.added),
        "".join(f"DROP SILENT GRAPH {graph};" for graph in change.dropped),
    ]
    return "".join(parts)


def _data(verb: str, facts: Collection[Fact]) -> str:
    if not facts:
        return ""
    triples = [
        f"{subject} {predicate} {value}."
        if graph == DEFAULT
        else f"GRAPH {graph} {{{subject} {predicate} {value}}}"
        for subject, predicate, value, graph in facts
    ]
    return f"{verb} DATA {{{''.join(triples)}}};"


def _has_blank_nodes(change: Change) -> bool:
    return any(map(has_blank_node, change.removed)) or any(map(has_blank_node, change.added))


def _nodes(iris: Sequence[str] | None) -> list[Any] | None:
    try:
        return None if iris is None else [NamedNode(iri) for iri in iris]
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"a dataset of graphs that are no IRIs: {error}") from None
