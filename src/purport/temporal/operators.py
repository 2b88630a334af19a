"""Operators that look for a witness: after, during, with, and Allen's relations.

Each finds the best witness among what has answered its inner filter, and is told of witnesses that
come later than the event that they speak for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter

from purport.model.subscription import AllenRelation, Endpoint, ReferenceTime
from purport.model.term import Text
from purport.temporal.allen import allen_relation
from purport.temporal.conjunction import Candidate, ConjunctionNode
from purport.temporal.history import Dropped
from purport.temporal.instance import Instance
from purport.temporal.occurrence import Occurrence
from purport.temporal.progress import Progress
from purport.temporal.reference_times import reference_time
from purport.temporal.said import values_of
from purport.temporal.sources import Correlation, Evidence
from purport.temporal.time_index import TimeIndex
from purport.temporal.timeline import Timeline

Tell = Callable[[Candidate, Evidence], None]


class Witnesses:
    """What has answered an inner filter, and stands to the outer event as it says."""

    def __init__(self, node: ConjunctionNode, correlation: Correlation | None) -> None:
        self.node, self._correlation = node, correlation
        self._equality = None if correlation is None else correlation.equality
        if self._equality is not None:
            self._partition = node.partition(self._equality[0])
        assert node.answered is not None
        self._all = node.answered
        # whether all that has answered the filter is as good for one event as for another
        self.is_plain = correlation is None

    def close(self) -> None:
        """Look for nobody any more."""
        if self._equality is not None:
            self.node.leave_partition(self._equality[0])

    @property
    def is_prompt(self) -> bool:
        """Whether what ended before the watermark has answered by now, if it ever does."""
        return self.node.is_prompt

    def among(self, outer: Occurrence) -> Iterable[Timeline[Instance]]:
        """Where those for an event are found."""
        if self._equality is None:
            return (self._all,)
        found: dict[int, Timeline[Instance]] = {}
        for value in values_of(outer.statements, Text(self._equality[1])):
            some = self._partition.equal_to(value)
            if some is None:
                return (self._all,)
            found.update((id(one), one) for one in some)
        return found.values()

    def evidence(self, outer: Occurrence, one: Instance, known: int) -> Evidence | None:
        """What an instance is worth for an event; None if it is no witness."""
        if one.about.id == outer.id:
            return None
        if self._correlation is None:
            return Evidence(one, one.probability, known)
        probability = one.probability * self._correlation.factor(outer, one.about)
        is_likely = probability > 0.0 and probability >= self.node.least
        return Evidence(one, probability, known) if is_likely else None


class _WitnessOperator:
    """What all operators have in common that look for a witness."""

    is_prompt = False
    only_loses = True

    def __init__(
        self,
        place: str,
        witnesses: Witnesses,
        progress: Progress,
        endpoint: ReferenceTime,
        *,
        needs_known: bool,
    ) -> None:
        self.place, self._witnesses, self._progress = place, witnesses, progress
        self._needs_known, self._endpoint = needs_known, endpoint
        self._reference = _reference_of(endpoint)
        self._waiting: TimeIndex[Candidate] = TimeIndex()
        self.tell: Tell = _nobody
        witnesses.node.listeners.append(self.hear)

    def close(self) -> None:
        """Hear no more."""
        self._witnesses.node.listeners.remove(self.hear)
        self._witnesses.close()

    def looks_again(self, candidate: Candidate) -> int | None:
        """Only witnesses change anything."""
        return None

    def wait(self, candidate: Candidate) -> None:
        """Tell of witnesses that come later."""
        occurrence = candidate.occurrence
        self._waiting.add(self._reference(occurrence), occurrence.id, candidate)

    def leave(self, candidate: Candidate) -> None:
        """Tell no more."""
        occurrence = candidate.occurrence
        self._waiting.remove(self._reference(occurrence), occurrence.id, candidate)

    def look(self, candidate: Candidate) -> tuple[Evidence | None, bool]:
        """The best witness by now; an event that does not say its time has none."""
        if not self._has_reference(candidate.occurrence):
            return None, True
        best: Evidence | None = None
        for answered in self._witnesses.among(candidate.occurrence):
            best = self._best(candidate.occurrence, answered, best)
        return best, self._is_settled(candidate.occurrence, best)

    def hear(self, one: Instance) -> None:
        """Something new has answered the inner filter."""
        if not len(self._waiting):
            return
        for candidate in list(self._served_by(one)):
            if not candidate.is_over:
                evidence = self._evidence(candidate.occurrence, one)
                if evidence is not None:
                    self.tell(candidate, evidence)

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Who waits for witnesses leaves by itself."""

    def _best(
        self, outer: Occurrence, answered: Timeline[Instance], best: Evidence | None
    ) -> Evidence | None:
        for one in self._qualifying(outer, answered):
            evidence = self._evidence(outer, one)
            if evidence is not None and evidence.is_better_than(best):
                best = evidence
                if best.probability >= 1.0 and not self._needs_known:
                    break
        return best

    def _is_settled(self, outer: Occurrence, best: Evidence | None) -> bool:
        if best is None or best.probability < 1.0:
            return False
        return not self._needs_known or best.known <= self._progress.watermark

    def _evidence(self, outer: Occurrence, one: Instance) -> Evidence | None:
        return self._witnesses.evidence(outer, one, one.known)

    def _has_reference(self, outer: Occurrence) -> bool:
        if isinstance(self._endpoint, Endpoint):
            return True
        return reference_time(outer, self._endpoint) is not None

    def _qualifying(self, outer: Occurrence, answered: Timeline[Instance]) -> Iterator[Instance]:
        """The witnesses for an event, as far as time goes; latest first."""
        raise NotImplementedError

    def _served_by(self, one: Instance) -> Iterator[Candidate]:
        """The events that wait for such a witness."""
        raise NotImplementedError


