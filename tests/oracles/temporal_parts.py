"""What a scan of events is made of: times, values, aggregates, and instances of patterns."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction
from itertools import pairwise, product

from purport.matching.asked import MatchedPredicate, asked_values
from purport.model import subscription as ast
from purport.model.comparison import Operator, holds, told_quantity
from purport.model.event import Statement
from purport.model.interval import microseconds_of
from purport.model.term import Term, Text, Time
from purport.model.units import Quantity, Unit
from purport.temporal.allen import allen_relation
from purport.temporal.occurrence import Occurrence

Bindings = dict[str, Term]


@dataclass(frozen=True, slots=True)
class Instance:
    """How a pattern came true: an event it is about, a time, and the values of `$names`."""

    about: Occurrence
    start: int
    end: int | None
    probability: float
    bindings: Bindings
    is_single: bool = False


@dataclass(frozen=True, slots=True)
class Way:
    """How likely a conjunction holds, and the statements that approximate attributes stand for."""

    probability: float
    chosen: dict[ast.AskedAttribute, Statement]


# ---- time ----


def microseconds(duration: timedelta) -> int:
    """A duration as a number."""
    return duration // timedelta(microseconds=1)


def time_at(one: Occurrence, endpoint: ast.ReferenceTime) -> int | None:
    """When an event starts or ends, or the first time that it says under an attribute."""
    if not isinstance(endpoint, ast.Endpoint):
        said = values_of(endpoint, one, Way(1.0, {}))
        times = [value.instant for value in said if isinstance(value, Time)]
        return microseconds_of(times[0]) if times else None
    return one.start if endpoint is ast.Endpoint.START else one.end


def known_time(one: Occurrence, endpoint: ast.Endpoint) -> int:
    """The same where it must be known."""
    time = time_at(one, endpoint)
    assert time is not None  # or the conjunction could not have been asked
    return time


def moment_of(conjunction: ast.Conjunction, event: Occurrence) -> int | None:
    """When a conjunction is asked of an event; None if that is not known yet."""
    return event.end if any(map(_is_on_end, conjunction.predicates)) else event.start


def _is_on_end(predicate: ast.Predicate) -> bool:
    match predicate:
        case ast.After(endpoint) | ast.During(endpoint) | ast.Simultaneous(endpoint):
            return endpoint is ast.Endpoint.END
        case ast.AllenRelated():
            return True
        case _:
            return False


def is_before(one: Occurrence, time: int, limit: timedelta | None) -> bool:
    """Whether an event ended before a time, and not too long before."""
    if one.end is None or one.end >= time:
        return False
    return limit is None or one.end >= time - microseconds(limit)


def is_related(event: Occurrence, relation: ast.AllenRelation, one: Occurrence) -> bool:
    """Whether an event stands in a relation to another."""
    if event.end is None or one.end is None:
        return False
    return allen_relation((event.start, event.end), (one.start, one.end)) is relation


def order_of_events(one: Occurrence) -> tuple[float, str]:
    """What makes one event later than another."""
    return math.inf if one.end is None else one.end, one.id


def order(one: Instance) -> tuple[int, str]:
    """What makes one instance later than another; both have ended."""
    assert one.end is not None
    return one.end, one.about.id


# ---- compositions ----


def bindings_of(conjunction: ast.Conjunction, event: Occurrence, way: Way) -> list[Bindings]:
    """The values that a conjunction can give to its `$names`."""
    found: list[Bindings] = [{}]
    for predicate in conjunction.predicates:
        if isinstance(predicate, ast.Comparison) and is_binding(predicate):
            assert isinstance(predicate.value.term, ast.Reference)
            name = predicate.value.term.attribute
            values = values_of(predicate.attribute, event, way)
            found = [
                both
                for known, value in product(found, values)
                if (both := _joined(known, {name: value})) is not None
            ]
    return found


def _joined(earlier: Bindings, later: Bindings) -> Bindings | None:
    """The bindings of two parts; None if they do not agree."""
    is_agreed = all(
        holds(value, Operator.EQUAL, earlier[name])
        for name, value in later.items()
        if name in earlier
    )
    return {**later, **earlier} if is_agreed else None


def agreed_bindings(parts: Iterable[Instance]) -> Bindings | None:
    """The bindings of several parts, in their order; None if they do not agree."""
    bindings: Bindings | None = {}
    for part in parts:
        if bindings is not None:
            bindings = _joined(bindings, part.bindings)
    return bindings


def as_sequence(chain: tuple[Instance, ...], within: timedelta | None) -> list[Instance]:
    """The chain as one instance, if it is a sequence."""
    first, last = chain[0], chain[-1]
    for one, following in pairwise(chain):
        if one.end is None or one.end >= following.start:
            return []
    if within is not None and last.start - first.start > microseconds(within):
        return []
    return _as_one(chain, first.start)


def as_coincidence(group: tuple[Instance, ...], within: timedelta | None) -> list[Instance]:
    """The instances of a group as one, if all have ended and they make a coincidence."""
    if any(one.end is None for one in group):
        return []
    return as_repetition(tuple(sorted(group, key=order)), within)


def as_repetition(chosen: tuple[Instance, ...], within: timedelta | None) -> list[Instance]:
    """The chosen instances as one, if they are of different events and close enough."""
    *others, last = chosen
    assert last.end is not None
    if len({one.about.id for one in chosen}) < len(chosen):
        return []
    if any(order(one) >= order(last) for one in others):
        return []
    if within is not None and any(last.end - one.start > microseconds(within) for one in others):
        return []
    return _as_one(chosen, min(one.start for one in chosen))


def _as_one(parts: tuple[Instance, ...], start: int) -> list[Instance]:
    bindings = agreed_bindings(parts)
    if bindings is None:
        return []
    probability = math.prod(one.probability for one in parts)
    return [Instance(parts[-1].about, start, parts[-1].end, probability, bindings)]


# ---- values ----


def plain_predicates(conjunction: ast.Conjunction) -> tuple[ast.Predicate, ...]:
    """What the matcher can judge."""
    return tuple(one for one in conjunction.predicates if is_plain(one))


def is_plain(predicate: ast.Predicate) -> bool:
    """Whether the matcher can judge it by one event alone."""
    return isinstance(predicate, MatchedPredicate) and not any(
        isinstance(one.term, ast.Reference) for one in asked_values(predicate)
    )


def is_binding(predicate: ast.Predicate) -> bool:
    """Whether it gives a `$name` its value, in a composition."""
    return (
        isinstance(predicate, ast.Comparison)
        and predicate.operator is Operator.EQUAL
        and isinstance(predicate.value.term, ast.Reference)
        and predicate.value.approximation is None
    )


def attribute_of(predicate: ast.Predicate) -> ast.AskedAttribute | None:
    """The attribute that a predicate asks for, if it asks for one."""
    match predicate:
        case ast.After() | ast.During() | ast.Simultaneous() | ast.AllenRelated():
            return None
        case _:
            return predicate.attribute


def read_attribute(predicate: ast.Predicate, outer: Occurrence | None) -> ast.AskedAttribute | None:
    """The attribute whose value matters; what is compared with `$` is judged alone."""
    is_judged_alone = outer is not None and isinstance(predicate, MatchedPredicate)
    return None if is_judged_alone else attribute_of(predicate)


def statements_about(asked: ast.AskedAttribute, event: Occurrence, way: Way) -> list[Statement]:
    """The statements about an attribute; about an approximate one, that which was chosen."""
    if asked.approximation is not None:
        return [way.chosen[asked]]
    return [one for one in event.statements if holds(one.attribute, Operator.EQUAL, asked.term)]


def values_of(asked: ast.AskedAttribute, event: Occurrence, way: Way) -> list[Term]:
    """The values of an attribute."""
    return [one.value for one in statements_about(asked, event, way)]


def asked_terms(asked: ast.AskedValue, outer: Occurrence | None) -> list[Term]:
    """What is asked for: the term, or the values of the attribute that a `$name` names."""
    if not isinstance(asked.term, ast.Reference):
        return [asked.term]
    if outer is None:
        raise ValueError(f"${asked.term.attribute} stands in no inner filter")
    name = ast.AskedAttribute(Text(asked.term.attribute))
    return values_of(name, outer, Way(1.0, {}))


# ---- aggregates ----


def counted_values(asked: ast.WindowAggregate, event: Occurrence, way: Way) -> list[Term]:
    """What one event adds to an aggregate; events themselves are counted as ones."""
    if asked.attribute is None:
        return [Quantity(1)]
    return values_of(asked.attribute, event, way)


def aggregate_of(
    function: ast.Function, counted: list[list[Term]], wanted: Term
) -> Quantity | None:
    """What is made of the values of events, of which the first must have one."""
    if function is ast.Function.COUNT:
        return Quantity(sum(map(len, counted))) if counted[0] else None
    quantities = [[one for one in map(told_quantity, values) if one] for values in counted]
    unit = _unit_of([wanted, *(one for some in quantities for one in some)])
    numbers = [
        [number for one in some if (number := _number(one, unit)) is not None]
        for some in quantities
    ]
    every = [one for some in numbers for one in some]
    if not numbers[0]:
        return None
    match function:
        case ast.Function.SUM:
            result = sum(every, Fraction(0))
        case ast.Function.AVG:
            result = sum(every, Fraction(0)) / len(every)
        case ast.Function.MIN:
            result = min(every)
        case ast.Function.MAX:
            result = max(every)
    return Quantity(int(result) if result.denominator == 1 else float(result), unit)


def _unit_of(terms: Iterable[Term]) -> Unit | None:
    """The first unit that is named."""
    return next((one.unit for one in terms if isinstance(one, Quantity) and one.unit), None)


def _number(quantity: Quantity, unit: Unit | None) -> Fraction | None:
    """A quantity in a unit; a bare number is in any. None if it is of another kind."""
    if unit is None or quantity.unit is None:
        return Fraction(repr(quantity.magnitude))
    if quantity.unit.base != unit.base:
        return None
    return (quantity.unit.in_base(quantity.magnitude) - unit.offset) / unit.scale
