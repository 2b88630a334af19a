"""A member of a profile: what stands there, and the path to it, so that errors can say where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyoxigraph import NamedNode

from purport.errors import InvalidInput

_ABSENT: Any = object()


class Member:
    """A value in a file of JSON or YAML, there or not."""

    def __init__(self, value: Any, source: str, path: tuple[str, ...] = ()) -> None:
        self._value, self._source, self._path = value, source, path

    @property
    def path(self) -> str:
        """Where it is, e.g. `city.jsap, queries.LAMPS.sparql`."""
        return f"{self._source}, {'.'.join(self._path)}" if self._path else self._source

    @property
    def is_there(self) -> bool:
        """Whether the file has it; null counts as nothing."""
        return self._value is not _ABSENT and self._value is not None

    def get(self, name: str) -> Member:
        """A member of it."""
        return Member(self.mapping().get(name, _ABSENT), self._source, (*self._path, name))

    def with_value(self, value: Any) -> Member:
        """The same place, with another value."""
        return Member(value, self._source, self._path)

    def mapping(self) -> Mapping[str, Any]:
        """Its members; of what is not there, none."""
        if not self.is_there:
            return {}
        if not isinstance(self._value, Mapping):
            raise self._unexpected("an object")
        return {str(name): value for name, value in self._value.items()}

    def text(self, default: str | None = None) -> str:
        """It as a text."""
        if not self.is_there and default is not None:
            return default
        if not isinstance(self._value, str) or (default is None and not self._value.strip()):
            raise self._unexpected("a text")
        return self._value

    def text_path(self, default: str) -> str:
        """It as the path of an address."""
        path = self.text(default)
        return path if path.startswith("/") else f"/{path}"

    def lexical(self) -> str:
        """It as the text of a value: numbers and truth values as they are written in RDF."""
        if isinstance(self._value, bool):
            return str(self._value).lower()
        if isinstance(self._value, int | float):
            return str(self._value)
        if not isinstance(self._value, str):
            raise self._unexpected("a value (a text, a number, true or false)")
        try:
            self._value.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(f"{self.path}: no Unicode at place {error.start}") from None
        return self._value

    def port(self, default: int) -> int:
        """It as the port of an address; below 0 or absent, the usual one."""
        if not self.is_there:
            return default
        if isinstance(self._value, bool) or not isinstance(self._value, int):
            raise self._unexpected("the number of a port")
        if self._value > 65_535:
            raise self._unexpected("the number of a port, up to 65535")
        return self._value if self._value > 0 else default

    def iris(self) -> tuple[str, ...]:
        """It as some IRIs: one, or a list."""
        if not self.is_there:
            return ()
        all_of_them = self._value if isinstance(self._value, list) else [self._value]
        try:
            return tuple(NamedNode(one).value for one in all_of_them)
        except (ValueError, TypeError):
            raise self._unexpected("the IRI of a graph, or a list of them") from None

    def _unexpected(self, expected: str) -> InvalidInput:
        if not self.is_there:
            return InvalidInput(f"{self.path}: missing; expected {expected}")
        return InvalidInput(f"{self.path}: expected {expected}, got {self._value!r:.80}")
