"""How many bytes a message takes, and how many the same takes in OWL and as text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import RdfFormat, Triple

from purport.model.class_expression import ClassExpression
from purport.model.language.write import write_class
from purport.model.term import Boolean
from purport.model.units import Quantity
from purport.ontology.codes.encoding_file import encodings_text
from purport.ontology.codes.encodings import Encodings
from purport.ontology.codes.messages import event_message, subscription_message
from purport.ontology.description import Description
from purport.ontology.hierarchy import Hierarchy
from purport.ontology.owl.rdf_writing import (
    owl_text,
    triples_of_description,
    triples_of_expression,
    triples_of_hierarchy,
)
from purport.ontology.vocabulary import OWL

_SUBSCRIPTION = "urn:purport:subscription"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of the same thing in numbers, as OWL, and as text: JSON or Manchester syntax."""

    encoded: int
    rdf_xml: int
    turtle: int
    text: int

    @property
    def ratio(self) -> float:
        """How many times larger RDF/XML is."""
        return self.rdf_xml / self.encoded


def event_sizes(
    description: Description, encodings: Encodings, prefixes: Mapping[str, str] | None = None
) -> Sizes:
    """The sizes of an event; as text it is JSON."""
    return _sizes(
        len(event_message(description, encodings)),
        triples_of_description(description),
        json.dumps(_plain(description), ensure_ascii=False, separators=(",", ":")),
        prefixes,
    )


def subscription_sizes(
    expression: ClassExpression, encodings: Encodings, prefixes: Mapping[str, str] | None = None
) -> Sizes:
    """The sizes of a subscription; as text it is in Manchester syntax."""
    return _sizes(
        len(subscription_message(expression, encodings)),
        triples_of_expression(_SUBSCRIPTION, expression),
        write_class(expression),
        prefixes,
    )


def hierarchy_sizes(
    hierarchy: Hierarchy, encodings: Encodings, prefixes: Mapping[str, str] | None = None
) -> Sizes:
    """The sizes of an order of classes; encoded it is a file of genes and codes.

    That file is given names without their namespaces, as in the paper; as text it has full names.
    """
    short = encodings_text(encodings, prefixes)
    lines = [line for line in short.splitlines(keepends=True) if not line.startswith("@prefix")]
    return _sizes(
        len("".join(lines).encode()),
        triples_of_hierarchy(hierarchy),
        encodings_text(encodings),
        prefixes,
    )


def _sizes(
    encoded: int, triples: Sequence[Triple], text: str, prefixes: Mapping[str, str] | None
) -> Sizes:
    known = {**(prefixes or {}), "owl": OWL}
    return Sizes(
        encoded,
        len(owl_text(triples, RdfFormat.RDF_XML, known).encode()),
        len(owl_text(triples, RdfFormat.TURTLE, known).encode()),
        len(text.encode()),
    )


def _plain(description: Description) -> dict[str, object]:
    """A description as JSON would have it."""
    plain: dict[str, object] = {}
    if description.name is not None:
        plain["@id"] = description.name
    if description.types:
        plain["@type"] = list(description.types)
    for property, value in description.facts:
        match value:
            case Description():
                found: object = _plain(value)
            case Quantity(magnitude, None):
                found = magnitude
            case Boolean(truth):
                found = truth
            case _:
                found = str(value)
        values = plain.setdefault(property, [])
        assert isinstance(values, list)
        values.append(found)
    return plain