class AfterOperator(_WitnessOperator):
    """`start after(10 s) {...}`."""

    def __init__(
        self,
        place: str,
        witnesses: Witnesses,
        progress: Progress,
        endpoint: ReferenceTime,
        limit: int | None,
        *,
        needs_known: bool,
    ) -> None:
        super().__init__(place, witnesses, progress, endpoint, needs_known=needs_known)
        self._limit = limit
        is_of_interval = isinstance(endpoint, Endpoint)
        self.is_prompt = witnesses.is_prompt and is_of_interval
        # what is known in time may be worth less, or be earlier, than the latest witness
        self._is_quick = witnesses.is_plain and is_of_interval and not needs_known

    def looks_again(self, candidate: Candidate) -> int | None:
        """When all that ended before has come, it is settled."""
        return self._reference(candidate.occurrence) if self._witnesses.is_prompt else None

    def look(self, candidate: Candidate) -> tuple[Evidence | None, bool]:
        """The best witness by now; no event ends before its own start or end."""
        if not self._is_quick:
            return super().look(candidate)
        outer, best = candidate.occurrence, None
        for answered in self._witnesses.among(outer):
            found = answered.by_end.best(*self._period(outer))
            if found is not None:
                best = Evidence(found, found.probability, found.known)
        return best, self._is_settled(outer, best)

    def _is_settled(self, outer: Occurrence, best: Evidence | None) -> bool:
        is_past = self._witnesses.is_prompt and self._progress.watermark >= self._reference(outer)
        return is_past or super()._is_settled(outer, best)

    def _evidence(self, outer: Occurrence, one: Instance) -> Evidence | None:
        assert one.end is not None
        return self._witnesses.evidence(outer, one, max(one.known, one.end))

    def _period(self, outer: Occurrence) -> tuple[int | None, int]:
        at = self._reference(outer)
        return None if self._limit is None else at - self._limit, at - 1

    def _qualifying(self, outer: Occurrence, answered: Timeline[Instance]) -> Iterator[Instance]:
        return answered.by_end.between(*self._period(outer))

    def _served_by(self, one: Instance) -> Iterator[Candidate]:
        if one.end is None:
            return iter(())
        last = None if self._limit is None else one.end + self._limit
        return self._waiting.between(one.end + 1, last)


class DuringOperator(_WitnessOperator):
    """`end during {...}`: by something that has ended, or that still goes on when time is there."""

    def looks_again(self, candidate: Candidate) -> int | None:
        """When what goes on can no longer turn out to have ended before."""
        return self._reference(candidate.occurrence)

    def _evidence(self, outer: Occurrence, one: Instance) -> Evidence | None:
        at = self._reference(outer)
        if one.end is None and self._progress.watermark < at:
            return None
        return self._witnesses.evidence(outer, one, max(one.known, at))

    def _qualifying(self, outer: Occurrence, answered: Timeline[Instance]) -> Iterator[Instance]:
        at = self._reference(outer)
        if self._progress.watermark >= at:
            yield from answered.going_on.between(None, at)
        yield from answered.at(at)

    def _served_by(self, one: Instance) -> Iterator[Candidate]:
        return self._waiting.between(one.start, one.end)


class SimultaneousOperator(_WitnessOperator):
    """`start with {...}`."""

    def _qualifying(self, outer: Occurrence, answered: Timeline[Instance]) -> Iterator[Instance]:
        at = self._reference(outer)
        if self._endpoint is Endpoint.END:
            yield from answered.by_end.between(at, at)
        else:
            yield from answered.by_start.between(at, at)
            yield from answered.going_on.between(at, at)

    def _served_by(self, one: Instance) -> Iterator[Candidate]:
        at = one.start if self._endpoint is Endpoint.START else one.end
        return iter(()) if at is None else self._waiting.between(at, at)


_By = tuple[Endpoint, int | None, int | None]


def _found_by(relation: AllenRelation, start: int, end: int) -> _By:
    """By which bound, and where, intervals are found that stand so to one from start to end."""
    match relation:
        case AllenRelation.BEFORE:
            return Endpoint.END, None, start - 1
        case AllenRelation.AFTER:
            return Endpoint.START, end + 1, None
        case AllenRelation.MEETS:
            return Endpoint.END, start, start
        case AllenRelation.MET_BY:
            return Endpoint.START, end, end
        case AllenRelation.OVERLAPS:
            return Endpoint.END, start + 1, end - 1
        case AllenRelation.OVERLAPPED_BY:
            return Endpoint.START, start + 1, end - 1
        case AllenRelation.STARTS | AllenRelation.STARTED_BY | AllenRelation.EQUALS:
            return Endpoint.START, start, start
        case AllenRelation.FINISHES | AllenRelation.FINISHED_BY:
            return Endpoint.END, end, end
        case AllenRelation.DURING:
            return Endpoint.START, start + 1, end - 1
        case AllenRelation.CONTAINS:
            return Endpoint.END, end + 1, None


