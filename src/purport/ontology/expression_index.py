"""Which of many class expressions may an individual be in, by the named classes that it is in?

An expression is filed under classes, in one of which every member of it must be: a name under
itself, `and` under the rarest of what it takes, `or` under all of them. What says nothing of the
kind (`not`, `some`, ...) has to be looked at for every individual.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from purport.model.class_expression import And, ClassExpression, Named, Or
from purport.ontology.axioms import THING, Axioms
from purport.ontology.data.data_ranges import is_data_range

if TYPE_CHECKING:
    from purport.ontology.hierarchy import Hierarchy

Classes = frozenset[str]


class ExpressionIndex:
    """Expressions under the numbers that they were given, which grow.

    `told` are unions that the ontology itself speaks of: who is in one need not be known to be in
    a part of it.
    """

    def __init__(self, classes: Hierarchy, told: Collection[Or] = ()) -> None:
        self._classes = classes
        self._told = told
        self._rarity: dict[str, int] = {}
        self._filed: dict[str, list[int]] = {}
        self._anywhere: list[int] = []

    def add(self, expression: ClassExpression, number: int) -> None:
        """File an expression, whose names are full IRIs; numbers are given in rising order."""
        under = self.classes_above(expression)
        if under is None:
            self._anywhere.append(number)
        for name in under or ():
            self._filed.setdefault(name, []).append(number)

    def candidates(self, types: Classes, first: int = 0) -> list[int]:
        """The expressions, from a number on, that an individual of these classes may be in."""
        names = types if len(types) < len(self._filed) else self._filed.keys() & types
        lists = [self._anywhere, *(self._filed[one] for one in names if one in self._filed)]
        found = (number for some in lists for number in some[bisect_left(some, first) :])
        return sorted(set(found))

    def classes_above(self, expression: ClassExpression) -> Classes | None:
        """Classes of which every member of an expression is in one; None if none are known."""
        match expression:
            case Named(name) if expression != THING and not is_data_range(expression):
                return frozenset([name])
            case And(operands):
                able = [found for one in operands if (found := self.classes_above(one)) is not None]
                return min(able, key=self._members) if len(able) > 1 else next(iter(able), None)
            case Or(operands) if expression not in self._told:
                parts = [self.classes_above(one) for one in operands]
                known = [one for one in parts if one is not None]
                return frozenset().union(*known) if len(known) == len(parts) else None
        return None

    def _members(self, classes: Classes) -> int:
        """How many classes there are below some: a guess at how often individuals are in them."""
        for name in classes - self._rarity.keys():
            below = self._classes.descendants(name) if name in self._classes else ()
            self._rarity[name] = 1 + len(below)
        return sum(self._rarity[name] for name in classes)


def told_unions(axioms: Axioms) -> frozenset[Or]:
    """Every union that axioms speak of."""
    return frozenset(_unions(axioms.axioms))


def _unions(node: object) -> Iterator[Or]:
    if isinstance(node, Or):
        yield node
    parts: Iterable[object] = ()
    if isinstance(node, tuple):
        parts = node
    elif is_dataclass(node):
        parts = (getattr(node, one.name) for one in fields(node))
    for part in parts:
        yield from _unions(part)
