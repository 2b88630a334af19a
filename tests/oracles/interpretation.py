"""Small worlds in which class expressions and axioms are looked up: slow and obviously right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    Restricted,
    Some,
)
from purport.model.term import Term
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
from purport.ontology.data_ranges import data_range

Pairs = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Interpretation:
    """A few things, the members of each class, whom each property relates, who is who."""

    things: range
    classes: Mapping[str, frozenset[int]]
    properties: Mapping[str, Pairs]
    individuals: Mapping[str, int]
    data: Mapping[str, frozenset[tuple[int, Term]]] = field(default_factory=dict)

    def members(self, expression: ClassExpression) -> frozenset[int]:
        """The things in a class."""
        everything = frozenset(self.things)
        match expression:
            case Named(name):
                named = {THING.name: everything, NOTHING.name: frozenset[int]()}
                return named[name] if name in named else self.classes.get(name, frozenset())
            case And(operands):
                return everything.intersection(*map(self.members, operands))
            case Or(operands):
                return frozenset().union(*map(self.members, operands))
            case Not(operand):
                return everything - self.members(operand)
            case OneOf(members):
                return frozenset(
                    self.individuals[one.name] for one in members if isinstance(one, Named)
                )
            case HasSelf(property_):
                return frozenset(one for one, other in self.pairs(property_) if one == other)
            case HasValue(property_, value):
                return self.members(Some(property_, OneOf((value,))))
            case Restricted():
                raise AssertionError(expression)
        return frozenset(one for one in self.things if self._has_values(one, expression))

    def pairs(self, property_: Property) -> Pairs:
        """Whom a property relates."""
        if isinstance(property_, Inverse):
            return frozenset((other, one) for one, other in self.pairs(property_.property))
        return self.properties.get(property_.name, frozenset())

    def _has_values(self, thing: int, expression: ClassExpression) -> bool:
        match expression:
            case Some(property_, filler):
                return self._count(thing, property_, filler) > 0
            case Only(property_, filler):
                return self._count(thing, property_, Not(filler)) == 0
            case Cardinality(property_, bound, count, filler):
                found = self._count(thing, property_, filler)
                match bound:
                    case Bound.MIN:
                        return found >= count
                    case Bound.MAX:
                        return found <= count
                    case Bound.EXACTLY:
                        return found == count
        raise AssertionError(expression)

    def _count(self, thing: int, property_: Property, filler: ClassExpression | None) -> int:
        if isinstance(property_, Named) and property_.name in self.data:
            values = [value for one, value in self.data[property_.name] if one == thing]
            return sum(filler is None or data_range(filler).contains(value) for value in values)
        values_in = frozenset(self.things) if filler is None else self.members(filler)
        return sum(one == thing and other in values_in for one, other in self.pairs(property_))

    def satisfies(self, axiom: Axiom) -> bool:
        """Whether an axiom is true."""
        match axiom:
            case SubClass(narrower, wider):
                return self.members(narrower) <= self.members(wider)
            case EquivalentClasses(operands):
                return len(set(map(self.members, operands))) <= 1
            case DisjointClasses(operands):
                members = [self.members(one) for one in operands]
                return sum(map(len, members)) == len(frozenset().union(*members))
            case ClassAssertion(individual, expression):
                return self.individuals[individual] in self.members(expression)
            case SameIndividuals(names):
                return len({self.individuals[name] for name in names}) <= 1
            case DifferentIndividuals(names):
                return len({self.individuals[name] for name in names}) == len(names)
            case PropertyAssertion(subject, name, value):
                return self._relates(subject, name, value)
            case PropertyDenial(subject, name, value):
                return not self._relates(subject, name, value)
        return self._satisfies_of_properties(axiom)

    def _relates(self, subject: str, name: str, value: Named | Term) -> bool:
        if isinstance(value, Named):
            return (self.individuals[subject], self.individuals[value.name]) in self.properties[
                name
            ]
        return (self.individuals[subject], value) in self.data[name]

    def _satisfies_of_properties(self, axiom: Axiom) -> bool:
        match axiom:
            case SubProperty(narrower, wider):
                return self.pairs(narrower) <= self.pairs(wider)
            case PropertyChain(steps, wider):
                related = frozenset((one, one) for one in self.things)
                for step in steps:
                    related = joined(related, self.pairs(step))
                return related <= self.pairs(wider)
            case InverseProperties(first, second):
                return self.pairs(first) == frozenset((b, a) for a, b in self.pairs(second))
            case DisjointProperties(operands):
                apart = [self.pairs(one) for one in operands]
                return sum(map(len, apart)) == len(frozenset().union(*apart))
            case Domain(property_, domain):
                return self.members(Some(property_, THING)) <= self.members(domain)
            case Range(property_, range_):
                return {other for _, other in self.pairs(property_)} <= self.members(range_)
            case PropertyIs(property_, characteristic):
                return self._is(self.pairs(property_), characteristic)
        raise AssertionError(axiom)

    def _is(self, pairs: Pairs, characteristic: Characteristic) -> bool:
        backwards = frozenset((other, one) for one, other in pairs)
        loops = frozenset((one, one) for one in self.things)
        match characteristic:
            case Characteristic.FUNCTIONAL:
                return len({one for one, _ in pairs}) == len(pairs)
            case Characteristic.INVERSE_FUNCTIONAL:
                return len({other for _, other in pairs}) == len(pairs)
            case Characteristic.TRANSITIVE:
                return joined(pairs, pairs) <= pairs
            case Characteristic.SYMMETRIC:
                return backwards == pairs
            case Characteristic.ASYMMETRIC:
                return not backwards & pairs
            case Characteristic.REFLEXIVE:
                return loops <= pairs
            case Characteristic.IRREFLEXIVE:
                return not loops & pairs


def joined(first: Pairs, second: Pairs) -> Pairs:
    """Whom one property after the other relates."""
    return frozenset((a, d) for a, b in first for c, d in second if b == c)
