"""Texts, addresses and truth values: the literals that have no place on a line.

Every such literal is of exactly one kind. A set of literals is the kinds it takes in whole, but for
finitely many exceptions, so that unions, intersections and complements are exact. Texts that differ
only in case or space are one literal here, as everywhere in exact comparison.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import product

from purport.model.rdf import XSD
from purport.model.term import Boolean, Resource, Text, folded, is_iri

# Each of these takes in the next; a text is of the last one that it fits.
_TEXT_TYPES = {
    XSD + "string": re.compile(r".*", re.S),
    XSD + "normalizedString": re.compile(r"[^\t\n\r]*"),
    XSD + "token": re.compile(r"(?:[^\t\n\r ]+(?: [^\t\n\r ]+)*)?"),
    XSD + "NMTOKEN": re.compile(r"[\w.\-:·]+"),
    XSD + "Name": re.compile(r"[^\W\d][\w.\-:·]*|[_:][\w.\-:·]*"),
    XSD + "NCName": re.compile(r"[^\W\d][\w.\-·]*"),
    XSD + "language": re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*"),
}


@dataclass(frozen=True, slots=True)
class Kind:
    """Where a literal belongs, e.g. texts that are a `token` and no `NMTOKEN`, and an IRI."""

    name: str
    is_iri: bool = False


_IN_LANGUAGE, _ADDRESS, _TRUTH = Kind("in language"), Kind("address"), Kind("truth")
_PLAIN = tuple(Kind(*one) for one in product(_TEXT_TYPES, (False, True)))
_EVERY_KIND = frozenset([_IN_LANGUAGE, _ADDRESS, _TRUTH, *_PLAIN])

Point = tuple[Kind, str]


@dataclass(frozen=True, slots=True)
class Literals:
    """A set of literals without a place on a line: whole kinds, but for the exceptions."""

    kinds: frozenset[Kind] = frozenset()
    exceptions: frozenset[Point] = frozenset()

    def __contains__(self, term: object) -> bool:
        return isinstance(term, Text | Resource | Boolean) and self._has(point_of(term))

    def __and__(self, other: Literals) -> Literals:
        return self._combined(other, self.kinds & other.kinds, needs_both=True)

    def __or__(self, other: Literals) -> Literals:
        return self._combined(other, self.kinds | other.kinds, needs_both=False)

    def __invert__(self) -> Literals:
        return Literals(_EVERY_KIND - self.kinds, self.exceptions)

    @property
    def size(self) -> float:
        """How many literals there are; may be infinite."""
        if self.kinds - {_TRUTH}:
            return math.inf
        truths = sum(self._has(point_of(Boolean(one))) for one in (False, True))
        return truths + sum(kind != _TRUTH for kind, _ in self.exceptions)

    def _has(self, point: Point) -> bool:
        return (point[0] in self.kinds) != (point in self.exceptions)

    def _combined(self, other: Literals, kinds: frozenset[Kind], *, needs_both: bool) -> Literals:
        keeps = all if needs_both else any
        exceptions = {
            point
            for point in self.exceptions | other.exceptions
            if keeps((self._has(point), other._has(point))) != (point[0] in kinds)
        }
        return Literals(kinds, frozenset(exceptions))


NO_LITERAL, EVERY_LITERAL = Literals(), Literals(_EVERY_KIND)
BOOLEANS = Literals(frozenset({_TRUTH}))
TEXTS = Literals(frozenset(_PLAIN))
TEXTS_IN_LANGUAGE = Literals(frozenset({_IN_LANGUAGE}))
IRIS = Literals(frozenset({_ADDRESS, *(kind for kind in _PLAIN if kind.is_iri)}))
ADDRESSES = Literals(frozenset({_ADDRESS, *_PLAIN}))


def texts_by_type() -> dict[str, Literals]:
    """The texts of each datatype such as `xsd:token`."""
    names = list(_TEXT_TYPES)
    return {
        name: Literals(frozenset(kind for kind in _PLAIN if kind.name in names[place:]))
        for place, name in enumerate(names)
    }


def only_literal(term: Text | Resource | Boolean) -> Literals:
    """The set of this one literal."""
    return Literals(frozenset(), frozenset({point_of(term)}))


def point_of(term: Text | Resource | Boolean) -> Point:
    """A literal as sets of literals see it: its kind, and what tells it from others of the kind."""
    match term:
        case Boolean(value):
            return _TRUTH, str(value)
        case Resource(iri):
            return _ADDRESS, iri
        case Text(text, None):
            return _kind_of_text(text), folded(text)
        case Text(text, language):
            return _IN_LANGUAGE, f"{folded(text)}@{str(language).lower()}"


def _kind_of_text(text: str) -> Kind:
    fitting = [name for name, pattern in _TEXT_TYPES.items() if pattern.fullmatch(text)]
    return Kind(fitting[-1], is_iri(text))
