"""Where the triples are: a port, and the store in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from pyoxigraph import (
    DefaultGraph,
    NamedNode,
    Quad,
    QueryBoolean,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Store,
    Triple,
    Variable,
    parse,
)

from purport.errors import InvalidInput
from purport.sparql.change import Change
from purport.sparql.errors import NotAllowed, SparqlSyntaxError, StoreFailed
from purport.sparql.update import (
    Clear,
    Create,
    Graphs,
    Load,
    Modify,
    Operation,
    TemplatePart,
    Transfer,
    Transport,
    operations,
)

Answer = QuerySolutions | QueryBoolean | QueryTriples
Graph = NamedNode | DefaultGraph


@dataclass(frozen=True, slots=True)
class Dataset:
    """Which graphs a query sees; None: those that the store has."""

    default_graphs: tuple[str, ...] | None = None
    named_graphs: tuple[str, ...] | None = None


WHOLE = Dataset()


class GraphStore(Protocol):
    """Keeps quads, answers queries, and says what an update really changed."""

    def query(self, text: str, dataset: Dataset = WHOLE) -> Answer:
        """The answer to a query; `SparqlSyntaxError` if it is none."""

    def update(self, text: str) -> Change:
        """Run an update, all of it or, if something fails, none of it."""


class MemoryStore:
    """A store of pyoxigraph's, in memory unless it is given another.

    Updates are run here, operation by operation, so that it is known what they change. `LOAD` reads
    local files, where it is allowed.
    """

    def __init__(self, store: Store | None = None, *, may_load: bool = False) -> None:
        self._store = Store() if store is None else store
        self._scratch = Store()  # always empty, for looking at updates before they are run
        self._may_load = may_load

    def query(self, text: str, dataset: Dataset = WHOLE) -> Answer:
        try:
            return self._store.query(
                text,
                default_graph=_nodes(dataset.default_graphs),
                named_graphs=_nodes(dataset.named_graphs),
            )
        except SyntaxError as error:
            raise SparqlSyntaxError.of(error) from None
        except (OSError, ValueError, RuntimeError) as error:
            raise StoreFailed(f"the query could not be answered: {error}") from None

    def update(self, text: str) -> Change:
        done = Change()
        try:
            for operation in self._operations(text):
                change = self._changed(operation)
                self.apply(change)
                done = done.then(change)
        except BaseException:
            self.apply(done.undone())
            raise
        return done

    def _operations(self, text: str) -> list[Operation]:
        """The operations of a request that pyoxigraph's parser takes for one too."""
        found = operations(text)
        if not any(isinstance(one, Load) for one in found):  # that would be loaded
            self._require_update(text)
        return found

    def _require_update(self, text: str) -> None:
        """Raise `SparqlSyntaxError` if a text is no update, with its place."""
        try:
            self._scratch.update(text)
        except SyntaxError as error:
            raise SparqlSyntaxError.of(error) from None
        except (OSError, ValueError, RuntimeError):  # it is one, though it cannot be run there
            pass
        finally:
            self._scratch.clear()

    def _changed(self, operation: Operation) -> Change:
        """What an operation will change."""
        match operation:
            case Modify():
                if operation.shares_blank_nodes:
                    return self._compared(operation)
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
        deleted = set(self._instances(operation, operation.deletes))
        inserted = set(self._instances(operation, operation.inserts))
        return self._really(inserted, deleted - inserted)

    def _instances(self, operation: Modify, parts: Sequence[TemplatePart]) -> Iterable[Quad]:
        """The quads that templates stand for, over all solutions."""
        return chain.from_iterable(self._part_instances(operation, part) for part in parts)

    def _part_instances(self, operation: Modify, part: TemplatePart) -> Iterable[Quad]:
        if part.graph is None:
            graph: Graph = DefaultGraph()
            if operation.graph is not None:
                graph = self._named(operation.prologue, operation.graph)
            return _in_graph(self._constructed(operation, part.triples), graph)
        if part.graph[0] not in "?$":
            graph = self._named(operation.prologue, part.graph)
            return _in_graph(self._constructed(operation, part.triples), graph)
        return self._in_variable_graph(operation, part)

    def _in_variable_graph(self, operation: Modify, part: TemplatePart) -> Iterable[Quad]:
        assert part.graph is not None
        variable = Variable(part.graph[1:])
        head = f"{operation.prologue}SELECT DISTINCT {part.graph} WHERE {operation.where}"
        found = self._solutions(head, operation)
        graphs = {one[variable.value] for one in found if one[variable.value] is not None}
        for graph in graphs:
            if isinstance(graph, NamedNode):
                triples = self._constructed(operation, part.triples, {variable: graph})
                yield from _in_graph(triples, graph)

    def _constructed(
        self,
        operation: Modify,
        triples: str,
        substitutions: dict[Variable, Any] | None = None,
    ) -> Iterable[Triple]:
        text = f"{operation.prologue}CONSTRUCT {{ {triples} }} WHERE {operation.where}"
        found = self._run(text, operation, substitutions)
        assert isinstance(found, QueryTriples)
        return found

    def _solutions(self, text: str, operation: Modify) -> QuerySolutions:
        found = self._run(text, operation)
        assert isinstance(found, QuerySolutions)
        return found

    def _run(
        self,
        text: str,
        operation: Modify,
        substitutions: dict[Variable, Any] | None = None,
    ) -> Answer:
        prologue = operation.prologue
        default = operation.using or ((operation.graph,) if operation.graph else None)
        named = operation.using_named if operation.using or operation.using_named else None
        if operation.using_named and not operation.using:
            default = ()
        try:
            return self._store.query(
                text,
                default_graph=None if default is None else self._all_named(prologue, default),
                named_graphs=None if named is None else self._all_named(prologue, named),
                substitutions=substitutions,
            )
        except SyntaxError as error:
            raise SparqlSyntaxError.of(error) from None

    def _compared(self, operation: Modify) -> Change:
        """What changes, found by doing it and comparing: for nodes that several graphs share."""
        before, graphs = set(self._store), set(self._named_graphs())
        self._store.update(_text_of(operation))
        after = set(self._store)
        change = Change(
            frozenset(after - before),
            frozenset(before - after),
            frozenset(set(self._named_graphs()) - graphs),
        )
        self.apply(change.undone())
        return change

    def _cleared(self, operation: Clear) -> Change:
        graphs = self._targets(operation)
        removed = frozenset(chain.from_iterable(map(self._quads_in, graphs)))
        dropped = self._droppable(graphs if operation.is_drop else ())
        return Change(removed=removed, dropped=dropped)

    def _droppable(self, graphs: Iterable[Graph]) -> frozenset[NamedNode]:
        """Those that can vanish: named ones that are there."""
        named = (graph for graph in graphs if isinstance(graph, NamedNode))
        return frozenset(filter(self._exists, named))

    def _exists(self, graph: Graph) -> bool:
        return isinstance(graph, DefaultGraph) or self._store.contains_named_graph(graph)

    def _targets(self, operation: Clear) -> Sequence[Graph]:
        match operation.target:
            case Graphs.DEFAULT:
                return [DefaultGraph()]
            case Graphs.NAMED:
                return self._named_graphs()
            case Graphs.ALL:
                return [DefaultGraph(), *self._named_graphs()]
            case text:
                graph = self._named(operation.prologue, text)
                if not self._exists(graph) and not operation.is_silent:
                    raise InvalidInput(f"there is no graph {graph}")
                return [graph]

    def _created(self, operation: Create) -> Change:
        graph = self._named(operation.prologue, operation.graph)
        if self._exists(graph):
            if operation.is_silent:
                return Change()
            raise InvalidInput(f"there is a graph {graph} already")
        return Change(created=frozenset({graph}))

    def _transported(self, operation: Transport) -> Change:
        source = self._place(operation.prologue, operation.source)
        target = self._place(operation.prologue, operation.target)
        if not self._exists(source) and not operation.is_silent:
            raise InvalidInput(f"there is no graph {source}")
        if source == target:
            return Change()
        here = self._quads_in(source)
        moved = {Quad(one.subject, one.predicate, one.object, target) for one in here}
        if operation.way is Transfer.ADD:
            return self._really(moved, set())
        gone = self._quads_in(target) | (here if operation.way is Transfer.MOVE else set())
        dropped = [] if moved else [target]  # which is dropped and, without quads, not made again
        if operation.way is Transfer.MOVE:
            dropped.append(source)
        return replace(self._really(moved, gone - moved), dropped=self._droppable(dropped))

    def _loaded(self, operation: Load) -> Change:
        if not self._may_load:
            raise NotAllowed("LOAD is not allowed here")
        document = self._named(operation.prologue, operation.document)
        graph = self._place(operation.prologue, operation.graph)
        try:
            triples = _triples_of(document)
        except (OSError, SyntaxError, ValueError) as error:
            if operation.is_silent:
                return Change()
            raise InvalidInput(f"{document} cannot be loaded: {error}") from None
        return self._really(set(_in_graph(triples, graph)), set())

    def _really(self, inserted: set[Quad], deleted: set[Quad]) -> Change:
        """What is new of what is inserted, and was there of what is deleted."""
        store = self._store
        added = frozenset(quad for quad in inserted if quad not in store)
        graphs = {quad.graph_name for quad in added}
        return Change(
            added,
            frozenset(quad for quad in deleted if quad in store),
            frozenset(
                graph
                for graph in graphs
                if isinstance(graph, NamedNode) and not self._exists(graph)
            ),
        )

    def apply(self, change: Change) -> None:
        store = self._store
        for quad in change.removed:
            store.remove(quad)
        for graph in change.created:
            store.add_graph(graph)
        for quad in change.added:
            store.add(quad)
        for graph in change.dropped:
            store.remove_graph(graph)

    def matching(self, subject: Any, predicate: Any, object: Any, graph: Any) -> Iterable[Any]:
        """Facts."""
        return (
            tuple(one) for one in self._store.quads_for_pattern(subject, predicate, object, graph)
        )

    def named_graphs(self) -> list[NamedNode]:
        """Those that there are."""
        return self._named_graphs()

    def _quads_in(self, graph: Graph) -> set[Quad]:
        return set(self._store.quads_for_pattern(None, None, None, graph))

    def _named_graphs(self) -> list[NamedNode]:
        return [graph for graph in self._store.named_graphs() if isinstance(graph, NamedNode)]

    def _place(self, prologue: str, graph: str | None) -> Graph:
        return DefaultGraph() if graph is None else self._named(prologue, graph)

    def _all_named(self, prologue: str, graphs: Sequence[str]) -> list[Any]:
        return [self._named(prologue, graph) for graph in graphs]

    def _named(self, prologue: str, text: str) -> NamedNode:
        return resolved(prologue, text)


