"""First-line matchers: does one statement answer one predicate?"""

from __future__ import annotations

from purport.model.comparison import Operator, holds, same_attribute
from purport.model.event import Statement
from purport.model.subscription import (
    AskedAttribute,
    AskedValue,
    Comparison,
    InRange,
    OneOfValues,
    Predicate,
    Reference,
)
from purport.model.term import Term
from purport.model.units import Quantity
from purport.model.words import attribute_words

ExactPredicate = Comparison | OneOfValues | InRange


def answers(statement: Statement, predicate: ExactPredicate) -> bool:
    """Whether a statement satisfies an exact predicate."""
    return same_attribute(statement.attribute, predicate.attribute.term) and value_answers(
        statement, predicate
    )


def value_answers(statement: Statement, predicate: ExactPredicate) -> bool:
    """Whether a statement about the attribute asked for has a value that satisfies a predicate."""
    match predicate:
        case Comparison(_, operator, asked):
            return _holds(statement, operator, asked)
        case OneOfValues(_, values):
            return any(_holds(statement, Operator.EQUAL, asked) for asked in values)
        case InRange(_, low, high):
            return _holds(statement, Operator.AT_LEAST, low) and _holds(
                statement, Operator.AT_MOST, high
            )


def unsupported_form(predicate: Predicate) -> str | None:
    """What of a predicate no matcher here can run yet, in words; None if all of it can be run."""
    match predicate:
        case Comparison(attribute, _, value):
            return _unsupported_side(attribute, value)
        case OneOfValues(attribute, values):
            return _unsupported_side(attribute, *values)
        case InRange(attribute, low, high):
            return _unsupported_side(attribute, low, high)
        case _:
            return _KINDS[type(predicate).__name__]


_KINDS = {
    "IsA": "class membership (isa)",
    "ClassOrder": "an order of classes (more specific than, ...)",
    "HasProperty": "a property of an individual (has)",
    "ContainsAll": "a bag comparison (contains all)",
    "Within": "a bag comparison (within)",
    "After": "a temporal operator (after)",
    "During": "a temporal operator (during)",
    "Simultaneous": "a temporal operator (with)",
    "HistoryFilter": "a temporal operator (filter)",
    "AllenRelated": "one of Allen's relations (interval ...)",
    "WindowAggregate": "an aggregate over a window (over ...)",
}


def _holds(statement: Statement, operator: Operator, asked: AskedValue) -> bool:
    term = _plain(asked)
    unit = None
    if isinstance(term, Quantity) and term.unit is not None:
        unit = attribute_words(statement.attribute).unit
    return holds(statement.value, operator, term, unit=unit)


def _plain(asked: AskedValue) -> Term:
    if isinstance(asked.term, Reference):
        raise TypeError(f"${asked.term.attribute} has no value yet: bind references first")
    return asked.term


def _unsupported_side(attribute: AskedAttribute, *values: AskedValue) -> str | None:
    approximations = [attribute.approximation, *(value.approximation for value in values)]
    if any(approximations):
        return "approximate matching (~)"
    if any(isinstance(value.term, Reference) for value in values):
        return "a reference to an event's value ($)"
    return None
