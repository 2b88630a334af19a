"""Subscriptions ordered by generality, by comparing each with each other whenever it is asked."""

from __future__ import annotations

from collections.abc import Callable

from purport.model.subscription import Subscription


class NaiveCoveringGraph:
    """The same answers as `CoveringGraph` gives, as plain as can be."""

    def __init__(self, covers: Callable[[Subscription, Subscription], bool]) -> None:
        self._covers = covers
        self.here: dict[str, Subscription] = {}

    @property
    def roots(self) -> set[str]:
        """Those that no other one covers, without those that are equivalent to an earlier one."""
        return {name for name in self._firsts() if not self._above(name)}

    def parents(self, name: str) -> set[str]:
        """Those right above one."""
        above = self._above(name)
        return {one for one in above if not any(self._is_over(one, other) for other in above)}

    def children(self, name: str) -> set[str]:
        """Those right below one."""
        below = {one for one in self._firsts() if self._is_over(name, one)}
        return {one for one in below if not any(self._is_over(other, one) for other in below)}

    def equivalents(self, name: str) -> set[str]:
        """Those that ask for the same as one."""
        return {one for one in self.here if one == name or self._is_same(one, name)}

    def below(self, name: str) -> set[str]:
        """All that one covers and that do not cover it."""
        return {one for one in self.here if self._is_over(name, one)}

    def covers_of(self, subscription: Subscription) -> set[str]:
        """All here that cover a subscription."""
        return {name for name, one in self.here.items() if self._covers(one, subscription)}

    def covered_by(self, subscription: Subscription) -> set[str]:
        """All here that a subscription covers."""
        return {name for name, one in self.here.items() if self._covers(subscription, one)}

    def _above(self, name: str) -> set[str]:
        return {one for one in self._firsts() if self._is_over(one, name)}

    def _firsts(self) -> list[str]:
        names = list(self.here)
        return [
            name
            for place, name in enumerate(names)
            if not any(self._is_same(one, name) for one in names[:place])
        ]

    def _is_over(self, name: str, other: str) -> bool:
        """Whether one is more general than another."""
        one, two = self.here[name], self.here[other]
        return name != other and self._covers(one, two) and not self._covers(two, one)

    def _is_same(self, name: str, other: str) -> bool:
        one, two = self.here[name], self.here[other]
        return self._covers(one, two) and self._covers(two, one)
