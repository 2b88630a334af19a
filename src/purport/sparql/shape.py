"""What texts have in common that differ only in their constants: read once, and used for all."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from purport.sparql.tokens import IRI, STRING

T = TypeVar("T")

_CONSTANT = re.compile(
    rf"""(
    {IRI} | {STRING}
  | \b[0-9][0-9.]*(?![\w:])
  | \b[A-Za-z][\w\-]*:[A-Za-z_][\w\-]*\b
    )""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Shaped:
    """A text, and its constants: IRIs, strings, numbers and names with prefixes, as written."""

    text: str
    between: tuple[str, ...]  # what stands before, between and behind the constants
    constants: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Shaped:
        """Take a text apart.

        >>> Shaped.of('SELECT ?x WHERE { <urn:a> ex:b ?x }').constants
        ('<urn:a>', 'ex:b')
        """
        parts = _CONSTANT.split(text)
        return cls(text, tuple(parts[::2]), tuple(parts[1::2]))

    def starts(self) -> list[int]:
        """Where the constants stand in the text."""
        found, place = [], 0
        for before, constant in zip(self.between, self.constants, strict=False):
            place += len(before)
            found.append(place)
            place += len(constant)
        return found


@dataclass(slots=True)
class _Family(Generic[T]):
    """What texts with the same words between their constants became."""

    kinds: str  # the first letters of the constants
    fixed: tuple[int, ...]  # the constants on which the meaning depends
    members: dict[tuple[str, ...], T] = field(default_factory=dict)


class ShapeCache(Generic[T]):
    """Things made of texts, found again for every text that differs in free constants only.

    `make` gives a thing and the numbers of the constants that may be others. The cache forgets what
    was not used for long.
    """

    def __init__(
        self, make: Callable[[Shaped], tuple[T, frozenset[int]]], most: int = 4096
    ) -> None:
        self._make, self._most = make, most
        self._families: OrderedDict[tuple[str, ...], list[_Family[T]]] = OrderedDict()
        self.made = 0

    def get(self, text: str) -> tuple[T, Sequence[str]]:
        """The thing for a text, and the text's constants."""
        parts = _CONSTANT.split(text)
        constants = parts[1::2]
        families = self._families.get(key := tuple(parts[::2]))
        if families is not None:
            if len(self._families) > self._most // 2:  # else nothing is forgotten soon
                self._families.move_to_end(key)
            kinds = "".join([constant[0] for constant in constants])
            for family in families:
                if family.kinds == kinds or _is_alike(family.kinds, kinds):
                    fixed = tuple([constants[number] for number in family.fixed])
                    if (thing := family.members.get(fixed)) is not None:
                        return thing, constants
        return self._make_one(text, key, constants), constants

    def _make_one(self, text: str, key: tuple[str, ...], constants: Sequence[str]) -> T:
        shaped = Shaped(text, key, tuple(constants))
        thing, free = self._make(shaped)
        self.made += 1
        fixed = tuple(number for number in range(len(constants)) if number not in free)
        kinds = "".join(constant[0] for constant in constants)
        families = self._families.setdefault(key, [])
        self._families.move_to_end(key)
        for family in families:
            if family.fixed == fixed and _is_alike(family.kinds, kinds):
                break
        else:
            family = _Family(kinds, fixed)
            families.append(family)
        if len(family.members) >= self._most:
            family.members.clear()
        family.members[tuple(constants[number] for number in fixed)] = thing
        while len(self._families) > self._most:
            self._families.popitem(last=False)
        return thing


def _is_alike(one: str, other: str) -> bool:
    """Whether constants of the same kinds stand in the same places."""
    return one == other or [*map(_kind, one)] == [*map(_kind, other)]


def _kind(first: str) -> str:
    if first in "<\"'":
        return first
    return "0" if first in ".0123456789" else ":"
