"""Pairs of subscriptions of which the one often covers the other, and events that tell them apart.

The general one is made of the specific one by changing bounds, operators and lists a little; events
have what answers the specific one, taken from values around all bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from hypothesis import strategies as st

from purport.matching.asked import MatchedPredicate, asked_values
from purport.matching.first_line import value_answers
from purport.matching.measures import Measures
from purport.model import subscription as ast
from purport.model.comparison import Operator, holds
from purport.model.event import Event, Statement
from purport.model.subscription import Approximation
from purport.model.term import Attribute, Boolean, Resource, Term, Text, Time
from purport.model.units import Quantity, find_unit
from tests.strategies.approximate import options
from tests.strategies.exact import VALUES

ATTRIBUTES: list[Attribute] = [
    Text("heat"), Text("temperature_C"), Text("urn:x:kind"), Resource("urn:x:kind"), Text("tag"),
]  # fmt: skip
TOLD_ATTRIBUTES: list[Attribute] = [
    *ATTRIBUTES, Text("Heat "), Text("TEMPERATURE_c"), Text("level"), Text("is on"), Text("kind"),
    Text("when"),
]  # fmt: skip
_UNITS = [None, find_unit("°C"), find_unit("°F"), find_unit("K"), find_unit("km")]
_NUMBERS = [0, 25, 25.0, 77, 298.15, 2**70, float(2**70), 24.999, 25.001, 76.5, 1e308]
NUMBERS = [Quantity(number, unit) for number in _NUMBERS for unit in _UNITS]
TOLD: list[Term] = [
    *VALUES,
    *NUMBERS,
    Text("50 °F"),
    Text("1e3"),
    Text("off"),
    Text("a"),
    Text("m"),
    Text("p"),
    Text("zz"),
    Resource("urn:x:Blue"),
]
_ORDERS = (Operator.LESS, Operator.AT_MOST, Operator.GREATER, Operator.AT_LEAST)
_EXACT = Measures("exact")


class Pair(NamedTuple):
    """A subscription that may cover another one."""

    general: ast.Subscription
    specific: ast.Subscription


Values = dict[Attribute, Sequence[Term]]  # that predicates of an attribute ask for
MIXED: Values = {name: [*VALUES, *NUMBERS] for name in ATTRIBUTES}
TIDY: Values = {
    Text("heat"): [one for one in NUMBERS if one.unit is _UNITS[1] and one.magnitude < 1000],
    Text("level"): [one for one in NUMBERS if one.unit is None and one.magnitude < 1000],
    Text("tag"): [Text(one) for one in ("25", "Lap  Top", "lap top", "off", "true")],
    Text("is on"): [Boolean(True), Boolean(False)],
    Text("kind"): [Resource("urn:x:Red"), Resource("urn:x:Blue")],
    Text("when"): [one for one in VALUES if isinstance(one, Time)],
}
near = st.sampled_from([None, None, None, Approximation()])


def _asked(attribute: ast.AskedAttribute, values: Values) -> st.SearchStrategy[ast.AskedValue]:
    return st.sampled_from(values[attribute.term]).map(ast.AskedValue)


def _compared(
    attribute: ast.AskedAttribute, operator: Operator, value: ast.AskedValue
) -> ast.Predicate:
    has_order = not isinstance(value.term, Boolean | Resource) and value.term != Text("1e999")
    is_ordered = operator in _ORDERS and has_order and value.approximation is None
    chosen = operator if is_ordered or operator not in _ORDERS else Operator.NOT_EQUAL
    return ast.Comparison(attribute, chosen, value)


def _range(
    attribute: ast.AskedAttribute, one: ast.AskedValue, other: ast.AskedValue
) -> ast.Predicate:
    for low, high in ((one, other), (other, one)):
        ends = replace(low, approximation=None), replace(high, approximation=None)
        try:
            return ast.InRange(attribute, *ends)
        except ValueError:
            continue
    return ast.OneOfValues(attribute, (one, other))


operators = st.sampled_from(Operator)


@st.composite
def _predicates(draw: st.DrawFn, values: Values) -> ast.Predicate:
    attribute = ast.AskedAttribute(draw(st.sampled_from(list(values))))
    asked = _asked(attribute, values)
    few = st.lists(asked, min_size=1, max_size=3).map(tuple)
    match draw(st.integers(0, 5)):
        case 0 | 1:
            return _compared(attribute, draw(operators), draw(asked))
        case 2:
            return _range(attribute, draw(asked), draw(asked))
        case 3:
            return ast.OneOfValues(attribute, draw(few))
        case 4:
            return ast.ContainsAll(attribute, draw(few))
        case _:
            return ast.Within(attribute, draw(few))


@st.composite
def _changed(draw: st.DrawFn, predicate: ast.Predicate, values: Values) -> ast.Predicate:
    """A predicate that says something similar of the same attribute."""
    assert isinstance(
        predicate,
        ast.Comparison | ast.OneOfValues | ast.InRange | ast.ContainsAll | ast.Within,
    )
    attribute, asked = predicate.attribute, asked_values(predicate)
    one, other = draw(st.sampled_from(asked)), draw(_asked(attribute, values))
    match draw(st.integers(0, 8)):
        case 0:
            return _compared(attribute, draw(operators), one)
        case 1:
            return _compared(attribute, draw(operators), other)
        case 2:
            return _range(attribute, one, other)
        case 3:
            return ast.OneOfValues(attribute, (*asked, other))
        case 4:
            return ast.Within(attribute, (*asked, other))
        case 5:
            return ast.ContainsAll(attribute, (one,))
        case 6 if isinstance(predicate, ast.Comparison):
            return _compared(attribute, predicate.operator, other)
        case _:
            return predicate


@st.composite
def _nearly(draw: st.DrawFn, predicate: ast.Predicate) -> ast.Predicate:
    """A predicate with `~` here or there."""
    assert isinstance(predicate, MatchedPredicate)
    name = replace(predicate.attribute, approximation=draw(near))
    match predicate:
        case ast.Comparison(_, operator, value):
            return _compared(name, operator, replace(value, approximation=draw(near)))
        case ast.OneOfValues(_, values) | ast.ContainsAll(_, values) | ast.Within(_, values):
            likely = tuple(replace(one, approximation=draw(near)) for one in values)
            return type(predicate)(name, likely)
        case _:
            return replace(predicate, attribute=name)


def _subscription(some: list[ast.Predicate], chosen: ast.Options | None = None) -> ast.Subscription:
    return ast.Subscription(ast.Conjunction(tuple(some)), chosen or ast.Options())


@st.composite
def wider(draw: st.DrawFn, specific: ast.Subscription, values: Values = MIXED) -> ast.Subscription:
    """A subscription without `~` that asks for something similar, most likely for less."""
    some = list(specific.predicates)
    kept = draw(st.lists(st.sampled_from(some), min_size=1, max_size=3))
    return _subscription([draw(_changed(one, values)) for one in kept])


@st.composite
def wider_nearly(draw: st.DrawFn, specific: ast.Subscription) -> ast.Subscription:
    """A subscription with other options, and with `~` elsewhere, that asks for similar things."""
    some = list(specific.predicates)
    kept = draw(st.lists(st.sampled_from(some), min_size=1, max_size=3))
    if draw(st.booleans()):
        kept = list(draw(st.permutations(some)))
    general = [one if draw(st.booleans()) else draw(_changed(one, MIXED)) for one in kept]
    general = [draw(_nearly(one)) if draw(st.booleans()) else one for one in general]
    chosen = specific.options if draw(st.booleans()) else draw(options)
    if draw(st.booleans()):
        chosen = replace(chosen, threshold=draw(st.sampled_from([0.0, 0.3, 0.5])))
    return _subscription(general, chosen)


@st.composite
def exact_subscriptions(draw: st.DrawFn, values: Values = MIXED) -> ast.Subscription:
    """Subscriptions without `~`, under the default options."""
    return _subscription(draw(st.lists(_predicates(values), min_size=1, max_size=4)))


@st.composite
def near_subscriptions(draw: st.DrawFn) -> ast.Subscription:
    """Subscriptions with any options, and with `~` here or there."""
    some = draw(st.lists(_predicates(MIXED), min_size=1, max_size=3))
    return _subscription([draw(_nearly(one)) for one in some], draw(options))


@st.composite
def pairs(
    draw: st.DrawFn,
    specific: st.SearchStrategy[ast.Subscription],
    wider: Callable[[ast.Subscription], st.SearchStrategy[ast.Subscription]],
) -> Pair:
    """Pairs of which the general one is made of the specific one."""
    one = draw(specific)
    return Pair(draw(wider(one)), one)


@st.composite
def families(
    draw: st.DrawFn,
    specific: st.SearchStrategy[ast.Subscription],
    wider: Callable[[ast.Subscription], st.SearchStrategy[ast.Subscription]],
) -> list[ast.Subscription]:
    """Subscriptions of which each but the first is made of an earlier one."""
    some = [draw(specific)]
    for _ in range(draw(st.integers(1, 5))):
        some.append(draw(wider(draw(st.sampled_from(some)))))
    return list(dict.fromkeys(some))


exact_pairs = pairs(exact_subscriptions(), wider)
tidy_pairs = pairs(exact_subscriptions(TIDY), lambda one: wider(one, TIDY))
near_pairs = pairs(near_subscriptions(), wider_nearly)


def exact_answers(predicate: ast.Predicate, statement: Statement) -> bool:
    """Whether a statement answers a predicate, whatever in it is approximate taken as exact."""
    assert isinstance(
        predicate,
        ast.Comparison | ast.OneOfValues | ast.InRange | ast.ContainsAll | ast.Within,
    )
    if not holds(statement.attribute, Operator.EQUAL, predicate.attribute.term):
        return False
    if isinstance(predicate, ast.ContainsAll | ast.Within):
        predicate = ast.OneOfValues(predicate.attribute, predicate.values)
    return value_answers(statement, predicate, _EXACT)


@lru_cache(maxsize=4096)
def answering(predicate: ast.Predicate) -> tuple[Statement, ...]:
    """All statements that answer a predicate, of values around those that are asked for."""
    return tuple(one for one in STATEMENTS if exact_answers(predicate, one))


STATEMENTS = [Statement(name, value) for name in TOLD_ATTRIBUTES for value in TOLD]
_anything = st.sampled_from(STATEMENTS)


@st.composite
def events_for(draw: st.DrawFn, pair: Pair) -> Event:
    """An event that likely answers the specific subscription, and not the general one."""
    said: list[Statement] = []
    for one in pair.specific.predicates:
        for _ in range(2 if isinstance(one, ast.ContainsAll) else 1):
            found = answering(one)
            against = [
                each
                for each in found
                if not any(exact_answers(other, each) for other in pair.general.predicates)
            ]
            said.append(draw(st.sampled_from(against or found or STATEMENTS)))
    said += draw(st.lists(_anything, max_size=1))
    return Event(tuple(draw(st.permutations(said))))
