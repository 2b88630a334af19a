"""The relation that makes events heterogeneous, and the ground truth: what may be said for what.

A term is cut into the longest parts that the list knows; each part may be replaced on its own:
`increased energy consumption event` is said as `raised power consumption incident` too.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from importlib.resources import files
from itertools import product

from purport.errors import InvalidInput
from purport.evaluation.roget import ADJECTIVE, NOUN, RogetParagraph, roget_paragraphs
from purport.evaluation.toit14 import vocabulary as words

_MARK = re.compile(r"\s*\[([a-z])\]")
_MOST_VERSIONS = 5000
_MOST_AUTOMATIC = 4  # replacements; the longest terms have five words, and 5**5 versions


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
    def automatic(cls) -> Thesaurus:
        """What Roget's Thesaurus has for the seed vocabulary, as a program finds it.

        A term that Roget does not have is taken word by word. A word's replacements are those that
        stand most often in one group with it, then in one paragraph; a draw decides between equals.
        """
        near = _Nearness(roget_paragraphs())
        known = {term for term in words.TERMS if near.replacements(term)}
        rest = {word for term in words.TERMS if term not in known for word in term.split()}
        found = {term: near.replacements(term) for term in sorted(known | rest)}
        return cls({term: others for term, others in found.items() if others})

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
        """Every way to say a term, itself included; found once."""
        if term not in self._versions:
            self._versions[term] = self._found_versions(term)
        return self._versions[term]

    def _found_versions(self, term: str) -> frozenset[str]:
        ways = [
            (part, *(one.text for one in self.replacements.get(part, ())))
            for part in self.parts(term)
        ]
        versions = frozenset(" ".join(way) for way in product(*ways))
        if len(versions) > _MOST_VERSIONS:
            raise InvalidInput(f"{term!r} can be said in {len(versions)} ways: too many to list")
        return versions

    @cached_property
    def _versions(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _longest(self) -> int:
        return max((len(term.split()) for term in self.replacements), default=1)


class Source(StrEnum):
    """Where replacements come from."""

    CURATED = "curated"
    AUTOMATIC = "automatic"


@dataclass(frozen=True, slots=True)
class ThesaurusChoice:
    """Which thesaurus: its source, and the marks that its pairs must have one of, if any."""

    source: Source = Source.CURATED
    marks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.marks and self.source is Source.AUTOMATIC:
            raise InvalidInput("only the pairs of the curated thesaurus have marks")
        if not set(self.marks) <= {"r", "e"}:
            raise InvalidInput(f"the marks are r and e, got {''.join(self.marks)!r}")

    def __str__(self) -> str:
        pairs = f"pairs marked {' or '.join(self.marks)}" if self.marks else "all pairs"
        return f"{self.source} thesaurus, {pairs}"

    def build(self) -> Thesaurus:
        """The thesaurus itself."""
        match self.source:
            case Source.AUTOMATIC:
                return Thesaurus.automatic()
            case Source.CURATED:
                thesaurus = Thesaurus.curated()
                return thesaurus.marked(self.marks) if self.marks else thesaurus


CURATED = ThesaurusChoice()


def source_of(name: str) -> Source:
    """The source of this name; `InvalidInput` if there is none."""
    try:
        return Source(name)
    except ValueError:
        raise InvalidInput(f"no thesaurus {name!r}: there are {', '.join(Source)}") from None


class _Nearness:
    """How often Roget has words together, by the paragraphs that each word stands in."""

    def __init__(self, paragraphs: Iterable[RogetParagraph]) -> None:
        self._paragraphs: dict[tuple[str, str], list[RogetParagraph]] = {}
        for paragraph in paragraphs:
            for word in {word for group in paragraph.groups for word in group}:
                key = paragraph.part_of_speech, word
                self._paragraphs.setdefault(key, []).append(paragraph)

    def replacements(self, term: str) -> tuple[Replacement, ...]:
        """The nearest few words of the same part of speech."""
        part = ADJECTIVE if term in words.CHANGES else NOUN
        in_group, in_paragraph = Counter[str](), Counter[str]()
        for paragraph in self._paragraphs.get((part, term), ()):
            for group in paragraph.groups:
                in_paragraph.update(group)
                in_group.update(group if term in group else ())
        others = sorted(in_paragraph.keys() - {term})
        random.Random(term).shuffle(others)
        others.sort(key=lambda word: (in_group[word], in_paragraph[word]), reverse=True)
        return tuple(Replacement(word) for word in others[:_MOST_AUTOMATIC])


def _replacement(text: str) -> Replacement:
    marks = frozenset(_MARK.findall(text))
    return Replacement(_MARK.sub("", text).strip(), marks)
