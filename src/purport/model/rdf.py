"""RDF about one subject, read as attributes and values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

import pyoxigraph

from purport.errors import EventError
from purport.model.iris import last_part
from purport.model.paths import MOST_LEVELS
from purport.model.term import Attribute, Boolean, Resource, Term, Text, Time, read_time
from purport.model.units import Quantity, find_unit
from purport.model.words import parts_of

XSD = "http://www.w3.org/2001/XMLSchema#"
_INTEGERS = frozenset(
    XSD + name
    for name in (
        "integer int long short byte nonNegativeInteger positiveInteger nonPositiveInteger "
        "negativeInteger unsignedInt unsignedLong unsignedShort unsignedByte"
    ).split()
)
_DECIMALS = frozenset(XSD + name for name in ("decimal", "double", "float"))
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_UNITS = "http://dbpedia.org/datatype/"
_TIMES = frozenset(XSD + name for name in ("dateTime", "dateTimeStamp", "date"))


class Syntax(Enum):
    """The ways of writing RDF that an event may come in."""

    TURTLE = pyoxigraph.RdfFormat.TURTLE
    N_TRIPLES = pyoxigraph.RdfFormat.N_TRIPLES
    JSON_LD = pyoxigraph.RdfFormat.JSON_LD


@dataclass(frozen=True, slots=True)
class Description:
    """What an RDF text says of its one subject; a blank subject has no name."""

    subject: str | None
    properties: tuple[tuple[Attribute, Term], ...]


def describe(text: str, syntax: Syntax) -> Description:
    """The description of the one subject of a text; several subjects are an `EventError`."""
    found = descriptions(text, syntax)
    if not found:
        raise EventError(f"the {_name(syntax)} text describes nothing")
    if len(found) > 1:
        listed = ", ".join(f"<{one.subject}>" if one.subject else "a blank" for one in found[:3])
        more = ", ..." if len(found) > 3 else ""
        raise EventError(f"an event has one subject, got {len(found)}: {listed}{more}")
    return found[0]


def descriptions(text: str | bytes, syntax: Syntax) -> list[Description]:
    """What a text says of each of its subjects, in the order of their first triples.

    A blank node that one other node refers to is told of below that: what is said of it gets
    attributes such as `hasResult.numericValue`, as nested JSON does.
    """
    try:
        given = text.encode() if isinstance(text, str) else text
        triples = [quad.triple for quad in pyoxigraph.parse(given, format=syntax.value)]
    except (SyntaxError, UnicodeEncodeError) as error:
        raise EventError(f"not valid {_name(syntax)}: {_reason(error)}") from None
    by_subject: dict[object, list[pyoxigraph.Triple]] = {}
    for triple in dict.fromkeys(triples):
        by_subject.setdefault(triple.subject, []).append(triple)
    nested = _nested(by_subject)
    return [
        Description(
            subject.value if isinstance(subject, pyoxigraph.NamedNode) else None,
            tuple(_properties(subject, "", by_subject, nested)),
        )
        for subject in by_subject
        if subject not in nested
    ]


def _nested(by_subject: Mapping[object, list[pyoxigraph.Triple]]) -> set[object]:
    """The blank nodes that are told of below the one node that refers to them.

    Of a ring of blank nodes nobody else refers to, all are subjects of their own.
    """
    named = Counter(triple.object for triples in by_subject.values() for triple in triples)
    candidates = {
        node for node in by_subject if isinstance(node, pyoxigraph.BlankNode) and named[node] == 1
    }
    nested: set[object] = set()
    edge: list[object] = [node for node in by_subject if node not in candidates]
    for _ in range(MOST_LEVELS):
        edge = [
            triple.object
            for node in edge
            for triple in by_subject[node]
            if triple.object in candidates
        ]
        nested.update(edge)
    return nested


def _properties(
    subject: object,
    above: str,
    by_subject: Mapping[object, list[pyoxigraph.Triple]],
    nested: set[object],
) -> Iterator[tuple[Attribute, Term]]:
    for triple in by_subject[subject]:
        iri = triple.predicate.value
        if triple.object in nested:
            yield from _properties(triple.object, f"{above}{last_part(iri)}.", by_subject, nested)
            continue
        attribute = Text(above + last_part(iri)) if above else _resource(iri)
        yield attribute, _term(triple.object)


def _resource(iri: str) -> Resource:
    try:
        return Resource(iri)
    except ValueError as error:
        raise EventError(str(error)) from None


def _term(node: object) -> Term:
    match node:
        case pyoxigraph.NamedNode():
            return _resource(node.value)
        case pyoxigraph.Literal():
            return literal_term(node)
        case _:
            return Text(str(node))


def has_own_values(datatype: str) -> bool:
    """Whether the literals of a datatype are numbers, truths or times, and no texts."""
    return datatype in _INTEGERS | _DECIMALS | _TIMES | {XSD + "boolean"}


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
    if kind == XSD + "boolean" and value in _TRUTHS:
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
        return Quantity(float(value.replace("_", "?")), unit)  # Python's 1_000 is no number here
    except ValueError:
        return Text(value)


def _name(syntax: Syntax) -> str:
    return syntax.name.replace("_", "-").title() if syntax is not Syntax.JSON_LD else "JSON-LD"


def _reason(error: Exception) -> str:
    if "LoadDocumentCallback" in str(error):
        return "its @context must stand in the text itself, not behind an address"
    return str(error)
