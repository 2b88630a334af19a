"""From a query's tree to operators that keep its answer up to date."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from pyoxigraph import NamedNode

from purport.sparql.algebra import (
    Aggregate,
    Ask,
    Basic,
    Construct,
    Describe,
    Distinct,
    Existence,
    Expression,
    Extend,
    Filter,
    InGraph,
    Join,
    LeftJoin,
    Minus,
    PathPattern,
    Pattern,
    Project,
    Query,
    Select,
    Slice,
    Spot,
    TriplePattern,
    Union,
    Values,
    Var,
    filled,
    replaced,
)
from purport.sparql.basic_plan import ShapedBasic, shaped
from purport.sparql.conditions import conjuncts, said_node
from purport.sparql.expressions import RowExpression
from purport.sparql.grouping import Counted, Grouped, Grouping, counts_in
from purport.sparql.heads import Asked, Constructed
from purport.sparql.operators import (
    Either,
    Extended,
    Filtered,
    Given,
    Leaf,
    Once,
    Operator,
    Projected,
    WithTerm,
)
from purport.sparql.pairing import Joined, Judged, Optionally, Without
from purport.sparql.scope import (
    expressions_within,
    looks_outside,
    names_in,
    needs_a_fact,
    patterns_within,
)
from purport.sparql.terms import DEFAULT, Graph, Term, node_of

_COUNTS_ALL = re.compile(r"DISTINCT\s*\*", re.IGNORECASE)

MakeExpression = Callable[[Sequence[str]], RowExpression]


class NotIncremental(Exception):
    """A query whose answer is asked for anew whenever a change may touch it, and why."""


@dataclass(frozen=True, slots=True)
class Incremental:
    """Operators, and what their leaves are."""

    operator: Operator
    leaves: tuple[ShapedBasic, ...]


def require_incremental(query: Query) -> None:
    """Raise `NotIncremental` for what is the same for all queries alike."""
    if isinstance(query, Describe):
        raise NotIncremental("DESCRIBE")
    for pattern in patterns_within(query.pattern):
        if isinstance(pattern, PathPattern):
            raise NotIncremental("a path of any length, or with !")
        if isinstance(pattern, Slice):
            raise NotIncremental("LIMIT or OFFSET")
    if not all(one.is_deterministic for one in expressions_within(query.pattern)):
        raise NotIncremental("a function that does not always give the same")
    if looks_outside(query.pattern):
        raise NotIncremental("an expression that speaks of a variable from outside its group")


def incremental(
    query: Query, prologue: str, constants: Sequence[str], default_graph: Graph
) -> Incremental:
    """How a query is kept up to date; `NotIncremental` if it cannot be."""
    builder = _Builder(prologue, constants, default_graph)
    operator = builder.head(query)
    return Incremental(operator, tuple(builder.leaves))


def constructed(
    inner: Operator, query: Construct, prologue: str, constants: Sequence[str]
) -> Operator:
    """The triples of a CONSTRUCT, out of solutions that come from somewhere else."""
    return _Builder(prologue, constants, DEFAULT).constructed(inner, query.template)


class _Builder:
    def __init__(self, prologue: str, constants: Sequence[str], default_graph: Graph) -> None:
        self._prologue, self._constants = prologue, constants
        self._default_graph = default_graph
        self.leaves: list[ShapedBasic] = []

    def head(self, query: Query) -> Operator:
        match query:
            case Select(pattern, names):
                return self._projected(self.operator(pattern), names)
            case Ask(pattern):
                return Asked(self.operator(pattern))
            case Construct(pattern, template):
                return self.constructed(self.operator(pattern), template)
            case Describe():
                raise NotIncremental("DESCRIBE")

    def constructed(self, inner: Operator, template: Sequence[TriplePattern]) -> Operator:
        """The triples that a template makes of solutions."""
        return Constructed(inner, [self._bound(triple) for triple in template])

    def operator(self, pattern: Pattern) -> Operator:
        """What keeps a pattern's solutions up to date."""
        match pattern:
            case Basic(patterns):
                return self._basic(patterns)
            case Join(left, right):
                return Joined(self.operator(left), self.operator(right))
            case LeftJoin(left, right, conditions):
                makers = [self._maker(one) for one in conditions]
                return Optionally(self.operator(left), self.operator(right), makers)
            case Union(left, right):
                return Either(self.operator(left), self.operator(right))
            case Minus(left, right):
                return Without(self.operator(left), self.operator(right))
            case Filter(inner, expression):
                return self._filtered(inner, expression)
            case Extend(inner, name, expression):
                return self._extended(inner, name, expression)
            case Values(names, rows):
                return Given(names, [tuple(map(self._value, row)) for row in rows])
            case InGraph(graph, inner):
                return self._in_graph(graph, inner)
            case Project(inner, names):
                return self._projected(self.operator(inner), names)
            case Distinct(inner):
                return Once(self.operator(inner))
            case Aggregate():
                return self._grouped(pattern)
            case PathPattern() | Slice():
                raise NotIncremental("a path or LIMIT")

    def _basic(self, patterns: Sequence[TriplePattern]) -> Operator:
        if not patterns:
            return Given((), [()])
        basic = shaped([self._bound(pattern) for pattern in patterns])
        self.leaves.append(basic)
        return Leaf(len(self.leaves) - 1, basic.names)

    def _bound(self, pattern: TriplePattern) -> TriplePattern:
        graph = self._default_graph if pattern.graph is None else self._term(pattern.graph)
        return TriplePattern(
            self._term(pattern.subject),
            self._term(pattern.predicate),
            self._term(pattern.object),
            graph,  # type: ignore[arg-type]  # the default graph is no term
        )

    def _term(self, spot: Spot) -> Var | Term:
        return filled(spot, self._constants)

    def _value(self, spot: Spot | None) -> Term | None:
        if spot is None:
            return None
        term = self._term(spot)
        assert not isinstance(term, Var)
        return term

    def _projected(self, inner: Operator, names: tuple[str, ...]) -> Operator:
        return inner if inner.columns == names else Projected(inner, names)

    def _filtered(self, inner: Pattern, expression: Expression) -> Operator:
        if not expression.existences:
            pattern, texts, nodes = self._pushed(inner, expression)
            operator = self.operator(pattern)
            for name, node in nodes.items():
                operator = WithTerm(operator, name, node)
            for text in texts:
                operator = Filtered(operator, self._row_expression(text, expression, operator))
            return operator
        operator = self.operator(inner)
        judged = self._judged(operator, expression, names_in(inner))
        text = expression.text(self._constants)
        found = Filtered(judged, self._row_expression(text, expression, judged))
        return self._projected(found, operator.columns)

    def _pushed(
        self, inner: Pattern, expression: Expression
    ) -> tuple[Pattern, list[str], dict[str, NamedNode]]:
        """A filter's parts, those that say which node a variable is put into the triples."""
        texts = conjuncts(expression.text(self._constants))
        nodes: dict[str, NamedNode] = {}
        if not isinstance(inner, Basic):
            return inner, texts, nodes
        left: list[str] = []
        names = set(names_in(inner))
        for text in texts:
            said = said_node(text)
            if said is not None and said[0] in names and said[0] not in nodes:
                nodes[said[0]] = node_of(self._prologue, said[1])
            else:
                left.append(text)
        if nodes:
            inner = Basic(tuple(replaced(pattern, nodes) for pattern in inner.patterns))
        return inner, left, nodes

    def _extended(self, inner: Pattern, name: str, expression: Expression) -> Operator:
        operator = self.operator(inner)
        judged = self._judged(operator, expression, names_in(inner))
        text = expression.text(self._constants)
        found = Extended(judged, name, self._row_expression(text, expression, judged))
        return self._projected(found, (*operator.columns, name))

    def _judged(self, operator: Operator, expression: Expression, outer: Sequence[str]) -> Operator:
        """With a column for each EXISTS of an expression."""
        for existence in expression.existences:
            _require_plain(existence, outer)
            makers = [self._maker(one) for one in existence.conditions]
            operator = Judged(operator, self.operator(existence.pattern), makers, existence.name)
        return operator

    def _row_expression(
        self, text: str, expression: Expression, operator: Operator
    ) -> RowExpression:
        names = expression.variables | {one.name for one in expression.existences}
        return RowExpression(self._prologue, text, names, operator.columns)

    def _maker(self, expression: Expression) -> MakeExpression:
        if expression.existences:
            raise NotIncremental("EXISTS in the condition of another part")
        text = expression.text(self._constants)
        return partial(RowExpression, self._prologue, text, expression.variables)

    def _in_graph(self, graph: Spot, inner: Pattern) -> Operator:
        if not needs_a_fact(inner):
            raise NotIncremental("GRAPH around something that needs no triple")
        if isinstance(graph, Var):
            for one in patterns_within(inner):
                if isinstance(one, Minus | Project | Aggregate):
                    raise NotIncremental("MINUS or SELECT in a GRAPH that is a variable")
        operator = self.operator(inner)
        if isinstance(graph, Var) and graph.name not in operator.certain:
            raise NotIncremental("GRAPH around something that is in no graph")
        return operator

    def _grouped(self, pattern: Aggregate) -> Operator:
        parts = [pattern.selected, *([pattern.having] if pattern.having else [])]
        if any(part.existences for part in parts):
            raise NotIncremental("EXISTS in an aggregate")
        if any(_COUNTS_ALL.search(part.text(self._constants)) for part in parts):
            raise NotIncremental("DISTINCT *, which stores count in their own way")
        selected = pattern.selected.text(self._constants)
        counts = None if pattern.having else counts_in(selected)
        if counts is not None:
            counted = Counted(self.operator(pattern.inner), pattern.keys, counts)
            return self._projected(counted, pattern.names)
        grouping = Grouping(
            self._prologue,
            pattern.keys,
            selected,
            pattern.names,
            pattern.having.text(self._constants) if pattern.having else None,
            frozenset().union(*(part.variables for part in parts)),
        )
        return Grouped(self.operator(pattern.inner), grouping)


def _require_plain(existence: Existence, outer: Sequence[str]) -> None:
    """Within EXISTS, only its own conditions may look at what is outside."""
    for pattern in patterns_within(existence.pattern):
        match pattern:
            case Basic() | Join() | Union() | InGraph():
                pass
            case Filter(inner, expression):
                beyond = expression.variables - set(names_in(inner))
                if expression.existences or beyond & set(outer):
                    raise NotIncremental("a condition within EXISTS that looks outside")
            case _:
                raise NotIncremental(f"{type(pattern).__name__.strip('_')} within EXISTS")
