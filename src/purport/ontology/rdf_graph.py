"""The triples of one file, sorted by what they are for: axioms, parts of expressions, the rest.

Nodes are texts: an IRI, or `_:id` of a blank node; literals stay literals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import pyoxigraph

from purport.ontology.vocabulary import FACETS, LABELS, OWL, RDF, RDFS, SKOS

Node = str | pyoxigraph.Literal
Pair = tuple[str, Node]

# What says something by itself.
STATING = frozenset(
    [
        RDF + "type",
        *(RDFS + name for name in ("subClassOf", "subPropertyOf", "domain", "range")),
        *(
            OWL + name
            for name in (
                "equivalentClass disjointWith disjointUnionOf hasKey equivalentProperty inverseOf "
                "propertyDisjointWith propertyChainAxiom sameAs differentFrom imports versionIRI"
            ).split()
        ),
    ]
)
# What is part of a class expression, a list, or a statement of several triples.
PARTS = frozenset(
    [
        RDF + "first",
        RDF + "rest",
        *FACETS,
        *(
            OWL + name
            for name in (
                "onProperty onProperties someValuesFrom allValuesFrom hasValue hasSelf cardinality "
                "minCardinality maxCardinality qualifiedCardinality minQualifiedCardinality "
                "maxQualifiedCardinality onClass onDataRange intersectionOf unionOf complementOf "
                "datatypeComplementOf oneOf onDatatype withRestrictions members distinctMembers "
                "sourceIndividual assertionProperty targetIndividual targetValue annotatedSource "
                "annotatedProperty annotatedTarget inverseOf"
            ).split()
        ),
    ]
)
_ANNOTATING = frozenset(
    [
        *(RDFS + name for name in ("comment", "seeAlso", "isDefinedBy")),
        *(
            OWL + name
            for name in (
                "versionInfo priorVersion backwardCompatibleWith incompatibleWith deprecated"
            ).split()
        ),
        *(SKOS + name for name in ("altLabel", "definition", "note", "example", "scopeNote")),
    ]
)
_REIFYING = frozenset(
    OWL + name for name in ("annotatedSource", "annotatedProperty", "annotatedTarget")
)


@dataclass(slots=True)
class RdfGraph:
    """What one file says.

    `stated` has the subjects and objects of each predicate that says something by itself, `parts`
    the objects of a node by predicate, `other` what predicates of the file's own relate.
    """

    triples: int = 0
    stated: dict[str, list[Pair]] = field(default_factory=dict)
    parts: dict[str, dict[str, list[Node]]] = field(default_factory=dict)
    other: dict[str, list[Pair]] = field(default_factory=dict)
    labels: list[Pair] = field(default_factory=list)
    annotations: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, triples: Iterable[pyoxigraph.Quad | pyoxigraph.Triple]) -> RdfGraph:
        """The graph of triples, which are read one by one."""
        graph = cls()
        predicates: dict[pyoxigraph.NamedNode, str] = {}
        last: object = None
        subject = ""
        for triple in triples:
            graph.triples += 1
            if triple.subject != last:
                last = triple.subject
                subject = _node(last)
            name = triple.predicate
            predicate = predicates.get(name) or predicates.setdefault(name, name.value)
            graph._add(subject, predicate, triple.object)
        return graph

    def _add(self, subject: str, predicate: str, given: object) -> None:
        if predicate in LABELS:
            self.labels.append((subject, _node_or_literal(given)))
        if predicate in _ANNOTATING or predicate in LABELS:
            self.annotations[predicate] += 1
            return
        if predicate in _REIFYING:
            self.parts.setdefault(subject, {})[predicate] = []
            return
        node = _node_or_literal(given)
        if predicate in STATING:
            self.stated.setdefault(predicate, []).append((subject, node))
        if predicate in PARTS:
            self.parts.setdefault(subject, {}).setdefault(predicate, []).append(node)
        elif predicate not in STATING:
            self.other.setdefault(predicate, []).append((subject, node))

    def of_predicate(self, predicate: str) -> list[Pair]:
        """The subjects and objects of a predicate that says something by itself."""
        return self.stated.get(predicate, [])

    def typed(self, kind: str) -> Iterator[str]:
        """The nodes of a type."""
        return (subject for subject, given in self.of_predicate(RDF + "type") if given == kind)


def _node(given: object) -> str:
    match given:
        case pyoxigraph.NamedNode():
            return given.value
        case pyoxigraph.BlankNode():
            return f"_:{given.value}"
        case _:
            return str(given)


def _node_or_literal(given: object) -> Node:
    return given if isinstance(given, pyoxigraph.Literal) else _node(given)
