"""`avg(temperature~) over 5 min > 25`: what the values of a period come to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, chain, islice, pairwise
from typing import NamedTuple

from purport.model.comparison import Operator, holds, told_quantity
from purport.model.subscription import AskedAttribute, Function
from purport.model.term import Term
from purport.model.units import Quantity, Unit
from purport.temporal.conjunction import Candidate
from purport.temporal.instance import Instance, Part, Read
from purport.temporal.occurrence import Occurrence
from purport.temporal.operators import MomentOperator, Witnesses
from purport.temporal.progress import Progress
from purport.temporal.said import values_read
from purport.temporal.sources import Evidence

MOST_NAMED = 10  # of the events of a window, which may hold thousands
_EVENT_ITSELF = (Quantity(1),)


class AggregateOperator(MomentOperator):
    """Lets the values of a window come to something, and compares that."""

    only_loses = False  # what values come to may be more without some of them

    def __init__(
        self,
        place: str,
        witnesses: Witnesses,
        progress: Progress,
        function: Function,
        attribute: AskedAttribute | None,
        window: int,
        operator: Operator,
        value: Term,
        *,
        of_end: bool,
    ) -> None:
        super().__init__(place, witnesses, progress, of_end=of_end)
        self._function, self._attribute, self._window = function, attribute, window
        self._operator, self._value = operator, value

    def _evidence(self, candidate: Candidate, moment: int) -> Evidence | None:
        """The event itself, with those of its window, if what it comes to stands as asked."""
        outer, attribute = candidate.occurrence, self._attribute
        own = brought_in(attribute, candidate.values, outer)
        if not own:
            return None
        others = self._others(outer, moment)
        brought = [brought_in(attribute, one.values, one.about) for one in others]
        reached = aggregate(self._function, own, brought, self._value)
        if reached is None or not holds(reached.value, self._operator, self._value):
            return None
        named = [others[place] for place in _telling(reached, len(own), brought)]
        named.append(Instance(outer, outer.start, outer.end, candidate.probability, moment))
        place = f"{self.place} ({self._told(reached)})"
        parts = tuple([Part(place, one) for one in named])
        itself = Instance(outer, outer.start, outer.end, 1.0, moment, parts)
        return Evidence(itself, 1.0, moment)

    def _told(self, reached: Reached) -> str:
        if self._function is Function.COUNT:
            return str(reached.value)
        return f"{reached.value} from {reached.counted:,} value{'s' if reached.counted > 1 else ''}"

    def _others(self, outer: Occurrence, moment: int) -> list[Instance]:
        """The other events of the window, each as it is best read; latest first."""
        best: dict[str, Instance] = {}
        for answered in self._witnesses.among(outer):
            for one in answered.by_end.between(moment - self._window + 1, moment - 1):
                known = best.get(one.about.id)
                if known is None or one.probability >= known.probability:  # the first one is last
                    best[one.about.id] = one
        best.pop(outer.id, None)
        return list(best.values())


def brought_in(
    attribute: AskedAttribute | None, read: Read, occurrence: Occurrence
) -> Sequence[Term]:
    """What one event brings in: its values, or of a count of events itself."""
    if attribute is None:
        return _EVENT_ITSELF
    return values_read(read, occurrence, attribute)


class Reached(NamedTuple):
    """What the values of an event and of others come to, and what it was made of.

    `numbers` are all values in their order, or None of those that do not count.
    """

    value: Quantity
    numbers: Sequence[Fraction | Term | None]
    counted: int
    deciding: Fraction | None = None  # the one that is least or greatest, if that is asked for


def aggregate(
    function: Function, own: Sequence[Term], others: Iterable[Sequence[Term]], asked: Term
) -> Reached | None:
    """What the values of an event and of others come to; None if its own say nothing.

    It is in the unit that is asked for, or else in the first that is named. Values of another kind
    (a length among temperatures) do not count; numbers without a unit are taken to be in it. What
    no quantity holds, because it is too large, is no answer: None too.
    """
    told = [*own, *chain.from_iterable(others)]
    if function is Function.COUNT:
        return Reached(Quantity(len(told)), told, len(told)) if own else None
    unit = next((one.unit for one in _quantities([asked, *told]) if one.unit is not None), None)
    numbers = _numbers(told, unit)
    if all(one is None for one in numbers[: len(own)]):
        return None
    counted = [one for one in numbers if one is not None]
    result = _come_to(function, counted)
    value = _quantity(result, unit)
    if value is None:
        return None
    is_one_of_them = function in (Function.MIN, Function.MAX)
    return Reached(value, numbers, len(counted), result if is_one_of_them else None)


def _telling(reached: Reached, own: int, others: Sequence[Sequence[Term]]) -> list[int]:
    """Which of the others to name, which are the latest first: the latest that count, latest last.

    The one that decides is among them, unless the event itself does.
    """
    begins = list(accumulate(map(len, others), initial=own))  # where the values of each are
    counted = (
        place
        for place, (begin, end) in enumerate(pairwise(begins))
        if any(one is not None for one in reached.numbers[begin:end])
    )
    chosen = list(islice(counted, MOST_NAMED - 1))
    if chosen and reached.deciding is not None:
        decides = next(at for at, one in enumerate(reached.numbers) if one is reached.deciding)
        chosen[-1] = max(chosen[-1], bisect_right(begins, decides) - 1)
    return chosen[::-1]


def _quantity(number: Fraction, unit: Unit | None) -> Quantity | None:
    try:
        return Quantity(int(number) if number.denominator == 1 else float(number), unit)
    except (ValueError, OverflowError):
        return None


def _quantities(values: Iterable[Term]) -> Iterator[Quantity]:
    return (one for one in map(told_quantity, values) if one is not None)


def _numbers(values: Iterable[Term], unit: Unit | None) -> list[Fraction | None]:
    """Values in a unit; None of those that cannot be said in it."""
    numbers: list[Fraction | None] = []
    for one in map(told_quantity, values):
        if one is None:
            numbers.append(None)
        elif unit is None or one.unit is None:
            numbers.append(Fraction(repr(one.magnitude)))
        elif one.unit.base == unit.base:
            numbers.append((one.unit.in_base(one.magnitude) - unit.offset) / unit.scale)
        else:
            numbers.append(None)
    return numbers


def _come_to(function: Function, numbers: Sequence[Fraction]) -> Fraction:
    match function:
        case Function.SUM:
            return sum(numbers, Fraction())
        case Function.MIN:
            return min(numbers)
        case Function.MAX:
            return max(numbers)
        case _:
            return sum(numbers, Fraction()) / len(numbers)
