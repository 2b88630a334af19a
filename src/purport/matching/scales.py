"""Numbers and times that do not come again: which of them answer a comparison?

What an event tells is a number on a *scale*: a unit, no unit, or time. Under an attribute whose
name may imply a unit, the values that answer a comparison are, on each scale, intervals of doubles
with both ends in them. Comparisons are between decimal fractions (`comparison.py`): rounding keeps
their order, and where two round to the same double, the sign of their difference is known here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from purport.matching.asked import ValuePredicate, asked_values, plain_term
from purport.model.comparison import Operator, compared_units
from purport.model.subscription import Comparison, InRange, OneOfValues
from purport.model.term import Term, Time
from purport.model.units import Quantity, Unit

EXACT_INTEGERS = 2**53
_MILLENNIUM = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
EVERYTHING = (-math.inf, math.inf)


class NoScale(IntEnum):
    """What is not a number: a point in time, or a text that says nothing but itself."""

    OPAQUE = 0
    TIME = 1


Scale = Unit | None | NoScale
Interval = tuple[float, float]


class OnScale(NamedTuple):
    """A told number, and the scale it is on."""

    number: float
    scale: Scale


OPAQUE = OnScale(0.0, NoScale.OPAQUE)


def on_scale(term: Quantity | Time) -> OnScale | None:
    """A told number or time as a double; None if a double cannot hold it."""
    if isinstance(term, Time):
        number = microseconds(term.instant)
        is_exact = -EXACT_INTEGERS <= number <= EXACT_INTEGERS
        return OnScale(float(number), NoScale.TIME) if is_exact else None
    if isinstance(term.magnitude, int) and abs(term.magnitude) > EXACT_INTEGERS:
        return None
    return OnScale(float(term.magnitude), term.unit)


def microseconds(instant: datetime) -> int:
    """Microseconds since the year 2000."""
    return (instant - _MILLENNIUM) // _MICROSECOND


def intervals(predicate: ValuePredicate, scale: Scale, implied: Unit | None) -> list[Interval]:
    """What answers a predicate on a scale; `implied` is the unit in the told attribute's name."""
    match predicate:
        case Comparison(_, operator, asked):
            return _satisfying(operator, plain_term(asked), scale, implied)
        case OneOfValues():
            values = (plain_term(asked) for asked in asked_values(predicate))
            found = (_satisfying(Operator.EQUAL, one, scale, implied) for one in values)
            return list(dict.fromkeys(interval for several in found for interval in several))
        case InRange(_, low, high):
            above = _satisfying(Operator.AT_LEAST, plain_term(low), scale, implied)
            below = _satisfying(Operator.AT_MOST, plain_term(high), scale, implied)
            return list(_common(above, below))


def _common(above: list[Interval], below: list[Interval]) -> Iterator[Interval]:
    for (low, _), (_, high) in zip(above, below, strict=False):
        if low <= high:
            yield low, high


def _satisfying(
    operator: Operator, asked: Term, scale: Scale, implied: Unit | None
) -> list[Interval]:
    bound = _bound(asked, scale, implied)
    if bound is None:
        return [EVERYTHING] if operator is Operator.NOT_EQUAL else []
    at, sign = bound.number, bound.sign
    from_here = at if sign >= 0 else math.nextafter(at, math.inf)
    beyond = at if sign > 0 else math.nextafter(at, math.inf)
    until_here = at if sign <= 0 else math.nextafter(at, -math.inf)
    before = at if sign < 0 else math.nextafter(at, -math.inf)
    match operator:
        case Operator.EQUAL:
            return [(at, at)] if sign == 0 else []
        case Operator.NOT_EQUAL:
            return [(-math.inf, before), (beyond, math.inf)] if sign == 0 else [EVERYTHING]
        case Operator.LESS:
            return [(-math.inf, before)]
        case Operator.AT_MOST:
            return [(-math.inf, until_here)]
        case Operator.GREATER:
            return [(beyond, math.inf)]
        case Operator.AT_LEAST:
            return [(from_here, math.inf)]


@dataclass(frozen=True, slots=True)
class _Bound:
    """An asked value on a told scale: the nearest double, and how it compares with the value."""

    number: float
    sign: int


def _bound(asked: Term, scale: Scale, implied: Unit | None) -> _Bound | None:
    """Where a scale is cut by an asked value; None if the two cannot be compared."""
    match asked, scale:
        case Time(instant), NoScale.TIME:
            wanted = microseconds(instant)
            number = float(wanted)
            return _Bound(number, _sign(Fraction(number) - wanted))
        case Quantity(magnitude, unit), (None | Unit()):
            return _quantity_bound(magnitude, unit, scale, implied)
    return None


@lru_cache(maxsize=65_536, typed=True)
def _quantity_bound(
    magnitude: float, asked: Unit | None, told: Unit | None, implied: Unit | None
) -> _Bound | None:
    units = compared_units(told, asked, implied)
    if units is None:
        number = _nearest(Fraction(magnitude))
        return _Bound(number, _sign(Fraction(number) - Fraction(magnitude)))
    told_unit, asked_unit = units
    if told_unit.base != asked_unit.base:
        return None
    wanted = (asked_unit.in_base(magnitude) - told_unit.offset) / told_unit.scale
    number = _nearest(wanted)
    return _Bound(number, _sign(_decimal(number) - wanted))


def _nearest(wanted: Fraction) -> float:
    """The double nearest to a fraction; the largest one for what is beyond it."""
    try:
        return float(wanted)
    except OverflowError:
        return _LARGEST if wanted > 0 else -_LARGEST


_LARGEST = math.nextafter(math.inf, 0.0)


def _decimal(number: float) -> Fraction:
    """A double as its shortest decimal notation says."""
    return Fraction(repr(number))


def _sign(difference: Fraction) -> int:
    return (difference > 0) - (difference < 0)
