"""Which approximate subscriptions can an event answer at all? Found for all of them at once.

Different attributes and values are scored once against the sides that subscriptions ask for
(TOIT'14's *commonalities*), and remembered. Of an event, what the best statement gains is taken for
each different predicate, and added up for each subscription: an upper bound of its total, since a
mapping has no better. Who cannot reach the threshold is left out; the others are looked at exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purport.matching.aggregation import FLOOR
from purport.matching.first_line import (
    ValuePredicate,
    asked_values,
    plain_term,
    value_answers,
)
from purport.matching.keys import (
    Key,
    asked_attribute_key,
    asked_keys,
    every_told_key,
    told_attribute_keys,
)
from purport.matching.measures import Measures
from purport.matching.plan import SubscriptionPlan
from purport.model.comparison import Operator
from purport.model.event import Event, Statement
from purport.model.subscription import (
    Aggregation,
    AskedAttribute,
    Comparison,
    OneOfValues,
)
from purport.model.term import Attribute, Resource, Text
from purport.model.words import said
from purport.relatedness.measure import EventMeasure

MOST_REMEMBERED = 50_000
_MARGIN = 1e-4  # what rounding to single precision may take from a total

Row = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _RowKey:
    """What makes two predicates one row: their sides, and how a similarity counts."""

    name: int
    value: int
    is_harmonic: bool
    is_required: bool


class _Names:
    """The attributes asked for, exactly or approximately, and told ones scored against them."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self._numbers: dict[AskedAttribute, int] = {}
        self._sides: list[AskedAttribute] = []
        self._scored: dict[Attribute, Row] = {}

    def number(self, asked: AskedAttribute) -> int:
        """The number of a side, a new one if need be."""
        if asked not in self._numbers:
            self._numbers[asked] = len(self._sides)
            self._sides.append(asked)
        return self._numbers[asked]

    def scores(self, told: Attribute) -> Row:
        """An attribute's scores against all sides."""
        known = self._scored.get(told, _NOTHING)
        if len(known) < len(self._sides):
            new = self._new_scores(told, self._sides[len(known) :])
            if len(self._scored) >= MOST_REMEMBERED:
                self._scored.clear()
            known = self._scored[told] = np.concatenate([known, new])
        return known

    def _new_scores(self, told: Attribute, sides: Sequence[AskedAttribute]) -> Row:
        keys = told_attribute_keys(told)
        scores = np.array([asked_attribute_key(one.term) in keys for one in sides], np.float32)
        for place, one in enumerate(sides):
            if one.approximation is not None and not scores[place]:
                measure = self._measures.for_names(one.approximation.measure)
                scores[place] = measure.score(said(one.term), said(told))
        return scores


class _Values:
    """The values asked for, and told ones scored against them."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self._numbers: dict[object, int] = {}
        self._equal: dict[Key, list[int]] = {}
        self._near: dict[str | None, tuple[list[int], list[str]]] = {}
        self._other: list[tuple[int, ValuePredicate]] = []
        self._unlike: list[int] = []
        self._scored: dict[Statement, Row] = {}

    def number(self, predicate: ValuePredicate) -> int:
        """The number of a predicate's value side, a new one if need be."""
        asked = asked_values(predicate)
        operator = predicate.operator if isinstance(predicate, Comparison) else None
        key = type(predicate), operator, asked
        if key not in self._numbers:
            number = self._numbers[key] = len(self._numbers)
            is_near = any(one.approximation for one in asked)
            is_equality = isinstance(predicate, OneOfValues) or operator is Operator.EQUAL
            if is_near or is_equality:
                self._add_equal_or_near(number, predicate)
                if operator is Operator.NOT_EQUAL:
                    self._unlike.append(number)
            else:
                self._other.append((number, predicate))
            self._scored.clear()
        return self._numbers[key]

    def _add_equal_or_near(self, number: int, predicate: ValuePredicate) -> None:
        for one in asked_values(predicate):
            term = plain_term(one)
            for key in asked_keys(term):
                self._equal.setdefault(key, []).append(number)
            if one.approximation is not None:
                numbers, texts = self._near.setdefault(one.approximation.measure, ([], []))
                numbers.append(number)
                texts.append(said(term))

    def scores(self, told: Statement) -> Row:
        """A value's scores against all sides, with the unit that its attribute implies."""
        known = self._scored.get(told)
        if known is None:
            known = self._new_scores(told)
            if isinstance(told.value, Text | Resource):  # numbers do not come again
                if len(self._scored) >= MOST_REMEMBERED:
                    self._scored.clear()
                self._scored[told] = known
        return known

    def _new_scores(self, told: Statement) -> Row:
        scores = np.zeros(len(self._numbers), np.float32)
        for key in every_told_key(told):
            scores[self._equal.get(key, [])] = 1.0
        if isinstance(told.value, Text | Resource):
            for measure, (numbers, texts) in self._near.items():
                near = self._measures.for_values(measure).matrix(texts, [said(told.value)])[:, 0]
                np.maximum.at(scores, numbers, near.astype(np.float32))
        scores[self._unlike] = 1.0 - scores[self._unlike]
        for number, predicate in self._other:
            scores[number] = value_answers(told, predicate)
        return scores


