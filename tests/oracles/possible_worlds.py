"""Probabilities of temporal patterns by enumerating possible worlds.

In each place of a pattern (a conjunction in it, and for a repetition which of its times) the plain
predicates are right about an event or not, independently, with the matcher's probability. A world
says which are. An explanation of a match needs some of them to be right: its probability is the
weight of the worlds in which they all are. The best explanation counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import product

from purport.model import subscription as ast
from purport.model.event import Event
from purport.temporal.allen import allen_relation
from purport.temporal.occurrence import Occurrence
from tests.oracles.temporal_parts import time_at
from tests.oracles.temporal_scan import PlainMatcher

Place = tuple[int, ...]  # from the pattern down, the numbers of parts
Claim = tuple[Place, str]  # that the event of this id is what is meant in a place
World = frozenset[Claim]  # the claims that are right in it


@dataclass(frozen=True, slots=True)
class Explanation:
    """An event that a pattern is about, when it was true, and all claims that this rests on."""

    about: Occurrence
    start: int
    end: int | None
    claims: frozenset[Claim]


@dataclass(frozen=True, slots=True)
class PossibleWorlds:
    """Events that happened, and how likely it is that they are what is meant."""

    occurrences: Sequence[Occurrence]
    matcher: PlainMatcher
    chances: dict[Claim, float] = field(default_factory=dict)

    def best(self, pattern: ast.Pattern) -> dict[str, float]:
        """For each event that a pattern may be about, the weight of its best explanation."""
        explanations = list(self.explanations(pattern, ()))
        worlds = list(self.worlds())
        found: dict[str, float] = {}
        for one in explanations:
            weight = math.fsum(weight for world, weight in worlds if one.claims <= world)
            found[one.about.id] = max(weight, found.get(one.about.id, 0.0))
        return found

    def worlds(self) -> Iterator[tuple[World, float]]:
        """Every world with its weight; the weights add up to 1."""
        sure = [claim for claim, chance in self.chances.items() if chance == 1]
        unsure = [claim for claim, chance in self.chances.items() if 0 < chance < 1]
        for rights in product((True, False), repeat=len(unsure)):
            right = [claim for claim, is_right in zip(unsure, rights, strict=True) if is_right]
            weight = math.prod(
                self.chances[claim] if is_right else 1 - self.chances[claim]
                for claim, is_right in zip(unsure, rights, strict=True)
            )
            yield frozenset([*sure, *right]), weight

    def explanations(self, pattern: ast.Pattern, place: Place) -> Iterator[Explanation]:
        """Every way in which a pattern may be true, however unlikely."""
        match pattern:
            case ast.Conjunction():
                for event in self.occurrences:
                    for claims in self._claims(pattern, event, place):
                        yield Explanation(event, event.start, event.end, claims)
            case ast.Alternation(alternatives):
                for number, one in enumerate(alternatives):
                    yield from self.explanations(one, (*place, number))
            case ast.Sequence(steps, within):
                parts = [
                    list(self.explanations(step, (*place, number)))
                    for number, step in enumerate(steps)
                ]
                for chain in product(*parts):
                    yield from _one_after_the_other(chain, within)
            case ast.Coincidence(several, within):
                parts = [
                    list(self.explanations(one, (*place, number)))
                    for number, one in enumerate(several)
                ]
                for group in product(*parts):
                    yield from _close_together(_by_end(group), within)
            case ast.Repetition(repeated, times, within):
                parts = [
                    list(self.explanations(repeated, (*place, number))) for number in range(times)
                ]
                for chosen in product(*parts):
                    yield from _close_together(chosen, within)
            case ast.Absence():
                raise ValueError("an absence has no explanation")

    def _claims(
        self, conjunction: ast.Conjunction, event: Occurrence, place: Place
    ) -> Iterator[frozenset[Claim]]:
        """The sets of claims under which a conjunction holds for an event."""
        plain: list[ast.Predicate] = []
        witnesses: list[list[frozenset[Claim]]] = []
        for number, predicate in enumerate(conjunction.predicates):
            match predicate:
                case (
                    ast.After(inner=inner)
                    | ast.During(inner=inner)
                    | ast.Simultaneous(inner=inner)
                    | ast.AllenRelated(inner=inner)
                ):
                    witnesses.append(
                        [
                            claims
                            for other in self.occurrences
                            if other.id != event.id and _bears_witness(predicate, event, other)
                            for claims in self._claims(inner, other, (*place, number))
                        ]
                    )
                case _:
                    plain.append(predicate)
        own: frozenset[Claim] = frozenset()
        if plain:
            own = frozenset({(place, event.id)})
            asked = ast.Subscription(ast.Conjunction(tuple(plain)))
            mappings = self.matcher.mappings(Event(event.statements), asked, 1)
            self.chances[place, event.id] = mappings[0].probability if mappings else 0.0
        for claims in product(*witnesses):
            yield own.union(*claims)


def _bears_witness(predicate: ast.Predicate, event: Occurrence, other: Occurrence) -> bool:
    """Whether another event stands to an event as a predicate says, by their times alone."""
    match predicate:
        case ast.AllenRelated(relation):
            if event.end is None or other.end is None:
                return False
            return allen_relation((event.start, event.end), (other.start, other.end)) is relation
        case ast.After(endpoint, limit):
            time = time_at(event, endpoint)
            if time is None or other.end is None:
                return False
            gap = timedelta(microseconds=time - other.end)
            return gap > timedelta(0) and (limit is None or gap <= limit)
        case ast.During(endpoint):
            time = time_at(event, endpoint)
            if time is None or time < other.start:
                return False
            return other.end is None or time <= other.end
        case ast.Simultaneous(ast.Endpoint.START):
            return event.start == other.start
        case ast.Simultaneous(ast.Endpoint.END):
            return event.end is not None and event.end == other.end
    raise ValueError(f"no other event bears witness to {predicate}")


def _one_after_the_other(
    chain: tuple[Explanation, ...], within: timedelta | None
) -> Iterator[Explanation]:
    ends = [math.inf if one.end is None else one.end for one in chain]
    is_in_order = all(end < one.start for end, one in zip(ends, chain[1:], strict=False))
    length = timedelta(microseconds=chain[-1].start - chain[0].start)
    if is_in_order and (within is None or length <= within):
        yield _joined(chain)


def _by_end(group: tuple[Explanation, ...]) -> tuple[Explanation, ...]:
    return tuple(sorted(group, key=lambda one: (one.end or 0, one.about.id)))


def _close_together(
    chosen: tuple[Explanation, ...], within: timedelta | None
) -> Iterator[Explanation]:
    """The chosen ones, if they are of different events in the order of their ends."""
    if any(one.end is None for one in chosen):
        return
    order = [(one.end or 0, one.about.id) for one in chosen]
    is_in_order = order == sorted(order)
    are_different = len({one.about.id for one in chosen}) == len(chosen)
    lengths = (timedelta(microseconds=order[-1][0] - one.start) for one in chosen[:-1])
    is_close = within is None or all(length <= within for length in lengths)
    if is_in_order and are_different and is_close:
        yield _joined(chosen)


def _joined(parts: tuple[Explanation, ...]) -> Explanation:
    claims: frozenset[Claim] = frozenset().union(*(one.claims for one in parts))
    return Explanation(parts[-1].about, min(one.start for one in parts), parts[-1].end, claims)
