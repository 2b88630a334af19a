"""The world in which just what is asserted of individuals is so, and what follows of properties."""

from __future__ import annotations

from purport.model.class_expression import Inverse, Named, Property
from purport.model.term import Term
from purport.ontology.axioms import (
    Axioms,
    Characteristic,
    ClassAssertion,
    InverseProperties,
    PropertyAssertion,
    PropertyChain,
    PropertyIs,
    SubProperty,
)
from tests.oracles.interpretation import Interpretation, joined

Pair = tuple[int, int]


def asserted_world(ontology: Axioms) -> Interpretation:
    """No two individuals are the same; axioms are followed until nothing is new."""
    numbers = {name: number for number, name in enumerate(sorted(ontology.individuals))}
    pairs: dict[str, set[Pair]] = {name: set() for name in ontology.object_properties}
    data: dict[str, set[tuple[int, Term]]] = {name: set() for name in ontology.data_properties}
    members: dict[str, set[int]] = {name: set() for name in ontology.classes}
    size = -1
    while size != sum(map(len, pairs.values())):
        size = sum(map(len, pairs.values()))
        for axiom in ontology.axioms:
            match axiom:
                case ClassAssertion(name, Named(type_)):
                    members[type_].add(numbers[name])
                case PropertyAssertion(name, property_, Named(value)):
                    pairs[property_].add((numbers[name], numbers[value]))
                case PropertyAssertion(name, property_, value):
                    assert not isinstance(value, Named)
                    data[property_].add((numbers[name], value))
                case SubProperty(narrower, wider):
                    _add(pairs, wider, _of(pairs, narrower))
                case InverseProperties(first, second):
                    _add(pairs, first, _turned(_of(pairs, second)))
                    _add(pairs, second, _turned(_of(pairs, first)))
                case PropertyChain((first, second), wider):
                    _add(pairs, wider, joined(_of(pairs, first), _of(pairs, second)))
                case PropertyIs(property_, Characteristic.TRANSITIVE):
                    related = _of(pairs, property_)
                    _add(pairs, property_, joined(related, related))
                case PropertyIs(property_, Characteristic.SYMMETRIC):
                    _add(pairs, property_, _turned(_of(pairs, property_)))
                case _:
                    raise AssertionError(axiom)
    return Interpretation(
        range(len(numbers)),
        {name: frozenset(some) for name, some in members.items()},
        {name: frozenset(some) for name, some in pairs.items()},
        numbers,
        {name: frozenset(some) for name, some in data.items()},
    )


def _of(pairs: dict[str, set[Pair]], property_: Property) -> frozenset[Pair]:
    if isinstance(property_, Inverse):
        return _turned(_of(pairs, property_.property))
    return frozenset(pairs[property_.name])


def _add(pairs: dict[str, set[Pair]], property_: Property, new: frozenset[Pair]) -> None:
    if isinstance(property_, Inverse):
        _add(pairs, property_.property, _turned(new))
    else:
        pairs[property_.name] |= new


def _turned(pairs: frozenset[Pair]) -> frozenset[Pair]:
    return frozenset((other, one) for one, other in pairs)
