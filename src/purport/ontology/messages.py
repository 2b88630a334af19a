"""Events and subscriptions in numbers, small enough for a radio.

A subscription is a class expression whose names are genes: `13 ∩ ∃3 (2 ∩ ∃2 3)`. An event is an
individual whose names are codes, so that whoever receives both can match them by division, without
an ontology (SemPS'12, section 3.4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from purport.model.class_expression import ClassExpression
from purport.model.term import Term
from purport.ontology.description import Description
from purport.ontology.encodings import Encodings
from purport.ontology.errors import UnknownName
from purport.ontology.expression_bytes import read_expression, write_expression
from purport.ontology.gene_names import in_genes, with_names
from purport.ontology.message_bytes import DEEPEST, MessageError, Reader, Tag, Writer

_VERSION = 1


class Kind(IntEnum):
    """What a message is."""

    SUBSCRIPTION = 1
    EVENT = 2


@dataclass(frozen=True, slots=True)
class Coded:
    """An individual in numbers.

    A name is the code of an individual that has one, else the name itself; types and properties are
    codes.
    """

    name: int | str | None = None
    types: tuple[int, ...] = ()
    facts: tuple[tuple[int, Coded | Term], ...] = ()


def subscription_message(expression: ClassExpression, encodings: Encodings) -> bytes:
    """A class expression as a message; its names are full ones."""
    writer = _begun(Kind.SUBSCRIPTION)
    write_expression(writer, in_genes(expression, encodings))
    return bytes(writer.bytes)


def event_message(description: Description, encodings: Encodings) -> bytes:
    """What is told of an individual as a message."""
    writer = _begun(Kind.EVENT)
    _write_individual(writer, in_codes(description, encodings))
    return bytes(writer.bytes)


def read_subscription(message: bytes) -> ClassExpression:
    """A class expression whose names are genes; `MessageError` if it is none."""
    reader = _opened(message, Kind.SUBSCRIPTION)
    expression = read_expression(reader)
    reader.end()
    return expression


def read_event(message: bytes) -> Coded:
    """An individual in numbers; `MessageError` if it is none."""
    reader = _opened(message, Kind.EVENT)
    individual = _read_individual(reader, 0)
    reader.end()
    return individual


def named_subscription(message: bytes, encodings: Encodings) -> ClassExpression:
    """The class expression that a message is, with names; of equivalent ones the first."""
    return with_names(read_subscription(message), encodings)


def named_event(message: bytes, encodings: Encodings) -> Description:
    """What a message tells of an individual, with names; of equivalent ones the first."""
    classes = _by_code(encodings, "class")
    properties = _by_code(encodings, "property")

    def named(individual: Coded) -> Description:
        name = individual.name
        return Description(
            classes(name) if isinstance(name, int) else name,
            tuple(map(classes, individual.types)),
            tuple(
                (properties(code), named(value) if isinstance(value, Coded) else value)
                for code, value in individual.facts
            ),
        )

    return named(read_event(message))


def in_codes(description: Description, encodings: Encodings) -> Coded:
    """What is told of an individual, in numbers."""
    name = description.name
    is_known = name is not None and name in encodings.individuals
    return Coded(
        encodings.classes.code(name) if is_known and name is not None else name,
        tuple(_code(encodings, "class", one) for one in description.types),
        tuple(
            (
                _code(encodings, "property", property),
                in_codes(value, encodings) if isinstance(value, Description) else value,
            )
            for property, value in description.facts
        ),
    )


def _code(encodings: Encodings, kind: str, name: str) -> int:
    encoding = encodings.classes if kind == "class" else encodings.properties
    if name not in encoding:
        raise UnknownName(kind, name)
    return encoding.codes[name]


def _by_code(encodings: Encodings, kind: str) -> Callable[[int], str]:
    encoding = encodings.classes if kind == "class" else encodings.properties
    names: dict[int, str] = {}
    for name, code in encoding.codes.items():
        names.setdefault(code, name)

    def named(code: int) -> str:
        if code not in names:
            raise UnknownName(kind, f"with code {code:#x}")
        return names[code]

    return named


def _begun(kind: Kind) -> Writer:
    writer = Writer()
    writer.byte(_VERSION << 4 | kind)
    return writer


def _opened(message: bytes, kind: Kind) -> Reader:
    reader = Reader(message)
    version, found = divmod(reader.byte(), 16)
    if version != _VERSION:
        raise MessageError(f"byte 0: expected version {_VERSION}, not {version}")
    if found != kind:
        raise MessageError(f"byte 0: expected a message of kind {kind.name.lower()}, not {found}")
    return reader


def _write_individual(writer: Writer, individual: Coded) -> None:
    """The counts of types and facts, and which kind of name there is, in one byte if small."""
    types, facts = len(individual.types), len(individual.facts)
    kind = 0 if individual.name is None else 1 if isinstance(individual.name, int) else 2
    writer.byte(kind | min(types, 7) << 2 | min(facts, 7) << 5)
    if types >= 7:
        writer.varint(types)
    if facts >= 7:
        writer.varint(facts)
    if isinstance(individual.name, int):
        writer.code(individual.name)
    elif individual.name is not None:
        writer.text(individual.name)
    for code in individual.types:
        writer.code(code)
    for code, value in individual.facts:
        writer.code(code)
        if isinstance(value, Coded):
            writer.head(Tag.INDIVIDUAL, 0)
            _write_individual(writer, value)
        else:
            writer.term(value)


def _read_individual(reader: Reader, depth: int) -> Coded:
    if depth > DEEPEST:
        raise MessageError(f"more than {DEEPEST} individuals within each other")
    head = reader.byte()
    types, facts = head >> 2 & 7, head >> 5
    types = reader.count(reader.varint() if types == 7 else types)
    facts = reader.count(reader.varint() if facts == 7 else facts)
    name: int | str | None = None
    match head & 3:
        case 1:
            name = reader.code()
        case 2:
            name = reader.text()
        case 3:
            raise MessageError("expected no name, a code or a text")
    codes = tuple(reader.code() for _ in range(types))
    return Coded(name, codes, tuple(_read_fact(reader, depth) for _ in range(facts)))


def _read_fact(reader: Reader, depth: int) -> tuple[int, Coded | Term]:
    code = reader.code()
    tag, number = reader.head()
    if tag == Tag.INDIVIDUAL:
        return code, _read_individual(reader, depth + 1)
    return code, reader.term(tag, number)
