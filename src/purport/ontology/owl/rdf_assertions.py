"""What triples say of individuals: their classes, the values of their properties, who is who."""

from __future__ import annotations

from purport.ontology import axioms as told
from purport.ontology.owl.collection import Collection, Malformed
from purport.ontology.owl.normal_forms import Statement
from purport.ontology.owl.rdf_expressions import RdfExpressions, only_one
from purport.ontology.owl.rdf_graph import Pair, RdfGraph
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
            with self._collection.counting_malformed():
                expression = self._expressions.expression(kind)
                name = self._expressions.individual(subject)
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
        if self._collection.is_property(predicate) or predicate in self._collection.properties:
            return False
        if predicate in self._collection.annotation_properties:
            return True
        return predicate.startswith((*ANNOTATING, OWL, RDF, SWRL))

    def _assert_all(self, predicate: str, pairs: list[Pair], individuals: set[str]) -> None:
        declared = self._collection.is_property(predicate)
        for subject, given in pairs:
            if not (subject in individuals or (declared and subject not in self._no_individuals)):
                self._collection.ignored["annotations"] += 1
                continue
            name, value = self._expressions.individual(subject), self._expressions.value(given)
            self._collection.add(told.PropertyAssertion(name, predicate, value))

    def _denials(self) -> None:
        for node in self._graph.typed(OWL + "NegativePropertyAssertion"):
            with self._collection.counting_malformed():
                self._collection.add(self._denial(node))

    def _denial(self, node: str) -> told.PropertyDenial:
        parts = self._graph.parts.get(node, {})
        called = "negative property assertions"
        subject = self._expressions.individual(only_one(parts, OWL + "sourceIndividual", called))
        name = self._expressions.property(only_one(parts, OWL + "assertionProperty", called))
        target = OWL + ("targetValue" if OWL + "targetValue" in parts else "targetIndividual")
        value = self._expressions.value(only_one(parts, target, called))
        try:
            said = Statement.of(subject, name, value)
        except ValueError:
            raise Malformed(called) from None
        return told.PropertyDenial(said.subject, said.property, said.value)

    def _identities(self) -> None:
        read, add = self._expressions.individual, self._collection.add
        for left, right in self._graph.of_predicate(OWL + "sameAs"):
            with self._collection.counting_malformed():
                add(told.SameIndividuals((read(left), read(right))))
        for left, right in self._graph.of_predicate(OWL + "differentFrom"):
            with self._collection.counting_malformed():
                add(told.DifferentIndividuals((read(left), read(right))))
        for node in self._graph.typed(OWL + "AllDifferent"):
            parts = self._graph.parts.get(node, {})
            for given in [*parts.get(OWL + "distinctMembers", []), *parts.get(OWL + "members", [])]:
                with self._collection.counting_malformed():
                    names = tuple(map(read, self._expressions.members(given)))
                    add(told.DifferentIndividuals(names))


def _is_no_class(kind: str) -> bool:
    """Whether a type is one of the language's own: what has it is no individual, or says so."""
    return (is_built_in(kind) and kind not in (OWL + "Thing", OWL + "Nothing")) or kind.startswith(
        SWRL
    )
