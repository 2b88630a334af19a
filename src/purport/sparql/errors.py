"""What can go wrong with SPARQL."""

from __future__ import annotations

import re

from purport.errors import InvalidInput, PurportError

_PLACE = re.compile(r"error at (\d+):(\d+): ")


class SparqlSyntaxError(InvalidInput):
    """A text is no query, or no update: line, column, what was expected."""

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message, line, column)
        self.message, self.line, self.column = message, line, column

    def __str__(self) -> str:
        if self.line is None:
            return self.message
        return f"line {self.line}, column {self.column}: {self.message}"

    @classmethod
    def at(cls, text: str, place: int, message: str) -> SparqlSyntaxError:
        """What is wrong at a place of a text."""
        line = text.count("\n", 0, place) + 1
        return cls(message, line=line, column=place - text.rfind("\n", 0, place))

    @classmethod
    def of(cls, error: SyntaxError) -> SparqlSyntaxError:
        """What pyoxigraph says is wrong."""
        said = str(error.args[0] if error.args else error)
        found = _PLACE.match(said)
        if found is None:
            return cls(said)
        return cls(said[found.end() :], line=int(found[1]), column=int(found[2]))


class NotAllowed(InvalidInput):
    """`LOAD` or `SERVICE`, where nobody has allowed it."""


class StoreFailed(PurportError):
    """A store cannot be read or written."""
