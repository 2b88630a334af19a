"""Classes that are said to be below themselves, which is more often a slip than meant."""

from __future__ import annotations

from collections.abc import Mapping

from purport.model.class_expression import Named
from purport.ontology.axioms import Axioms, SubClass
from purport.ontology.hierarchy import Hierarchy


def told_cycles(axioms: Axioms, classes: Hierarchy) -> list[tuple[str, ...]]:
    """Rings of subclass axioms, one for each group of classes that they make equivalent.

    Each class of a ring is said to be below the next, and the last below the first.
    """
    above: dict[str, list[str]] = {}
    for axiom in axioms.axioms:
        match axiom:
            case SubClass(Named(narrower), Named(wider)) if wider in classes.equivalents(narrower):
                above.setdefault(narrower, []).append(wider)
    found: dict[frozenset[str], tuple[str, ...]] = {}
    for name in sorted(above):
        group = classes.equivalents(name)
        if group not in found and (ring := _ring(name, above)):
            found[group] = ring
    return list(found.values())


def _ring(name: str, above: Mapping[str, list[str]]) -> tuple[str, ...]:
    """The shortest way from a name up to itself; empty if there is none."""
    came_from: dict[str, str] = {}
    edge = [name]
    while edge:
        steps = [(one, wider) for one in edge for wider in above.get(one, ())]
        edge = []
        for one, wider in steps:
            if wider == name:
                return _way_back(one, name, came_from)
            if wider not in came_from:
                came_from[wider] = one
                edge.append(wider)
    return ()


def _way_back(last: str, first: str, came_from: Mapping[str, str]) -> tuple[str, ...]:
    way = [last]
    while way[-1] != first:
        way.append(came_from[way[-1]])
    return tuple(reversed(way))
