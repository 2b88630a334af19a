"""One pair of braces: an event, what it says by itself, and what happened around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from msgspec import Struct

from purport.model.term import Attribute
from purport.temporal.filters import Filter, Reading, least_probability
from purport.temporal.history import Dropped
from purport.temporal.instance import Instance, Part, Read, timeline
from purport.temporal.occurrence import Occurrence
from purport.temporal.progress import Progress
from purport.temporal.said import Binds, bindings_of
from purport.temporal.sources import Evidence, Partition

Hear = Callable[[Instance], None]


class Candidate(Struct, eq=False, gc=False):
    """An event that passes the plain part of a filter, and what is known of the rest."""

    occurrence: Occurrence
    probability: float
    values: Read
    evidence: list[Evidence | None]
    is_settled: list[bool]  # nothing better will come
    emitted: list[Instance] = []
    is_waiting: bool = False  # operators tell of witnesses that come
    is_over: bool = False

    def total(self) -> float:
        """How likely all of it holds, as far as it is known."""
        total = self.probability
        for one in self.evidence:
            if one is None:
                return 0.0
            total *= one.probability
        return total


class TemporalOperator(Protocol):
    """A predicate about what happened around an event."""

    place: str
    is_prompt: bool  # all that matters has come when the watermark is at the event's moment
    only_loses: bool  # when events are dropped, it can become less likely, but not likelier

    def look(self, candidate: Candidate) -> tuple[Evidence | None, bool]:
        """What speaks for it now, and whether nothing better will come."""

    def looks_again(self, candidate: Candidate) -> int | None:
        """The watermark at which to look again, if there is one."""

    def wait(self, candidate: Candidate) -> None:
        """Tell of witnesses that come later."""

    def leave(self, candidate: Candidate) -> None:
        """Tell no more."""

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Forget events, which are in the order in which they ended."""

    def close(self) -> None:
        """Hear no more."""