_INVERSE = {
    AllenRelation.BEFORE: AllenRelation.AFTER,
    AllenRelation.MEETS: AllenRelation.MET_BY,
    AllenRelation.OVERLAPS: AllenRelation.OVERLAPPED_BY,
    AllenRelation.STARTS: AllenRelation.STARTED_BY,
    AllenRelation.DURING: AllenRelation.CONTAINS,
    AllenRelation.FINISHES: AllenRelation.FINISHED_BY,
    AllenRelation.EQUALS: AllenRelation.EQUALS,
}
_INVERSE |= {inverse: relation for relation, inverse in _INVERSE.items()}


class AllenOperator(_WitnessOperator):
    """`interval overlaps {...}`: one witness, both ends of both known."""

    def __init__(
        self,
        place: str,
        witnesses: Witnesses,
        progress: Progress,
        relation: AllenRelation,
        *,
        needs_known: bool,
    ) -> None:
        super().__init__(place, witnesses, progress, Endpoint.START, needs_known=needs_known)
        self._relation = relation
        self._by_end: TimeIndex[Candidate] = TimeIndex()

    def wait(self, candidate: Candidate) -> None:
        super().wait(candidate)
        assert candidate.occurrence.end is not None
        self._by_end.add(candidate.occurrence.end, candidate.occurrence.id, candidate)

    def leave(self, candidate: Candidate) -> None:
        super().leave(candidate)
        assert candidate.occurrence.end is not None
        self._by_end.remove(candidate.occurrence.end, candidate.occurrence.id, candidate)

    def _qualifying(self, outer: Occurrence, answered: Timeline[Instance]) -> Iterator[Instance]:
        assert outer.end is not None
        bound, first, last = _found_by(_INVERSE[self._relation], outer.start, outer.end)
        index = answered.by_end if bound is Endpoint.END else answered.by_start
        for one in index.between(first, last):
            if self._is_related(outer, one):
                yield one

    def _served_by(self, one: Instance) -> Iterator[Candidate]:
        if one.end is None:
            return
        bound, first, last = _found_by(self._relation, one.start, one.end)
        index = self._by_end if bound is Endpoint.END else self._waiting
        for candidate in index.between(first, last):
            if self._is_related(candidate.occurrence, one):
                yield candidate

    def _evidence(self, outer: Occurrence, one: Instance) -> Evidence | None:
        assert one.end is not None
        return self._witnesses.evidence(outer, one, max(one.known, one.end))

    def _is_related(self, outer: Occurrence, one: Instance) -> bool:
        assert outer.end is not None and one.end is not None
        relation = allen_relation((outer.start, outer.end), (one.start, one.end))
        return relation is self._relation


class MomentOperator:
    """Looks once, when all that ended before an event's moment has come: its end, or its start."""

    is_prompt = True
    only_loses = True

    def __init__(
        self, place: str, witnesses: Witnesses, progress: Progress, *, of_end: bool
    ) -> None:
        self.place, self._witnesses, self._progress = place, witnesses, progress
        self._of_end = of_end

    def close(self) -> None:
        """It hears of nothing."""

    def looks_again(self, candidate: Candidate) -> int | None:
        """At the event's moment."""
        return self._moment(candidate.occurrence)

    def wait(self, candidate: Candidate) -> None:
        """It is looked at again anyway."""

    def leave(self, candidate: Candidate) -> None:
        """Nothing waits here."""

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Nothing is kept here."""

    def look(self, candidate: Candidate) -> tuple[Evidence | None, bool]:
        """What speaks for an event, once all is there that may."""
        moment = self._moment(candidate.occurrence)
        if self._progress.watermark < moment:
            return None, False
        return self._evidence(candidate, moment), True

    def _moment(self, outer: Occurrence) -> int:
        if not self._of_end:
            return outer.start
        assert outer.end is not None
        return outer.end

    def _evidence(self, candidate: Candidate, moment: int) -> Evidence | None:
        """What speaks for an event, of all that ended before its moment."""
        raise NotImplementedError


def _reference_of(endpoint: ReferenceTime) -> Callable[[Occurrence], int]:
    """How the time is found that an operator speaks of, of events of which it is known."""
    if isinstance(endpoint, Endpoint):
        return attrgetter(endpoint.value)  # asked most often of all, so without a call in Python
    return partial(_told_time, endpoint)


def _told_time(attribute: ReferenceTime, outer: Occurrence) -> int:
    time = reference_time(outer, attribute)
    assert time is not None
    return time


def _nobody(candidate: Candidate, evidence: Evidence) -> None:
    raise RuntimeError("an operator has been told of something before it was put to use")
