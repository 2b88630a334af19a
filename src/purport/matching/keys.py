"""Attributes and values as keys: where a told one equals an asked one, they have a key in common.

A key is a family and a value; within a family values are ordered as the terms are. A number goes by
its magnitude where one side names no unit, and by its size in base units where both do:

| | asked | told |
| text, IRI, boolean, time | `text`, `iri`, `boolean`, `time` | the same, and what a text reads as |
| number without a unit | `number` | `number`, `number of any unit` |
| number with a unit | `base unit`, `number of any unit` | `base unit`, `number` |

A number under an attribute that names a unit (`temperature_C`) has the keys of both rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from purport.model.comparison import told_quantity
from purport.model.event import Statement
from purport.model.term import (
    Attribute,
    Boolean,
    Resource,
    Term,
    Text,
    Time,
    folded,
    is_iri,
    read_boolean,
    read_time,
)
from purport.model.units import Quantity, Unit
from purport.model.words import attribute_words

Key = tuple[str, Any]

TEXT, IRI, BOOLEAN, TIME = "text", "iri", "boolean", "time"
NUMBER, ANY_UNIT = "number", "number of any unit"


def asked_keys(term: Term, implied: Unit | None = None) -> tuple[Key, ...]:
    """The keys that a subscriber's value is filed under; `implied` is the unit in the attribute."""
    match term:
        case Text(text):
            return ((TEXT, folded(text)),)
        case Resource(iri):
            return ((IRI, iri),)
        case Boolean(value):
            return ((BOOLEAN, value),)
        case Time(instant):
            return ((TIME, instant),)
        case Quantity(magnitude, unit):
            own = unit or implied
            in_base = () if own is None else ((own.base, own.in_base(magnitude)),)
            return (*in_base, (NUMBER if unit is None else ANY_UNIT, magnitude))


def told_keys(term: Term, unit: Unit | None, families: frozenset[str]) -> Iterator[Key]:
    """The keys that an event's value is looked up by, where anything is filed in their family."""
    match term:
        case Text(text):
            if TEXT in families:
                yield TEXT, folded(text)
            if IRI in families and is_iri(text):
                yield IRI, text
            if BOOLEAN in families and (truth := read_boolean(text)):
                yield BOOLEAN, truth.value
            if TIME in families and (time := read_time(text)):
                yield TIME, time.instant
            if not families <= _WORDLY:
                yield from _keys_of_quantity(told_quantity(term), unit)
        case Resource(iri):
            yield IRI, iri
        case Boolean(value):
            yield BOOLEAN, value
        case Time(instant):
            yield TIME, instant
        case Quantity():
            yield from _keys_of_quantity(term, unit)


_WORDLY = frozenset({TEXT, IRI, BOOLEAN, TIME})
_EVERY_FAMILY = _WORDLY | {NUMBER, ANY_UNIT}


def every_told_key(statement: Statement) -> Iterator[Key]:
    """The keys that a statement's value is looked up by, in every family."""
    unit = attribute_words(statement.attribute).unit
    return told_keys(statement.value, unit, _EVERY_FAMILY)


def _keys_of_quantity(quantity: Quantity | None, unit: Unit | None) -> Iterator[Key]:
    if quantity is None:
        return
    yield NUMBER, quantity.magnitude
    if quantity.unit is None:
        yield ANY_UNIT, quantity.magnitude
    own = quantity.unit or unit
    if own is not None:
        yield own.base, own.in_base(quantity.magnitude)


@lru_cache(maxsize=65_536)
def asked_attribute_key(attribute: Attribute) -> Key:
    """The key of an attribute that a subscriber names."""
    match attribute:
        case Text(text):
            return TEXT, folded(text)
        case Resource(iri):
            return IRI, iri


@lru_cache(maxsize=65_536)
def told_attribute_keys(attribute: Attribute) -> tuple[Key, ...]:
    """The keys of an attribute that an event names: a text that is an IRI counts as one too."""
    match attribute:
        case Text(text):
            return ((TEXT, folded(text)), (IRI, text)) if is_iri(text) else ((TEXT, folded(text)),)
        case Resource(iri):
            return ((IRI, iri),)
