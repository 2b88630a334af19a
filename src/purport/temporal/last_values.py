"""`A filter(<, last 200) {...}`: a value compared with those of the last events before it."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice

from purport.model.comparison import Operator, any_holds, told_quantity
from purport.model.subscription import AskedAttribute
from purport.model.term import Term
from purport.model.units import Quantity
from purport.temporal.conjunction import Candidate
from purport.temporal.history import Dropped
from purport.temporal.instance import Instance
from purport.temporal.occurrence import Occurrence
from purport.temporal.operators import MomentOperator, Witnesses
from purport.temporal.progress import BEGINNING, Progress
from purport.temporal.said import values_read
from purport.temporal.sources import Evidence
from purport.temporal.timeline import Timeline


class HistoryFilterOperator(MomentOperator):
    """While time goes on, the last values are kept in order, so that nothing is read again."""

    def __init__(
        self,
        place: str,
        witnesses: Witnesses,
        progress: Progress,
        attribute: AskedAttribute,
        operator: Operator,
        last: int | None,
        *,
        of_end: bool,
    ) -> None:
        super().__init__(place, witnesses, progress, of_end=of_end)
        self._attribute, self._operator, self._last = attribute, operator, last
        self._window = _LastNumbers(attribute, last) if witnesses.is_plain else None
        witnesses.node.listeners.append(self.hear)

    def close(self) -> None:
        """Hear no more."""
        self._witnesses.node.listeners.remove(self.hear)
        self._witnesses.close()

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """What is dropped may be among the last."""
        if self._window is not None:
            self._window.drop_through(dropped[-1])

    def hear(self, one: Instance) -> None:
        """Something new has answered: if it belongs before what was read, that is read again."""
        if self._window is not None and one.end is not None and one.end < self._window.moment:
            self._window.forget()

    def _evidence(self, candidate: Candidate, moment: int) -> Evidence | None:
        """A witness among the last."""
        outer = candidate.occurrence
        values = values_read(candidate.values, outer, self._attribute)
        best: Evidence | None = None
        for answered in self._witnesses.among(outer):
            found = self._found_in_window(answered, moment, values)
            if found is None:
                found = self._scanned(outer, answered, moment, values)
            if found and found[0].is_better_than(best):
                best = found[0]
        return best

    def _found_in_window(
        self, answered: Timeline[Instance], moment: int, values: list[Term]
    ) -> list[Evidence] | None:
        """A witness, or none (an empty list), by the numbers in order; None if they do not say."""
        window = self._window
        if window is None or moment < window.moment:
            return None
        window.advance(answered, moment)
        if not window.is_plain:
            return None
        found = []
        for value in values:
            number = plain_number(value)
            if number is None:
                return None
            witness = window.witness(number, self._operator)
            if witness is not None:
                found.append(Evidence(witness, 1.0, max(moment, witness.known)))
        return found[:1]

    def _scanned(
        self, outer: Occurrence, answered: Timeline[Instance], moment: int, values: list[Term]
    ) -> list[Evidence]:
        best: Evidence | None = None
        for one in self._last_before(outer, answered, moment):
            told = values_read(one.values, one.about, self._attribute)
            if any_holds(values, self._operator, told):
                evidence = self._witnesses.evidence(outer, one, max(moment, one.known))
                if evidence is not None and evidence.is_better_than(best):
                    best = evidence
                    if best.probability >= 1.0:
                        break
        return [] if best is None else [best]

    def _last_before(
        self, outer: Occurrence, answered: Timeline[Instance], moment: int
    ) -> Iterator[Instance]:
        """The last of those known to have answered before, latest first; each event counts once."""
        counted: set[str] = set()
        for one in answered.by_end.between(None, moment - 1):
            if one.known >= moment or not self._is_one(outer, one):
                continue
            if one.about.id not in counted and len(counted) == self._last:
                return
            counted.add(one.about.id)
            yield one

    def _is_one(self, outer: Occurrence, one: Instance) -> bool:
        return self._witnesses.evidence(outer, one, one.known) is not None


class _LastNumbers:
    """The numbers of the last events that ended before a moment, in order; events behind them."""

    def __init__(self, attribute: AskedAttribute, most: int | None) -> None:
        self._attribute, self._most = attribute, most
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.moment = BEGINNING
        self.is_plain = True  # all are numbers without units, of events that surely answer
        self._events: deque[tuple[Instance, set[float]]] = deque()
        self._numbers: list[float] = []  # in order, each once
        self._with_number: dict[float, deque[Instance]] = {}  # the latest last

    def drop_through(self, last: Dropped) -> None:
        """Have none of the oldest, up to one."""
        if not self.is_plain:
            self.forget()
        while self._events and _age(self._events[0][0]) <= (last.end, last.id):
            self._leave_oldest()

    def advance(self, answered: Timeline[Instance], moment: int) -> None:
        """Go on to a later moment."""
        if not self.is_plain:
            return
        first = None if self.moment == BEGINNING else self.moment
        newest = answered.by_end.between(first, moment - 1)
        self.moment = moment
        fresh = list(newest if self._most is None else islice(newest, self._most))
        for one in reversed(fresh):
            self._add(one)

    def witness(self, number: float, operator: Operator) -> Instance | None:
        """An event whose number stands to this one as asked: told operator number of the event."""
        numbers = self._numbers
        if not numbers:
            return None
        low, high = numbers[0], numbers[-1]
        match operator:
            case Operator.LESS:
                return self._event_of(high) if number < high else None
            case Operator.AT_MOST:
                return self._event_of(high) if number <= high else None
            case Operator.GREATER:
                return self._event_of(low) if number > low else None
            case Operator.AT_LEAST:
                return self._event_of(low) if number >= low else None
            case Operator.EQUAL:
                return self._event_of(number) if number in self._with_number else None
            case Operator.NOT_EQUAL:
                other = low if low != number else high
                return self._event_of(other) if other != number else None

    def _add(self, one: Instance) -> None:
        values = values_read(one.values, one.about, self._attribute)
        numbers = [one.magnitude for one in values if type(one) is Quantity and one.unit is None]
        if len(numbers) != len(values) or one.probability < 1.0 or one.known >= self.moment:
            self.is_plain = False
            return
        different = set(numbers)
        for number in different:
            if number not in self._with_number:
                insort(self._numbers, number)
                self._with_number[number] = deque()
            self._with_number[number].append(one)
        self._events.append((one, different))
        if self._most is not None and len(self._events) > self._most:
            self._leave_oldest()

    def _leave_oldest(self) -> None:
        for number in self._events.popleft()[1]:
            some = self._with_number[number]
            some.popleft()
            if not some:
                del self._with_number[number]
                del self._numbers[bisect_left(self._numbers, number)]

    def _event_of(self, number: float) -> Instance:
        """The latest event with a number."""
        return self._with_number[number][-1]


def _age(one: Instance) -> tuple[int, str]:
    assert one.end is not None
    return one.end, one.about.id


def plain_number(value: Term) -> float | None:
    """A number without a unit that a value spells; None if it does not."""
    quantity = told_quantity(value)
    return None if quantity is None or quantity.unit is not None else quantity.magnitude
