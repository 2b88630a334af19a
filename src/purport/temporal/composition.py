"""Patterns of several events: one or another, one after the other, several times, or missing.

Every node hears of the instances of its parts, in whatever order they come, and emits its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from purport.temporal.history import Dropped
from purport.temporal.instance import Bindings, Instance, Part, agree, joined
from purport.temporal.progress import Progress
from purport.temporal.time_index import TimeIndex

Hear = Callable[[Instance], None]


class _Composition:
    """What all compositions have in common."""

    is_prompt = True

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.listeners: list[Hear] = []

    def _emit(self, instance: Instance) -> None:
        if instance.probability > 0.0:
            for listener in self.listeners:
                listener(instance)


class AlternationNode(_Composition):
    """`{...} or {...}`."""

    def hear(self, instance: Instance) -> None:
        """One of the alternatives is answered."""
        self._emit(instance)

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Nothing is kept here."""


class SequenceNode(_Composition):
    """`{...} then {...} within 10 s`.

    What ends with each step so far is kept by its end: of all that could go before the same next
    event, those that none is better than, by when they began and how likely they are.
    """

    def __init__(self, rank: int, places: Sequence[str], within: int | None) -> None:
        super().__init__(rank)
        self._places, self._within = places, within
        self._steps: list[TimeIndex[Instance]] = [TimeIndex() for _ in places]  # by start
        self._chains: list[TimeIndex[Instance]] = [TimeIndex() for _ in places[1:]]  # by end
        self._chained: list[dict[int, list[Instance]]] = [{} for _ in places[1:]]
        # by the event that chains began with: the steps and what the chains end with
        self._begun: dict[str, list[tuple[int, Instance]]] = {}

    def hear(self, step: int, instance: Instance) -> None:
        """A step is answered."""
        if step > 0 and step < len(self._places):
            self._steps[step].add(instance.start, instance.about.id, instance)
        self._go_on(step, instance)

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Forget events; what followed on them may still follow on others.

        What began first ended first, so that a chain that has lost any event has lost its first.
        """
        for one in dropped:
            for index in self._steps:
                index.discard(one.start, one.id)
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
            self._chains[step].remove(instance.end, instance.about.id, chain)

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
            self._chains[step].remove(instance.end, instance.about.id, old)
        self._chained[step][id(instance)] = chains
        for chain in chains:
            self._chains[step].add(instance.end, instance.about.id, chain, chain.probability)
            first = chain.parts[0].instance.about.id
            self._begun.setdefault(first, []).append((step, instance))
        if chains:
            last = None if self._within is None else chains[0].start + self._within
            for later in list(self._steps[step + 1].between(instance.end + 1, last)):
                self._go_on(step + 1, later)

    def _chains_to(self, step: int, instance: Instance) -> Iterator[Instance]:
        """The best of what ends with an instance of a step."""
        place = self._places[step]
        if step == 0:
            yield _with(instance, (), instance.start, place, instance.bindings)
            return
        first = None if self._within is None else instance.start - self._within
        found = []
        for chain in self._chains[step - 1].between(first, instance.start - 1):
            if first is not None and chain.start < first:
                continue
            if agree(chain.bindings, instance.bindings):
                bindings = joined(chain.bindings, instance.bindings)
                found.append(_with(instance, chain.parts, chain.start, place, bindings, chain))
                if self._within is None and _is_enough(found[-1], instance):
                    break
        yield from _best_of(found)


def _with(
    instance: Instance,
    parts: tuple[Part, ...],
    start: int,
    place: str,
    bindings: Bindings,
    before: Instance | None = None,
) -> Instance:
    """An instance as the end of a chain."""
    return Instance(
        instance.about,
        start,
        instance.end,
        instance.probability * (1.0 if before is None else before.probability),
        instance.known if before is None else max(instance.known, before.known),
        (*parts, Part(place, instance)),
        bindings,
    )


def _is_enough(chain: Instance, instance: Instance) -> bool:
    """Whether no other chain to an instance is better: without names, and with certain parts."""
    return chain.probability >= instance.probability and not chain.bindings


def _best_of(found: Iterable[Instance]) -> Iterator[Instance]:
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


class RepetitionNode(_Composition):
    """`{...} 3 times within 2 s`: the last, and others before it, by end and name of the event."""

    def __init__(self, rank: int, place: str, times: int, within: int) -> None:
        super().__init__(rank)
        self._place, self._times, self._within = place, times, within
        self._heard: TimeIndex[Instance] = TimeIndex()  # by end

    def hear(self, instance: Instance) -> None:
        """It has happened once more."""
        if instance.end is None:
            return
        self._heard.add(instance.end, instance.about.id, instance)
        for last in list(self._heard.between(instance.end, instance.end + self._within)):
            is_last = last is instance
            if is_last or (_order(instance) < _order(last) and self._is_near(instance, last)):
                for found in self._ending_with(last):
                    self._emit(found)

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Forget events."""
        self._heard.drop_through(dropped[-1].end, dropped[-1].id)

    def _is_near(self, one: Instance, last: Instance) -> bool:
        assert last.end is not None
        return last.end - one.start <= self._within

    def _ending_with(self, last: Instance) -> Iterator[Instance]:
        """All that end with an instance, as far as none is better."""
        assert last.end is not None
        by_names: dict[Bindings, list[Instance]] = {last.bindings: []}
        for one in self._heard.between(last.end - self._within, last.end):
            if _order(one) >= _order(last) or not self._is_near(one, last):
                continue
            if agree(last.bindings, one.bindings):
                by_names.setdefault(joined(last.bindings, one.bindings), []).append(one)
        for bindings, others in by_names.items():
            yield from _best_of(self._chosen(last, others, bindings))

    def _chosen(
        self, last: Instance, others: list[Instance], bindings: Bindings
    ) -> Iterator[Instance]:
        """Of the others the likeliest, for each time at which the first may have begun."""
        wanted = self._times - 1
        best: dict[str, Instance] = {}  # by event
        if not wanted:
            yield self._made(last, [], bindings)
        for one in sorted(others, key=lambda one: -one.start):
            known = best.get(one.about.id)
            if known is None or one.probability > known.probability:
                best[one.about.id] = one
                if len(best) >= wanted > 0:
                    ranked = sorted(best.values(), key=lambda one: -one.probability)[:wanted]
                    yield self._made(last, ranked, bindings)

    def _made(self, last: Instance, others: list[Instance], bindings: Bindings) -> Instance:
        probability = last.probability
        for one in others:
            probability *= one.probability
        all_of_them = [*sorted(others, key=_order), last]
        return Instance(
            last.about,
            min(one.start for one in all_of_them),
            last.end,
            probability,
            max(_order(last)[0], *(one.known for one in all_of_them)),
            tuple(Part(self._place, one) for one in all_of_them),
            bindings,
        )


