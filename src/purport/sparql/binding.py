"""Values in the place of variables of a text: as terms, never as pieces of text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal

from pyoxigraph import BlankNode, Literal, NamedNode

from purport.errors import InvalidInput
from purport.model.rdf import XSD
from purport.model.term import Boolean, Resource, Text, Time
from purport.model.term import Term as Said
from purport.model.units import Quantity
from purport.sparql.terms import Term
from purport.sparql.tokens import Kind, tokens_of

Value = Term | str | bool | int | float | Decimal | date


def bound(text: str, values: Mapping[str, Value]) -> str:
    """A query or update in which values stand wherever it has the variables of those names.

    >>> bound("INSERT DATA { ?lamp <urn:dim> ?value }", {"lamp": NamedNode("urn:l1"), "value": 5})
    'INSERT DATA { <urn:l1> <urn:dim> "5"^^<http://www.w3.org/2001/XMLSchema#integer> }'
    """
    terms = {name: str(term_for(name, value)) for name, value in values.items()}
    found: list[str] = []
    written = 0
    for token in tokens_of(text):
        if token.kind is Kind.VARIABLE and token.text[1:] in terms:
            found += [text[written : token.start], terms[token.text[1:]]]
            written = token.end
    return "".join([*found, text[written:]])


def term_for(name: str, value: Value) -> Term:
    """The term that a Python value is; a text is a literal, and an IRI has to be a `NamedNode`."""
    match value:
        case BlankNode():
            raise InvalidInput(f"?{name} cannot be a node without a name: {value}")
        case NamedNode() | Literal():
            return value
        case Decimal():
            return Literal(f"{value:f}", datatype=NamedNode(f"{XSD}decimal"))
        case datetime():
            return Literal(value.isoformat(), datatype=NamedNode(f"{XSD}dateTime"))
        case date():
            return Literal(value.isoformat(), datatype=NamedNode(f"{XSD}date"))
        case str():
            try:
                return Literal(value)
            except ValueError as error:
                raise InvalidInput(f"?{name} is no text: {error}") from None
        case bool() | int() | float():
            return Literal(value)
    raise InvalidInput(f"expected a term, text, number, truth or time for ?{name}, got {value!r}")


def said_in_rdf(term: Said) -> Literal | NamedNode:
    """What a value is in RDF; a quantity with a unit is a text, since a number would lose it."""
    match term:
        case Text(text, language):
            return Literal(text, language=language)
        case Resource(iri):
            return NamedNode(iri)
        case Boolean(value):
            return Literal(value)
        case Time(instant):
            return Literal(instant.isoformat(), datatype=NamedNode(f"{XSD}dateTime"))
        case Quantity(magnitude, None):
            kind = "integer" if isinstance(magnitude, int) else "double"
            return Literal(str(magnitude), datatype=NamedNode(XSD + kind))
        case Quantity():
            return Literal(str(term))
