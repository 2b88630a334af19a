"""What OWL says in one way and we say in another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    Inverse,
    Named,
    Or,
    Property,
)
from purport.model.term import Term
from purport.ontology import axioms as told
from purport.ontology.vocabulary import RDFS

_ANYTHING = (told.THING, Named(RDFS + "Literal"))


def disjoint_union(
    whole: ClassExpression, parts: tuple[ClassExpression, ...]
) -> tuple[told.Axiom, ...]:
    """A class is the union of others, which have nothing in common."""
    return told.EquivalentClasses((whole, union(parts))), told.DisjointClasses(parts)


def equivalent_properties(properties: Sequence[Property]) -> list[told.Axiom]:
    """Each is below the next, and the last below the first."""
    ring = [*pairwise(properties), (properties[-1], properties[0])]
    return [told.SubProperty(narrower, wider) for narrower, wider in ring]


@dataclass(frozen=True, slots=True)
class Statement:
    """A property with a name relates a subject to a value."""

    subject: str
    property: str
    value: Named | Term

    @classmethod
    def of(cls, subject: str, name: Property, value: Named | Term) -> Statement:
        """What a property relates; what the inverse of one relates is turned round."""
        match name:
            case Named(iri):
                return cls(subject, iri, value)
            case Inverse(Named(iri)):
                if not isinstance(value, Named):
                    raise ValueError("a value that is no individual has no properties")
                return cls(value.name, iri, Named(subject))


def intersection(operands: tuple[ClassExpression, ...]) -> ClassExpression:
    """What is in all of these; of none, that is everything."""
    if len(operands) == 1:
        return operands[0]
    return And(operands) if operands else told.THING


def union(operands: tuple[ClassExpression, ...]) -> ClassExpression:
    """What is in one of these; of none, that is nothing."""
    if len(operands) == 1:
        return operands[0]
    return Or(operands) if operands else told.NOTHING


def counted(
    name: Property, bound: Bound, count: int, filler: ClassExpression | None
) -> Cardinality:
    """A cardinality; to count what is anything at all is to count everything."""
    return Cardinality(name, bound, count, None if filler in _ANYTHING else filler)
