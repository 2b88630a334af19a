"""Patterns made simpler without another meaning: so that more of them is one join."""

from __future__ import annotations

from purport.sparql.algebra import (
    Aggregate,
    Basic,
    Distinct,
    Extend,
    Filter,
    InGraph,
    Join,
    LeftJoin,
    Minus,
    Pattern,
    Project,
    Slice,
    Union,
    filtered,
    joined,
)
from purport.sparql.scope import names_in


def simplified(pattern: Pattern) -> Pattern:
    """The pattern with its inner parts simplified, then itself."""
    return _simpler(_with_simpler_parts(pattern))


def _with_simpler_parts(pattern: Pattern) -> Pattern:
    match pattern:
        case Join(left, right):
            return Join(simplified(left), simplified(right))
        case Union(left, right):
            return Union(simplified(left), simplified(right))
        case Minus(left, right):
            return Minus(simplified(left), simplified(right))
        case LeftJoin(left, right, conditions):
            return LeftJoin(simplified(left), simplified(right), conditions)
        case Filter(inner, expression):
            return Filter(simplified(inner), expression)
        case Extend(inner, name, expression):
            return Extend(simplified(inner), name, expression)
        case InGraph(graph, inner):
            return InGraph(graph, simplified(inner))
        case Project(inner, names):
            return Project(simplified(inner), names)
        case Distinct(inner):
            return Distinct(simplified(inner))
        case Slice(inner):
            return Slice(simplified(inner))
        case Aggregate(inner, keys, selected, names, having):
            return Aggregate(simplified(inner), keys, selected, names, having)
        case _:
            return pattern


def _simpler(pattern: Pattern) -> Pattern:
    match pattern:
        case InGraph(_, inner):
            return _without_graph(pattern, inner)
        case Join(left, right):
            return _pulled_up(left, right)
        case _:
            return pattern


def _without_graph(pattern: InGraph, inner: Pattern) -> Pattern:
    """Triple patterns say themselves in which graph they look."""
    return inner if isinstance(inner, Basic) and inner.patterns else pattern


def _pulled_up(left: Pattern, right: Pattern) -> Pattern:
    """Filters over a join, if they look at nothing that the join might add."""
    filters = []
    sides = []
    for side in (left, right):
        while isinstance(side, Filter) and _is_closed(side):
            filters.append(side.expression)
            side = side.inner
        sides.append(side)
    return filtered(joined(*sides), filters)


def _is_closed(pattern: Filter) -> bool:
    inner, expression = pattern.inner, pattern.expression
    while isinstance(inner, Filter):
        inner = inner.inner
    if not isinstance(inner, Basic) or expression.existences:
        return False
    return expression.variables <= set(names_in(inner))
