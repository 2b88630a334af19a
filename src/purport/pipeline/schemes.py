"""Things under names, from Purport itself and from other packages."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from purport.errors import InvalidInput

T = TypeVar("T")


class Schemes(Generic[T]):
    """What can be found under a scheme.

    A package adds to it with `register`, or with an entry point of its group, so that
    the command line finds it too.
    """

    def __init__(self, what: str, group: str) -> None:
        self._what, self._group = what, group
        self._made: dict[str, T] = {}

    def register(self, *schemes: str) -> Callable[[T], T]:
        """Put what is decorated under schemes; one that is taken is refused."""

        def put(thing: T) -> T:
            for scheme in schemes:
                if scheme in self._made:
                    raise InvalidInput(f"the {self._what} {scheme!r} is registered already")
                self._made[scheme] = thing
            return thing

        return put

    def find(self, scheme: str) -> T:
        """What stands under a scheme; `InvalidInput` names those that there are."""
        if scheme in self._made:
            return self._made[scheme]
        others = {point.name: point for point in entry_points(group=self._group)}
        if scheme in others:
            found = self._loaded(others[scheme])
            return self._made.setdefault(scheme, found)
        schemes = sorted({*self._made, *others})
        near = get_close_matches(scheme, schemes, 1, 0.5)
        meant = f"; did you mean {near[0]}:?" if near else ""
        there = ", ".join(f"{one}:" for one in schemes)
        raise InvalidInput(f"no {self._what} {scheme!r} (there are {there}){meant}")

    def _loaded(self, point: EntryPoint) -> T:
        try:
            found: T = point.load()
        except (ImportError, AttributeError) as error:
            raise InvalidInput(
                f"the {self._what} {point.name!r} cannot be loaded from {point.value}: {error}"
            ) from error
        return found
