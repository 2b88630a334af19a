"""Prefixes that stand for namespaces, e.g. `wine:` in `wine:RedWine`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Namespaces by their prefixes, and the prefix that is written for each namespace."""

    namespaces: Mapping[str, str]
    written: Mapping[str, str]

    @classmethod
    def of(cls, namespaces: Mapping[str, str]) -> Prefixes:
        """What is written for a namespace is a prefix that has a name, if there is one."""
        written: dict[str, str] = {}
        for name, namespace in namespaces.items():
            if namespace and (namespace not in written or not written[namespace]):
                written[namespace] = name
        return cls(namespaces, written)

    def short(self, iri: str) -> str:
        """A name with the prefix of the longest namespace that it is in, or else the IRI."""
        for end in _ends(iri):
            prefix = self.written.get(iri[:end])
            if prefix is not None and end < len(iri):
                return f"{prefix}:{iri[end:]}"
        return iri

    def expanded(self, text: str) -> str:
        """The IRI of a name with a known prefix; any other text stays as it is."""
        prefix, colon, local = text.partition(":")
        namespace = self.namespaces.get(prefix) if colon else None
        return text if namespace is None else namespace + local


def _ends(iri: str) -> Iterator[int]:
    """Where a namespace may end, the longest first."""
    for place in range(len(iri), 0, -1):
        if iri[place - 1] in "#/_:":
            yield place
