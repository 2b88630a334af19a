"""Exact rules by the thousand, found by the combinations of statements that an event has.

A rule is a set of statements, all of which must be in the event. An event of ten statements has 175
combinations of up to three: as many look-ups, whether there are ten rules or a million.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

Pair = tuple[str, str]


class RuleIndex:
    """Which subscriptions have a rule that an event answers?"""

    def __init__(self) -> None:
        self._numbers: dict[Pair, int] = {}
        self._subscriptions: dict[tuple[int, ...], list[int]] = {}
        self._sizes: set[int] = set()

    def __len__(self) -> int:
        """How many different rules there are."""
        return len(self._subscriptions)

    def add(self, rule: Iterable[Pair], subscription: int) -> None:
        """Take up a rule of a subscription."""
        numbers = self._numbers
        key = tuple(sorted({numbers.setdefault(pair, len(numbers)) for pair in rule}))
        self._sizes.add(len(key))
        self._subscriptions.setdefault(key, []).append(subscription)

    def answered(self, statements: Iterable[Pair]) -> frozenset[int]:
        """The subscriptions that an event with these statements answers."""
        found = (self._numbers.get(pair) for pair in statements)
        known = sorted({number for number in found if number is not None})
        return frozenset(
            subscription
            for size in self._sizes
            for key in combinations(known, size)
            for subscription in self._subscriptions.get(key, ())
        )
