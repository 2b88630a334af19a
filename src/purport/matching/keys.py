"""Words as keys: where a told one equals an asked one, they have a key in common.

A key is a family and a value. A told text that is an IRI, or reads as a truth, is found under
either. Numbers and times have no keys: they are compared on scales (`scales.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from purport.model.term import (
    Attribute,
    Boolean,
    Resource,
    Term,
    Text,
    folded,
    is_iri,
    read_boolean,
)

Key = tuple[str, str | bool]

TEXT, IRI, BOOLEAN = "text", "iri", "boolean"


def asked_key(term: Term) -> Key | None:
    """The key that a subscriber's word is filed under; None for numbers and times."""
    match term:
        case Text(text):
            return TEXT, folded(text)
        case Resource(iri):
            return IRI, iri
        case Boolean(value):
            return BOOLEAN, value
    return None


def told_keys(term: Term) -> Iterator[Key]:
    """The keys that an event's word is looked up by."""
    match term:
        case Text(text):
            yield TEXT, folded(text)
            if is_iri(text):
                yield IRI, text
            if truth := read_boolean(text):
                yield BOOLEAN, truth.value
        case Resource(iri):
            yield IRI, iri
        case Boolean(value):
            yield BOOLEAN, value


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
