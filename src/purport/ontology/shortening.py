"""Names for people in the place of IRIs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shortening:
    """Namespaces, and the prefix that is written for each: the longest one that has a name."""

    prefixes: dict[str, str]

    @classmethod
    def of(cls, prefixes: Mapping[str, str]) -> Shortening:
        """What prefixes shorten, given by their names."""
        chosen: dict[str, str] = {}
        for name, namespace in prefixes.items():
            if namespace and (namespace not in chosen or not chosen[namespace]):
                chosen[namespace] = name
        return cls(chosen)

    def short(self, iri: str) -> str:
        """A prefixed name if there is a prefix for it, or else the IRI."""
        for end in _ends(iri):
            prefix = self.prefixes.get(iri[:end])
            if prefix is not None and end < len(iri):
                return f"{prefix}:{iri[end:]}"
        return iri


def _ends(iri: str) -> Iterator[int]:
    """Where a namespace may end, the longest first."""
    for place in range(len(iri), 0, -1):
        if iri[place - 1] in "#/_:":
            yield place
