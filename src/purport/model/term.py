"""Terms: what an attribute or a value can be, and when two of them are exactly the same."""

from __future__ import annotations

import re
from datetime import datetime

from msgspec import Struct

from purport.model.interval import read_instant
from purport.model.units import Quantity, read_quantity

_ABSOLUTE_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+")


class Text(Struct, frozen=True, gc=False):
    """Words as somebody wrote them, e.g. `ground floor`, with their language where it is known."""

    text: str
    language: str | None = None

    def __str__(self) -> str:
        return self.text


class Resource(Struct, frozen=True, gc=False):
    """A thing with a global name, e.g. `<http://dbpedia.org/ontology/FootballMatch>`."""

    iri: str

    def __post_init__(self) -> None:
        if not _ABSOLUTE_IRI.fullmatch(self.iri):
            raise ValueError(f"not an absolute IRI: {self.iri!r}")

    def __str__(self) -> str:
        return self.iri


class Boolean(Struct, frozen=True, gc=False):
    """True or false."""

    value: bool

    def __str__(self) -> str:
        return "true" if self.value else "false"


class Time(Struct, frozen=True, gc=False):
    """A point in time, e.g. `2016-04-11T13:24:19Z`."""

    instant: datetime

    def __post_init__(self) -> None:
        if self.instant.tzinfo is None:
            raise ValueError(f"a time needs a time zone: {self.instant}")

    def __str__(self) -> str:
        return self.instant.isoformat()


Term = Text | Resource | Quantity | Boolean | Time
Attribute = Text | Resource


def folded(text: str) -> str:
    """The text as exact comparison sees it: case folded, runs of space collapsed."""
    return " ".join(text.casefold().split())


def printable(text: str) -> str:
    """A text for a screen or a picture: what is no letter or sign is spelt out."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


def is_iri(text: str) -> bool:
    """Whether a text is an absolute IRI."""
    return _ABSOLUTE_IRI.fullmatch(text) is not None


def read_bare(text: str) -> Term:
    """The term that bare words spell: a quantity, boolean, time or IRI, or else text."""
    return (
        read_quantity(text) or read_boolean(text) or read_time(text) or read_iri(text) or Text(text)
    )


def read_boolean(text: str) -> Boolean | None:
    """`true` or `false`, in any case; None for anything else."""
    match text.lower():
        case "true":
            return Boolean(True)
        case "false":
            return Boolean(False)
    return None


def read_time(text: str) -> Time | None:
    """An ISO 8601 date or time; None for anything else."""
    if len(text) < len("2016-04-11") or not text[:4].isdigit() or text[4] != "-":
        return None
    try:
        return Time(read_instant(text))
    except ValueError:
        return None


def read_iri(text: str) -> Resource | None:
    """An absolute IRI; None for anything else."""
    return Resource(text) if is_iri(text) else None
