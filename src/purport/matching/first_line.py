"""First-line matchers: does one statement answer one predicate?"""

from __future__ import annotations

from purport.model.comparison import Operator, holds
from purport.model.event import Statement
from purport.model.subscription import (
    AskedValue,
    Comparison,
    InRange,
    OneOfValues,
    Reference,
)
from purport.model.term import Term
from purport.model.units import Quantity
from purport.model.words import attribute_words

ExactPredicate = Comparison | OneOfValues | InRange


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


def _holds(statement: Statement, operator: Operator, asked: AskedValue) -> bool:
    term = plain_term(asked)
    unit = attribute_words(statement.attribute).unit if isinstance(term, Quantity) else None
    return holds(statement.value, operator, term, unit=unit)


def plain_term(asked: AskedValue) -> Term:
    """The term asked for; a reference has to be bound to an event's value before."""
    if isinstance(asked.term, Reference):
        raise TypeError(f"${asked.term.attribute} has no value yet: bind references first")
    return asked.term
