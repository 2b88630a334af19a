"""Class expressions with genes for names, as `13 ∩ ∃3 (2 ∩ ∃2 3)`, and back.

A gene stands in the place of a name as its digits; datatypes keep their names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from purport.model.class_expression import (
    And,
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
from purport.ontology.axioms import NOTHING, THING
from purport.ontology.data_values import is_datatype
from purport.ontology.encodings import Encodings
from purport.ontology.errors import UnknownName
from purport.ontology.prime_encoding import Encoding

Renaming = Callable[[str], ClassExpression]
EVERYTHING, EMPTY = And(()), Or(())


def in_genes(expression: ClassExpression, encodings: Encodings) -> ClassExpression:
    """An expression with genes for names; an individual without one keeps its name."""
    classes, properties = encodings.classes, encodings.properties

    def class_gene(name: str) -> ClassExpression:
        if name in classes:
            return Named(str(classes.genes[name]))
        if name == THING.name:
            return EVERYTHING
        if name == NOTHING.name:
            return EMPTY
        if is_datatype(name):
            return Named(name)
        raise UnknownName("class", name)

    def property_gene(name: str) -> str:
        if name not in properties:
            raise UnknownName("property", name)
        return str(properties.genes[name])

    def individual(name: str) -> str:
        return str(classes.genes[name]) if name in encodings.individuals else name

    return _Renamed(class_gene, property_gene, individual).of(expression)


def with_names(expression: ClassExpression, encodings: Encodings) -> ClassExpression:
    """An expression with the names that genes stand for; of equivalent ones the first."""
    classes, properties = _by_gene(encodings.classes), _by_gene(encodings.properties)

    def found(names: dict[str, str], kind: str, gene: str) -> str:
        if gene not in names:
            raise UnknownName(kind, f"with gene {gene}")
        return names[gene]

    return _Renamed(
        lambda gene: Named(found(classes, "class", gene) if gene.isdigit() else gene),
        lambda gene: found(properties, "property", gene),
        lambda gene: found(classes, "individual", gene) if gene.isdigit() else gene,
    ).of(expression)


def _by_gene(encoding: Encoding) -> dict[str, str]:
    names: dict[str, str] = {}
    for name, gene in encoding.genes.items():
        names.setdefault(str(gene), name)
    return names


@dataclass(frozen=True, slots=True)
class _Renamed:
    """Puts other names into expressions."""

    class_named: Renaming
    property_named: Callable[[str], str]
    individual_named: Callable[[str], str]

    def of(self, expression: ClassExpression) -> ClassExpression:
        match expression:
            case Named(name):
                return self.class_named(name)
            case And(operands):
                return And(tuple(map(self.of, operands)))
            case Or(operands):
                return Or(tuple(map(self.of, operands)))
            case Not(operand):
                return Not(self.of(operand))
            case Some(property, filler):
                return Some(self._property(property), self.of(filler))
            case Only(property, filler):
                return Only(self._property(property), self.of(filler))
            case HasValue(property, value):
                return HasValue(self._property(property), self._member(value))
            case HasSelf(property):
                return HasSelf(self._property(property))
            case Cardinality(property, bound, count, filler):
                renamed = None if filler is None else self.of(filler)
                return Cardinality(self._property(property), bound, count, renamed)
            case OneOf(members):
                return OneOf(tuple(map(self._member, members)))
            case Restricted():
                return expression

    def _property(self, property: Property) -> Property:
        if isinstance(property, Inverse):
            return Inverse(Named(self.property_named(property.property.name)))
        return Named(self.property_named(property.name))

    def _member(self, member: Named | Term) -> Named | Term:
        return Named(self.individual_named(member.name)) if isinstance(member, Named) else member
