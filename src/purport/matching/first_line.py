"""First-line matchers: how well does each statement of an event answer one predicate?

Equations 4 and 5 of TOIT'14 for attributes and values, and their product (6): a side without `~` is
answered or not, a side with it as well as a measure says. Further kinds of predicates, of classes
or of time, are further first-line matchers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from purport.matching.asked import ValuePredicate, asked_values, plain_term
from purport.matching.keys import asked_attribute_key, told_attribute_keys
from purport.matching.measures import Measures
from purport.model.comparison import Operator, holds
from purport.model.event import Event, Statement
from purport.model.subscription import (
    Approximation,
    AskedAttribute,
    AskedValue,
    Comparison,
    InRange,
    OneOfValues,
)
from purport.model.term import Attribute
from purport.model.units import Unit
from purport.model.words import said, says_words
from purport.relatedness.measure import EventMeasure, Measure, Scores

Allowed = NDArray[np.bool_]


class FirstLine(Protocol):
    """How well statements answer one predicate."""

    @property
    def is_exact(self) -> bool:
        """Whether a statement answers fully or not at all."""

    @property
    def is_of_words(self) -> bool:
        """Whether a statement's similarity is the same in every event."""

    def similarities(self, event: Event) -> tuple[Scores, Allowed]:
        """For each statement its similarity, and whether the exact parts of the predicate hold."""

    def sides(self, event: Event) -> tuple[Side, ...]:
        """What the similarities are products of, for explanations."""


@dataclass(frozen=True, slots=True)
class Side:
    """One factor of a predicate's similarities: its scores, and the measure they are by."""

    name: str
    measure_name: str
    measure: object
    asked: tuple[str, ...]
    told: tuple[str, ...]
    scores: Scores


def first_line(predicate: ValuePredicate, measures: Measures) -> FirstLine:
    """The first-line matcher of a predicate; `measures` are found by name."""
    for asked in asked_values(predicate):
        if asked.approximation is not None:
            measures.for_values(asked.approximation.measure)
    return _OfValues(predicate, _attribute_side(predicate.attribute, measures), measures)


@dataclass(frozen=True, slots=True)
class _OfValues:
    """Attribute and value, each exact or approximate, and their product."""

    predicate: ValuePredicate
    attribute: _ExactName | _NearName | _RankedName
    measures: Measures

    @property
    def is_exact(self) -> bool:
        """Whether neither side is approximate."""
        return isinstance(self.attribute, _ExactName) and not any(
            asked.approximation for asked in asked_values(self.predicate)
        )

    @property
    def is_of_words(self) -> bool:
        """Whether no event measure ranks the attribute."""
        return not isinstance(self.attribute, _RankedName)

    def similarities(self, event: Event) -> tuple[Scores, Allowed]:
        """For each statement its similarity, and whether the exact parts of the predicate hold."""
        statements = event.statements
        names, named = self.attribute.scores([one.attribute for one in statements])
        values, answers = value_similarities(statements, self.predicate, self.measures)
        return names * values, named & answers

    def sides(self, event: Event) -> tuple[Side, ...]:
        """The attribute and the value."""
        statements = event.statements
        names, _ = self.attribute.scores([one.attribute for one in statements])
        values, _ = value_similarities(statements, self.predicate, self.measures)
        asked, near = self.predicate.attribute, _approximation(self.predicate)
        return (
            Side(
                "attribute",
                self.measures.name_of(asked.approximation),
                self.measures.behind(asked.approximation),
                (said(asked.term),),
                tuple(said(one.attribute) for one in statements),
                names,
            ),
            Side(
                "value",
                self.measures.name_of(near),
                self.measures.behind(near),
                tuple(said(plain_term(one)) for one in asked_values(self.predicate)),
                tuple(said(one.value) for one in statements),
                values,
            ),
        )


@dataclass(frozen=True, slots=True)
class _ExactName:
    """The attribute asked for, or one that is written otherwise but is the same."""

    asked: Attribute

    def scores(self, told: Sequence[Attribute]) -> tuple[Scores, Allowed]:
        key = asked_attribute_key(self.asked)
        same = np.array([key in told_attribute_keys(one) for one in told], np.bool_)
        return same.astype(np.float64), same


@dataclass(frozen=True, slots=True)
class _NearName:
    """An attribute whose name is near to the one asked for."""

    asked: Attribute
    measure: Measure

    def scores(self, told: Sequence[Attribute]) -> tuple[Scores, Allowed]:
        scores = self.measure.matrix([said(self.asked)], [said(one) for one in told])[0]
        return _or_same(self.asked, told, scores)


