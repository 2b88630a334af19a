"""The relation that makes events heterogeneous, and the ground truth: what may be said for what.

A term is cut into the longest parts that the list knows; each part may be replaced on its own:
`increased energy consumption event` is said as `raised power consumption incident` too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import product

from purport.errors import InvalidInput

_MARK = re.compile(r"\s*\[([a-z])\]")
_MOST_VERSIONS = 5000


@dataclass(frozen=True, slots=True)
class Replacement:
    """What may be said for a term, and the thesauri in which the two stand together."""

    text: str
    marks: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Thesaurus:
    """Replacements by the terms that they are for."""

    replacements: Mapping[str, tuple[Replacement, ...]]

    @classmethod
    def curated(cls) -> Thesaurus:
        """The list that comes with the experiment."""
        here = files("purport.evaluation.toit14").joinpath("pairs.txt")
        return cls.parse(here.read_text(encoding="utf-8"))

    @classmethod
    def parse(cls, text: str) -> Thesaurus:
        """The list that a text holds: `term: replacement [mark], replacement`."""
        table = {}
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                term, colon, others = line.partition(":")
                if not colon or not others.strip():
                    raise InvalidInput(f"line {number}: expected a term, a colon and replacements")
                table[term.strip()] = tuple(map(_replacement, others.split(",")))
        return cls(table)

    def marked(self, marks: Iterable[str]) -> Thesaurus:
        """Only what stands in one of these thesauri."""
        wanted = frozenset(marks)
        kept = {
            term: tuple(one for one in others if one.marks & wanted)
            for term, others in self.replacements.items()
        }
        return Thesaurus({term: others for term, others in kept.items() if others})

    def parts(self, term: str) -> tuple[str, ...]:
        """A term in the longest parts that the list knows; other words alone."""
        words = term.split()
        found, at = [], 0
        while at < len(words):
            for size in range(min(self._longest, len(words) - at), 0, -1):
                part = " ".join(words[at : at + size])
                if size == 1 or part in self.replacements:
                    found.append(part)
                    at += size
                    break
        return tuple(found)

    def versions(self, term: str) -> frozenset[str]:
        """Every way to say a term, itself included."""
        return self._versions(term)

    @cached_property
    def _versions(self) -> _Versions:
        return _Versions(self)

    @cached_property
    def _longest(self) -> int:
        return max((len(term.split()) for term in self.replacements), default=1)


class _Versions:
    """The ways to say terms, found once for each."""

    def __init__(self, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus
        self._found = lru_cache(maxsize=None)(self._made)

    def __call__(self, term: str) -> frozenset[str]:
        return self._found(term)

    def _made(self, term: str) -> frozenset[str]:
        ways = [
            (part, *(one.text for one in self._thesaurus.replacements.get(part, ())))
            for part in self._thesaurus.parts(term)
        ]
        versions = frozenset(" ".join(way) for way in product(*ways))
        if len(versions) > _MOST_VERSIONS:
            raise InvalidInput(f"{term!r} can be said in {len(versions)} ways: too many to list")
        return versions


def _replacement(text: str) -> Replacement:
    marks = frozenset(_MARK.findall(text))
    return Replacement(_MARK.sub("", text).strip(), marks)
