"""From a changed fact to what it can touch."""

from __future__ import annotations

from collections.abc import Iterable
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


@dataclass(frozen=True, slots=True)
class Pattern:
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


class LookupIndex(Generic[T]):
    """Things under patterns: a fact finds those whose patterns cover it, however many there are.

    A fact looks into at most four groups: with its predicate or any, in its graph or in all named
    ones; and takes at most four steps in each.
    """

    def __init__(self) -> None:
        self._groups: dict[Graph | AnyGraph, dict[Term | None, _Group[T]]] = {}

    def add(self, thing: T, pattern: Pattern) -> None:
        """Put something under a pattern."""
        groups = self._groups.setdefault(pattern.graph, {})
        group = groups.setdefault(pattern.predicate, _Group())
        things = _things(group, pattern)
        things[thing] = things.get(thing, 0) + 1

    def remove(self, thing: T, pattern: Pattern) -> None:
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
                if not groups:
                    del self._groups[pattern.graph]

    def touched(self, facts: Iterable[Fact]) -> dict[T, list[Fact]]:
        """What stands under patterns that cover some facts, each with those facts."""
        found: dict[T, list[Fact]] = {}
        last: tuple[NamedNode, Graph] | None = None
        groups: list[_Group[T]] = []
        for fact in facts:
            subject, predicate, value, graph = fact
            if last is None or predicate != last[0] or graph != last[1]:
                last, groups = (predicate, graph), self._groups_for(predicate, graph)
            for group in groups:
                if group.always:
                    for thing in group.always:
                        found.setdefault(thing, []).append(fact)
                if group.by_subject and (things := group.by_subject.get(subject)):
                    for thing in things:
                        found.setdefault(thing, []).append(fact)
                if group.by_object and (things := group.by_object.get(value)):
                    for thing in things:
                        found.setdefault(thing, []).append(fact)
                if group.by_both and (things := group.by_both.get((subject, value))):
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


def _things(group: _Group[T], pattern: Pattern) -> dict[T, int]:
    subject, value = pattern.subject, pattern.object
    if subject is None:
        return group.always if value is None else group.by_object.setdefault(value, {})
    if value is None:
        return group.by_subject.setdefault(subject, {})
    return group.by_both.setdefault((subject, value), {})


def _forget(group: _Group[T], pattern: Pattern) -> None:
    subject, value = pattern.subject, pattern.object
    if subject is not None and value is not None:
        del group.by_both[subject, value]
    elif subject is not None:
        del group.by_subject[subject]
    elif value is not None:
        del group.by_object[value]
