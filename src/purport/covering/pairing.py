"""Each of some with another one of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

One = TypeVar("One")
Other = TypeVar("Other")


def can_pair_all(
    some: Sequence[One], others: Sequence[Other], fits: Callable[[One, Other], bool]
) -> bool:
    """Whether each of some fits one of the others, no two of them the same: augmenting paths.

    >>> can_pair_all([1, 2], [2, 3], lambda one, other: one < other)
    True
    >>> can_pair_all([1, 2], [1, 3], lambda one, other: one < other)
    False
    """
    if len(some) > len(others):
        return False
    taken: dict[int, int] = {}

    def has_place(number: int, tried: set[int]) -> bool:
        for place, other in enumerate(others):
            if place not in tried and fits(some[number], other):
                tried.add(place)
                if place not in taken or has_place(taken[place], tried):
                    taken[place] = number
                    return True
        return False

    return all(has_place(number, set()) for number in range(len(some)))
