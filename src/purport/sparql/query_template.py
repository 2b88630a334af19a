"""What queries that differ in constants only have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from purport.sparql.algebra import Describe, InGraph, Select, Spot, TriplePattern, Var, filled
from purport.sparql.graph_store import WHOLE, Dataset
from purport.sparql.incremental import (
    Incremental,
    NotIncremental,
    incremental,
    require_incremental,
)
from purport.sparql.lookup_index import NAMED, FactPattern
from purport.sparql.operators import Operator
from purport.sparql.query_reader import ReadQuery, read_query
from purport.sparql.scope import expressions_within, patterns_within, triple_patterns
from purport.sparql.shape import Shaped
from purport.sparql.simplify import simplified
from purport.sparql.terms import DEFAULT, Graph, Term
from purport.sparql.token_reader import NotRead

_TOO_DEEP = "a query that is nested too deeply"


@dataclass(slots=True)
class QueryTemplate:
    """What the text of a query says but for its constants; `reason`: why it is asked again."""

    read: ReadQuery | None
    reason: str
    has_open_expressions: bool = False
    variables: tuple[str, ...] | None = None  # as they are told, once they are known
    operators: dict[Graph, Operator] = field(default_factory=dict)  # that all such queries share

    @classmethod
    def of(cls, shaped: Shaped) -> tuple[QueryTemplate, frozenset[int]]:
        """The template of a text that the store takes, and the constants that are left open."""
        try:
            return cls._of(shaped)
        except NotRead as error:
            return cls(None, f"{error} in the query"), frozenset()
        except RecursionError:
            return cls(None, _TOO_DEEP), frozenset()

    @classmethod
    def _of(cls, shaped: Shaped) -> tuple[QueryTemplate, frozenset[int]]:
        read, free = read_query(shaped)
        query = read.query
        if isinstance(query, Describe):
            return cls(read, "DESCRIBE"), free
        query = replace(query, pattern=simplified(query.pattern))
        read = replace(read, query=query)
        try:
            require_incremental(query)
        except NotIncremental as error:
            return cls(read, str(error)), free
        is_open = any(one.is_open for one in expressions_within(query.pattern))
        return cls(read, "", is_open), free

    def incremental(self, constants: Sequence[str], dataset: Dataset) -> Incremental:
        """How a query is kept up to date; `NotIncremental` if it has to be asked again."""
        if self.reason:
            raise NotIncremental(self.reason)
        assert self.read is not None
        graph, query = self._default_graph(dataset), self.read.query
        if isinstance(query, Select) and self.variables is not None:
            query = replace(query, names=self.variables)
        try:
            found = incremental(query, self.read.prologue, constants, graph)
        except RecursionError:
            raise NotIncremental(_TOO_DEEP) from None
        if not found.operator.is_stateless or self.has_open_expressions:
            return found
        return Incremental(self.operators.setdefault(graph, found.operator), found.leaves)

    def _default_graph(self, dataset: Dataset) -> Graph:
        assert self.read is not None
        default, named = self.read.default_graphs, self.read.named_graphs
        if dataset == WHOLE and not default and not named:
            return DEFAULT
        if dataset == WHOLE and len(default) == 1 and not named and not self._looks_in_graphs:
            return default[0]
        raise NotIncremental("a dataset of several graphs")

    @property
    def _looks_in_graphs(self) -> bool:
        return any(one is None or one.graph is not None for one in self._triples())

    @property
    def sees_graphs(self) -> bool:
        """Whether it may matter that a graph without triples is there."""
        if self.read is None or isinstance(self.read.query, Describe):
            return True
        within = patterns_within(self.read.query.pattern)
        return any(isinstance(one, InGraph) for one in within)

    def patterns(self, constants: Sequence[str], dataset: Dataset) -> frozenset[FactPattern] | None:
        """What must change if the answer is to change; None: anything."""
        if self.read is None or isinstance(self.read.query, Describe):
            return None
        is_whole = dataset == WHOLE and not self.read.default_graphs
        found: set[FactPattern] = set()
        for one in self._triples():
            if one is None:
                return None
            pattern = _lookup(one, constants)
            found.add(pattern)
            if not is_whole and one.graph is None:
                found.add(replace(pattern, graph=NAMED))
        return frozenset(found)

    def _triples(self) -> Iterator[TriplePattern | None]:
        assert self.read is not None
        assert not isinstance(self.read.query, Describe)
        return triple_patterns(self.read.query.pattern)


def _lookup(pattern: TriplePattern, constants: Sequence[str]) -> FactPattern:
    def term(spot: Spot) -> Term | None:
        found = filled(spot, constants)
        return None if isinstance(found, Var) else found

    graph: object = DEFAULT
    if pattern.graph is not None:
        graph = term(pattern.graph) or NAMED
    subject, predicate, value = (
        term(spot) for spot in (pattern.subject, pattern.predicate, pattern.object)
    )
    return FactPattern(subject, predicate, value, graph)  # type: ignore[arg-type]
