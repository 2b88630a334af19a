"""First-line matchers: how well does each statement of an event answer one predicate?

Equations 4 and 5 of TOIT'14 for attributes and values, and their product (6): a side without `~` is
answered or not, a side with it as well as a measure says. Predicates of classes (`class_line.py`)
and of bags (`bag_line.py`) are further first-line matchers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from purport.matching.asked import (
    MatchedPredicate,
    RowPredicate,
    ValuePredicate,
    asked_values,
    is_near_value,
    plain_term,
)
from purport.matching.attribute_side import Allowed, AttributeSide, ExactName, RankedName
from purport.matching.measures import Measures
from purport.model.comparison import Operator, holds
from purport.model.event import Event, Statement
from purport.model.subscription import (
    Approximation,
    AskedValue,
    Comparison,
    InRange,
    OneOfValues,
)
from purport.model.units import Unit
from purport.model.words import said, says_words
from purport.relatedness.measure import Scores


@dataclass(frozen=True, slots=True)
class Side:
    """One factor of a predicate's similarities: its scores, and the measure they are by."""

    name: str
    measure_name: str
    measure: object
    asked: tuple[str, ...]
    told: tuple[str, ...]
    scores: Scores
    reasons: tuple[str, ...] = ()  # for each statement, where the measure has no concepts


@dataclass(frozen=True, slots=True)
class FirstLine(ABC):
    """How well statements answer one predicate: as well as their names do, times their values."""

    predicate: MatchedPredicate
    attribute: AttributeSide
    measures: Measures

    @property
    def is_exact(self) -> bool:
        """Whether a statement answers fully or not at all: neither side is approximate."""
        return isinstance(self.attribute, ExactName) and not is_near_value(self.predicate)

    @property
    def is_of_words(self) -> bool:
        """Whether no event measure ranks the attribute.

        Then similarities are the same in every event, but for what it describes.
        """
        return not isinstance(self.attribute, RankedName)

    @property
    @abstractmethod
    def is_sharp(self) -> bool:
        """Whether the best answers to its rows say how well the predicate is answered."""

    @abstractmethod
    def rows(self, *, is_required: bool) -> tuple[RowPredicate, ...]:
        """Predicates that single words answer at least as well as statements answer this one.

        The first stands for it. Further ones, which are exact, must hold as well; there are none
        unless `is_required`: whether exact predicates must hold.
        """

    def similarities(self, event: Event) -> tuple[Scores, Allowed]:
        """For each statement its similarity, and whether the exact parts of the predicate hold."""
        names, named = self._names(event)
        values, answers = self._values(event, named)
        return names * values, named & answers

    def sides(self, event: Event) -> tuple[Side, Side]:
        """What the similarities are products of, for explanations."""
        names, named = self._names(event)
        values, _ = self._values(event, named)
        asked = self.predicate.attribute
        name_side = Side(
            "attribute",
            self.measures.name_of(asked.approximation),
            self.measures.behind(asked.approximation),
            (said(asked.term),),
            tuple(said(one.attribute) for one in event.statements),
            names,
        )
        return name_side, self._value_side(event, values)

    def _names(self, event: Event) -> tuple[Scores, Allowed]:
        """For each statement how its attribute scores, and whether that may be the right one."""
        return self.attribute.scores([one.attribute for one in event.statements])

    @abstractmethod
    def _values(self, event: Event, named: Allowed) -> tuple[Scores, Allowed]:
        """The same of values; `named` are the statements whose attribute may be the right one."""

    def _value_side(self, event: Event, scores: Scores) -> Side:
        near = approximation_of(self.predicate)
        return Side(
            "value",
            self.measures.name_of(near),
            self.measures.behind(near),
            tuple(said(plain_term(one)) for one in asked_values(self.predicate)),
            tuple(said(one.value) for one in event.statements),
            scores,
        )


@dataclass(frozen=True, slots=True)
class ValueLine(FirstLine):
    """A value that is compared, exact or approximate."""

    predicate: ValuePredicate

    @property
    def is_sharp(self) -> bool:
        """It is its own row."""
        return True

    def rows(self, *, is_required: bool) -> tuple[RowPredicate, ...]:
        """The predicate itself."""
        return (self.predicate,)

    def _values(self, event: Event, named: Allowed) -> tuple[Scores, Allowed]:
        return value_similarities(event.statements, self.predicate, self.measures)


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


def approximation_of(predicate: MatchedPredicate) -> Approximation | None:
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
