"""Pairs of subscriptions in time, of which the one often covers the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from hypothesis import strategies as st

from purport.model import subscription as ast
from purport.model.comparison import Operator
from tests.strategies import temporal
from tests.strategies.covering import pairs

_WIDER: dict[Operator, Sequence[Operator]] = {
    Operator.EQUAL: (Operator.AT_MOST, Operator.AT_LEAST),
    Operator.LESS: (Operator.AT_MOST, Operator.NOT_EQUAL),
    Operator.GREATER: (Operator.AT_LEAST, Operator.NOT_EQUAL),
}
_plain = temporal.plain_predicates(near=False)
_MICROSECOND = timedelta(microseconds=1)


def _longer(draw: st.DrawFn, limit: timedelta) -> timedelta:
    """A time, most likely one that is as long or longer."""
    return max(_MICROSECOND, limit + draw(st.integers(-1, 3)) * _MICROSECOND)


def _longer_if_any(draw: st.DrawFn, limit: timedelta | None) -> timedelta | None:
    if limit is None or draw(st.integers(0, 4)) == 0:
        return None
    return _longer(draw, limit)


@st.composite
def _wider(draw: st.DrawFn, predicate: ast.Predicate) -> ast.Predicate:
    """A predicate that asks for something similar, most likely for less."""
    if draw(st.booleans()):
        return predicate
    match predicate:
        case ast.After(_, limit, inner):
            some = draw(wider_conjunctions(inner))
            return replace(predicate, limit=_longer_if_any(draw, limit), inner=some)
        case ast.HistoryFilter(_, operator, last, inner):
            is_same = draw(st.booleans())
            return replace(
                predicate,
                operator=draw(st.sampled_from([operator, *_WIDER.get(operator, ())])),
                last=draw(st.sampled_from([last, None, 1, 2, 3])),
                inner=inner if is_same else draw(wider_conjunctions(inner)),
            )
        case ast.During() | ast.Simultaneous() | ast.AllenRelated():
            return replace(predicate, inner=draw(wider_conjunctions(predicate.inner)))
        case ast.WindowAggregate():
            return predicate
    return draw(_plain) if draw(st.integers(0, 3)) == 0 else predicate


@st.composite
def wider_conjunctions(draw: st.DrawFn, conjunction: ast.Conjunction) -> ast.Conjunction:
    """Braces that ask for something similar, most likely for less."""
    some = conjunction.predicates
    kept = draw(st.lists(st.sampled_from(some), min_size=1, max_size=len(some), unique=True))
    return ast.Conjunction(tuple(draw(_wider(one)) for one in kept))


@st.composite
def wider_patterns(draw: st.DrawFn, pattern: ast.Pattern, *, is_part: bool = False) -> ast.Pattern:
    """A pattern that is told of something similar, most likely of more."""

    def wider(one: ast.Pattern) -> ast.Pattern:
        return draw(wider_patterns(one, is_part=True))

    def some(parts: tuple[ast.Pattern, ...]) -> tuple[ast.Pattern, ...]:
        first = 0 if is_part else draw(st.integers(0, max(0, len(parts) - 2)))
        return tuple(map(wider, parts[first:]))

    if draw(st.integers(0, 5)) == 0:
        other = draw(temporal.patterns(near=False, depth=0))
        return ast.Alternation((wider(pattern), other))
    match pattern:
        case ast.Conjunction():
            return draw(wider_conjunctions(pattern))
        case ast.Alternation(parts):
            return ast.Alternation(tuple(draw(st.permutations(list(map(wider, parts))))))
        case ast.Sequence(parts, within):
            if not is_part and draw(st.integers(0, 3)) == 0:
                return wider(parts[-1])
            return ast.Sequence(some(parts), _longer_if_any(draw, within))
        case ast.Coincidence(parts, within):
            mixed = tuple(draw(st.permutations(list(some(parts)))))
            return ast.Coincidence(mixed, _longer_if_any(draw, within))
        case ast.Repetition(repeated, times, within):
            fewer = draw(st.integers(1, times)) if not is_part else times
            limit = _longer(draw, within)
            if fewer > 1 and draw(st.booleans()):
                return ast.Coincidence((wider(repeated),) * fewer, limit)
            return ast.Repetition(wider(repeated), fewer, limit)
        case ast.Absence(missing, within, trigger):
            if not is_part and draw(st.integers(0, 3)) == 0:
                return wider(trigger)
            limit = max(_MICROSECOND, within - draw(st.integers(-1, 2)) * _MICROSECOND)
            return ast.Absence(_narrower(draw, missing), limit, wider(trigger))


def _narrower(draw: st.DrawFn, pattern: ast.Pattern) -> ast.Pattern:
    """A pattern that is told of less."""
    if isinstance(pattern, ast.Conjunction) and draw(st.booleans()):
        return ast.Conjunction((*pattern.predicates, draw(_plain)))
    if isinstance(pattern, ast.Alternation) and draw(st.booleans()):
        return draw(st.sampled_from(pattern.alternatives))
    return pattern


@st.composite
def wider_in_time(draw: st.DrawFn, specific: ast.Subscription) -> ast.Subscription:
    """A subscription that is told of something similar, most likely of more."""
    return replace(specific, pattern=draw(wider_patterns(specific.pattern)))


pairs_in_time = pairs(temporal.exact_subscriptions, wider_in_time)
