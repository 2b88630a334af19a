"""Axioms out of the triples of a file (OWL 2's mapping to RDF, with OWL 1's and RDFS's words)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pyoxigraph

from purport.model.class_expression import Named
from purport.ontology import axioms as told
from purport.ontology.axioms import Characteristic
from purport.ontology.owl.collection import Collection
from purport.ontology.owl.normal_forms import disjoint_union, equivalent_properties
from purport.ontology.owl.rdf_assertions import RdfAssertions
from purport.ontology.owl.rdf_expressions import DEFINING, RdfExpressions
from purport.ontology.owl.rdf_graph import Node, RdfGraph
from purport.ontology.vocabulary import DATATYPES, OWL, RDF, RDFS, SWRL, is_built_in

Read = TypeVar("Read")

_CHARACTERISTICS = {
    OWL + "FunctionalProperty": Characteristic.FUNCTIONAL,
    OWL + "InverseFunctionalProperty": Characteristic.INVERSE_FUNCTIONAL,
    OWL + "TransitiveProperty": Characteristic.TRANSITIVE,
    OWL + "SymmetricProperty": Characteristic.SYMMETRIC,
    OWL + "AsymmetricProperty": Characteristic.ASYMMETRIC,
    OWL + "ReflexiveProperty": Characteristic.REFLEXIVE,
    OWL + "IrreflexiveProperty": Characteristic.IRREFLEXIVE,
}


def add_declarations(graph: RdfGraph, collection: Collection) -> None:
    """Add what a graph declares to a collection; what a triple means depends on declarations.

    So those of all files come before the axioms of any.
    """
    declared = {
        OWL + "Class": collection.classes,
        OWL + "DeprecatedClass": collection.classes,
        RDFS + "Class": collection.classes,
        RDFS + "Datatype": collection.datatypes,
        OWL + "ObjectProperty": collection.object_properties,
        OWL + "DatatypeProperty": collection.data_properties,
        OWL + "AnnotationProperty": collection.annotation_properties,
        OWL + "OntologyProperty": collection.annotation_properties,
        OWL + "DeprecatedProperty": collection.properties,
        RDF + "Property": collection.properties,
        OWL + "NamedIndividual": collection.individuals,
        **dict.fromkeys(_CHARACTERISTICS, collection.object_properties),
        OWL + "FunctionalProperty": collection.properties,
    }
    for subject, kind in graph.of_predicate(RDF + "type"):
        if isinstance(kind, str) and kind in declared and _has_name(subject):
            declared[kind].add(subject)
    collection.classes -= DATATYPES | collection.datatypes
    collection.properties -= collection.annotation_properties
    for node, label in graph.labels:
        if isinstance(label, pyoxigraph.Literal) and _has_name(node):
            collection.add_label(node, label.value)


def add_graph(graph: RdfGraph, collection: Collection, blanks: str) -> None:
    """Add what a graph says to a collection that has the declarations of all graphs.

    Individuals without a name are called by their number in the file: `_:`, `blanks`, number.
    """
    numbers: dict[str, int] = {}
    expressions = RdfExpressions(
        graph, lambda node: f"_:{blanks}{numbers.setdefault(node, len(numbers) + 1)}"
    )
    _RdfAxioms(graph, expressions, collection).read()
    RdfAssertions(graph, expressions, collection).read()
    ignored = collection.ignored
    ignored["keys"] += len(graph.of_predicate(OWL + "hasKey"))
    ignored["rules (SWRL)"] += sum(1 for _ in graph.typed(SWRL + "Imp"))
    ignored["annotations"] += sum(graph.annotations.values())


class _RdfAxioms:
    """One pass for each kind of axiom; what cannot be read is counted, and the rest goes on."""

    def __init__(
        self, graph: RdfGraph, expressions: RdfExpressions, collection: Collection
    ) -> None:
        self._graph = graph
        self._expressions = expressions
        self._collection = collection

    def read(self) -> None:
        self._classes()
        self._definitions()
        self._properties()
        self._groups()

    def _classes(self) -> None:
        read = self._expressions.expression
        self._each(RDFS + "subClassOf", lambda one, other: [told.SubClass(read(one), read(other))])
        self._each(OWL + "equivalentClass", self._equivalent_class)
        self._each(
            OWL + "disjointWith",
            lambda one, other: [told.DisjointClasses((read(one), read(other)))],
        )
        self._each(
            OWL + "disjointUnionOf",
            lambda whole, parts: disjoint_union(read(whole), self._listed(read, parts)),
        )

    def _equivalent_class(self, left: Node, right: Node) -> Iterable[told.Axiom]:
        read = self._expressions.expression
        if isinstance(left, str) and left in self._collection.datatypes:
            self._collection.definitions[left] = read(right)
        else:
            yield told.EquivalentClasses((read(left), read(right)))

    def _definitions(self) -> None:
        """What OWL 1 says directly at a class with a name."""
        for node, parts in self._graph.parts.items():
            if not _has_name(node) or is_built_in(node):
                continue
            if any(kind in parts for kind in DEFINING) or OWL + "onProperty" in parts:
                with self._collection.counting_malformed():
                    self._define(node)

    def _define(self, node: str) -> None:
        for expression in self._expressions.definitions(node):
            if node in self._collection.datatypes:
                self._collection.definitions[node] = expression
            else:
                self._collection.add(told.EquivalentClasses((Named(node), expression)))

    def _properties(self) -> None:
        read, read_class = self._expressions.property, self._expressions.expression
        self._each(
            RDFS + "subPropertyOf", lambda one, other: [told.SubProperty(read(one), read(other))]
        )
        self._each(
            OWL + "equivalentProperty",
            lambda one, other: equivalent_properties((read(one), read(other))),
        )
        self._each(OWL + "inverseOf", self._inverse)
        self._each(
            OWL + "propertyDisjointWith",
            lambda one, other: [told.DisjointProperties((read(one), read(other)))],
        )
        self._each(
            OWL + "propertyChainAxiom",
            lambda wider, steps: [told.PropertyChain(self._listed(read, steps), read(wider))],
        )
        self._each(RDFS + "domain", lambda name, one: [told.Domain(read(name), read_class(one))])
        self._each(RDFS + "range", lambda name, one: [told.Range(read(name), read_class(one))])
        for subject, kind in self._graph.of_predicate(RDF + "type"):
            if isinstance(kind, str) and kind in _CHARACTERISTICS:
                with self._collection.counting_malformed():
                    self._collection.add(told.PropertyIs(read(subject), _CHARACTERISTICS[kind]))

    def _inverse(self, left: Node, right: Node) -> Iterable[told.Axiom]:
        read = self._expressions.property
        if not isinstance(left, str) or _has_name(left):  # else an expression, read where it stands
            yield told.InverseProperties(read(left), read(right))

    def _groups(self) -> None:
        read = self._expressions
        self._group(
            "AllDisjointClasses",
            lambda some: told.DisjointClasses(self._listed(read.expression, some)),
        )
        self._group(
            "AllDisjointProperties",
            lambda some: told.DisjointProperties(self._listed(read.property, some)),
        )

    def _group(self, kind: str, read: Callable[[Node], told.Axiom]) -> None:
        """Add what nodes of a type say of their members."""
        for node in self._graph.typed(OWL + kind):
            for given in self._graph.parts.get(node, {}).get(OWL + "members", []):
                with self._collection.counting_malformed():
                    self._collection.add(read(given))

    def _listed(self, read: Callable[[Node], Read], node: Node) -> tuple[Read, ...]:
        """The members of a list, read."""
        return tuple(map(read, self._expressions.members(node)))

    def _each(self, predicate: str, read: Callable[[Node, Node], Iterable[told.Axiom]]) -> None:
        """Add what a predicate says of each pair of nodes that it relates."""
        of_annotations = self._collection.annotation_properties
        for subject, given in self._graph.of_predicate(predicate):
            if subject in of_annotations and not self._collection.is_property(subject):
                self._collection.ignored["axioms about annotations"] += 1
                continue
            with self._collection.counting_malformed():
                self._collection.add(*read(subject, given))


def _has_name(node: str) -> bool:
    return not node.startswith("_:")