class Screen:
    """Upper bounds of the totals of many subscriptions in one event."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self._names, self._values = _Names(measures), _Values(measures)
        self._numbers: dict[_RowKey, int] = {}
        self._rows: list[_RowKey] = []
        self._is_near: list[tuple[bool, bool]] = []
        self._subscriptions: dict[int, tuple[list[int], float]] = {}
        self._compiled: _Compiled | None = None

    def takes(self, plan: SubscriptionPlan) -> bool:
        """Whether a subscription can be screened: what an event measure ranks cannot."""
        return not any(
            isinstance(self._measures.behind(predicate.attribute.approximation), EventMeasure)
            for predicate in plan.value_predicates
        )

    def add(self, number: int, plan: SubscriptionPlan) -> None:
        """Take up a subscription under a number."""
        rows = [self._row(predicate, plan) for predicate in plan.value_predicates]
        count, threshold = len(rows), plan.threshold
        if plan.aggregation is Aggregation.MEAN:
            needed = count * threshold
        else:
            needed = -count / threshold if threshold > 0 else -np.inf
        self._subscriptions[number] = rows, needed
        self._compiled = None

    def remove(self, number: int) -> None:
        """Drop a subscription."""
        del self._subscriptions[number]
        self._compiled = None

    def candidates(self, event: Event) -> list[int]:
        """The subscriptions that may reach their thresholds, by number."""
        if not self._subscriptions or not event.statements:
            return []
        compiled = self._compiled = self._compiled or _Compiled.of(self)
        names = np.stack([self._names.scores(one.attribute) for one in event.statements])
        values = np.stack([self._values.scores(one) for one in event.statements])
        return compiled.candidates(names, values)

    def _row(self, predicate: ValuePredicate, plan: SubscriptionPlan) -> int:
        key = _RowKey(
            self._names.number(predicate.attribute),
            self._values.number(predicate),
            plan.aggregation is Aggregation.HARMONIC,
            plan.is_exact_required,
        )
        if key not in self._numbers:
            self._numbers[key] = len(self._rows)
            self._rows.append(key)
            near = predicate.attribute.approximation is not None
            self._is_near.append((near, any(one.approximation for one in asked_values(predicate))))
        return self._numbers[key]


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A screen as arrays: its rows, and those of each subscription behind one another."""

    names: NDArray[np.int64]
    values: NDArray[np.int64]
    is_near_name: NDArray[np.bool_]
    is_near_value: NDArray[np.bool_]
    is_harmonic: NDArray[np.bool_]
    is_required: NDArray[np.bool_]
    floors: Row
    numbers: NDArray[np.int64]
    places: NDArray[np.int64]
    starts: NDArray[np.int64]
    needed: NDArray[np.float64]

    @classmethod
    def of(cls, screen: Screen) -> _Compiled:
        rows, near = screen._rows, np.array(screen._is_near, np.bool_).reshape(-1, 2)
        subscriptions = screen._subscriptions
        sizes = [len(places) for places, _ in subscriptions.values()]
        return cls(
            np.array([row.name for row in rows], np.int64),
            np.array([row.value for row in rows], np.int64),
            near[:, 0],
            near[:, 1],
            np.array([row.is_harmonic for row in rows], np.bool_),
            np.array([row.is_required for row in rows], np.bool_),
            np.where(near.any(axis=1), FLOOR, 0.0).astype(np.float32),
            np.array(list(subscriptions), np.int64),
            np.array([place for places, _ in subscriptions.values() for place in places], np.int64),
            np.cumsum([0, *sizes[:-1]]).astype(np.int64),
            np.array([needed for _, needed in subscriptions.values()]),
        )

    def candidates(self, names: Row, values: Row) -> list[int]:
        named, valued = names[:, self.names], values[:, self.values]
        gained = named * valued
        with np.errstate(divide="ignore"):
            harmonic = -1.0 / np.maximum(gained, self.floors)
        gained = np.where(self.is_harmonic, harmonic, gained)
        allowed = (self.is_near_name | (named > 0)) & (self.is_near_value | (valued > 0))
        gained[~allowed & self.is_required] = -np.inf
        totals = np.add.reduceat(gained.max(axis=0)[self.places].astype(np.float64), self.starts)
        reached = (totals >= self.needed - _MARGIN * np.maximum(1.0, np.abs(self.needed))) & (
            totals > -np.inf
        )
        return [int(number) for number in self.numbers[reached]]


_NOTHING: Row = np.empty(0, np.float32)
