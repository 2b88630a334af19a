"""What triples say of individuals: their classes, the values of their properties, who is who."""

from __future__ import annotations

import pyoxigraph

from purport.ontology import axioms as told
from purport.ontology.collection import Collection
from purport.ontology.normal_forms import Statement
from purport.ontology.rdf_expressions import Malformed, RdfExpressions
from purport.ontology.rdf_graph import Node, Pair, RdfGraph
from purport.ontology.vocabulary import (
    ANNOTATING,
    DATATYPES,
    OWL,
    RDF,
    RDFS,
    SWRL,
    is_built_in,
)

# Types that say of which kind a name is, which may be an individual besides.
_NAMING = frozenset(
    [
        *(RDFS + name for name in ("Class", "Datatype")),
        *(OWL + name for name in ("Class", "NamedIndividual", "DeprecatedClass")),
        RDF + "Property",
        *(
            f"{OWL}{name}Property"
            for name in (
                "Object Datatype Annotation Deprecated Functional InverseFunctional Transitive "
                "Symmetric Asymmetric Reflexive Irreflexive"
            ).split()
        ),
    ]
)


class RdfAssertions:
    """Adds the assertions of a graph to a collection that has its declarations and axioms.

    A property that nobody declares asserts something of what is said to be in a class; of anything
    else (a class, the ontology) it annotates.
    """

    def __init__(
        self, graph: RdfGraph, expressions: RdfExpressions, collection: Collection
    ) -> None:
        self._graph = graph
        self._expressions = expressions
        self._collection = collection
        self._no_individuals = {
            subject
            for subject, kind in graph.of_predicate(RDF + "type")
            if isinstance(kind, str) and _is_no_class(kind) and kind not in _NAMING
        }

    def read(self) -> None:
        self._types()
        self._values()
        self._denials()
        self._identities()

    def _types(self) -> None:
        for subject, kind in self._graph.of_predicate(RDF + "type"):
            if not isinstance(kind, str) or _is_no_class(kind) or kind in DATATYPES:
                continue
            if subject in self._no_individuals:
                self._collection.ignored["annotations"] += 1
                continue
            try:
                expression = self._expressions.expression(kind)
                name = self._expressions.individual(subject)
            except Malformed as malformed:
                self._collection.ignored[f"malformed {malformed}"] += 1
                continue
            self._collection.add(told.ClassAssertion(name, expression))

    def _values(self) -> None:
        individuals = self._told_of()
        for predicate, pairs in self._graph.other.items():
            if self._annotates(predicate):
                self._collection.ignored["annotations"] += len(pairs)
            else:
                self._assert_all(predicate, pairs, individuals)

    def _told_of(self) -> set[str]:
        """The nodes that are said to be individuals."""
        asserted = {
            subject
            for subject, kind in self._graph.of_predicate(RDF + "type")
            if isinstance(kind, str)
            and not _is_no_class(kind)
            and subject not in self._no_individuals
        }
        collection = self._collection
        named = collection.classes | collection.object_properties | collection.data_properties
        return (asserted - named) | collection.individuals

    def _annotates(self, predicate: str) -> bool:
        if self._is_declared(predicate) or predicate in self._collection.properties:
            return False
        if predicate in self._collection.annotation_properties:
            return True
        return predicate.startswith((*ANNOTATING, OWL, RDF, SWRL))

    def _is_declared(self, predicate: str) -> bool:
        collection = self._collection
        return predicate in collection.object_properties or predicate in collection.data_properties

    def _assert_all(self, predicate: str, pairs: list[Pair], individuals: set[str]) -> None:
        declared = self._is_declared(predicate)
        for subject, given in pairs:
            if not (subject in individuals or (declared and subject not in self._no_individuals)):
                self._collection.ignored["annotations"] += 1
                continue
            name, value = self._expressions.individual(subject), self._expressions.value(given)
            self._collection.add(told.PropertyAssertion(name, predicate, value))

    def _denials(self) -> None:
        for node in self._graph.typed(OWL + "NegativePropertyAssertion"):
            try:
                self._collection.add(self._denial(node))
            except Malformed as malformed:
                self._collection.ignored[f"malformed {malformed}"] += 1

    def _denial(self, node: str) -> told.PropertyDenial:
        parts = self._graph.parts.get(node, {})
        called = "negative property assertions"
        subject = self._expressions.individual(_only(parts, "sourceIndividual", called))
        name = self._expressions.property(_only(parts, "assertionProperty", called))
        target = "targetValue" if OWL + "targetValue" in parts else "targetIndividual"
        value = self._expressions.value(_only(parts, target, called))
        try:
            said = Statement.of(subject, name, value)
        except ValueError:
            raise Malformed(called) from None
        return told.PropertyDenial(said.subject, said.property, said.value)

    def _identities(self) -> None:
        same, different = OWL + "sameAs", OWL + "differentFrom"
        for left, right in self._graph.of_predicate(same):
            if names := self._names(left, right):
                self._collection.add(told.SameIndividuals(names))
        for left, right in self._graph.of_predicate(different):
            if names := self._names(left, right):
                self._collection.add(told.DifferentIndividuals(names))
        for node in self._graph.typed(OWL + "AllDifferent"):
            parts = self._graph.parts.get(node, {})
            for given in [*parts.get(OWL + "distinctMembers", []), *parts.get(OWL + "members", [])]:
                try:
                    names = tuple(
                        map(self._expressions.individual, self._expressions.members(given))
                    )
                except Malformed as malformed:
                    self._collection.ignored[f"malformed {malformed}"] += 1
                    continue
                self._collection.add(told.DifferentIndividuals(names))

    def _names(self, left: str, right: Node) -> tuple[str, ...]:
        if isinstance(right, pyoxigraph.Literal):
            self._collection.ignored["malformed individuals"] += 1
            return ()
        return self._expressions.individual(left), self._expressions.individual(right)


def _is_no_class(kind: str) -> bool:
    """Whether a type is one of the language's own: what has it is no individual, or says so."""
    return (is_built_in(kind) and kind not in (OWL + "Thing", OWL + "Nothing")) or kind.startswith(
        SWRL
    )


def _only(parts: dict[str, list[Node]], name: str, called: str) -> Node:
    given = parts.get(OWL + name, [])
    if len(given) != 1:
        raise Malformed(called)
    return given[0]
