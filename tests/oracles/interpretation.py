"""One small world: which elements are in which classes, and what leads where.

The slow, obvious meaning of class expressions and axioms (OWL 2 Direct Semantics).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    HasSelf,
    HasValue,
    Inverse,
    Named,
    Not,
    OneOf,
    Only,
    Or,
    Property,
    Some,
)
from purport.ontology.axioms import (
    NOTHING,
    THING,
    Axiom,
    Characteristic,
    ClassAssertion,
    DifferentIndividuals,
    DisjointClasses,
    DisjointProperties,
    Domain,
    EquivalentClasses,
    InverseProperties,
    PropertyAssertion,
    PropertyChain,
    PropertyDenial,
    PropertyIs,
    Range,
    SameIndividuals,
    SubClass,
    SubProperty,
)

Elements = frozenset[int]
Pairs = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Interpretation:
    """A world of a few elements; classes and properties that are not named have nothing in them."""

    size: int
    classes: dict[str, Elements]
    properties: dict[str, Pairs]
    individuals: dict[str, int]

    @property
    def everything(self) -> Elements:
        """All elements."""
        return frozenset(range(self.size))

    def members(self, expression: ClassExpression) -> Elements:
        """The elements that are in an expression."""
        match expression:
            case Named(name):
                if expression in (THING, NOTHING):
                    return self.everything if expression == THING else frozenset()
                return self.classes.get(name, frozenset())
            case And(operands):
                return self.everything.intersection(*map(self.members, operands))
            case Or(operands):
                return frozenset().union(*map(self.members, operands))
            case Not(operand):
                return self.everything - self.members(operand)
            case OneOf(members):
                return frozenset(self.individuals[one.name] for one in members)  # type: ignore[union-attr]
            case HasSelf(property):
                return frozenset(one for one, other in self.pairs(property) if one == other)
            case HasValue(property, value):
                return self.members(Some(property, OneOf((value,))))
            case Some(property, filler):
                return self._counted(property, filler, lambda count: count > 0)
            case Only(property, filler):
                return self._counted(property, Not(filler), lambda count: count == 0)
            case Cardinality(property, bound, wanted, filler):
                is_so: dict[Bound, Callable[[int], bool]] = {
                    Bound.MIN: lambda count: count >= wanted,
                    Bound.MAX: lambda count: count <= wanted,
                    Bound.EXACTLY: lambda count: count == wanted,
                }
                return self._counted(property, filler or THING, is_so[bound])
        raise AssertionError(f"no data here: {expression}")

    def pairs(self, property: Property) -> Pairs:
        """What a property relates."""
        if isinstance(property, Inverse):
            return frozenset((other, one) for one, other in self.pairs(property.property))
        return self.properties.get(property.name, frozenset())

    def is_model(self, axioms: Iterable[Axiom]) -> bool:
        """Whether all axioms hold here."""
        return all(map(self.holds, axioms))

    def holds(self, axiom: Axiom) -> bool:
        """Whether an axiom holds here."""
        match axiom:
            case SubClass(narrower, wider):
                return self.members(narrower) <= self.members(wider)
            case EquivalentClasses(operands):
                return len({*map(self.members, operands)}) == 1
            case DisjointClasses(operands):
                return not any(
                    one & other for one, other in combinations(map(self.members, operands), 2)
                )
            case SubProperty(inner, outer):
                return self.pairs(inner) <= self.pairs(outer)
            case PropertyChain(steps, outer):
                reached = self.pairs(steps[0])
                for step in steps[1:]:
                    reached = _composed(reached, self.pairs(step))
                return reached <= self.pairs(outer)
            case InverseProperties(first, second):
                return self.pairs(first) == frozenset((b, a) for a, b in self.pairs(second))
            case DisjointProperties(several):
                return not any(a & b for a, b in combinations(map(self.pairs, several), 2))
            case Domain(property, expression):
                return {one for one, _ in self.pairs(property)} <= self.members(expression)
            case Range(property, expression):
                return {other for _, other in self.pairs(property)} <= self.members(expression)
            case PropertyIs(property, characteristic):
                return self._is(self.pairs(property), characteristic)
            case ClassAssertion(name, expression):
                return self.individuals[name] in self.members(expression)
            case PropertyAssertion(subject, name, Named(value)):
                pair = self.individuals[subject], self.individuals[value]
                return pair in self.pairs(Named(name))
            case PropertyDenial(subject, name, Named(value)):
                pair = self.individuals[subject], self.individuals[value]
                return pair not in self.pairs(Named(name))
            case SameIndividuals(names):
                return len({self.individuals[one] for one in names}) == 1
            case DifferentIndividuals(names):
                return len({self.individuals[one] for one in names}) == len(names)
        raise AssertionError(f"no data here: {axiom}")

    def _counted(
        self, property: Property, filler: ClassExpression, is_so: Callable[[int], bool]
    ) -> Elements:
        inside, pairs = self.members(filler), self.pairs(property)
        return frozenset(
            one for one in range(self.size) if is_so(sum((one, other) in pairs for other in inside))
        )

    def _is(self, pairs: Pairs, characteristic: Characteristic) -> bool:
        back = frozenset((other, one) for one, other in pairs)
        selves = {(one, one) for one in range(self.size)}
        match characteristic:
            case Characteristic.FUNCTIONAL:
                return len({one for one, _ in pairs}) == len(pairs)
            case Characteristic.INVERSE_FUNCTIONAL:
                return len({other for _, other in pairs}) == len(pairs)
            case Characteristic.TRANSITIVE:
                return _composed(pairs, pairs) <= pairs
            case Characteristic.SYMMETRIC:
                return pairs == back
            case Characteristic.ASYMMETRIC:
                return not pairs & back
            case Characteristic.REFLEXIVE:
                return selves <= pairs
            case Characteristic.IRREFLEXIVE:
                return not selves & pairs


def _composed(first: Pairs, second: Pairs) -> Pairs:
    return frozenset((one, far) for one, near in first for other, far in second if near == other)
