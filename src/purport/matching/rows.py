"""Different predicates, each once for all who ask it (TOIT'14's *commonalities*)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from purport.matching.aggregation import FLOOR
from purport.matching.asked import ClassPredicate, RowPredicate, is_near_value
from purport.matching.flat_lists import Column, FlatLists, Integers
from purport.matching.kernel import Flags
from purport.matching.name_sides import NameSides
from purport.matching.plan import SubscriptionPlan
from purport.matching.tellings_kernel import Rows
from purport.matching.value_sides import ValueSides
from purport.model.comparison import Operator
from purport.model.subscription import Aggregation, Comparison, OneOfValues

_CUTS = 32  # cuts are rounded down to as many steps, so that few rows differ by them alone
_MARGIN = 1e-9
_ALMOST_FLOOR = 0.99 * FLOOR  # scores not above the floor matter to nobody, but for rounding


@dataclass(frozen=True, slots=True)
class RowKey:
    """What makes two predicates one row: their sides, and which answers are kept."""

    name: int
    value: int
    floor: float
    cut: float
    keeps_all: bool
    owner: int | None = None  # set where rows are not shared


@dataclass(frozen=True, slots=True)
class Need:
    """What a subscription needs of one of its rows."""

    row: int
    default: float
    is_necessary: bool
    is_range: bool


@dataclass(frozen=True, slots=True)
class Reach:
    """How far the answers to some predicates take a subscription of `count` predicates."""

    count: int
    threshold: float
    is_mean: bool

    @classmethod
    def of(cls, plan: SubscriptionPlan) -> Reach:
        """That of a subscription's rows."""
        return cls(len(plan.rows), plan.least_probability, plan.aggregation is Aggregation.MEAN)

    def is_out_of_reach_without(self, several: int) -> bool:
        """Whether there can be no match when nothing answers so many of the predicates."""
        rest = self.count - several
        best = rest / self.count if self.is_mean else self.count / (several / FLOOR + rest)
        return best < self.threshold - _MARGIN

    def least_access(self) -> int:
        """Of how many predicates one must be answered; 0 if there may be a match without any."""
        sizes = range(1, self.count + 1)
        return next((size for size in sizes if self.is_out_of_reach_without(size)), 0)

    def cut(self) -> float:
        """A similarity below which one predicate is enough to keep a subscription from matching."""
        if self.is_mean:
            exact = self.count * self.threshold - (self.count - 1)
        else:
            exact = 1 / (self.count / self.threshold - self.count + 1) if self.threshold else 0.0
        return max(0.0, math.floor((exact - _MARGIN) * _CUTS) / _CUTS)

    def needed(self) -> float:
        """A total of gains below which there is no match."""
        if self.is_mean:
            return self.count * self.threshold - _MARGIN
        return -self.count / self.threshold * (1 + _MARGIN) if self.threshold else -math.inf


class RowTable:
    """The rows of all subscriptions, as arrays."""

    def __init__(
        self, names: NameSides, values: ValueSides, *, is_shared: bool, cuts: bool
    ) -> None:
        self._name_sides, self._value_sides = names, values
        self._is_shared, self._cuts = is_shared, cuts
        self._numbers: dict[RowKey, int] = {}
        self._columns = (
            Column(np.int32), Column(np.int32), Column(np.float64), Column(np.float64),
            Column(np.bool_), Column(np.bool_),
        )  # fmt: skip
        self._is_range, self._is_wanted = Column(np.bool_), Column(np.bool_)
        self._low = Column(np.int32)
        self.wanted = 0
        self.of_value = FlatLists()

    def __len__(self) -> int:
        return len(self._numbers)

    def arrays(self) -> Rows:
        """The rows for a kernel."""
        return Rows(*(column.array() for column in self._columns))

    @property
    def low(self) -> Integers:
        """The rows that the right attribute is enough for, whatever the value."""
        return self._low.array()

    @property
    def is_range(self) -> Flags:
        """For each row whether numbers answer it by lying within bounds."""
        return self._is_range.array()

    @property
    def is_wanted(self) -> Flags:
        """For each row with bounds whether a subscription is filed under it."""
        return self._is_wanted.array()

    def want(self, row: int, first_new: int) -> None:
        """Note that a subscription is filed under a row; `wanted` counts rows that were not new."""
        if self._is_range.array()[row] and not self._is_wanted.array()[row]:
            self._is_wanted.array()[row] = True
            self.wanted += row < first_new

    def needs(self, plan: SubscriptionPlan, owner: int) -> list[Need]:
        """What a subscription needs of its rows, which are taken up if they are new."""
        reach = Reach.of(plan)
        return [
            self._need(predicate, plan.is_exact_required, reach, owner) for predicate in plan.rows
        ]

    def _need(self, predicate: RowPredicate, is_required: bool, reach: Reach, owner: int) -> Need:
        is_near_name = predicate.attribute.approximation is not None
        is_near_word = is_near_value(predicate)
        is_near = is_near_name or is_near_word
        must_hold = is_required and not (is_near_name and is_near_word)
        floor = FLOOR if is_near and not reach.is_mean else 0.0
        is_necessary = reach.is_out_of_reach_without(1)
        cut = reach.cut() if is_near and is_necessary and self._cuts else 0.0
        cut = cut if cut > floor else 0.0
        key = RowKey(
            self._name_sides.number(
                predicate.attribute, is_of_things=isinstance(predicate, ClassPredicate)
            ),
            self._value_sides.number(predicate, _ALMOST_FLOOR if floor and is_near_word else 0.0),
            floor,
            cut,
            must_hold and is_near and cut == 0.0,
            None if self._is_shared else owner,
        )
        if must_hold or not (is_near or reach.is_mean):
            default = -math.inf
        else:
            default = 0.0 if reach.is_mean else -1 / FLOOR
        is_point = isinstance(predicate, OneOfValues | ClassPredicate) or (
            isinstance(predicate, Comparison) and predicate.operator is Operator.EQUAL
        )
        row = self._row(key, is_near_name, is_near_word, is_range=not is_point)
        return Need(row, default, is_necessary or default == -math.inf, not is_point)

    def _row(self, key: RowKey, is_near_name: bool, is_near_value: bool, *, is_range: bool) -> int:
        number = self._numbers.get(key)
        if number is not None:
            return number
        number = self._numbers[key] = len(self._numbers)
        fields = key.name, key.value, key.floor, key.cut, key.keeps_all, is_near_name
        for column, field in zip(self._columns, fields, strict=True):
            column.extend([field])
        self._is_range.extend([is_range])
        self._is_wanted.extend([False])
        while self.of_value.count <= key.value:
            self.of_value.new()
        self.of_value.append(key.value, number)
        if key.keeps_all and is_near_value and not is_near_name:
            self._low.extend([number])
        return number
