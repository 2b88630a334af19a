"""The default measure: the probability that people find two terms related.

Words are scored by the calibrated logistic function; a value's phrase takes the weakest of its
words' best counterparts, both ways, an attribute's name the mean over the words asked for. Some
words never stand for each other: different numbers, antonyms, different proper names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purport.relatedness.array_store import digest
from purport.relatedness.attribute_names import attribute_phrase
from purport.relatedness.calibration import Calibration
from purport.relatedness.measure import Measure, Scores
from purport.relatedness.phrases import Best, Phrase, Wordwise, weakest_of_best
from purport.relatedness.stems import stem
from purport.relatedness.word_features import WordFeatures

_SPELT_NUMBERS = {
    word: str(number)
    for number, words in enumerate(
        "zero|one first|two second|three third|four fourth|five fifth|six sixth|seven seventh|"
        "eight eighth|nine ninth|ten tenth|eleven eleventh|twelve twelfth".split("|")
    )
    for word in words.split()
}
_DIGITS = re.compile(r"(\d+)(?:st|nd|rd|th)?")
# How much a name loses when nothing in it but the words asked for was meant: it breaks ties.
_UNASKED = 0.1


def mean_over_asked(asked: Best, given: Best) -> Scores:
    """The mean over the words asked for; a name that says little else goes before one with more."""
    met = np.add.reduceat(asked.scores, asked.starts, axis=0) / asked.lengths[:, None]
    covered = np.add.reduceat(given.scores, given.starts, axis=1) / given.lengths[None, :]
    return np.asarray(met * (1 - _UNASKED * (1 - covered)), np.float64)


class Calibrated:
    """The calibrated measure: symmetric for values; `attributes` is the one for names."""

    def __init__(self, features: WordFeatures, calibration: Calibration) -> None:
        self.words = CalibratedWords(features, calibration)
        self._values = Wordwise(self.words, weakest_of_best)
        self._attributes = Wordwise(self.words, mean_over_asked, attribute_phrase)

    def __reduce__(self) -> tuple[object, ...]:
        return Calibrated, (self.words.features, self.words.calibration)

    @property
    def attributes(self) -> Measure:
        """The measure for names of attributes: asked for on the left, given on the right."""
        return self._attributes

    @property
    def identity(self) -> str:
        """What tells this measure's scores from another's."""
        return self._values.identity

    def score(self, left: str, right: str) -> float:
        """How related two terms are."""
        return self._values.score(*sorted((left, right)))

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair."""
        return self._values.matrix(left, right)


@dataclass(frozen=True, slots=True)
class CalibratedWords:
    """The probability that two words are related."""

    features: WordFeatures
    calibration: Calibration

    @property
    def identity(self) -> str:
        """What tells these scores from others."""
        made_of = self.features.esa.identity, self.features.wordnet.identity, self.calibration
        return f"calibrated {digest(*made_of)}"

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair: 1 for forms of one word and for equal numbers."""
        scores = self.calibration.probabilities(self.features.matrix(left, right))
        scores[np.logical_or.outer(_are_numbers(left), _are_numbers(right))] = 0.0
        codes: dict[str, int] = {}
        ours_coded, theirs_coded = (
            np.array([codes.setdefault(_key(word), len(codes)) for word in words])
            for words in (left, right)
        )
        scores[np.equal.outer(ours_coded, theirs_coded)] = 1.0
        return scores

    def guarded(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.bool_]:
        """Different numbers, different proper names, and antonyms."""
        guarded: NDArray[np.bool_] = np.logical_and.outer(_are_numbers(left), _are_numbers(right))
        guarded |= self._different_names(left, right)
        columns: dict[int, list[int]] = {}
        wordnet = self.features.wordnet
        for column, word in enumerate(right):
            number = wordnet.find(word)
            if number is not None:
                columns.setdefault(number, []).append(column)
        for row, word in enumerate(left):
            for number in wordnet.antonyms(word):
                guarded[row, columns.get(number, [])] = True
        return guarded

    def merged(self, phrase: Phrase) -> Phrase:
        """The phrase with WordNet's words of several words, such as `car park`, as one."""
        return self.features.wordnet.merged(phrase)

    def _different_names(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.bool_]:
        wordnet = self.features.wordnet
        ours, theirs = ([wordnet.is_name(word) for word in words] for words in (left, right))
        different: NDArray[np.bool_] = np.logical_and.outer(np.array(ours), np.array(theirs))
        for row, column in zip(*np.nonzero(different), strict=True):
            senses = wordnet.senses(left[row]), wordnet.senses(right[column])
            different[row, column] = set(senses[0]).isdisjoint(senses[1])
        return different


def _are_numbers(words: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([_number(word) is not None for word in words], np.bool_)


def _number(word: str) -> str | None:
    """What a word counts: 2 for `2`, `02`, `two`, `2nd` and `second`."""
    digits = _DIGITS.fullmatch(word)
    return (digits[1].lstrip("0") or "0") if digits else _SPELT_NUMBERS.get(word)


def _key(word: str) -> str:
    """What equal words have in common: their number, or else the stems of their parts."""
    return _number(word) or " ".join(stem(part) for part in word.split())
