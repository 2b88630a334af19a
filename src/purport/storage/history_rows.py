"""Occurrences as rows of a database, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Any

import msgspec

from purport.errors import EventError
from purport.model.comparison import told_quantity
from purport.model.event import Statement
from purport.model.term import Attribute, Boolean, Resource, Term, Text, Time, folded
from purport.model.typed_json import typed, typed_pairs
from purport.model.units import Quantity
from purport.temporal.occurrence import Occurrence
from purport.temporal.timeline import length_class

LONGEST_KEY = 255  # bytes: what every database can index
OPEN, LATE = -1, -2  # in the place of a class of lengths

_DIGESTED, _OF_RESOURCE = b"\xff", b"\xfe"  # with which no text begins in UTF-8
_ID = msgspec.json.Decoder(tuple[str, msgspec.Raw])
Row = dict[str, Any]


class Kind(IntEnum):
    """What a value is; never renumber them."""

    TEXT = 0
    NUMBER = 1
    RESOURCE = 2
    TRUTH = 3
    TIME = 4


def key_of(identifier: str) -> bytes:
    """What an id is found by: itself, or its digest if it is too long for an index."""
    return _key(identifier.encode("utf-8", "surrogatepass"))


def attribute_key(attribute: Attribute) -> bytes:
    """What an attribute is found by: the name as exact comparison sees it, or the IRI."""
    if isinstance(attribute, Resource):
        return _key(_OF_RESOURCE + attribute.iri.encode())
    return _key(folded_bytes(attribute.text))


def folded_bytes(text: str) -> bytes:
    """A text as exact comparison sees it; bytes are in the order of the letters."""
    return folded(text).encode("utf-8", "surrogatepass")


def insertable(first: int, some: Sequence[Occurrence]) -> tuple[list[Row], list[Row]]:
    """The rows of events, and those of what they say, under numbers from the first on."""
    rows, said = [], []
    for number, occurrence in enumerate(some, first):
        own = _statement_rows(number, occurrence)
        said += own
        rows.append(
            {
                "number": number,
                "key": key_of(occurrence.id),
                "sequence": occurrence.sequence,
                "start": occurrence.start,
                "end": occurrence.end,
                "span": span_of(occurrence),
                "is_late": occurrence.is_late,
                "is_in_parts": occurrence.is_in_parts,
                "is_plain": is_plain(occurrence),
                "document": _document(occurrence),
            }
        )
    return rows, said


def span_of(occurrence: Occurrence) -> int:
    """The class of its length, or what is in its place."""
    if occurrence.is_late:
        return LATE
    if occurrence.end is None:
        return OPEN
    return length_class(occurrence.start, occurrence.end)


def occurrence_of(
    document: bytes,
    start: int,
    end: int | None,
    sequence: int,
    is_in_parts: bool,
    is_late: bool,
) -> Occurrence:
    """The occurrence that a row keeps, equal to the one that was written."""
    identifier, pairs = msgspec.json.decode(document)
    said = tuple(_statement(attribute, value) for attribute, value in typed_pairs(pairs))
    return Occurrence(identifier, start, end, said, sequence, bool(is_in_parts), bool(is_late))


def identifier_of(document: bytes) -> str:
    """The id of an occurrence."""
    identifier, _ = _ID.decode(document)
    return identifier


def exact_number(value: Term) -> float | None:
    """The number without a unit that a value is or spells, if a double can hold it as it is."""
    quantity = told_quantity(value)
    if quantity is None or quantity.unit is not None:
        return None
    number = float(quantity.magnitude)
    return number if number == quantity.magnitude else None


def is_plain(occurrence: Occurrence) -> bool:
    """Whether rows say all that comparisons with numbers may ask of what it says."""
    return all(_is_plain(one.value) for one in occurrence.statements)


def _is_plain(value: Term) -> bool:
    return told_quantity(value) is None or exact_number(value) is not None


def _document(occurrence: Occurrence) -> bytes:
    pairs = [[typed(one.attribute), typed(one.value)] for one in occurrence.statements]
    try:
        return msgspec.json.encode([occurrence.id, pairs])
    except (UnicodeEncodeError, OverflowError) as error:
        raise EventError(f"the event cannot be written as JSON: {error}") from None


def _statement_rows(number: int, occurrence: Occurrence) -> list[Row]:
    return [
        {
            "event": number,
            "position": position,
            "attribute": attribute_key(one.attribute),
            "kind": _kind(one.value),
            "text": folded_bytes(one.value.text) if isinstance(one.value, Text) else None,
            "number": exact_number(one.value),
            "is_plain": _is_plain(one.value),
        }
        for position, one in enumerate(occurrence.statements)
    ]


def _kind(value: Term) -> Kind:
    match value:
        case Text():
            return Kind.TEXT
        case Quantity():
            return Kind.NUMBER
        case Resource():
            return Kind.RESOURCE
        case Boolean():
            return Kind.TRUTH
        case Time():
            return Kind.TIME


def _key(encoded: bytes) -> bytes:
    if len(encoded) <= LONGEST_KEY:
        return encoded
    return _DIGESTED + hashlib.sha256(encoded).digest()


@lru_cache(maxsize=65_536)
def _attribute(attribute: Attribute) -> Attribute:
    """The same attribute, one object for all: names repeat."""
    return attribute


def _statement(attribute: Term, value: Term) -> Statement:
    assert isinstance(attribute, Text | Resource)
    return Statement(_attribute(attribute), value)
