"""Class expressions, descriptions and orders of names as triples, the way OWL is kept in RDF."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, serialize

from purport.model.class_expression import (
    And,
    Bound,
    Cardinality,
    ClassExpression,
    Facet,
    HasSelf,
    HasValue,
    Named,
    Not,
    OneOf,
    Only,
    Or,
    Property,
    Restricted,
    Some,
)
from purport.model.comparison import Operator
from purport.model.rdf import XSD
from purport.model.term import Boolean, Resource, Term, Text, Time
from purport.model.units import Quantity
from purport.ontology.data.data_ranges import is_data_range
from purport.ontology.description import Description
from purport.ontology.hierarchy import Hierarchy
from purport.ontology.vocabulary import FACETS, OWL, RDF, RDFS

_TYPE = NamedNode(RDF + "type")
_DATATYPE = NamedNode(RDFS + "Datatype")
_FACET_NAMES = {facet: NamedNode(name) for name, facet in FACETS.items()}
_COUNTS = {
    Bound.MIN: ("minCardinality", "minQualifiedCardinality"),
    Bound.MAX: ("maxCardinality", "maxQualifiedCardinality"),
    Bound.EXACTLY: ("cardinality", "qualifiedCardinality"),
}

Node = NamedNode | BlankNode
Value = NamedNode | BlankNode | Literal


def owl_text(triples: Sequence[Triple], form: RdfFormat, prefixes: dict[str, str]) -> str:
    """Triples as Turtle, RDF/XML, ..."""
    return (serialize(triples, format=form, prefixes=prefixes) or b"").decode()


def triples_of_hierarchy(hierarchy: Hierarchy) -> list[Triple]:
    """Classes, and which are right below which."""
    kept = [name for name in hierarchy.names if name not in hierarchy.unsatisfiable]
    return [
        *(Triple(NamedNode(name), _TYPE, _owl("Class")) for name in kept),
        *(
            Triple(NamedNode(name), NamedNode(RDFS + "subClassOf"), NamedNode(parent))
            for name in kept
            for parent in sorted(hierarchy.parents(name))
        ),
    ]


def triples_of_description(description: Description) -> list[Triple]:
    """What is told of an individual."""
    builder = _Builder()
    builder.individual(description)
    return builder.triples


def triples_of_expression(name: str, expression: ClassExpression) -> list[Triple]:
    """A class with this name, equivalent to an expression."""
    builder = _Builder()
    builder.add(NamedNode(name), _TYPE, _owl("Class"))
    builder.add(NamedNode(name), _owl("equivalentClass"), builder.expression(expression))
    return builder.triples


def _owl(name: str) -> NamedNode:
    return NamedNode(OWL + name)


class _Builder:
    """Triples so far."""

    def __init__(self) -> None:
        self.triples: list[Triple] = []

    def add(self, subject: Node, predicate: NamedNode, value: Value) -> None:
        self.triples.append(Triple(subject, predicate, value))

    def individual(self, description: Description) -> Node:
        node = BlankNode() if description.name is None else NamedNode(description.name)
        for one in description.types:
            self.add(node, _TYPE, NamedNode(one))
        for property, value in description.facts:
            told = self.individual(value) if isinstance(value, Description) else _literal(value)
            self.add(node, NamedNode(property), told)
        return node

    def expression(self, expression: ClassExpression) -> Node:
        match expression:
            case Named(name):
                return NamedNode(name)
            case And(operands):
                parts = self._list(map(self.expression, operands))
                return self._made_of(expression, "intersectionOf", parts)
            case Or(operands):
                parts = self._list(map(self.expression, operands))
                return self._made_of(expression, "unionOf", parts)
            case Not(operand):
                name = "datatypeComplementOf" if is_data_range(operand) else "complementOf"
                return self._made_of(expression, name, self.expression(operand))
            case OneOf(members):
                return self._made_of(expression, "oneOf", self._list(map(_member, members)))
            case Restricted():
                return self._restricted(expression)
            case Some(property, filler):
                return self._restriction(property, "someValuesFrom", self.expression(filler))
            case Only(property, filler):
                return self._restriction(property, "allValuesFrom", self.expression(filler))
            case HasValue(property, value):
                return self._restriction(property, "hasValue", _member(value))
            case HasSelf(property):
                return self._restriction(property, "hasSelf", _typed("true", "boolean"))
            case Cardinality():
                return self._cardinality(expression)

    def _made_of(self, expression: ClassExpression, predicate: str, value: Value) -> Node:
        node = BlankNode()
        self.add(node, _TYPE, _DATATYPE if is_data_range(expression) else _owl("Class"))
        self.add(node, _owl(predicate), value)
        return node

    def _restriction(self, property: Property, predicate: str, value: Value) -> Node:
        node = BlankNode()
        self.add(node, _TYPE, _owl("Restriction"))
        self.add(node, _owl("onProperty"), self._property(property))
        self.add(node, _owl(predicate), value)
        return node

    def _cardinality(self, counted: Cardinality) -> Node:
        plain, qualified = _COUNTS[counted.bound]
        number = _typed(str(counted.count), "nonNegativeInteger")
        if counted.filler is None:
            return self._restriction(counted.property, plain, number)
        node = self._restriction(counted.property, qualified, number)
        among = "onDataRange" if is_data_range(counted.filler) else "onClass"
        self.add(node, _owl(among), self.expression(counted.filler))
        return node

    def _property(self, property: Property) -> Node:
        if isinstance(property, Named):
            return NamedNode(property.name)
        node = BlankNode()
        self.add(node, _owl("inverseOf"), NamedNode(property.property.name))
        return node

    def _restricted(self, given: Restricted) -> Node:
        """A datatype with facets; for `=` and `!=`, which OWL has not, with lists of one value."""
        lists = [_listed(one) for one in given.facets if one.operator not in _FACET_NAMES]
        facets = tuple(one for one in given.facets if one.operator in _FACET_NAMES)
        if lists:
            rest = Restricted(given.datatype, facets) if facets else given.datatype
            return self.expression(And((rest, *lists)))
        limits: list[Value] = []
        for facet in facets:
            limit = BlankNode()
            self.add(limit, _FACET_NAMES[facet.operator], _literal(facet.limit))
            limits.append(limit)
        node = BlankNode()
        self.add(node, _TYPE, _DATATYPE)
        self.add(node, _owl("onDatatype"), NamedNode(given.datatype.name))
        self.add(node, _owl("withRestrictions"), self._list(iter(limits)))
        return node

    def _list(self, items: Iterator[Value]) -> Node:
        found = list(items)
        node: Node = NamedNode(RDF + "nil")
        for item in reversed(found):
            rest, node = node, BlankNode()
            self.add(node, NamedNode(RDF + "first"), item)
            self.add(node, NamedNode(RDF + "rest"), rest)
        return node


def _listed(facet: Facet) -> ClassExpression:
    """What `= 5` or `!= 5` leaves, as a list."""
    only = OneOf((facet.limit,))
    return only if facet.operator is Operator.EQUAL else Not(only)


def _member(member: Named | Term) -> Value:
    return NamedNode(member.name) if isinstance(member, Named) else _literal(member)


def _typed(text: str, datatype: str) -> Literal:
    return Literal(text, datatype=NamedNode(XSD + datatype))


def _literal(term: Term) -> Value:
    match term:
        case Text(text, language):
            return Literal(text, language=language) if language else Literal(text)
        case Resource(iri):
            return NamedNode(iri)
        case Boolean():
            return _typed(str(term), "boolean")
        case Time(instant):
            return _typed(instant.isoformat(), "dateTime")
        case Quantity(int() as magnitude, None):
            return _typed(str(magnitude), "integer")
        case Quantity(magnitude, None):
            return _typed(str(magnitude), "double")
        case Quantity():
            return Literal(str(term))