class ConjunctionNode:
    """What answers a conjunction, and who hears of it.

    What answers an inner one is kept, for the operators that look for witnesses among it. `binds`
    are names and the attributes that give them their values (`room = $room`).
    """

    def __init__(
        self,
        filter: Filter,
        operators: Sequence[TemporalOperator],
        progress: Progress,
        rank: int,
        *,
        needs_end: bool,
        needs_known: bool,
        is_inner: bool,
        binds: Binds = (),
    ) -> None:
        self.filter, self.rank = filter, rank
        self.needs_end, self.needs_known = needs_end, needs_known
        self.operators, self._binds, self._progress = operators, binds, progress
        self.is_prompt = all(one.is_prompt for one in operators)
        self.listeners: list[Hear] = []
        self.answered = timeline() if is_inner else None
        self._partitions: dict[Attribute, Partition] = {}
        self._kept: dict[str, list[Candidate]] = {}  # by event: who goes on, or waits
        self._resting: dict[str, set[Candidate]] = {}  # who waits, by the events of its evidence
        self.least = least_probability(filter.options)
        filter.takers.append(self)

    def close(self) -> None:
        """Take no more, and wait for nothing any more."""
        self.filter.takers.remove(self)
        for candidates in self._kept.values():
            for candidate in candidates:
                candidate.is_over = True

    @property
    def going_on(self) -> list[str]:
        """The events of which it would be told that they have ended."""
        return [name for name, some in self._kept.items() if some[0].occurrence.end is None]

    def partition(self, attribute: Attribute) -> Partition:
        """What has answered so far, by the values of an attribute."""
        if attribute not in self._partitions:
            found = self._partitions[attribute] = Partition(attribute)
            assert self.answered is not None
            for index in (self.answered.by_end, self.answered.going_on):
                for instance in index.between(None, None):
                    found.add(instance)
        self._partitions[attribute].users += 1
        return self._partitions[attribute]

    def leave_partition(self, attribute: Attribute) -> None:
        """Somebody has no more use for it."""
        self._partitions[attribute].users -= 1
        if not self._partitions[attribute].users:
            del self._partitions[attribute]

    def take(self, occurrence: Occurrence, readings: list[Reading]) -> None:
        """An event passes the plain part, or has ended and does so now."""
        count = len(self.operators)
        if not count and occurrence.end is not None:
            self._pass_on(occurrence, readings)
            return
        for probability, values in readings:
            candidate = Candidate(occurrence, probability, values, [None] * count, [False] * count)
            if occurrence.end is None:
                self._kept.setdefault(occurrence.id, []).append(candidate)
            self._begin(candidate)

    def forget(self, identifier: str) -> None:
        """Drop what is known of an event while it went on."""
        for candidate in self._kept.pop(identifier, ()):
            self._end(candidate)
            for instance in candidate.emitted:
                self._retract(instance)

    def hear(self, number: int, candidate: Candidate, evidence: Evidence) -> None:
        """A witness came later than the event that it speaks for."""
        if evidence.is_better_than(candidate.evidence[number]):
            candidate.evidence[number] = evidence
            if candidate.is_waiting:
                self._rest_on(candidate, evidence)
            self._judge(candidate)

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Forget events, and look anew at what goes on or waits, and rested on them."""
        if self.answered is not None:
            for one in self.answered.drop_through(dropped[-1].end, dropped[-1].id):
                for partition in self._partitions.values():
                    partition.remove(one)
        for operator in self.operators:
            operator.drop(dropped)
        for gone in dropped:
            for candidate in self._kept.pop(gone.id, ()):
                self._end(candidate)
        again = {one for gone in dropped for one in self._resting.pop(gone.id, ())}
        if not all(one.only_loses for one in self.operators):
            again.update(one for some in self._kept.values() for one in some)
        for candidate in sorted(again, key=lambda one: one.occurrence.sequence):
            self._begin_again(candidate)

    def _pass_on(self, occurrence: Occurrence, readings: list[Reading]) -> None:
        """Emit what has ended and needs no witness: nothing more will be known of it."""
        start, end = occurrence.start, occurrence.end
        assert end is not None
        known = start if occurrence.is_in_parts and not self.needs_end else end
        for probability, values in readings:
            for bindings in bindings_of(self._binds, values, occurrence):
                one = Instance(occurrence, start, end, probability, known, (), bindings, values)
                self._tell(one)

    def _begin(self, candidate: Candidate) -> None:
        if not self.operators:
            self._emit(candidate, candidate.probability)
            return
        self._look(candidate)
        if candidate.is_over:
            return
        watermark, times = self._progress.watermark, set()
        for operator in self.operators:
            time = operator.looks_again(candidate)
            if time is not None and time > watermark:
                times.add(time)
        for time in sorted(times):
            self._progress.wait(time, self.rank, candidate, partial(self._look, candidate))
        candidate.is_waiting = True
        if candidate.occurrence.end is not None:
            self._kept.setdefault(candidate.occurrence.id, []).append(candidate)
        for evidence in candidate.evidence:
            if evidence is not None:
                self._rest_on(candidate, evidence)
        for operator, is_settled in zip(self.operators, candidate.is_settled, strict=True):
            if not is_settled:
                operator.wait(candidate)

    def _begin_again(self, candidate: Candidate) -> None:
        """Look at an event as if it came now; what was told of it stays told."""
        occurrence, count = candidate.occurrence, len(self.operators)
        is_known = any(one is candidate for one in self._kept.get(occurrence.id, ()))
        if not is_known:
            return
        self._end(candidate)
        for instance in candidate.emitted:
            self._retract(instance)
        anew = Candidate(
            occurrence, candidate.probability, candidate.values, [None] * count, [False] * count
        )
        if occurrence.end is None:
            some = self._kept[occurrence.id]
            some[some.index(candidate)] = anew
        self._begin(anew)

    def _rest_on(self, candidate: Candidate, evidence: Evidence) -> None:
        self._resting.setdefault(evidence.instance.about.id, set()).add(candidate)

    def _look(self, candidate: Candidate) -> None:
        """Ask all operators that may know more."""
        if candidate.is_over:
            return
        known, settled = candidate.evidence, candidate.is_settled
        for number, operator in enumerate(self.operators):
            if settled[number]:
                continue
            evidence, settled[number] = operator.look(candidate)
            before = known[number]
            if evidence is not None and (before is None or evidence.is_better_than(before)):
                known[number] = evidence
                if candidate.is_waiting:
                    self._rest_on(candidate, evidence)
            elif before is None and settled[number]:
                self._end(candidate)
                return
        self._judge(candidate)

    def _judge(self, candidate: Candidate) -> None:
        """Emit what is likely enough, and end what cannot get better."""
        total = candidate.total()
        if total >= self.least and not (candidate.emitted and self._was_told(candidate, total)):
            self._emit(candidate, total)
        if False not in candidate.is_settled or (
            candidate.emitted and total >= candidate.probability and not self.needs_known
        ):
            self._end(candidate)

    def _was_told(self, candidate: Candidate, total: float) -> bool:
        before = candidate.emitted[-1]
        is_known_earlier = self.needs_known and self._known(candidate) < before.known
        return total <= before.probability and not is_known_earlier

    def _emit(self, candidate: Candidate, total: float) -> None:
        for instance in candidate.emitted:
            self._retract(instance)
        occurrence, values = candidate.occurrence, candidate.values
        start, end, known = occurrence.start, occurrence.end, self._known(candidate)
        parts = self._parts(candidate) if self.operators else ()
        candidate.emitted = [
            Instance(occurrence, start, end, total, known, parts, bindings, values)
            for bindings in bindings_of(self._binds, values, occurrence)
        ]
        for instance in candidate.emitted:
            self._tell(instance)

    def _tell(self, instance: Instance) -> None:
        if self.answered is not None:
            self.answered.add(instance)
        for partition in self._partitions.values():
            partition.add(instance)
        for listener in self.listeners:
            listener(instance)

    def _parts(self, candidate: Candidate) -> tuple[Part, ...]:
        parts: list[Part] = []
        for operator, evidence in zip(self.operators, candidate.evidence, strict=True):
            if evidence is None:
                continue
            if evidence.instance.about is candidate.occurrence:  # it speaks for itself, with others
                parts += evidence.instance.parts
            else:
                parts.append(Part(operator.place, evidence.instance))
        return tuple(parts)

    def _retract(self, instance: Instance) -> None:
        if self.answered is not None:
            self.answered.remove(instance)
        for partition in self._partitions.values():
            partition.remove(instance)

    def _known(self, candidate: Candidate) -> int:
        occurrence = candidate.occurrence
        if occurrence.end is None or (occurrence.is_in_parts and not self.needs_end):
            known = occurrence.start
        else:
            known = occurrence.end
        for one in candidate.evidence:
            if one is not None and one.known > known:
                known = one.known
        return known

    def _end(self, candidate: Candidate) -> None:
        if not candidate.is_over:
            candidate.is_over = True
            if candidate.is_waiting:
                self._stop_waiting(candidate)

    def _stop_waiting(self, candidate: Candidate) -> None:
        for operator in self.operators:
            operator.leave(candidate)
        for evidence in candidate.evidence:
            name = None if evidence is None else evidence.instance.about.id
            if name in self._resting:
                self._resting[name].discard(candidate)
                if not self._resting[name]:
                    del self._resting[name]
        occurrence = candidate.occurrence
        if occurrence.end is not None and occurrence.id in self._kept:
            some = self._kept[occurrence.id]
            some.remove(candidate)
            if not some:
                del self._kept[occurrence.id]
