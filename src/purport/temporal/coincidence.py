"""Patterns of several events that happen within a while, in any order: different ones, or alike."""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from purport.temporal.agreeing import Agreeing
from purport.temporal.composition import Composition, best_of
from purport.temporal.history import Dropped
from purport.temporal.instance import Bindings, Composed, Instance, Part, joined


@dataclass(frozen=True, slots=True, eq=False)
class _Kind:
    """What several events are to answer, and what has answered it, by end."""

    place: str
    times: int
    heard: Agreeing = field(default_factory=Agreeing)


@dataclass(slots=True)
class _Ranked:
    """How many are wanted of a kind, and the most likely ones, each of another event.

    There are as many as events are wanted of all kinds together: others would never be chosen.
    """

    wanted: int
    most: int
    some: list[Instance] = field(default_factory=list)

    @property
    def likeliest(self) -> list[Instance]:
        return self.some[: self.wanted]

    def without(self, event: str) -> _Ranked:
        left = [one for one in self.some if one.about.id != event]
        return _Ranked(self.wanted, self.most, left)

    def add(self, one: Instance) -> bool:
        """Have one more, if it is among them; whether it is."""
        if len(self.some) >= self.most and one.probability <= self.some[-1].probability:
            return False
        for place, known in enumerate(self.some):
            if known.about.id == one.about.id:
                if one.probability <= known.probability:
                    return False
                del self.some[place]
                break
        insort(self.some, one, key=lambda one: -one.probability)
        del self.some[self.most :]
        return True


@dataclass(slots=True)
class _Near:
    """What may go before an instance, by kind, and by names and values that agree with its own."""

    first: Bindings
    since: int | None
    until: int
    groups: dict[_Kind, dict[Bindings, list[Instance]]] = field(default_factory=dict)

    def add(self, kind: _Kind, names: Bindings, some: list[Instance]) -> None:
        """Have more with the same names and values."""
        if some:
            self.groups.setdefault(kind, {})[names] = some

    def together(self) -> Iterable[Bindings]:
        """The names and values that come together: the first, and with others that agree."""
        found, left = {self.first: None}, [self.first]
        while left:
            known = left.pop()
            for kind in self.groups:
                for one in self._names(kind, known):
                    if not _tells_no_more(one, known):
                        more = joined(known, one)
                        if more not in found:
                            found[more] = None
                            left.append(more)
        return found

    def agreeing_with(self, bindings: Bindings) -> list[tuple[Instance, _Kind]]:
        """Those that agree with names and values, and tell of no other names."""
        return [
            (one, kind)
            for kind, groups in self.groups.items()
            for names in self._names(kind, bindings)
            if _tells_no_more(names, bindings)
            for one in groups[names]
        ]

    def _names(self, kind: _Kind, bindings: Bindings) -> Iterable[Bindings]:
        """The names and values of a kind that agree with some."""
        groups = self.groups[kind]
        if bindings == self.first:
            return groups
        agreeing = kind.heard.with_names(bindings, self.since, self.until)
        return [names for names, _ in agreeing if names in groups]