def _order(instance: Instance) -> tuple[int, str]:
    assert instance.end is not None
    return instance.end, instance.about.id


class AbsenceNode(_Composition):
    """`not {...} within 30 s after {...}`: looked at when the time is up."""

    def __init__(self, rank: int, place: str, within: int, progress: Progress) -> None:
        super().__init__(rank)
        self._place, self._within, self._progress = place, within, progress
        self._heard: TimeIndex[Instance] = TimeIndex()  # what should come, by when it was heard
        self._waiting: dict[str, list[Instance]] = {}  # triggers whose time is not up, by event

    def hear_trigger(self, trigger: Instance) -> None:
        """From now on something should come."""
        if trigger.end is None:
            return
        deadline = trigger.end + self._within
        self._waiting.setdefault(trigger.about.id, []).append(trigger)
        self._progress.wait(deadline + 1, self.rank, partial(self._decide, trigger, deadline))
        self._progress.add_deadline(deadline, partial(self._waits_for, trigger))

    def hear_missing(self, instance: Instance) -> None:
        """What should come has come."""
        for time in _heard_at(instance):
            self._heard.add(time, instance.about.id, instance)

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Forget events: nothing is missing any more after a trigger that was dropped."""
        for one in dropped:
            self._waiting.pop(one.id, None)
            self._heard.discard(one.start, one.id)
            self._heard.discard(one.end, one.id)

    def close(self) -> None:
        """Wait for nothing any more."""
        self._waiting.clear()

    def _waits_for(self, trigger: Instance) -> bool:
        return any(one is trigger for one in self._waiting.get(trigger.about.id, ()))

    def _decide(self, trigger: Instance, deadline: int) -> None:
        if not self._waits_for(trigger):
            return
        self._waiting[trigger.about.id].remove(trigger)
        if not self._waiting[trigger.about.id]:
            del self._waiting[trigger.about.id]
        assert trigger.end is not None
        best: dict[str, float] = {}
        for one in self._heard.between(trigger.end + 1, deadline):
            if one.known <= deadline and agree(trigger.bindings, one.bindings):
                best[one.about.id] = max(best.get(one.about.id, 0.0), one.probability)
        probability = trigger.probability
        for one_probability in best.values():
            probability *= 1.0 - one_probability
        parts = (Part(self._place, trigger),)
        self._emit(
            Instance(
                trigger.about,
                trigger.start,
                deadline,
                probability,
                deadline,
                parts,
                trigger.bindings,
            )
        )


def _heard_at(instance: Instance) -> Iterator[int]:
    """When something could be heard of: at its end, and at its start if that was told apart."""
    if instance.is_event and instance.about.is_in_parts:
        yield instance.start
    if instance.end is not None:
        yield instance.end
