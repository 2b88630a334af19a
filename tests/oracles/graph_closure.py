"""An order of names found by following what is told from name to name, for each name anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class GraphClosure:
    """What is above and below each name; what is unsatisfiable is below everything."""

    def __init__(self, above: Mapping[str, Iterable[str]], unsatisfiable: Iterable[str]) -> None:
        self._told = {name: set(superiors) for name, superiors in above.items()}
        self.names = set(self._told).union(*self._told.values(), unsatisfiable)
        self.unsatisfiable = {
            name for name in self.names if self._reached(name) & set(unsatisfiable)
        }

    def above(self, name: str) -> set[str]:
        """The name and all above it."""
        return self.names if name in self.unsatisfiable else self._reached(name)

    def below(self, name: str) -> set[str]:
        """The name and all below it."""
        return {one for one in self.names if name in self.above(one)}

    def parents(self, name: str) -> set[str]:
        """Those strictly above a name with nothing in between."""
        strict = self.above(name) - self.below(name)
        return {
            one
            for one in strict
            if not any(one in self.above(other) - self.below(other) for other in strict)
        }

    def _reached(self, name: str) -> set[str]:
        found = {name}
        while more := {one for each in found for one in self._told.get(each, ())} - found:
            found |= more
        return found
