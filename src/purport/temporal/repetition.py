"""Patterns of one event that happens several times within a while."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest

from purport.temporal.agreeing import Agreeing
from purport.temporal.composition import Composition, best_of
from purport.temporal.history import Dropped
from purport.temporal.instance import Bindings, Composed, Instance, Part, agree, joined
from purport.temporal.time_index import TimeIndex


class RepetitionNode(Composition):
    """`{...} 3 times within 2 s`: the last, and others before it, by end and name of the event."""

    def __init__(self, rank: int, place: str, times: int, within: int) -> None:
        super().__init__(rank)
        self._place, self._times, self._within = place, times, within
        self._heard = Agreeing()  # by end

    def hear(self, instance: Instance) -> None:
        """It has happened once more."""
        if instance.end is None:
            return
        self._heard.add(instance.end, instance)
        until = instance.end + self._within
        for last in list(self._heard.between(instance.bindings, instance.end, until)):
            is_last = last is instance
            if is_last or (_order(instance) < _order(last) and self._is_near(instance, last)):
                for found in self._ending_with(last):
                    self._emit(found)

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Forget events."""
        for one in dropped:
            self._heard.discard(one.id)

    def _is_near(self, one: Instance, last: Instance) -> bool:
        assert last.end is not None
        return last.end - one.start <= self._within

    def _ending_with(self, last: Instance) -> Iterator[Instance]:
        """All that end with an instance, as far as none is better."""
        if self._times == 1:
            yield self._made(last, [], last.bindings)
            return
        groups = dict(self._heard.with_names(last.bindings))
        for bindings in _together(last.bindings, groups):
            others = [
                one
                for names, heard in groups.items()
                if _tells_no_more(names, bindings)
                and (bindings == last.bindings or agree(bindings, names))
                for one in self._before(last, heard)
            ]
            yield from best_of(self._chosen(last, others, bindings))

    def _before(self, last: Instance, heard: TimeIndex[Instance]) -> Iterator[Instance]:
        """The others that may go before the last.

        When there are enough certain ones, those that ended before these began are no better.
        """
        assert last.end is not None
        wanted = self._times - 1
        certain: dict[str, int] = {}  # when those began that are certain, by event
        for one in heard.between(last.end - self._within, last.end):
            assert one.end is not None
            if len(certain) >= wanted and one.end <= min(nlargest(wanted, certain.values())):
                return
            if _order(one) < _order(last) and self._is_near(one, last):
                yield one
                if one.probability >= 1.0 and one.about.id != last.about.id:
                    certain[one.about.id] = max(one.start, certain.get(one.about.id, one.start))

    def _chosen(
        self, last: Instance, others: list[Instance], bindings: Bindings
    ) -> Iterator[Instance]:
        """Of the others the likeliest, for each time at which the first may have begun."""
        wanted = self._times - 1
        best: dict[str, Instance] = {}  # by event
        for one in sorted(others, key=lambda one: -one.start):
            known = best.get(one.about.id)
            if known is None or one.probability > known.probability:
                best[one.about.id] = one
                if len(best) >= wanted:
                    ranked = sorted(best.values(), key=lambda one: -one.probability)[:wanted]
                    yield self._made(last, ranked, bindings)

    def _made(self, last: Instance, others: list[Instance], bindings: Bindings) -> Instance:
        probability = last.probability
        for one in others:
            probability *= one.probability
        all_of_them = [*sorted(others, key=_order), last]
        return Composed(
            last.about,
            min(one.start for one in all_of_them),
            last.end,
            probability,
            max(_order(last)[0], *(one.known for one in all_of_them)),
            tuple(Part(self._place, one) for one in all_of_them),
            bindings,
        )


def _together(first: Bindings, others: Iterable[Bindings]) -> Iterable[Bindings]:
    """The names and values that come together from some on: these, and with others that agree."""
    found, left = {first: None}, [first]
    while left:
        known = left.pop()
        for one in others:
            if not _tells_no_more(one, known) and agree(known, one):
                more = joined(known, one)
                if more not in found:
                    found[more] = None
                    left.append(more)
    return found


def _tells_no_more(one: Bindings, other: Bindings) -> bool:
    """Whether another has values for all names of one."""
    return {name for name, _ in one}.issubset(name for name, _ in other)


def _order(instance: Instance) -> tuple[int, str]:
    assert instance.end is not None
    return instance.end, instance.about.id
