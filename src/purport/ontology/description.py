"""What is told of one individual."""

from __future__ import annotations

from dataclasses import dataclass

from purport.model.term import Term
from purport.ontology.vocabulary import RDF


@dataclass(frozen=True, slots=True)
class Description:
    """An individual: its name if it has one, classes it is said to be in, values of properties.

    Names are full IRIs. A thing known by its class alone, as the value in `alarm: net:LinkDown`,
    has no name; a value of an object property is told of in a description of its own.
    """

    name: str | None = None
    types: tuple[str, ...] = ()
    facts: tuple[tuple[str, Description | Term], ...] = ()


_TYPE_NAMES = frozenset({"type", "@type", "a", "rdf:type"})


def is_type_name(attribute: str) -> bool:
    """Whether an attribute of this name tells the class of what is told of.

    >>> is_type_name("type"), is_type_name("wine.type"), is_type_name("tag")
    (True, False, False)
    """
    return attribute == RDF + "type" or attribute.casefold() in _TYPE_NAMES
