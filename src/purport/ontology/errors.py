"""What can be wrong with an ontology, or with what is asked of one."""

from __future__ import annotations

from purport.errors import InvalidInput


class OntologyError(InvalidInput):
    """A file is no ontology, an import is missing, what it says contradicts itself."""


class UnknownName(InvalidInput):
    """A class, property or individual that the ontology does not know."""

    def __init__(self, kind: str, name: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(kind, name, suggestions)
        self.kind = kind
        self.name = name
        self.suggestions = suggestions

    def __str__(self) -> str:
        said = f"the ontology knows no {self.kind} {self.name!r}"
        if not self.suggestions:
            return said
        return f"{said}; did you mean {' or '.join(self.suggestions)}?"


class AmbiguousName(UnknownName):
    """A short name that several classes, properties or individuals have."""

    def __str__(self) -> str:
        return f"{self.name!r} may be more than one {self.kind}: {' or '.join(self.suggestions)}"
