"""Sets of points on a line, as the places where one enters and leaves them.

A place is just before a point or just after it, so `>= 5` begins just before 5 and `> 5` just after
it; unions, intersections and complements of such sets are exact.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from purport.model.comparison import Operator

_BEFORE, _AFTER = 0, 1

Place = tuple[Any, int]


@dataclass(frozen=True, slots=True)
class PointSet:
    """A set on a line: whether its far left is inside, and where one enters or leaves it."""

    starts_inside: bool = False
    places: tuple[Place, ...] = ()

    def __contains__(self, point: Any) -> bool:
        passed = bisect_right(self.places, (point, _BEFORE))
        return self.starts_inside != bool(passed % 2)

    def __and__(self, other: PointSet) -> PointSet:
        return self._swept(other, lambda left, right: left and right)

    def __or__(self, other: PointSet) -> PointSet:
        return self._swept(other, lambda left, right: left or right)

    def __invert__(self) -> PointSet:
        return PointSet(not self.starts_inside, self.places)

    @property
    def is_empty(self) -> bool:
        """Whether no point is inside."""
        return not self.starts_inside and not self.places

    def moved(self, place_of: Callable[[Place], Place]) -> PointSet:
        """The set with other places, in the same order; what becomes empty goes."""
        places: list[Place] = []
        for place in map(place_of, self.places):
            if places and places[-1] == place:
                places.pop()
            else:
                places.append(place)
        return PointSet(self.starts_inside, tuple(places))

    def pieces(self) -> list[tuple[Place | None, Place | None]]:
        """Where each piece begins and ends; None is endless."""
        ends: list[Place | None] = [*([None] if self.starts_inside else []), *self.places]
        if len(ends) % 2:
            ends.append(None)
        return list(zip(ends[::2], ends[1::2], strict=True))

    def _swept(self, other: PointSet, keeps: Callable[[bool, bool], bool]) -> PointSet:
        left, right = self.starts_inside, other.starts_inside
        lefts, rights = set(self.places), set(other.places)
        inside = starts_inside = keeps(left, right)
        places = []
        for place in sorted(lefts | rights):
            left ^= place in lefts
            right ^= place in rights
            if keeps(left, right) != inside:
                inside = not inside
                places.append(place)
        return PointSet(starts_inside, tuple(places))


NO_POINT, EVERY_POINT = PointSet(), PointSet(True)


def compared(operator: Operator, limit: Any) -> PointSet:
    """The points for which `point operator limit`."""
    match operator:
        case Operator.LESS:
            return PointSet(True, ((limit, _BEFORE),))
        case Operator.AT_MOST:
            return PointSet(True, ((limit, _AFTER),))
        case Operator.GREATER:
            return PointSet(False, ((limit, _AFTER),))
        case Operator.AT_LEAST:
            return PointSet(False, ((limit, _BEFORE),))
        case Operator.EQUAL:
            return PointSet(False, ((limit, _BEFORE), (limit, _AFTER)))
        case Operator.NOT_EQUAL:
            return PointSet(True, ((limit, _BEFORE), (limit, _AFTER)))


@dataclass(frozen=True, slots=True)
class Numbers:
    """A set of numbers: the whole ones among them, and the others.

    The two are kept apart, so that `integer[> 5]` and `integer[>= 6]` come out the same.
    """

    whole: PointSet
    broken: PointSet

    @classmethod
    def on_line(cls, points: PointSet) -> Numbers:
        """The numbers at these points."""
        return cls(points.moved(_before_next_whole), points.moved(_beside_whole))

    def __contains__(self, number: Any) -> bool:
        return number in (self.whole if number == math.floor(number) else self.broken)

    def __and__(self, other: Numbers) -> Numbers:
        return Numbers(self.whole & other.whole, self.broken & other.broken)

    def __or__(self, other: Numbers) -> Numbers:
        return Numbers(self.whole | other.whole, self.broken | other.broken)

    def __invert__(self) -> Numbers:
        return Numbers(~self.whole, ~self.broken)

    @property
    def is_empty(self) -> bool:
        """Whether there is no such number."""
        return self.whole.is_empty and self.broken.is_empty

    @property
    def size(self) -> float:
        """How many numbers there are; may be infinite."""
        wholes = sum(
            math.inf if begin is None or end is None else end[0] - begin[0]
            for begin, end in self.whole.pieces()
        )
        return wholes + points_in(self.broken)


def points_in(points: PointSet) -> float:
    """How many points a set on a line without gaps has: 1 for each that is one point alone."""
    return sum(
        1 if begin is not None and end is not None and begin[0] == end[0] else math.inf
        for begin, end in points.pieces()
    )


NO_NUMBER = Numbers(NO_POINT, NO_POINT)
EVERY_NUMBER = Numbers(EVERY_POINT, EVERY_POINT)
WHOLE_NUMBERS = Numbers(EVERY_POINT, NO_POINT)


def _before_next_whole(place: Place) -> Place:
    point, side = place
    return (math.ceil(point) if side == _BEFORE else math.floor(point) + 1), _BEFORE


def _beside_whole(place: Place) -> Place:
    point, _ = place
    return (point, _BEFORE) if point == math.floor(point) else place