class CoincidenceNode(Composition):
    """`{...} and {...} within 2 s` and `{...} 3 times within 2 s`, which is `and` of equal parts.

    The last, by end and name of the event, and others before it. `asked` says how many times each
    of different patterns is to be answered.
    """

    def __init__(self, rank: int, asked: Sequence[tuple[str, int]], within: int | None) -> None:
        super().__init__(rank)
        self._kinds = [_Kind(place, times) for place, times in asked]
        self._within = within
        self._others = sum(kind.times for kind in self._kinds) - 1  # besides the last

    def hear(self, number: int, instance: Instance) -> None:
        """One of the patterns is answered once more."""
        if instance.end is None:
            return
        own = self._kinds[number]
        own.heard.add(instance.end, instance)
        until = None if self._within is None else instance.end + self._within
        for kind in self._kinds:
            for last in list(kind.heard.between(instance.bindings, instance.end, until)):
                is_last = last is instance and kind is own
                if is_last or (_order(instance) < _order(last) and self._is_near(instance, last)):
                    for found in self._ending_with(last, kind):
                        self._emit(found)

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Forget events."""
        for one in dropped:
            for kind in self._kinds:
                kind.heard.discard(one.id)

    def _is_near(self, one: Instance, last: Instance) -> bool:
        assert last.end is not None
        return self._within is None or last.end - one.start <= self._within

    def _ending_with(self, last: Instance, own: _Kind) -> Iterator[Instance]:
        """All that end with an instance of a kind, as far as none is better."""
        if not self._others:
            yield self._made(last, own, [], last.bindings)
            return
        wanted = {kind: kind.times - (kind is own) for kind in self._kinds}
        assert last.end is not None
        since = None if self._within is None else last.end - self._within
        near = _Near(last.bindings, since, last.end)
        for kind in (kind for kind, count in wanted.items() if count):
            for names, heard in kind.heard.with_names(last.bindings, since, last.end):
                near.add(kind, names, self._before(last, heard.between(since, last.end)))
            if kind not in near.groups:
                return
        for bindings in near.together():
            found = _chosen(near.agreeing_with(bindings), wanted)
            yield from best_of(self._made(last, own, others, bindings) for others in found)

    def _before(self, last: Instance, heard: Iterable[Instance]) -> list[Instance]:
        """Of others, the latest first, those that may go before the last.

        When there are enough certain ones, those that ended before these began are no better: of
        so many, one is left when each of the others has another event.
        """
        found: list[Instance] = []
        certain: dict[str, int] = {}  # when those began that are certain, by event
        for one in heard:
            assert one.end is not None
            if len(certain) >= self._others and one.end <= min(
                nlargest(self._others, certain.values())
            ):
                break
            is_other = one.about.id != last.about.id
            if is_other and _order(one) < _order(last) and self._is_near(one, last):
                found.append(one)
                if one.probability >= 1.0:
                    certain[one.about.id] = max(one.start, certain.get(one.about.id, one.start))
        return found

    def _made(
        self,
        last: Instance,
        own: _Kind,
        others: list[tuple[Instance, _Kind]],
        bindings: Bindings,
    ) -> Instance:
        every = [*sorted(others, key=lambda found: _order(found[0])), (last, own)]
        return Composed(
            last.about,
            min(one.start for one, _ in every),
            last.end,
            math.prod([one.probability for one, _ in every]),
            max(_order(last)[0], *(one.known for one, _ in every)),
            tuple(Part(kind.place, one) for one, kind in every),
            bindings,
        )


def _chosen(
    others: list[tuple[Instance, _Kind]], wanted: dict[_Kind, int]
) -> Iterator[list[tuple[Instance, _Kind]]]:
    """Of the others the likeliest, for each time at which the first may have begun."""
    most, least = sum(wanted.values()), 0.0
    ranked = {kind: _Ranked(count, most) for kind, count in wanted.items() if count}
    for one, kind in sorted(others, key=lambda found: -found[0].start):
        if ranked[kind].add(one):
            found = _likeliest(list(ranked.values()), least)
            if found is not None:
                least = _probability(found)
                yield [
                    (one, kind) for kind, some in zip(ranked, found, strict=True) for one in some
                ]


def _likeliest(ranked: Sequence[_Ranked], least: float) -> list[list[Instance]] | None:
    """So many of each kind, all of different events, the likeliest together; None if not likelier.

    An event that is the likeliest of several kinds is tried as one of each of them.
    """
    found = [kind.likeliest for kind in ranked]
    events = {one.about.id for kind in ranked for one in kind.some}
    is_enough = all(len(one) == kind.wanted for one, kind in zip(found, ranked, strict=True))
    if not is_enough or len(events) < sum(kind.wanted for kind in ranked):
        return None
    if _probability(found) <= least:
        return None
    names = [[one.about.id for one in some] for some in found]
    twice = _in_several(names)
    if twice is None:
        return found
    best = None
    for number, some in enumerate(names):
        if twice in some:
            tried = [
                kind.without(twice) if twice in names[other] and other != number else kind
                for other, kind in enumerate(ranked)
            ]
            better = _likeliest(tried, least)
            if better is not None:
                best, least = better, _probability(better)
    return best


def _probability(found: Iterable[Iterable[Instance]]) -> float:
    return math.prod([one.probability for some in found for one in some])


def _in_several(names: Iterable[Iterable[str]]) -> str | None:
    """A name that is in more than one of several lists."""
    seen: set[str] = set()
    for name in (name for some in names for name in some):
        if name in seen:
            return name
        seen.add(name)
    return None


def _tells_no_more(one: Bindings, other: Bindings) -> bool:
    """Whether another has values for all names of one."""
    return {name for name, _ in one}.issubset(name for name, _ in other)


def _order(instance: Instance) -> tuple[int, str]:
    assert instance.end is not None
    return instance.end, instance.about.id
