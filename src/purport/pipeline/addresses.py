"""Addresses of sources and sinks: a scheme, what it leads to, and options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from purport.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Address:
    """Where events come from or matches go, e.g. `file:events/?files_per_batch=4`."""

    scheme: str
    rest: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> Address:
        """The address that a text spells; `InvalidInput` if it spells none."""
        scheme, colon, rest = text.partition(":")
        if not colon or not scheme.isidentifier():
            raise InvalidInput(f"expected SCHEME:PATH, such as file:events/, got {text!r}")
        scheme = scheme.lower()
        if scheme in ("http", "https"):
            return cls(scheme, text)
        rest, mark, query = rest.partition("?")
        try:
            plain = query.replace("+", "%2B")  # which stands for itself here, as in topics
            pairs = parse_qsl(plain, keep_blank_values=True, strict_parsing=bool(mark))
        except ValueError:
            raise InvalidInput(
                f"{text!r}: expected options as ?name=value&name=value, got {query!r}"
            ) from None
        options: dict[str, Any] = {}
        for name, value in pairs:  # one that comes more than once has several values
            options.setdefault(name, []).append(value)
        single = {name: one if len(one) > 1 else one[0] for name, one in options.items()}
        return cls(scheme, rest, single)

    def __str__(self) -> str:
        options = "&".join(f"{name}={value}" for name, value in self.options.items())
        is_url = self.rest.startswith(f"{self.scheme}:")
        start = self.rest if is_url else f"{self.scheme}:{self.rest}"
        return f"{start}?{options}" if options else start

    def with_options(self, options: Mapping[str, Any]) -> Address:
        """The same with more options; those that the address has count for more."""
        return Address(self.scheme, self.rest, {**options, **self.options})

    def path(self) -> Path:
        """The path that the address leads to."""
        rest = urlsplit(f"file:{self.rest}").path if self.rest.startswith("//") else self.rest
        if not rest:
            raise InvalidInput(f"expected {self.scheme}:PATH, got {str(self)!r}")
        return Path(unquote(rest) if self.rest.startswith("//") else rest)
