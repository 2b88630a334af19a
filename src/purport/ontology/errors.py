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
        self.column: int | None = None

    def __str__(self) -> str:
        return f"{self._problem()}{self._place()}"

    def in_text(self, text: str) -> UnknownName:
        """The same with the column of a text in which the name stands, if it does so once."""
        if text != self.name and text.count(self.name) == 1:
            self.column = text.index(self.name) + 1
        return self

    def _problem(self) -> str:
        said = f"the ontology knows no {self.kind} {self.name!r}"
        if not self.suggestions:
            return said
        return f"{said}; did you mean {' or '.join(self.suggestions)}?"

    def _place(self) -> str:
        return "" if self.column is None else f" (column {self.column})"


class AmbiguousName(UnknownName):
    """A short name that several classes, properties or individuals have."""

    def _problem(self) -> str:
        return f"{self.name!r} may be more than one {self.kind}: {' or '.join(self.suggestions)}"


class MistakenName(UnknownName):
    """A name of something else than is asked for: of a property, where a class is."""

    def __init__(self, kind: str, name: str, found: str) -> None:
        super().__init__(kind, name)
        self.args = kind, name, found
        self.found = found

    def _problem(self) -> str:
        return f"{self.name!r} is {_a(self.found)}, expected {_a(self.kind)}"


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