@dataclass(frozen=True, slots=True)
class _RankedName:
    """An attribute that an event measure ranks among those of the event."""

    asked: Attribute
    measure: EventMeasure

    def scores(self, told: Sequence[Attribute]) -> tuple[Scores, Allowed]:
        different = list(dict.fromkeys(said(one) for one in told))
        ranked = dict(zip(different, self.measure.rows(said(self.asked), different), strict=True))
        scores = np.array([ranked[said(one)] for one in told], np.float64)
        found, _ = _or_same(self.asked, told, scores)
        may_answer = self.measure.candidates(said(self.asked), different)
        candidates = dict(zip(different, may_answer, strict=True))
        same, _ = _ExactName(self.asked).scores(told)
        return found, np.array([candidates[said(one)] for one in told], np.bool_) | (same > 0)


def _or_same(asked: Attribute, told: Sequence[Attribute], scores: Scores) -> tuple[Scores, Allowed]:
    """Scores under which the attribute asked for, as it is, answers fully."""
    same, _ = _ExactName(asked).scores(told)
    return np.maximum(scores, same), np.ones(len(told), np.bool_)


def _attribute_side(
    asked: AskedAttribute, measures: Measures
) -> _ExactName | _NearName | _RankedName:
    if asked.approximation is None:
        return _ExactName(asked.term)
    measure = measures.for_names(asked.approximation.measure)
    if isinstance(measure, EventMeasure):
        return _RankedName(asked.term, measure)
    return _NearName(asked.term, measure)


def value_similarities(
    statements: Sequence[Statement], predicate: ValuePredicate, measures: Measures
) -> tuple[Scores, Allowed]:
    """How well each value answers a predicate, and whether the predicate's exact part holds."""
    every = np.ones(len(statements), np.bool_)
    match predicate:
        case Comparison(_, operator, asked) if asked.approximation is not None:
            near = _nearness(statements, asked, measures)
            return (near if operator is Operator.EQUAL else _rest(near)), every
        case OneOfValues(_, values) if any(asked.approximation for asked in values):
            near = np.max([_nearness(statements, asked, measures) for asked in values], axis=0)
            return near, every
        case _:
            answered = [value_answers(one, predicate, measures) for one in statements]
            answers = np.array(answered, np.bool_)
            return answers.astype(np.float64), answers


def _rest(near: Scores) -> Scores:
    """What scores leave to 1, in single precision as scores themselves are kept."""
    return (1.0 - near).astype(np.float32).astype(np.float64)


def value_answers(statement: Statement, predicate: ValuePredicate, measures: Measures) -> bool:
    """Whether a statement about the attribute asked for satisfies a predicate without `~`."""
    unit = measures.unit_of(statement.attribute)
    match predicate:
        case Comparison(_, operator, asked):
            return _holds(statement, operator, asked, unit)
        case OneOfValues(_, values):
            return any(_holds(statement, Operator.EQUAL, asked, unit) for asked in values)
        case InRange(_, low, high):
            return _holds(statement, Operator.AT_LEAST, low, unit) and _holds(
                statement, Operator.AT_MOST, high, unit
            )


def _approximation(predicate: ValuePredicate) -> Approximation | None:
    """The first approximation among the values that a predicate names."""
    found = (asked.approximation for asked in asked_values(predicate))
    return next((one for one in found if one is not None), None)


def _nearness(statements: Sequence[Statement], asked: AskedValue, measures: Measures) -> Scores:
    """How near values are to the one asked for: numbers, times and truths are equal or not."""
    near = np.array(
        [_holds(one, Operator.EQUAL, asked, measures.unit_of(one.attribute)) for one in statements],
        np.float64,
    )
    if asked.approximation is None:
        return near
    texts = {
        place: said(one.value)
        for place, one in enumerate(statements)
        if not near[place] and says_words(one.value)
    }
    if texts:
        measure = measures.for_values(asked.approximation.measure)
        different = list(dict.fromkeys(texts.values()))
        scores = measure.matrix([said(plain_term(asked))], different)[0]
        found = dict(zip(different, scores, strict=True))
        near[list(texts)] = [found[text] for text in texts.values()]
    return near


def _holds(statement: Statement, operator: Operator, asked: AskedValue, unit: Unit | None) -> bool:
    return holds(statement.value, operator, plain_term(asked), unit=unit)
