"""What updates change, found out through a store's port, operation by operation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pyoxigraph import BlankNode, NamedNode, QuerySolutions, Store

from purport.errors import InvalidInput
from purport.sparql.algebra import Spot, TriplePattern, Var, filled
from purport.sparql.change import Change
from purport.sparql.context_store import ContextStore
from purport.sparql.diagnosis import missing_names, update_error
from purport.sparql.document import facts_of
from purport.sparql.engine_time import asks_for_time, at_time
from purport.sparql.errors import NotAllowed, SparqlSyntaxError
from purport.sparql.graph_store import Dataset, GraphStore
from purport.sparql.inferring_store import AssertedFacts, InferringStore
from purport.sparql.modesty import require_modest
from purport.sparql.overlay import NeedsQuery, Overlay
from purport.sparql.services import may_load, refuse_services
from purport.sparql.shape import ShapeCache, Shaped
from purport.sparql.terms import DEFAULT, Fact, Graph, Term, as_kept
from purport.sparql.token_reader import NotRead
from purport.sparql.update import (
    Clear,
    Create,
    Graphs,
    Load,
    Modify,
    Operation,
    Transfer,
    Transport,
    read_update,
)
from purport.sparql.update_plan import UpdatePlan, update_plan

_NOTHING = Change()


@dataclass(frozen=True, slots=True)
class _Step:
    """An operation, and the quick way to do it, if there is one."""

    operation: Operation
    plan: UpdatePlan | None


@dataclass(frozen=True, slots=True)
class _Request:
    """What the text of an update says."""

    steps: tuple[_Step, ...]
    asks_for_time: bool


class Updater:
    """Runs updates on a store, all of a request or, if something fails, nothing of it.

    `context` has some of what the store has, where it is found quicker; `now` says what time it is,
    if an update asks. `LOAD` reads local files, where it is allowed. In a store that shows what
    follows from its facts, patterns see all of it; what is inserted and deleted is asserted.
    """

    def __init__(
        self,
        store: GraphStore,
        context: ContextStore,
        now: Callable[[], datetime],
        *,
        may_load: bool = False,
    ) -> None:
        self._store, self.context, self._now, self._may_load = store, context, now, may_load
        self._inferring = store if isinstance(store, InferringStore) else None
        self._requests: ShapeCache[_Request] = ShapeCache(_request)

    @property
    def read_texts(self) -> int:
        """How many texts had to be read: those alike but for constants are read once."""
        return self._requests.made

    def run(self, text: str) -> Change:
        """Run a request; gives what it changed for those who look."""
        steps, constants = self._steps(text)
        try:
            change = self._known_change(text, steps, constants)
        except NeedsQuery:
            _, seen = self._run_in_parts(steps, constants)
            return seen
        return self.make(change) if change else change

    def change_of(self, text: str) -> Change:
        """What a request would change; afterwards the store is as it was."""
        steps, constants = self._steps(text)
        try:
            return self._known_change(text, steps, constants)
        except NeedsQuery:
            change, _ = self._run_in_parts(steps, constants)
            if change:
                self._store.apply(change.undone())
            return change

    def make(self, change: Change) -> Change:
        """Make a change; gives what it changed for those who look."""
        if self._inferring is not None:
            return self._inferring.make(change)
        self._store.apply(change)
        return change

    def _known_change(self, text: str, steps: Sequence[_Step], constants: Sequence[str]) -> Change:
        """What a request changes, found without making it.

        `NeedsQuery` if an operation asks for what one before it has changed.
        """
        try:
            if len(steps) == 1:
                return self._changed(steps[0], constants, self._store, self.context)
            if self._inferring is not None:  # where only the store knows what follows from a change
                raise NeedsQuery
            overlay = Overlay(self._store)
            for step in steps:
                overlay.apply(self._changed(step, constants, overlay, ContextStore(overlay)))
            return overlay.change
        except SparqlSyntaxError as error:  # a constant is none: say where
            raise (error if error.line else missing_names(text) or error) from None

    def _run_in_parts(
        self, steps: Sequence[_Step], constants: Sequence[str]
    ) -> tuple[Change, Change]:
        """Make the change operation by operation, and undo it if one fails.

        Gives the change, and what it changed for those who look.
        """
        done = seen = _NOTHING
        try:
            for step in steps:
                beside = ContextStore(self._store)  # what is known elsewhere is not yet true
                change = self._changed(step, constants, self._store, beside)
                if change:
                    seen = seen.then(self.make(change))
                done = done.then(change)
        except BaseException:
            if done:
                self._store.apply(done.undone())
            raise
        return done, seen

    def _changed(
        self, step: _Step, constants: Sequence[str], store: GraphStore, context: ContextStore
    ) -> Change:
        """What an operation will change."""
        asserted = None if self._inferring is None else self._inferring.asserted
        if step.plan is not None:
            return step.plan.change(constants, store, context, asserted)
        changing = _Changing(store, asserted or store, constants, self._may_load)
        return changing.changed(step.operation)

    def check(self, text: str) -> None:
        """Raise `SparqlSyntaxError` if a text is no update."""
        self._steps(text)

    def _steps(self, text: str) -> tuple[tuple[_Step, ...], Sequence[str]]:
        request, constants = self._requests.get(text)
        if request.asks_for_time:
            request, constants = self._requests.get(at_time(text, self._now()))
        return request.steps, constants


def _request(shaped: Shaped) -> tuple[_Request, frozenset[int]]:
    """The operations of a request that pyoxigraph's parser takes for one too."""
    require_modest(shaped.text)
    refuse_services(shaped.text)
    try:
        read, free = read_update(shaped)
    except (NotRead, RecursionError) as error:
        if not may_load(shaped.text):  # which would be loaded
            _require_update(shaped.text)
        raise SparqlSyntaxError(
            f"an update of a form that is not supported, such as triples within triples: at {error}"
        ) from None
    except SparqlSyntaxError as error:
        raise (error if error.line else missing_names(shaped.text) or error) from None
    operations = read.operations
    if not may_load(shaped.text):
        for text in read.texts:
            _require_update(text)
    steps = tuple(
        _Step(one, update_plan(one, shaped.constants) if isinstance(one, Modify) else None)
        for one in operations
    )
    return _Request(steps, asks_for_time(shaped.text)), free


def _require_update(text: str) -> None:
    """Raise `SparqlSyntaxError` if a text is no update, with its place."""
    try:
        Store().update(text)
    except SyntaxError as error:
        raise update_error(error, text) from None
    except (OSError, ValueError, RuntimeError):  # it is one, though it cannot be run there
        pass


class _Changing:
    """What operations change, for the constants of one text."""

    def __init__(
        self,
        store: GraphStore,
        asserted: GraphStore | AssertedFacts,
        constants: Sequence[str],
        may_load: bool,
    ) -> None:
        self._store, self._asserted = store, asserted
        self._constants, self._may_load = constants, may_load

    def changed(self, operation: Operation) -> Change:
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
        return Dataset()

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
                return _NOTHING
            raise InvalidInput(f"there is a graph {graph} already")
        return Change(created=frozenset({graph}))

    def _transported(self, operation: Transport) -> Change:
        source, target = self._place(operation.source), self._place(operation.target)
        if not self._exists(source) and not operation.is_silent:
            raise InvalidInput(f"there is no graph {source}")
        if source == target:
            return _NOTHING
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
                return _NOTHING
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
