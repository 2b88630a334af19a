"""An event that a general subscription refuses and a specific one accepts, by trying everything.

For exact subscriptions under the default options: each predicate is answered by some statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from purport.model import subscription as ast
from purport.model.comparison import Operator
from purport.model.event import Event, Statement
from purport.model.interval import time_of
from purport.model.term import Term, Text, Time
from purport.model.units import Quantity, find_unit
from tests.strategies.covering import NUMBERS, TOLD, TOLD_ATTRIBUTES, exact_answers


def refuting_event(general: ast.Subscription, specific: ast.Subscription) -> Event | None:
    """Such an event; None if there is none, or nothing at all answers the specific one."""
    asked = list(_each_alone(specific))
    for wanted in _each_alone(general):
        found = _event_without(wanted, asked)
        if found is not None:
            return found
    return None


def answerable(subscription: ast.Subscription) -> bool:
    """Whether any event answers a subscription."""
    asked = list(_each_alone(subscription))
    allowed = _allowed(asked)
    return all(any(exact_answers(one, each) for each in allowed) for one in asked)


def _each_alone(subscription: ast.Subscription) -> Iterator[ast.Predicate]:
    """The predicates, each of which one statement answers, and those within a list."""
    for one in subscription.predicates:
        if isinstance(one, ast.ContainsAll):
            for value in one.values:
                yield ast.Comparison(one.attribute, Operator.EQUAL, value)
        else:
            yield one


def _event_without(wanted: ast.Predicate, asked: list[ast.Predicate]) -> Event | None:
    """An event that answers what is asked, and not what is wanted besides."""
    allowed = _allowed(asked)
    said: list[Statement] = []
    for one in asked:
        answers = [each for each in allowed if exact_answers(one, each)]
        against = [each for each in answers if not exact_answers(wanted, each)]
        if not answers:
            return None
        said.append((against or answers)[0])
    outside = [one for one in allowed if not _is_allowed(one, wanted)]
    if isinstance(wanted, ast.Within) and outside:
        return Event((*said, outside[0]))
    is_answered = any(exact_answers(wanted, one) for one in said)
    return None if is_answered else Event(tuple(said))


def _allowed(asked: list[ast.Predicate]) -> list[Statement]:
    """The statements that all bags among some predicates allow."""
    bags = [one for one in asked if isinstance(one, ast.Within)]
    return [one for one in _STATEMENTS if all(_is_allowed(one, bag) for bag in bags)]


def _is_allowed(one: Statement, bag: ast.Predicate) -> bool:
    """Whether a statement is about another attribute than a bag, or within it."""
    assert isinstance(bag, ast.Comparison | ast.OneOfValues | ast.InRange | ast.Within)
    anything = ast.Comparison(bag.attribute, Operator.NOT_EQUAL, ast.AskedValue(Text("\0")))
    return not exact_answers(anything, one) or exact_answers(bag, one)


def _between() -> Iterator[Term]:
    """Values between all those that are asked for, and beyond them."""
    bare = sorted({float(one.magnitude) for one in NUMBERS})
    for low, high in pairwise([-1e3, *bare, 1.5e308]):
        yield Quantity((low / 2) + (high / 2))
    for symbol in ("K", "km"):
        unit = find_unit(symbol)
        assert unit is not None
        based = [one for one in NUMBERS if one.unit is not None and one.unit.base == unit.base]
        places = sorted({one.unit.in_base(one.magnitude) for one in based if one.unit})
        for below, above in pairwise([places[0] - 9, *places, places[-1] * Fraction(11, 10)]):
            yield Quantity(float(((below + above) / 2 - unit.offset) / unit.scale), unit)
    for year in (2019, 2020, 2021):
        yield Time(time_of((year - 1970) * 31_557_600 * 10**6 + 40_000 * 10**6))


_STATEMENTS = [Statement(name, value) for name in TOLD_ATTRIBUTES for value in [*TOLD, *_between()]]
