"""What each kind of operation changes, found out through a store's port."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from pyoxigraph import BlankNode, NamedNode, QuerySolutions

from purport.errors import InvalidInput
from purport.sparql.algebra import Spot, TriplePattern, Var, filled
from purport.sparql.change import NO_CHANGE, Change
from purport.sparql.document import facts_of
from purport.sparql.errors import NotAllowed, SparqlSyntaxError
from purport.sparql.graph_store import WHOLE, Dataset, GraphStore
from purport.sparql.inferring_store import AssertedFacts
from purport.sparql.terms import DEFAULT, Fact, Graph, Term, as_kept
from purport.sparql.update_reader import (
    Clear,
    Create,
    Graphs,
    Load,
    Modify,
    Operation,
    Transfer,
    Transport,
)


class OperationChanges:
    """What operations change, for the constants of one text.

    Patterns see all that the store has; what is inserted and deleted is `asserted`.
    """

    def __init__(
        self,
        store: GraphStore,
        asserted: GraphStore | AssertedFacts,
        constants: Sequence[str],
        may_load: bool,
    ) -> None:
        self._store, self._asserted = store, asserted
        self._constants, self._may_load = constants, may_load

    def of(self, operation: Operation) -> Change:
        """What an operation will change."""
        match operation:
            case Modify():
                return self._modified(operation)
            case Clear():
                return self._cleared(operation)
            case Create():
                return self._created(operation)
            case Transport():
                return self._transported(operation)
            case Load():
                return self._loaded(operation)

    def _modified(self, operation: Modify) -> Change:
        names = _variables(operation)
        deleted: set[Fact] = set()
        inserted: set[Fact] = set()
        graph: Graph = DEFAULT if operation.graph is None else self._node(operation.graph)
        deletes, inserts = (
            [self._template(pattern, names, graph) for pattern in patterns]
            for patterns in (operation.deletes, operation.inserts)
        )
        for row in self._solutions(operation, names):
            nodes: dict[str, BlankNode] = {}
            deleted.update(fact for one in deletes if (fact := one(row, nodes)) is not None)
            inserted.update(fact for one in inserts if (fact := one(row, nodes)) is not None)
        return self._really(inserted, deleted - inserted)

    def _template(
        self, pattern: TriplePattern, names: Sequence[str], graph: Graph
    ) -> Callable[[Sequence[Term | None], dict[str, BlankNode]], Fact | None]:
        """The fact that a triple of a template is for a solution; None if it is none."""
        spots: list[Any] = [
            self._term(spot) for spot in (pattern.subject, pattern.predicate, pattern.object)
        ]
        spots.append(graph if pattern.graph is None else self._term(pattern.graph))
        places = {name: place for place, name in enumerate(names)}

        def instance(row: Sequence[Term | None], nodes: dict[str, BlankNode]) -> Fact | None:
            found: list[Any] = []
            for spot in spots:
                if not isinstance(spot, Var):
                    found.append(spot)
                elif spot.is_hidden:
                    found.append(nodes.setdefault(spot.name, BlankNode()))
                else:
                    found.append(row[places[spot.name]])
            return _fact(found)

        return instance

    def _solutions(
        self, operation: Modify, names: Sequence[str]
    ) -> Iterable[Sequence[Term | None]]:
        if operation.pattern is not None and operation.where.pieces == ("{}",):
            return [()]
        head = " ".join(f"?{name}" for name in names) or "(1 AS ?purport_one)"
        text = f"{operation.prologue}SELECT {head} WHERE {operation.where.text(self._constants)}"
        found = self._store.query(text, self._dataset(operation))
        assert isinstance(found, QuerySolutions)
        return [tuple(one[name] for name in names) for one in found]

    def _dataset(self, operation: Modify) -> Dataset:
        using = tuple(self._node(graph).value for graph in operation.using)
        named = tuple(self._node(graph).value for graph in operation.using_named)
        if using or named:
            return Dataset(using, named)
        if operation.graph is not None:
            return Dataset((self._node(operation.graph).value,))
        return WHOLE

    def _cleared(self, operation: Clear) -> Change:
        graphs = self._targets(operation)
        removed = frozenset(fact for graph in graphs for fact in self._facts_in(graph))
        return Change(removed=removed, dropped=self._droppable(graphs if operation.is_drop else ()))

    def _droppable(self, graphs: Iterable[Graph]) -> frozenset[NamedNode]:
        """Those that can vanish: named ones that are there."""
        named = {graph for graph in graphs if isinstance(graph, NamedNode)}
        return frozenset(named.intersection(self._store.named_graphs())) if named else frozenset()

    def _exists(self, graph: Graph) -> bool:
        return graph == DEFAULT or graph in self._store.named_graphs()

    def _targets(self, operation: Clear) -> Sequence[Graph]:
        match operation.target:
            case Graphs.DEFAULT:
                return [DEFAULT]
            case Graphs.NAMED:
                return list(self._store.named_graphs())
            case Graphs.ALL:
                return [DEFAULT, *self._store.named_graphs()]
            case spot:
                graph = self._node(spot)
                if not self._exists(graph) and not operation.is_silent:
                    raise InvalidInput(f"there is no graph {graph}")
                return [graph]

    def _created(self, operation: Create) -> Change:
        graph = self._node(operation.graph)
        if self._exists(graph):
            if operation.is_silent:
                return NO_CHANGE
            raise InvalidInput(f"there is a graph {graph} already")
        return Change(created=frozenset({graph}))

    def _transported(self, operation: Transport) -> Change:
        source, target = self._place(operation.source), self._place(operation.target)
        if not self._exists(source) and not operation.is_silent:
            raise InvalidInput(f"there is no graph {source}")
        if source == target:
            return NO_CHANGE
        here = self._facts_in(source)
        moved = {(subject, predicate, value, target) for subject, predicate, value, _ in here}
        if operation.way is Transfer.ADD:
            return self._really(moved, set())
        gone = self._facts_in(target) | (here if operation.way is Transfer.MOVE else set())
        dropped = [] if moved else [target]  # which is dropped and, without facts, not made again
        if operation.way is Transfer.MOVE:
            dropped.append(source)
        return replace(self._really(moved, gone - moved), dropped=self._droppable(dropped))

    def _loaded(self, operation: Load) -> Change:
        if not self._may_load:
            raise NotAllowed("LOAD is not allowed here")
        document = self._node(operation.document)
        try:
            facts = facts_of(document, self._place(operation.graph))
        except (OSError, SyntaxError, ValueError) as error:
            if operation.is_silent:
                return NO_CHANGE
            raise InvalidInput(f"{document} cannot be loaded: {error}") from None
        return self._really(facts, set())

    def _really(self, inserted: Collection[Fact], deleted: Collection[Fact]) -> Change:
        """What is new of what is inserted, and was there of what is deleted."""
        added = frozenset(inserted).difference(self._asserted.holds(inserted))
        removed = frozenset(self._asserted.holds(deleted))
        graphs = {fact[3] for fact in added if isinstance(fact[3], NamedNode)}
        if graphs:
            graphs.difference_update(self._store.named_graphs())
        return Change(added, removed, frozenset(graphs))

    def _facts_in(self, graph: Graph) -> set[Fact]:
        return set(self._asserted.matching(None, None, None, graph))

    def _place(self, spot: Spot | None) -> Graph:
        return DEFAULT if spot is None else self._node(spot)

    def _node(self, spot: Spot) -> NamedNode:
        node = self._term(spot)
        if not isinstance(node, NamedNode):
            raise SparqlSyntaxError(f"expected an IRI, found {node}")
        return node

    def _term(self, spot: Spot) -> Var | Term:
        term = filled(spot, self._constants)
        return term if isinstance(term, Var) else as_kept(term)


def _variables(operation: Modify) -> tuple[str, ...]:
    """The variables of templates."""
    spots = (spot for one in (*operation.deletes, *operation.inserts) for spot in one.spots)
    names = (spot.name for spot in spots if isinstance(spot, Var) and not spot.is_hidden)
    return tuple(dict.fromkeys(names))


def _fact(found: list[Any]) -> Fact | None:
    subject, predicate, value, graph = found
    if (
        isinstance(subject, NamedNode | BlankNode)
        and isinstance(predicate, NamedNode)
        and value is not None
        and (graph == DEFAULT or isinstance(graph, NamedNode | BlankNode))
    ):
        return subject, predicate, as_kept(value), graph
    return None
