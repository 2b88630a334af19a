"""Patterns of several events: one or another, one after the other, or missing.

Every node hears of the instances of its parts, in whatever order they come, and emits its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from msgspec import Struct

from purport.temporal.agreeing import Agreeing
from purport.temporal.history import Dropped
from purport.temporal.instance import Bindings, Composed, Instance, Part, joined
from purport.temporal.progress import BEGINNING, Progress
from purport.temporal.time_index import TimeIndex

Hear = Callable[[Instance], None]


class Composition:
    """What all compositions have in common."""

    is_prompt = True

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.listeners: list[Hear] = []

    def _emit(self, instance: Instance) -> None:
        if instance.probability > 0.0:
            for listener in self.listeners:
                listener(instance)


class AlternationNode(Composition):
    """`{...} or {...}`."""

    def hear(self, instance: Instance) -> None:
        """One of the alternatives is answered."""
        self._emit(instance)

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Nothing is kept here."""


class SequenceNode(Composition):
    """`{...} then {...} within 10 s`.

    What ends with each step so far is kept by its end: of all that could go before the same next
    event, those that none is better than, by when they began and how likely they are. What gives
    other values to names than the next event is not looked at.
    """

    def __init__(self, rank: int, places: Sequence[str], within: int | None) -> None:
        super().__init__(rank)
        self._places, self._within = places, within
        self._steps = [Agreeing() for _ in places]  # by start
        self._chains = [Agreeing() for _ in places[1:]]  # by end
        self._chained: list[dict[int, list[Instance]]] = [{} for _ in places[1:]]
        # by the event that chains began with: the steps and what the chains end with
        self._begun: dict[str, list[tuple[int, Instance]]] = {}

    def hear(self, step: int, instance: Instance) -> None:
        """A step is answered."""
        if step > 0:
            self._steps[step].add(instance.start, instance)
        self._go_on(step, instance)

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Forget events; what followed on them may still follow on others.

        What began first ended first, so that a chain that has lost any event has lost its first.
        """
        for one in dropped:
            for index in self._steps:
                index.discard(one.id)
        broken = [found for one in dropped for found in self._begun.pop(one.id, ())]
        broken.sort(key=lambda found: found[0])
        for step, instance in broken:
            self._take_back(step, instance)
        names = {one.id for one in dropped}
        for step, instance in broken:
            if instance.about.id not in names:
                self._go_on(step, instance)

    def _take_back(self, step: int, instance: Instance) -> None:
        """Forget the chains that end with an instance."""
        assert instance.end is not None
        for chain in self._chained[step].pop(id(instance), ()):
            self._chains[step].remove(instance.end, chain)

    def _go_on(self, step: int, instance: Instance) -> None:
        """Put an instance of a step behind what goes before it."""
        chains = list(self._chains_to(step, instance))
        if step == len(self._places) - 1:
            for chain in chains:
                self._emit(chain)
        elif instance.end is not None:
            self._keep(step, instance, chains)

    def _keep(self, step: int, instance: Instance, chains: list[Instance]) -> None:
        """Keep what ends with an instance, and let later instances go on from there."""
        assert instance.end is not None
        before = self._chained[step].get(id(instance), [])
        if _same(before, chains):
            return
        for old in before:
            self._chains[step].remove(instance.end, old)
        self._chained[step][id(instance)] = chains
        for chain in chains:
            self._chains[step].add(instance.end, chain)
            first = chain.parts[0].instance.about.id
            self._begun.setdefault(first, []).append((step, instance))
        if chains:
            last = None if self._within is None else self._within + max(one.start for one in chains)
            for later in list(
                self._steps[step + 1].between(instance.bindings, instance.end + 1, last)
            ):
                self._go_on(step + 1, later)

    def _chains_to(self, step: int, instance: Instance) -> Iterator[Instance]:
        """The best of what ends with an instance of a step."""
        place = self._places[step]
        if step == 0:
            yield _with(instance, (), instance.start, place, instance.bindings)
            return
        first = None if self._within is None else instance.start - self._within
        found = []
        before = self._chains[step - 1]
        for names, chains in before.with_names(instance.bindings, first, instance.start):
            bindings = joined(names, instance.bindings)
            found += [
                _with(instance, chain.parts, chain.start, place, bindings, chain)
                for chain in _best_before(chains, first, instance.start)
            ]
        yield from best_of(found)


def _best_before(chains: TimeIndex[Instance], first: int | None, start: int) -> Iterator[Instance]:
    """Chains that began at a time at the earliest and ended before another, latest end first.

    After a certain one, those that ended before it began are no better: they began before it, too.
    """
    latest = BEGINNING
    for chain in chains.between(first, start - 1):
        assert chain.end is not None
        if chain.end <= latest:
            return
        if first is None or chain.start >= first:
            yield chain
            if chain.probability >= 1.0:
                latest = max(latest, chain.start)


def _with(
    instance: Instance,
    parts: tuple[Part, ...],
    start: int,
    place: str,
    bindings: Bindings,
    before: Instance | None = None,
) -> Instance:
    """An instance as the end of a chain."""
    return Composed(
        instance.about,
        start,
        instance.end,
        instance.probability * (1.0 if before is None else before.probability),
        instance.known if before is None else max(instance.known, before.known),
        (*parts, Part(place, instance)),
        bindings,
    )


def best_of(found: Iterable[Instance]) -> Iterator[Instance]:
    """Those that no other is better than: as late to begin, and as likely, with the same names."""
    by_names: dict[Bindings, list[Instance]] = {}
    for one in found:
        by_names.setdefault(one.bindings, []).append(one)
    for some in by_names.values():
        most = 0.0
        for one in sorted(some, key=lambda one: (-one.start, -one.probability)):
            if one.probability > most:
                most = one.probability
                yield one


def _same(before: list[Instance], after: list[Instance]) -> bool:
    return len(before) == len(after) and all(
        (one.start, one.probability, one.bindings)
        == (other.start, other.probability, other.bindings)
        for one, other in zip(before, after, strict=True)
    )


class _Trigger(Struct, eq=False, gc=False):
    """What something should come after; over when that has been decided, or need not be."""

    instance: Instance
    deadline: int
    is_over: bool = False


class AbsenceNode(Composition):
    """`not {...} within 30 s after {...}`: looked at when the time is up."""

    def __init__(self, rank: int, place: str, within: int, progress: Progress) -> None:
        super().__init__(rank)
        self._place, self._within, self._progress = place, within, progress
        self._heard = Agreeing()  # what should come, by when it was heard
        self._waiting: dict[str, list[_Trigger]] = {}  # those whose time is not up, by event

    def hear_trigger(self, instance: Instance) -> None:
        """From now on something should come."""
        if instance.end is None:
            return
        trigger = _Trigger(instance, instance.end + self._within)
        self._waiting.setdefault(instance.about.id, []).append(trigger)
        decide = partial(self._decide, trigger)
        self._progress.wait(trigger.deadline + 1, self.rank, trigger, decide)
        self._progress.add_deadline(trigger.deadline, trigger)

    def hear_missing(self, instance: Instance) -> None:
        """What should come has come."""
        for time in _heard_at(instance):
            self._heard.add(time, instance)

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Forget events: nothing is missing any more after a trigger that was dropped."""
        for one in dropped:
            for trigger in self._waiting.pop(one.id, ()):
                trigger.is_over = True
            self._heard.discard(one.id)

    def close(self) -> None:
        """Wait for nothing any more."""
        for triggers in self._waiting.values():
            for trigger in triggers:
                trigger.is_over = True

    def _decide(self, trigger: _Trigger) -> None:
        if trigger.is_over:
            return
        trigger.is_over = True
        asked, deadline = trigger.instance, trigger.deadline
        self._waiting[asked.about.id].remove(trigger)
        if not self._waiting[asked.about.id]:
            del self._waiting[asked.about.id]
        assert asked.end is not None
        best: dict[str, float] = {}
        for one in self._heard.between(asked.bindings, asked.end + 1, deadline):
            if one.known <= deadline:
                best[one.about.id] = max(best.get(one.about.id, 0.0), one.probability)
        probability = asked.probability
        for one_probability in best.values():
            probability *= 1.0 - one_probability
        self._emit(
            Composed(
                asked.about,
                asked.start,
                deadline,
                probability,
                max(deadline, asked.known),
                (Part(self._place, asked),),
                asked.bindings,
            )
        )


def _heard_at(instance: Instance) -> Iterator[int]:
    """When something could be heard of: at its end, and at its start if that was told apart."""
    if instance.is_event and instance.about.is_in_parts:
        yield instance.start
    if instance.end is not None:
        yield instance.end
