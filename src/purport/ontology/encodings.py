"""The numbers of a whole ontology: classes with their individuals, and properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from purport.ontology.hierarchy import Hierarchy
from purport.ontology.prime_assignment import Objective
from purport.ontology.prime_encoding import Encoding


def _nothing() -> Encoding:
    return Encoding({}, {})


@dataclass(frozen=True, slots=True)
class Encodings:
    """Classes and properties, in numbers of their own; individuals are leaves below classes."""

    classes: Encoding
    properties: Encoding = field(default_factory=_nothing)
    individuals: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        classes: Hierarchy,
        properties: Hierarchy,
        individuals: Mapping[str, Iterable[str]] | None = None,
        *,
        objective: Objective | str = Objective.TOTAL,
    ) -> Encodings:
        """The numbers of two orders of names, and of individuals with the classes they are in."""
        told = individuals or {}
        return cls(
            Encoding.of(classes, objective).add_leaves(told),
            Encoding.of(properties, objective),
            frozenset(told),
        )

    def part(self, names: Iterable[str]) -> Encodings:
        """Some names alone: classes, properties and individuals."""
        chosen = set(names)
        unknown = chosen.difference(self.classes, self.properties)
        return Encodings(
            self.classes.part([name for name in self.classes if name in chosen] + sorted(unknown)),
            self.properties.part(name for name in self.properties if name in chosen),
            self.individuals & chosen,
        )
