"""RDF about one subject, read as attributes and values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import pyoxigraph

from purport.errors import EventError
from purport.model.term import Boolean, Resource, Term, Text, Time, read_time
from purport.model.units import Quantity, find_unit
from purport.model.words import parts_of

_XSD = "http://www.w3.org/2001/XMLSchema#"
_INTEGERS = frozenset(
    _XSD + name
    for name in (
        "integer int long short byte nonNegativeInteger positiveInteger nonPositiveInteger "
        "negativeInteger unsignedInt unsignedLong unsignedShort unsignedByte"
    ).split()
)
_DECIMALS = frozenset(_XSD + name for name in ("decimal", "double", "float"))
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_UNITS = "http://dbpedia.org/datatype/"
_TIMES = frozenset(_XSD + name for name in ("dateTime", "dateTimeStamp", "date"))


class Syntax(Enum):
    """The ways of writing RDF that an event may come in."""

    TURTLE = pyoxigraph.RdfFormat.TURTLE
    N_TRIPLES = pyoxigraph.RdfFormat.N_TRIPLES
    JSON_LD = pyoxigraph.RdfFormat.JSON_LD


@dataclass(frozen=True, slots=True)
class Description:
    """What an RDF text says of its one subject; a blank subject has no name."""

    subject: str | None
    properties: tuple[tuple[Resource, Term], ...]


def describe(text: str, syntax: Syntax) -> Description:
    """The description of the one subject of a text; several subjects are an `EventError`."""
    try:
        triples = [quad.triple for quad in pyoxigraph.parse(text.encode(), format=syntax.value)]
    except (SyntaxError, UnicodeEncodeError) as error:
        raise EventError(f"not valid {_name(syntax)}: {_reason(error)}") from None
    subjects = list(dict.fromkeys(triple.subject for triple in triples))
    if not subjects:
        raise EventError(f"the {_name(syntax)} text describes nothing")
    if len(subjects) > 1:
        listed = ", ".join(str(subject) for subject in subjects[:3])
        more = ", ..." if len(subjects) > 3 else ""
        raise EventError(f"an event has one subject, got {len(subjects)}: {listed}{more}")
    subject = subjects[0].value if isinstance(subjects[0], pyoxigraph.NamedNode) else None
    try:
        properties = tuple((Resource(t.predicate.value), _term(t.object)) for t in triples)
    except ValueError as error:
        raise EventError(str(error)) from None
    return Description(subject, properties)


def _term(node: object) -> Term:
    match node:
        case pyoxigraph.NamedNode():
            return Resource(node.value)
        case pyoxigraph.Literal():
            return literal_term(node)
        case _:
            return Text(str(node))


def literal_term(literal: pyoxigraph.Literal) -> Term:
    """A literal with its type kept; one whose text does not fit its datatype is text.

    >>> literal_term(pyoxigraph.Literal(84490)).magnitude
    84490
    """
    kind, value = literal.datatype.value, literal.value
    try:
        if kind in _INTEGERS:
            return Quantity(int(value.replace("_", "?")))  # Python reads 1_000, XSD does not
        if kind in _DECIMALS:
            return Quantity(float(value.replace("_", "?")))
    except ValueError:
        return Text(value)
    if kind == _XSD + "boolean" and value in _TRUTHS:
        return Boolean(_TRUTHS[value])
    if kind in _TIMES:
        time: Time | None = read_time(value)
        return time or Text(value)
    if kind.startswith(_UNITS):
        return _measured(value, kind.removeprefix(_UNITS))
    return Text(value, literal.language)


def _measured(value: str, datatype: str) -> Term:
    """A number with the unit that DBpedia gives as its datatype, or without if nobody knows it."""
    try:
        unit = find_unit(" ".join(parts_of(datatype)).lower())
        return Quantity(float(value.replace("_", "?")), unit)
    except ValueError:
        return Text(value)


def _name(syntax: Syntax) -> str:
    return syntax.name.replace("_", "-").title() if syntax is not Syntax.JSON_LD else "JSON-LD"


def _reason(error: Exception) -> str:
    if "LoadDocumentCallback" in str(error):
        return "its @context must stand in the text itself, not behind an address"
    return str(error)
