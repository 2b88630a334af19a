"""Results that are remembered, in so many bytes: what is long is worked out each time."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")


def remembered(
    most: int, *, longest: int, length: Callable[[Any], int]
) -> Callable[[Callable[[K], V]], Callable[[K], V]]:
    """Have a function remember what it gave for the last values, but for those that are long.

    >>> made = []
    >>> @remembered(8, longest=3, length=len)
    ... def upper(text: str) -> str:
    ...     made.append(text)
    ...     return text.upper()
    >>> [upper(one) for one in ("abc", "abc", "abcd", "abcd")], made
    (['ABC', 'ABC', 'ABCD', 'ABCD'], ['abc', 'abcd', 'abcd'])
    """

    def with_memory(function: Callable[[K], V]) -> Callable[[K], V]:
        known: Callable[[K], V] = lru_cache(most)(function)

        @wraps(function)
        def found(value: K) -> V:
            return known(value) if length(value) <= longest else function(value)

        return found

    return with_memory
