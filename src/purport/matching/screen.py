"""Which approximate subscriptions can an event answer at all? Found for all of them at once.

Different attributes and values are scored once against the sides that subscriptions ask for
(TOIT'14's *commonalities*), and remembered. Of an event, what the best statement gains is taken for
each different predicate, and added up for each subscription: an upper bound of its total, since a
mapping has no better. Who cannot reach the threshold is left out; the others are looked at exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from purport.matching.aggregation import FLOOR
from purport.matching.first_line import (
    ValuePredicate,
    asked_values,
    plain_term,
    value_similarities,
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
from purport.model.units import Quantity
from purport.model.words import said
from purport.relatedness.measure import EventMeasure, Measure

MOST_REMEMBERED = 50_000
_MARGIN = 1e-4  # what rounding to single precision may take from a total

Row = NDArray[np.float32]
T = TypeVar("T")


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
        self._exact: dict[Key, list[int]] = {}
        self._near: dict[str | None, _NearSides] = {}
        self._scored: dict[Attribute, Row] = {}

    def number(self, asked: AskedAttribute) -> int:
        """The number of a side, a new one if need be."""
        if asked not in self._numbers:
            number = self._numbers[asked] = len(self._numbers)
            self._exact.setdefault(asked_attribute_key(asked.term), []).append(number)
            if asked.approximation is not None:
                near = self._near.setdefault(asked.approximation.measure, _NearSides())
                near.add(number, said(asked.term))
            self._scored.clear()
        return self._numbers[asked]

    def scores(self, told: Sequence[Attribute]) -> Row:
        """The scores of attributes against all sides, a row for each."""
        new = list(dict.fromkeys(one for one in told if one not in self._scored))
        if new:
            rows = np.zeros((len(new), len(self._numbers)), np.float32)
            for measure, sides in self._near.items():
                sides.raise_scores(rows, self._measures.for_names(measure), [said(o) for o in new])
            for row, one in zip(rows, new, strict=True):
                for key in told_attribute_keys(one):
                    row[self._exact.get(key, [])] = 1.0
            _remember(self._scored, new, rows)
        return np.stack([self._scored[one] for one in told])


class _Values:
    """The values asked for, and told ones scored against them."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self._numbers: dict[object, int] = {}
        self._equal: dict[Key, list[int]] = {}
        self._near: dict[str | None, _NearSides] = {}
        self._other: list[tuple[int, ValuePredicate]] = []  # whose units a key cannot tell, too
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
            has_number = any(isinstance(one.term, Quantity) for one in asked)
            if (is_near or is_equality) and not has_number:
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
                near = self._near.setdefault(one.approximation.measure, _NearSides())
                near.add(number, said(term))

    def scores(self, told: Sequence[Statement]) -> Row:
        """The scores of values against all sides, a row for each.

        Each is read with the unit that its attribute implies.
        """
        new = list(dict.fromkeys(one for one in told if one not in self._scored))
        if not new:
            return np.stack([self._scored[one] for one in told])
        fresh = dict(zip(new, self._new_scores(new), strict=True))
        rows = np.stack([fresh[one] if one in fresh else self._scored[one] for one in told])
        words = [one for one in new if isinstance(one.value, Text | Resource)]
        _remember(self._scored, words, [fresh[one] for one in words])  # numbers do not come again
        return rows

    def _new_scores(self, told: Sequence[Statement]) -> Row:
        rows = np.zeros((len(told), len(self._numbers)), np.float32)
        words = [place for place, one in enumerate(told) if isinstance(one.value, Text | Resource)]
        if words:
            texts, near = [said(told[place].value) for place in words], rows[words]
            for measure, sides in self._near.items():
                sides.raise_scores(near, self._measures.for_values(measure), texts)
            rows[words] = near
        for row, one in zip(rows, told, strict=True):
            for key in every_told_key(one):
                row[self._equal.get(key, [])] = 1.0
            row[self._unlike] = 1.0 - row[self._unlike]
            for number, predicate in self._other:
                row[number] = value_similarities([one], predicate, self._measures)[0][0]
        return rows


class _NearSides:
    """Sides that one measure compares."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._texts: list[str] = []

    def add(self, number: int, text: str) -> None:
        """Take up a side; a list of values may have several texts."""
        self._numbers.append(number)
        self._texts.append(text)

    def raise_scores(self, rows: Row, measure: Measure, told: Sequence[str]) -> None:
        """Raise the scores of told texts, a row for each, to what the measure says."""
        scores = measure.matrix(self._texts, told).T.astype(np.float32)
        for place, number in enumerate(self._numbers):
            rows[:, number] = np.maximum(rows[:, number], scores[:, place])


def _remember(remembered: dict[T, Row], keys: Sequence[T], rows: Sequence[Row] | Row) -> None:
    """Keep rows; when there are too many, those before are forgotten."""
    if len(remembered) + len(keys) > MOST_REMEMBERED:
        remembered.clear()
    remembered.update(zip(keys, rows, strict=True))


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

    def learn(self, events: Iterable[Event]) -> None:
        """Score the words of events in one go, which is quicker than one event at a time."""
        said = dict.fromkeys(one for event in events for one in event.statements)
        words = [one for one in said if isinstance(one.value, Text | Resource)]
        if self._subscriptions and words:
            self._names.scores([one.attribute for one in words])
            self._values.scores(words)

    def candidates(self, event: Event) -> list[int]:
        """The subscriptions that may reach their thresholds, by number."""
        if not self._subscriptions or not event.statements:
            return []
        compiled = self._compiled = self._compiled or _Compiled.of(self)
        names = self._names.scores([one.attribute for one in event.statements])
        return compiled.candidates(names, self._values.scores(event.statements))

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
