"""From a changed fact to what it can touch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, TypeVar

from pyoxigraph import NamedNode

from purport.sparql.terms import DEFAULT, Fact, Graph, Term

T = TypeVar("T")


class AnyGraph(Enum):
    """Graphs that a pattern may look in, if not in one."""

    NAMED = "named"  # whichever has a name


NAMED = AnyGraph.NAMED
_MANY = 10_000  # predicates in graphs, of which it is remembered where to look


@dataclass(frozen=True, slots=True)
class FactPattern:
    """A triple with None in the place of what may be anything, in a graph or in all named ones."""

    subject: Term | None = None
    predicate: Term | None = None
    object: Term | None = None
    graph: Graph | AnyGraph = DEFAULT


@dataclass(slots=True)
class _Group(Generic[T]):
    """Things under patterns that have the same predicate and graph."""

    always: dict[T, int] = field(default_factory=dict)  # how often each was put there
    by_subject: dict[Term, dict[T, int]] = field(default_factory=dict)
    by_object: dict[Term, dict[T, int]] = field(default_factory=dict)
    by_both: dict[tuple[Term, Term], dict[T, int]] = field(default_factory=dict)

    def special(self, facts: Iterable[Fact]) -> Iterator[tuple[dict[T, int], Fact]]:
        """What stands under patterns with the subject, the object or both of facts."""
        by_subject, by_object, by_both = self.by_subject, self.by_object, self.by_both
        if by_subject:
            for fact in facts:
                if (things := by_subject.get(fact[0])) is not None:
                    yield things, fact
        if by_object:
            for fact in facts:
                if (things := by_object.get(fact[2])) is not None:
                    yield things, fact
        if by_both:
            for fact in facts:
                if (things := by_both.get((fact[0], fact[2]))) is not None:
                    yield things, fact


class LookupIndex(Generic[T]):
    """Things under patterns: a fact finds those whose patterns cover it, however many there are.

    A fact looks into at most four groups: with its predicate or any, in its graph or in all named
    ones; and takes at most four steps in each.
    """

    def __init__(self) -> None:
        self._groups: dict[Graph | AnyGraph, dict[Term | None, _Group[T]]] = {}
        self._near: dict[
            tuple[NamedNode, Graph], list[_Group[T]]
        ] = {}  # groups that were looked at

    def add(self, thing: T, pattern: FactPattern) -> None:
        """Put something under a pattern."""
        groups = self._groups.setdefault(pattern.graph, {})
        group = groups.get(pattern.predicate)
        if group is None:
            group = groups[pattern.predicate] = _Group()
            self._near.clear()
        things = _things(group, pattern)
        things[thing] = things.get(thing, 0) + 1

    def remove(self, thing: T, pattern: FactPattern) -> None:
        """Take something away from under it, as often as it was put there."""
        groups = self._groups[pattern.graph]
        group = groups[pattern.predicate]
        things = _things(group, pattern)
        things[thing] -= 1
        if not things[thing]:
            del things[thing]
        if not things:
            _forget(group, pattern)
            if not (group.always or group.by_subject or group.by_object or group.by_both):
                del groups[pattern.predicate]
                self._near.clear()
                if not groups:
                    del self._groups[pattern.graph]

    def touched(self, runs: Iterable[Run]) -> dict[T, list[Fact]]:
        """What stands under patterns that cover some facts, each with those facts."""
        found: dict[T, list[Fact]] = {}
        for key, run in runs:
            groups = self._near.get(key)
            if groups is None:
                if len(self._near) > _MANY:
                    self._near.clear()
                groups = self._near[key] = self._groups_for(*key)
            for group in groups:
                for thing in group.always:
                    if thing in found:
                        found[thing] += run
                    else:
                        found[thing] = run.copy()
                for things, fact in group.special(run):
                    for thing in things:
                        found.setdefault(thing, []).append(fact)
        return found

    def _groups_for(self, predicate: NamedNode, graph: Graph) -> list[_Group[T]]:
        places: list[Graph | AnyGraph] = [graph] if graph == DEFAULT else [graph, NAMED]
        found = []
        for place in places:
            groups = self._groups.get(place)
            if groups is not None:
                found += [groups[key] for key in (predicate, None) if key in groups]
        return found


Run = tuple[tuple[NamedNode, Graph], list[Fact]]  # facts with this predicate in this graph


def runs_of(facts: Iterable[Fact]) -> list[Run]:
    """Facts, those with the same predicate and graph together."""
    by_key: dict[tuple[NamedNode, Graph], list[Fact]] = {}
    last_predicate: object = None
    last_graph: object = None
    run: list[Fact] = []
    for fact in facts:
        _, predicate, _, graph = fact
        if predicate is not last_predicate or graph is not last_graph:
            last_predicate, last_graph = predicate, graph
            run = by_key.setdefault((predicate, graph), [])
        run.append(fact)
    return list(by_key.items())


def _things(group: _Group[T], pattern: FactPattern) -> dict[T, int]:
    subject, value = pattern.subject, pattern.object
    if subject is None:
        return group.always if value is None else group.by_object.setdefault(value, {})
    if value is None:
        return group.by_subject.setdefault(subject, {})
    return group.by_both.setdefault((subject, value), {})


def _forget(group: _Group[T], pattern: FactPattern) -> None:
    subject, value = pattern.subject, pattern.object
    if subject is not None and value is not None:
        del group.by_both[subject, value]
    elif subject is not None:
        del group.by_subject[subject]
    elif value is not None:
        del group.by_object[value]