@lru_cache(maxsize=4096)
def resolved(prologue: str, text: str) -> NamedNode:
    """The node that an IRI, or a name with a prefix, means under a prologue."""
    try:
        found = Store().query(f"{prologue}SELECT ({text} AS ?node) WHERE {{}}")
    except SyntaxError as error:
        raise SparqlSyntaxError.of(error) from None
    assert isinstance(found, QuerySolutions)
    [solution] = found
    node = solution["node"]
    if not isinstance(node, NamedNode):
        raise SparqlSyntaxError(f"expected an IRI, found {text}")
    return node


def _nodes(iris: Sequence[str] | None) -> list[Any] | None:
    return None if iris is None else [NamedNode(iri) for iri in iris]


def _in_graph(triples: Iterable[Triple], graph: Graph) -> Iterable[Quad]:
    return (Quad(one.subject, one.predicate, one.object, graph) for one in triples)


def _text_of(operation: Modify) -> str:
    """An operation as an update."""
    named = "".join(f"USING NAMED {graph} " for graph in operation.using_named)
    using = "".join(f"USING {graph} " for graph in operation.using) + named
    with_graph = f"WITH {operation.graph} " if operation.graph else ""
    return (
        f"{operation.prologue}{with_graph}DELETE {{ {_quads_of(operation.deletes)} }} "
        f"INSERT {{ {_quads_of(operation.inserts)} }} {using}WHERE {operation.where}"
    )


def _quads_of(parts: Sequence[TemplatePart]) -> str:
    return " ".join(
        f"{part.triples.rstrip('. ')} ."
        if part.graph is None
        else f"GRAPH {part.graph} {{ {part.triples} }}"
        for part in parts
    )


def _triples_of(document: NamedNode) -> list[Triple]:
    """The triples of a local file, in the syntax that its name says."""
    parts = urlsplit(document.value)
    if parts.scheme != "file":
        raise ValueError("only local files (file:...) are loaded")
    path = Path(unquote(parts.path))
    syntax = RdfFormat.from_extension(path.suffix.removeprefix("."))
    if syntax is None:
        raise ValueError(f"the name {path.name!r} says no syntax of RDF")
    with path.open("rb") as file:
        return [quad.triple for quad in parse(file, format=syntax, base_iri=document.value)]
