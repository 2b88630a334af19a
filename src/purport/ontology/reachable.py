"""What steps lead to, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Place = TypeVar("Place", bound=Hashable)


def reachable(starts: Iterable[Place], steps: Callable[[Place], Iterable[Place]]) -> set[Place]:
    """Some places, and all that steps from them lead to.

    >>> sorted(reachable([3], {1: [], 2: [3], 3: [1, 2], 4: [1]}.__getitem__))
    [1, 2, 3]
    """
    found = set(starts)
    waiting = list(found)
    while waiting:
        fresh = {one for one in steps(waiting.pop()) if one not in found}
        found |= fresh
        waiting += fresh
    return found
