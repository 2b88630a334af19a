"""What can go wrong with SPARQL."""

from __future__ import annotations

import re

from purport.errors import InvalidInput, PurportError

_LONG = 160
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
        said = " ".join(str(error.args[0] if error.args else error).split())
        if len(said) > _LONG:  # all that might have stood there, letter by letter
            said = f"{said[:_LONG]}..."
        found = _PLACE.match(said)
        if found is None:
            return cls(said)
        return cls(said[found.end() :], line=int(found[1]), column=int(found[2]))


class NotAllowed(InvalidInput):
    """`LOAD` or `SERVICE`, where nobody has allowed it."""


class TooManyRows(InvalidInput):
    """A query that is subscribed to would have more rows made at a time than may be."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.most = most

    def __str__(self) -> str:
        return f"its patterns have more than {self.most:,} solutions: subscribe to fewer"


class StoreFailed(PurportError):
    """A store cannot be read or written."""


class StoreTaken(StoreFailed):
    """Another process has the folder of a store open."""


class EndpointFailed(StoreFailed):
    """A SPARQL endpoint does not do what it was asked to do; `url` is where it is."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(url, reason)
        self.url, self.reason = url, reason

    def __str__(self) -> str:
        return f"the endpoint {self.url} {self.reason}"


class EndpointUnreachable(EndpointFailed):
    """Nobody answers there, or the connection breaks off."""


class EndpointTooSlow(EndpointFailed):
    """No whole answer came in time. What was asked for may still be done."""


class EndpointRefused(EndpointFailed):
    """It answers with a status of HTTP that is no success; `words` is what it says of why."""

    def __init__(self, url: str, status: int, words: str) -> None:
        super().__init__(url, f"answers {status}: {words}" if words else f"answers {status}")
        self.status, self.words = status, words

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.url, self.status, self.words)


class EndpointAnswersNonsense(EndpointFailed):
    """What it answers is no answer to a query, or not the whole of one."""


class NotAddressable(InvalidInput):
    """A node without a name, or a graph, that a store cannot be told of."""


class LiteralNotKept(InvalidInput):
    """An endpoint would keep a literal as something else."""
