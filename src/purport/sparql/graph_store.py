"""Where the triples are: a port, the stores of pyoxigraph, and changes as updates in SPARQL."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pyoxigraph import (
    NamedNode,
    QueryBoolean,
    QuerySolutions,
    QueryTriples,
    Store,
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
    can_be_said,
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

    def __post_init__(self) -> None:
        for name in ("default_graphs", "named_graphs"):
            graphs = getattr(self, name)
            if graphs is not None:
                if isinstance(graphs, str):
                    raise InvalidInput(f"expected the IRIs of graphs, got a text: {graphs!r}")
                if not isinstance(graphs, Iterable):
                    raise InvalidInput(f"expected the IRIs of graphs, got {graphs!r}")
                object.__setattr__(self, name, tuple(graphs))


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
        if not can_be_said(subject, predicate, graph):
            return ()
        return map(fact_of, self._store.quads_for_pattern(subject, predicate, value, graph))

    def holds(self, facts: Collection[Fact]) -> set[Fact]:
        store = self._store
        return {fact for fact in facts if quad_of(fact) in store}

    def named_graphs(self) -> list[NamedNode]:
        return [graph for graph in self._store.named_graphs() if isinstance(graph, NamedNode)]

    def apply(self, change: Change) -> None:
        """One text, which pyoxigraph runs as a whole; blank nodes cannot stand in such a text."""
        try:
            text = text_of(change)
            if "_:" in text and _has_blank_nodes(change):
                self._apply_in_parts(change)
            else:
                self._store.update(text)
        except SyntaxError:  # a triple as an object cannot be written down
            self._apply_in_parts(change)
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


def text_of(change: Change, spelled: Callable[[Term], str] = str) -> str:
    """A change as an update, its objects spelled as the store wants them.

    >>> a, p, g = map(NamedNode, ("urn:a", "urn:p", "urn:g"))
    >>> text_of(Change(frozenset({(a, p, a, DEFAULT)}), dropped=frozenset({g})))
    'INSERT DATA {<urn:a> <urn:p> <urn:a> .};DROP SILENT GRAPH <urn:g>'
    """
    parts = [f"CREATE SILENT GRAPH {graph}" for graph in change.created]
    if change.removed:
        parts.append(f"DELETE DATA {{{_data(change.removed, spelled)}}}")
    if change.added:
        parts.append(f"INSERT DATA {{{_data(change.added, spelled)}}}")
    parts += [f"DROP SILENT GRAPH {graph}" for graph in change.dropped]
    return ";".join(parts)


def _data(facts: Collection[Fact], spelled: Callable[[Term], str]) -> str:
    parts = [
        f"{subject!s} {predicate!s} {spelled(value)} ."
        for subject, predicate, value, graph in facts
        if graph == DEFAULT
    ]
    if len(parts) < len(facts):
        named: dict[Graph, list[str]] = {}
        for subject, predicate, value, graph in facts:
            if graph != DEFAULT:
                triple = f"{subject!s} {predicate!s} {spelled(value)}"
                named.setdefault(graph, []).append(triple)
        parts += [f"GRAPH {graph} {{{' . '.join(triples)}}}" for graph, triples in named.items()]
    return "".join(parts)


def _has_blank_nodes(change: Change) -> bool:
    return any(map(has_blank_node, change.removed)) or any(map(has_blank_node, change.added))


def _nodes(iris: Sequence[str] | None) -> list[Any] | None:
    try:
        return None if iris is None else [NamedNode(iri) for iri in iris]
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"a dataset of graphs that are no IRIs: {error}") from None
