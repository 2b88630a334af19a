"""Axioms out of the triples of a file (OWL 2's mapping to RDF, with OWL 1's and RDFS's words)."""

from __future__ import annotations

from collections.abc import Callable

import pyoxigraph

from purport.model.class_expression import Named
from purport.ontology import axioms as told
from purport.ontology.axioms import Characteristic
from purport.ontology.collection import Collection
from purport.ontology.normal_forms import disjoint_union, equivalent_properties
from purport.ontology.rdf_assertions import RdfAssertions
from purport.ontology.rdf_expressions import DEFINING, Malformed, RdfExpressions
from purport.ontology.rdf_graph import Node, RdfGraph
from purport.ontology.vocabulary import DATATYPES, OWL, RDF, RDFS, SWRL, is_built_in

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
    _RdfReader(graph, collection, "").declare()


def add_graph(graph: RdfGraph, collection: Collection, blanks: str) -> None:
    """Add what a graph says to a collection that has the declarations of all graphs.

    Individuals without a name are called by their number in the file: `_:`, `blanks`, number.
    """
    _RdfReader(graph, collection, blanks).read()


class _RdfReader:
    """One pass for each kind of axiom; what cannot be read is counted, and the rest goes on."""

    def __init__(self, graph: RdfGraph, collection: Collection, blanks: str) -> None:
        self._graph = graph
        self._collection = collection
        self._blanks: dict[str, str] = {}
        self._prefix = blanks
        self._expressions = RdfExpressions(graph, self._name_of_blank)

    def read(self) -> None:
        self._classes()
        self._definitions()
        self._properties()
        self._groups()
        self._rest()
        RdfAssertions(self._graph, self._expressions, self._collection).read()

    def _name_of_blank(self, node: str) -> str:
        return self._blanks.setdefault(node, f"_:{self._prefix}{len(self._blanks) + 1}")

    def declare(self) -> None:
        collection = self._collection
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
            **dict.fromkeys(_CHARACTERISTICS, collection.properties),
            **{
                kind: collection.object_properties
                for kind, what in _CHARACTERISTICS.items()
                if what is not Characteristic.FUNCTIONAL
            },
        }
        for subject, kind in self._graph.of_predicate(RDF + "type"):
            if isinstance(kind, str) and kind in declared and _has_name(subject):
                declared[kind].add(subject)
        collection.classes -= DATATYPES | collection.datatypes
        collection.properties -= collection.annotation_properties
        for node, label in self._graph.labels:
            if isinstance(label, pyoxigraph.Literal) and _has_name(node):
                collection.add_label(node, label.value)

    def _classes(self) -> None:
        self._each(RDFS + "subClassOf", self._sub_class)
        self._each(OWL + "equivalentClass", self._equivalent_class)
        self._each(OWL + "disjointWith", self._disjoint)
        self._each(OWL + "disjointUnionOf", self._disjoint_union)

    def _sub_class(self, narrower: Node, wider: Node) -> None:
        read = self._expressions.expression
        self._collection.add(told.SubClass(read(narrower), read(wider)))

    def _equivalent_class(self, left: Node, right: Node) -> None:
        read = self._expressions.expression
        if isinstance(left, str) and left in self._collection.datatypes:
            self._collection.definitions[left] = read(right)
            return
        self._collection.add(told.EquivalentClasses((read(left), read(right))))

    def _disjoint(self, left: Node, right: Node) -> None:
        read = self._expressions.expression
        self._collection.add(told.DisjointClasses((read(left), read(right))))

    def _disjoint_union(self, union: Node, parts: Node) -> None:
        read = self._expressions.expression
        operands = tuple(map(read, self._expressions.members(parts)))
        for axiom in disjoint_union(read(union), operands):
            self._collection.add(axiom)

    def _definitions(self) -> None:
        """What OWL 1 says directly at a class with a name."""
        for node, parts in self._graph.parts.items():
            if not _has_name(node) or is_built_in(node):
                continue
            if any(kind in parts for kind in DEFINING) or OWL + "onProperty" in parts:
                self._carefully(self._define, node, node)

    def _define(self, node: Node, _: Node) -> None:
        assert isinstance(node, str)
        for expression in self._expressions.definitions(node):
            if node in self._collection.datatypes:
                self._collection.definitions[node] = expression
            else:
                self._collection.add(told.EquivalentClasses((Named(node), expression)))

    def _properties(self) -> None:
        self._each(RDFS + "subPropertyOf", self._sub_property)
        self._each(OWL + "equivalentProperty", self._equivalent_property)
        self._each(OWL + "inverseOf", self._inverse)
        self._each(OWL + "propertyDisjointWith", self._disjoint_properties)
        self._each(OWL + "propertyChainAxiom", self._chain)
        self._each(RDFS + "domain", self._domain)
        self._each(RDFS + "range", self._range)
        for subject, kind in self._graph.of_predicate(RDF + "type"):
            if isinstance(kind, str) and kind in _CHARACTERISTICS:
                self._carefully(self._characteristic, subject, kind)

    def _sub_property(self, narrower: Node, wider: Node) -> None:
        read = self._expressions.property
        self._collection.add(told.SubProperty(read(narrower), read(wider)))

    def _equivalent_property(self, left: Node, right: Node) -> None:
        read = self._expressions.property
        for axiom in equivalent_properties((read(left), read(right))):
            self._collection.add(axiom)

    def _inverse(self, left: Node, right: Node) -> None:
        if isinstance(left, str) and not _has_name(left):
            return  # an expression, which is read where it stands
        read = self._expressions.property
        self._collection.add(told.InverseProperties(read(left), read(right)))

    def _disjoint_properties(self, left: Node, right: Node) -> None:
        read = self._expressions.property
        self._collection.add(told.DisjointProperties((read(left), read(right))))

    def _chain(self, wider: Node, steps: Node) -> None:
        read = self._expressions.property
        chain = tuple(map(read, self._expressions.members(steps)))
        self._collection.add(told.PropertyChain(chain, read(wider)))

    def _domain(self, name: Node, domain: Node) -> None:
        read = self._expressions
        self._collection.add(told.Domain(read.property(name), read.expression(domain)))

    def _range(self, name: Node, values: Node) -> None:
        read = self._expressions
        self._collection.add(told.Range(read.property(name), read.expression(values)))

    def _characteristic(self, name: Node, kind: Node) -> None:
        assert isinstance(kind, str)
        what = _CHARACTERISTICS[kind]
        self._collection.add(told.PropertyIs(self._expressions.property(name), what))

    def _groups(self) -> None:
        """`AllDisjointClasses` and `AllDisjointProperties`."""
        read, members = self._expressions, OWL + "members"
        for node in self._graph.typed(OWL + "AllDisjointClasses"):
            for given in self._graph.parts.get(node, {}).get(members, []):
                self._carefully(
                    lambda _, some: self._collection.add(
                        told.DisjointClasses(tuple(map(read.expression, read.members(some))))
                    ),
                    node,
                    given,
                )
        for node in self._graph.typed(OWL + "AllDisjointProperties"):
            for given in self._graph.parts.get(node, {}).get(members, []):
                self._carefully(
                    lambda _, some: self._collection.add(
                        told.DisjointProperties(tuple(map(read.property, read.members(some))))
                    ),
                    node,
                    given,
                )

    def _rest(self) -> None:
        ignored = self._collection.ignored
        ignored["keys"] += len(self._graph.of_predicate(OWL + "hasKey"))
        ignored["rules (SWRL)"] += sum(1 for _ in self._graph.typed(SWRL + "Imp"))
        ignored["annotations"] += sum(self._graph.annotations.values())

    def _each(self, predicate: str, read: Callable[[Node, Node], None]) -> None:
        of_annotations = self._collection.annotation_properties
        for subject, given in self._graph.of_predicate(predicate):
            if subject in of_annotations and not self._is_property(subject):
                self._collection.ignored["axioms about annotations"] += 1
            else:
                self._carefully(read, subject, given)

    def _is_property(self, name: str) -> bool:
        collection = self._collection
        return name in collection.object_properties or name in collection.data_properties

    def _carefully(self, read: Callable[[Node, Node], None], subject: Node, given: Node) -> None:
        try:
            read(subject, given)
        except Malformed as malformed:
            self._collection.ignored[f"malformed {malformed}"] += 1


def _has_name(node: str) -> bool:
    return not node.startswith("_:")
