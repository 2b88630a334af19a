"""Units in words: `microgram per cubic metre` is `ug/m3`, and is not `millimetre`.

Words are read as a unit where each of them can be one: where WordNet has it as a measure or as a
relation of quantities, or does not have it at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from purport.model.units import Unit, find_unit
from purport.relatedness.measure import Scores
from purport.relatedness.wordnet import WordNet
from purport.relatedness.wordnet_files import PartOfSpeech

_CACHED_TERMS = 65_536
_LONGEST = 60
_KINDS = ("measure", "quantity", "amount"), ("magnitude relation",)
_NUMBERS = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_POWERS = {"square": 2, "cubic": 3}
_WORD = re.compile(r"[a-zµμ]+[1-3]?")
_NO_RATIO = frozenset(("part", "parts"))


@dataclass(frozen=True, slots=True)
class NamedUnit:
    """The unit that a term names, and the units whose names it is made of."""

    unit: Unit
    parts: frozenset[str]

    @property
    def size(self) -> tuple[str, Fraction, Fraction]:
        """What is the same for every name of a unit."""
        return self.unit.base, self.unit.scale, self.unit.offset


class UnitNames:
    """The units that terms name."""

    def __init__(self, wordnet: WordNet) -> None:
        self._wordnet = wordnet
        self.named = lru_cache(maxsize=_CACHED_TERMS)(self._named)
        self._is_measure = lru_cache(maxsize=_CACHED_TERMS)(self._found_measure)

    def decide(self, scores: Scores, left: Sequence[str], right: Sequence[str]) -> None:
        """Set the scores of pairs that both name units: 1 for the same one, 0 for other quantities.

        Units of one quantity, `mile` and `kilometre`, keep their scores; so do those made of the
        same parts, `kilowatt hour` and, by a common slip, `kilowatt per hour`.
        """
        ours, theirs = (
            [(place, unit) for place, term in enumerate(terms) if (unit := self.named(term))]
            for terms in (left, right)
        )
        for row, one in ours:
            for column, other in theirs:
                if one.size == other.size:
                    scores[row, column] = self._same(one, other, float(scores[row, column]))
                elif one.unit.base != other.unit.base and one.parts != other.parts:
                    scores[row, column] = 0.0

    def score(self, left: str, right: str, otherwise: float) -> float:
        """The score of one pair, as `decide` leaves it."""
        scores = np.array([[otherwise]])
        self.decide(scores, [left], [right])
        return float(scores[0, 0])

    def _same(self, one: NamedUnit, other: NamedUnit, score: float) -> float:
        """1, unless both are common words, whose other meanings count: a `turn`, a `cycle`."""
        are_common = all(self._is_common(*unit.parts) for unit in (one, other))
        return score if are_common else 1.0

    def _is_common(self, *parts: str) -> bool:
        return len(parts) == 1 and len(self._wordnet.senses(parts[0])) > 1

    def _named(self, term: str) -> NamedUnit | None:
        text = term.strip()
        words = text.casefold().split()
        if not words or len(text) > _LONGEST:
            return None
        if len(words) == 1:
            unit = find_unit(text) if self._can_be_unit(words[0]) else None
            return None if unit is None else NamedUnit(unit, frozenset(words))
        return self._spelt_out(words)

    def _spelt_out(self, words: list[str]) -> NamedUnit | None:
        """The unit that several words spell."""
        if words == ["per", "cent"]:
            words = ["percent"]
        if len(words) == 2 and words[1] in ("degree", "degrees"):
            words.reverse()
        if words[0] in ("degree", "degrees"):
            unit = find_unit(" ".join(words))
            return None if unit is None else NamedUnit(unit, frozenset(words))
        if words[0] in _NO_RATIO:
            return _share(words[1:])
        number = _NUMBERS.get(words[0], 1)
        factors = self._factors(words[1:] if number > 1 else words)
        unit = find_unit(factors) if factors else None
        if unit is None:
            return None
        parts = frozenset(re.split(r"[/*]", factors))
        return NamedUnit(replace(unit, scale=unit.scale * number), parts)

    def _factors(self, words: list[str]) -> str:
        """The words as a product, such as `microgram/metre^3`; nothing if a word is no unit."""
        product, joint, power = "", "", 1
        for word in words:
            if word in ("per", "a", "an") and product and joint != "/":
                joint = "/"
            elif word in _POWERS and power == 1:
                power = _POWERS[word]
            elif _WORD.fullmatch(word) and self._can_be_unit(word):
                product += f"{joint}{word}{f'^{power}' if power > 1 else ''}"
                joint, power = "*", 1
            else:
                return ""
        return product if joint == "*" and power == 1 else ""

    def _can_be_unit(self, word: str) -> bool:
        return self._is_measure(word.rstrip("123"))

    def _found_measure(self, word: str) -> bool:
        """Whether a word may be the name of a unit: no meaning, or one that is a measure."""
        senses = self._wordnet.senses(word)
        kinds = {kind for words in _KINDS for kind in self._kind(words)}
        return not senses or any(
            not kinds.isdisjoint(self._wordnet.ancestors(sense)[0].tolist()) for sense in senses
        )

    def _kind(self, words: Sequence[str]) -> set[int]:
        """The noun synsets that all of some words stand for."""
        shared = set.intersection(*(set(self._wordnet.senses(word)) for word in words))
        return {one for one in shared if self._wordnet.part(one) is PartOfSpeech.NOUN}


def _share(words: list[str]) -> NamedUnit | None:
    """`per million` and the like, of parts."""
    if len(words) < 2 or words[0] not in ("per", "in") or words[-1] not in _NUMBERS:
        return None
    if words[1:-1] not in ([], ["a"], ["one"]):
        return None
    unit = find_unit("%")
    if unit is None:
        return None
    return NamedUnit(replace(unit, scale=Fraction(1, _NUMBERS[words[-1]])), frozenset(words[-1:]))
