"""Which variables a pattern has, and which of them always have a value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from purport.sparql.algebra import (
    Aggregate,
    Alternative,
    Basic,
    Chain,
    Distinct,
    Excluding,
    Expression,
    Extend,
    Filter,
    InGraph,
    Inverse,
    Join,
    LeftJoin,
    Link,
    Minus,
    Path,
    PathPattern,
    Pattern,
    Project,
    Repeated,
    Slice,
    Spot,
    TriplePattern,
    Union,
    Values,
    Var,
)


def names_in(pattern: Pattern) -> tuple[str, ...]:
    """The variables that are in scope, in the order in which they first appear."""
    return tuple(dict.fromkeys(_names(pattern)))


def _names(pattern: Pattern) -> Iterator[str]:
    match pattern:
        case Basic(patterns):
            for one in patterns:
                yield from _of_spots(one.spots)
        case PathPattern(subject, _, value, graph):
            yield from _of_spots((subject, value, graph))
        case Join(left, right) | LeftJoin(left, right, _) | Union(left, right):
            yield from _names(left)
            yield from _names(right)
        case Minus(left, _):
            yield from _names(left)
        case Filter(inner, _) | Distinct(inner) | Slice(inner):
            yield from _names(inner)
        case Extend(inner, name, _):
            yield from _names(inner)
            yield name
        case Values(names, _):
            yield from names
        case InGraph(graph, inner):
            yield from _of_spots((graph,))
            yield from _names(inner)
        case Project(_, names) | Aggregate(_, _, _, names, _):
            yield from names


def _of_spots(spots: Iterable[Spot | None]) -> Iterator[str]:
    return (spot.name for spot in spots if isinstance(spot, Var))


def patterns_within(pattern: Pattern) -> Iterator[Pattern]:
    """A pattern and all that it has within it, those of EXISTS among them."""
    yield pattern
    match pattern:
        case Basic() | PathPattern() | Values():
            pass
        case Join(left, right) | Union(left, right) | Minus(left, right):
            yield from patterns_within(left)
            yield from patterns_within(right)
        case LeftJoin(left, right, conditions):
            yield from patterns_within(left)
            yield from patterns_within(right)
            yield from _within_expressions(conditions)
        case Filter(inner, expression) | Extend(inner, _, expression):
            yield from patterns_within(inner)
            yield from _within_expressions((expression,))
        case InGraph(_, inner) | Project(inner, _) | Distinct(inner) | Slice(inner):
            yield from patterns_within(inner)
        case Aggregate(inner, _, selected, _, having):
            yield from patterns_within(inner)
            yield from _within_expressions((selected, having) if having else (selected,))


def _within_expressions(expressions: Iterable[Expression]) -> Iterator[Pattern]:
    for expression in expressions:
        for existence in expression.existences:
            yield from patterns_within(existence.pattern)
            yield from _within_expressions(existence.conditions)


def expressions_within(pattern: Pattern) -> Iterator[Expression]:
    """All expressions in a pattern."""
    for one in patterns_within(pattern):
        match one:
            case LeftJoin(_, _, conditions):
                yield from _with_conditions(conditions)
            case Filter(_, expression) | Extend(_, _, expression):
                yield from _with_conditions((expression,))
            case Aggregate(_, _, selected, _, having):
                yield from _with_conditions((selected, having) if having else (selected,))
            case _:
                pass


def _with_conditions(expressions: Iterable[Expression]) -> Iterator[Expression]:
    for expression in expressions:
        yield expression
        for existence in expression.existences:
            yield from _with_conditions(existence.conditions)


def looks_outside(pattern: Pattern) -> bool:
    """Whether an expression within it has a variable that only another group gives a value.

    By SPARQL it has none there; pyoxigraph sometimes gives it that of the other group.
    """
    everywhere = Counter(_occurrences(pattern))
    return any(
        name in everywhere - Counter(_occurrences(one))
        for one in patterns_within(pattern)
        for name in _unbound_in_expressions(one)
    )


def _unbound_in_expressions(pattern: Pattern) -> set[str]:
    """The variables of a pattern's own expressions that it gives no values."""
    match pattern:
        case Filter(inner, expression) | Extend(inner, _, expression):
            return _spoken_of((expression,)) - set(names_in(inner))
        case LeftJoin(left, right, conditions):
            return _spoken_of(conditions) - {*names_in(left), *names_in(right)}
        case _:
            return set()


def _spoken_of(expressions: Iterable[Expression]) -> set[str]:
    found: set[str] = set()
    for expression in expressions:
        found |= expression.variables
        for existence in expression.existences:
            found.update(_occurrences(existence.pattern), _spoken_of(existence.conditions))
    return found


def _occurrences(pattern: Pattern) -> Iterator[str]:
    """The variables that get values, as often as they do."""
    for one in patterns_within(pattern):
        match one:
            case Basic(patterns):
                for triple in patterns:
                    yield from _of_spots(triple.spots)
            case PathPattern(subject, _, value, graph):
                yield from _of_spots((subject, value, graph))
            case Values(names, _) | Aggregate(_, _, _, names, _):
                yield from names
            case Extend(_, name, _):
                yield name
            case InGraph(graph, _):
                yield from _of_spots((graph,))
            case _:
                pass


def triple_patterns(pattern: Pattern) -> Iterator[TriplePattern | None]:
    """Triple patterns that cover whatever a pattern can depend on; None is anything at all."""
    for one in patterns_within(pattern):
        match one:
            case Basic(patterns):
                yield from patterns
            case PathPattern(_, path, _, graph):
                steps = _steps(path)
                if steps is None:
                    yield None
                else:
                    anyone = Var(".subject"), Var(".object")
                    for step in steps:
                        yield TriplePattern(anyone[0], step, anyone[1], graph)
            case _:
                pass


def _steps(path: Path) -> list[Spot] | None:
    """The predicates on a path; None if it may have no length, or be of any others."""
    match path:
        case Link(predicate):
            return [predicate]
        case Inverse(inner):
            return _steps(inner)
        case Chain(one, other) | Alternative(one, other):
            found = [_steps(one), _steps(other)]
            if any(steps is None for steps in found):
                return None
            return [step for steps in found for step in steps or ()]
        case Excluding():
            return None
        case Repeated(inner, sign):
            return _steps(inner) if sign == "+" else None


def needs_a_fact(pattern: Pattern) -> bool:
    """Whether a pattern has no solution where there are no facts."""
    match pattern:
        case Basic(patterns):
            return bool(patterns)
        case PathPattern(_, path, _, _):
            return _steps(path) is not None
        case Join(left, right):
            return needs_a_fact(left) or needs_a_fact(right)
        case Union(left, right):
            return needs_a_fact(left) and needs_a_fact(right)
        case LeftJoin(left, _, _) | Minus(left, _):
            return needs_a_fact(left)
        case (
            Filter(inner, _)
            | Extend(inner, _, _)
            | Project(inner, _)
            | Distinct(inner)
            | Slice(inner)
            | InGraph(_, inner)
        ):
            return needs_a_fact(inner)
        case Aggregate(inner, keys, _, _, _):
            return bool(keys) and needs_a_fact(inner)
        case Values():
            return False
