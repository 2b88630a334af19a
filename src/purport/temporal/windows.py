"""`avg(temperature~) over 5 min > 25`: what the values of a stretch of time come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from purport.model.comparison import Operator, holds, told_quantity
from purport.model.subscription import AskedAttribute, Function
from purport.model.term import Term
from purport.model.units import Quantity, Unit
from purport.temporal.conjunction import Candidate
from purport.temporal.instance import Instance, Read
from purport.temporal.occurrence import Occurrence
from purport.temporal.operators import MomentOperator, Witnesses
from purport.temporal.progress import Progress
from purport.temporal.said import values_read
from purport.temporal.sources import Evidence


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
        """The event itself, if what its window comes to stands as asked."""
        outer = candidate.occurrence
        own = brought_in(self._attribute, candidate.values, outer)
        result = aggregate(self._function, own, self._others(outer, moment), self._value)
        if result is None or not holds(result, self._operator, self._value):
            return None
        itself = Instance(outer, outer.start, outer.end, 1.0, moment)
        return Evidence(itself, 1.0, moment)

    def _others(self, outer: Occurrence, moment: int) -> Iterator[Term]:
        """What the other events of the window bring in, each as it is best read."""
        best: dict[str, Instance] = {}
        for answered in self._witnesses.among(outer):
            for one in answered.by_end.between(moment - self._window + 1, moment - 1):
                known = best.get(one.about.id)
                if known is None or one.probability >= known.probability:  # the first one is last
                    best[one.about.id] = one
        best.pop(outer.id, None)
        for one in best.values():
            yield from brought_in(self._attribute, one.values, one.about)


def brought_in(attribute: AskedAttribute | None, read: Read, occurrence: Occurrence) -> list[Term]:
    """What one event brings in: its values, or of a count of events itself."""
    if attribute is None:
        return [Quantity(1)]
    return values_read(read, occurrence, attribute)


def aggregate(
    function: Function, own: Sequence[Term], others: Iterable[Term], asked: Term
) -> Quantity | None:
    """What the values of an event and of others come to; None if its own say nothing.

    It is in the unit that is asked for, or else in the first that is named. Values of another kind
    (a length among temperatures) do not count; numbers without a unit are taken to be in it. What
    no quantity holds, because it is too large, is no answer: None too.
    """
    if function is Function.COUNT:
        return Quantity(len(own) + sum(1 for _ in others)) if own else None
    told = [*own, *others]
    unit = next((one.unit for one in _quantities([asked, *told]) if one.unit is not None), None)
    if not _numbers(own, unit):
        return None
    return _quantity(_come_to(function, _numbers(told, unit)), unit)


def _quantity(number: Fraction, unit: Unit | None) -> Quantity | None:
    try:
        return Quantity(int(number) if number.denominator == 1 else float(number), unit)
    except (ValueError, OverflowError):
        return None


def _quantities(values: Iterable[Term]) -> list[Quantity]:
    return [one for one in map(told_quantity, values) if one is not None]


def _numbers(values: Iterable[Term], unit: Unit | None) -> list[Fraction]:
    """Values in a unit, as far as they can be said in it."""
    numbers = []
    for one in _quantities(values):
        if unit is None or one.unit is None:
            numbers.append(Fraction(repr(one.magnitude)))
        elif one.unit.base == unit.base:
            numbers.append((one.unit.in_base(one.magnitude) - unit.offset) / unit.scale)
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
