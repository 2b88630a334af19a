"""Exact predicates as conditions in SQL over the statements of events.

Only what SQL compares as `holds` does is translated: attributes that are words, against texts and
against numbers without a unit. What a row does not say (a quantity with a unit, a number that no
double holds) is not plain: where a number is asked for it is let through, for somebody to judge.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, exists, false, not_, null, or_

from purport.model.comparison import Operator
from purport.model.subscription import (
    AskedAttribute,
    AskedValue,
    Comparison,
    Conjunction,
    InRange,
    OneOfValues,
    Predicate,
)
from purport.model.term import Term, Text
from purport.model.units import Quantity
from purport.storage.history_rows import Kind, attribute_key, exact_number, folded_bytes
from purport.storage.history_tables import statements

_said = statements.c


def conditions_of(inner: Conjunction) -> Conditions | None:
    """The conditions of the predicates; None if one of them cannot be said in SQL."""
    answers = [_answers(predicate) for predicate in inner.predicates]
    known = [one for one in answers if one is not None]
    return Conditions(tuple(known)) if len(known) == len(answers) else None


@dataclass(frozen=True, slots=True)
class Conditions:
    """What some statement of an event must fulfil, for each predicate."""

    answers: tuple[ColumnElement[bool], ...] = ()

    def on(self, number: ColumnElement[int]) -> list[ColumnElement[bool]]:
        """The same of the event of a number."""
        return [exists().where(_said.event == number, one) for one in self.answers]


def _answers(predicate: Predicate) -> ColumnElement[bool] | None:
    """Which statements answer a predicate."""
    match predicate:
        case Comparison(attribute, operator, value):
            return _about(attribute, _compared(operator, value))
        case InRange(attribute, low, high):
            at_least = _compared(Operator.AT_LEAST, low)
            at_most = _compared(Operator.AT_MOST, high)
            if at_least is None or at_most is None:
                return None
            return _about(attribute, and_(at_least, at_most))
        case OneOfValues(attribute, values):
            equal = [_compared(Operator.EQUAL, value) for value in values]
            known = [one for one in equal if one is not None]
            return _about(attribute, or_(*known)) if len(known) == len(equal) else None
        case _:
            return None


def _about(
    attribute: AskedAttribute, answers: ColumnElement[bool] | None
) -> ColumnElement[bool] | None:
    """Which statements are about an attribute and answer."""
    if answers is None or attribute.approximation is not None:
        return None
    if not isinstance(attribute.term, Text):
        return None  # a text that is the same IRI would do as well
    return and_(_said.attribute == attribute_key(attribute.term), answers)


def _compared(operator: Operator, asked: AskedValue) -> ColumnElement[bool] | None:
    """How a value must stand to the one asked for; None if SQL would see it otherwise."""
    if asked.approximation is not None:
        return None
    match asked.term:
        case Text(text):
            is_comparable = _said.kind == Kind.TEXT
            return _stands(_said.text, operator, folded_bytes(text), is_comparable)
        case Quantity():
            number = _plain_number(asked.term)
            if number is None:
                return None
            stands = _stands(_said.number, operator, number, _said.number.is_not(null()))
            return or_(_said.is_plain == false(), stands)
        case _:
            return None


def _stands(
    column: ColumnElement[bytes] | ColumnElement[float],
    operator: Operator,
    value: bytes | float,
    is_comparable: ColumnElement[bool],
) -> ColumnElement[bool]:
    match operator:
        case Operator.EQUAL:
            return and_(is_comparable, column == value)
        case Operator.NOT_EQUAL:
            return or_(not_(is_comparable), column != value)
        case Operator.LESS:
            return and_(is_comparable, column < value)
        case Operator.AT_MOST:
            return and_(is_comparable, column <= value)
        case Operator.GREATER:
            return and_(is_comparable, column > value)
        case Operator.AT_LEAST:
            return and_(is_comparable, column >= value)


def _plain_number(asked: Term) -> float | None:
    return exact_number(asked) if isinstance(asked, Quantity) else None
