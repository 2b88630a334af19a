"""From a changed quad to the queries that it can touch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from pyoxigraph import Quad

from purport.sparql.patterns import Pattern

T = TypeVar("T")


class LookupIndex(Generic[T]):
    """Things under patterns: a quad finds those whose patterns cover it, however many there are.

    A quad is covered by at most eight patterns, so a look takes at most eight steps.
    """

    def __init__(self) -> None:
        self._things: dict[Pattern, dict[T, None]] = {}
        self._shapes: dict[tuple[bool, bool, bool], int] = {}  # that patterns have: what they name

    def add(self, thing: T, patterns: Iterable[Pattern]) -> None:
        """Put something under patterns."""
        for pattern in patterns:
            if pattern not in self._things:
                self._things[pattern] = {}
                shape = _shape(pattern)
                self._shapes[shape] = self._shapes.get(shape, 0) + 1
            self._things[pattern][thing] = None

    def remove(self, thing: T, patterns: Iterable[Pattern]) -> None:
        """Take something away from under them."""
        for pattern in patterns:
            things = self._things[pattern]
            del things[thing]
            if not things:
                del self._things[pattern]
                shape = _shape(pattern)
                self._shapes[shape] -= 1
                if not self._shapes[shape]:
                    del self._shapes[shape]

    def touched(self, quads: Iterable[Quad]) -> list[T]:
        """What stands under a pattern that covers one of some quads, each once."""
        found: dict[T, None] = {}
        shapes = tuple(self._shapes)
        for quad in quads:
            for names_subject, names_predicate, names_object in shapes:
                pattern = Pattern(
                    quad.subject if names_subject else None,
                    quad.predicate if names_predicate else None,
                    quad.object if names_object else None,
                )
                found.update(self._things.get(pattern, {}))
        return list(found)


def _shape(pattern: Pattern) -> tuple[bool, bool, bool]:
    return (
        pattern.subject is not None,
        pattern.predicate is not None,
        pattern.object is not None,
    )
