"""The default measure: the probability that people find two terms related.

Words are scored by the calibrated logistic function; a value's phrase takes the weakest of its
words' best counterparts, both ways, an attribute's name the mean over the words asked for. Some
words never stand for each other: different numbers, antonyms, different proper names, units of
different quantities.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from purport.relatedness.array_store import digest
from purport.relatedness.attribute_names import attribute_phrase, reading_identity
from purport.relatedness.calibration import Calibration
from purport.relatedness.contrasts import contrasts
from purport.relatedness.measure import Measure, Scores, places_of
from purport.relatedness.phrases import Best, Phrase, Wordwise, value_phrase, weakest_of_best
from purport.relatedness.stems import stem
from purport.relatedness.unit_names import UnitNames
from purport.relatedness.word_features import FEATURES, WordFeatures

_SPELT_NUMBERS = {
    word: str(number)
    for number, words in enumerate(
        "zero|one first|two second|three third|four fourth|five fifth|six sixth|seven seventh|"
        "eight eighth|nine ninth|ten tenth|eleven eleventh|twelve twelfth".split("|")
    )
    for word in words.split()
}
# A number, with a letter that belongs to it: `112`, `-2.5`, `1,000`, `112c`; in 10th there is 10.
_NUMBER = re.compile(
    r"(?:(?<![\w.])-)?(?<![^\W\d])\d+(?:,\d{3})*(?:\.\d+)?"
    r"(?:(?:st|nd|rd|th)(?![^\W_])|[a-z](?![^\W_]))?"
)
_NUMBER_OR_WORD = re.compile(rf"(?P<number>{_NUMBER.pattern})|(?P<word>[^\W\d_]+)")
_CACHED_TERMS = 65_536
_IS_NUMBER = re.compile(r"-?\d+(?:\.\d+)?[a-z]?")
# What is counted here besides the calibration: scores kept by other rules are not taken for these.
_RULES = 2
# How fast doubts about a name grow below one half, as a power: the value beside a name bears it out
# or not, and a doubtful name should leave it something to bear out.
_DOUBTS_OF_NAMES = 0.6
# How much a name loses when nothing in it but the words asked for was meant: it breaks ties.
_UNASKED = 0.1


def mean_over_asked(asked: Best, given: Best) -> Scores:
    """The mean over the words asked for; a name that says little else goes before one with more.

    What is less likely than not is raised, in order, and stays so: ½ (2s)^0.6.
    """
    met = np.add.reduceat(asked.scores, asked.starts, axis=0) / asked.lengths[:, None]
    covered = np.add.reduceat(given.scores, given.starts, axis=1) / given.lengths[None, :]
    scores = met * (1 - _UNASKED * (1 - covered))
    return np.where(scores < 0.5, (2 * scores) ** _DOUBTS_OF_NAMES / 2, scores)


class Calibrated:
    """The calibrated measure: symmetric for values; `attributes` is the one for names."""

    def __init__(self, features: WordFeatures, calibration: Calibration) -> None:
        self.words = CalibratedWords(features, calibration)
        self._values = Wordwise(self.words, weakest_of_best, numbered_value)
        self._attributes = CalibratedNames(self.words)
        self._units = UnitNames(features.wordnet)

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
        has_same_numbers = numbers_in(left) == numbers_in(right)
        in_words = self._values.score(*sorted((left, right))) if has_same_numbers else 0.0
        return self._units.score(left, right, in_words)

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair; 0 where the numbers in them are not the same, in order.

        The same unit, however it is written, scores 1; units of different quantities score 0.
        """
        scores = self._values.matrix(left, right)
        codes: dict[tuple[str, ...], int] = {}
        ours, theirs = (
            np.array([codes.setdefault(numbers_in(term), len(codes)) for term in terms], np.int64)
            for terms in (left, right)
        )
        scores[np.not_equal.outer(ours, theirs)] = 0.0
        self._units.decide(scores, left, right)
        return scores


class CalibratedNames:
    """The calibrated measure of attribute names: asked for on the left, given on the right.

    Where both have numbers, those asked for must be given.
    """

    def __init__(self, words: CalibratedWords) -> None:
        self._words = words
        self._names = Wordwise(words, mean_over_asked, attribute_phrase)

    def __reduce__(self) -> tuple[object, ...]:
        return CalibratedNames, (self._words,)

    @property
    def identity(self) -> str:
        """What tells this measure's scores from another's."""
        return self._names.identity

    def score(self, left: str, right: str) -> float:
        """How well a name answers the one asked for."""
        return 0.0 if _lacks_number(left, right) else self._names.score(left, right)

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair."""
        scores = self._names.matrix(left, right)
        for row, asked in enumerate(left):
            if _name_numbers(asked):
                scores[row, [_lacks_number(asked, name) for name in right]] = 0.0
        return scores


@dataclass(frozen=True, slots=True)
class CalibratedWords:
    """The probability that two words are related."""

    features: WordFeatures
    calibration: Calibration

    @property
    def identity(self) -> str:
        """What tells these scores from others."""
        made_of = self.features.esa.identity, self.features.wordnet.identity, self.calibration
        rules = reading_identity(), sorted(contrasts()), _UNASKED, _DOUBTS_OF_NAMES, _RULES
        return f"calibrated {digest(*made_of, *rules)}"

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair: 1 for forms of one word and for equal numbers."""
        scores = self.calibration.probabilities(self.features.matrix(left, right))
        scores[np.logical_or.outer(_are_numbers(left), _are_numbers(right))] = 0.0
        wordnet = self.features.wordnet
        columns = places_of([(_stems(word),) for word in right])
        for row, word in enumerate(left):
            for column in columns.get(_stems(word), ()):
                ours, theirs = wordnet.family(word), wordnet.family(right[column])
                is_one = word == right[column] or not ours or not theirs or ours & theirs
                # Of words that only share a stem, as organ and organization do, ESA knows nothing.
                scores[row, column] = 1.0 if is_one else self._path(word, right[column])
        return scores

    def guarded(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.bool_]:
        """Different numbers, different proper names, antonyms and other contrasts."""
        wordnet = self.features.wordnet
        guarded: NDArray[np.bool_] = np.logical_and.outer(_are_numbers(left), _are_numbers(right))
        names = np.array([wordnet.is_name(word) for word in right], np.bool_)
        meanings = places_of([wordnet.senses(word) for word in right])
        forms = places_of([wordnet.forms(word) for word in right])
        contrasted = defaultdict(
            list, places_of([contrasts().get(word, frozenset()) for word in right])
        )
        for row, word in enumerate(left):
            if wordnet.is_name(word):
                others = names.copy()
                for sense in wordnet.senses(word):
                    others[meanings.get(sense, [])] = False
                guarded[row] |= others
            for number in wordnet.antonyms(word):
                guarded[row, forms.get(number, [])] = True
            for group in contrasts().get(word, ()):
                columns = [column for column in contrasted[group] if right[column] != word]
                guarded[row, columns] = True
        return guarded

    def merged(self, phrase: Phrase) -> Phrase:
        """The phrase with WordNet's words of several words, such as `car park`, as one."""
        return self.features.wordnet.merged(phrase)

    def _path(self, left: str, right: str) -> float:
        return float(self.features.matrix([left], [right])[0, 0, FEATURES.index("path")])


@lru_cache(maxsize=_CACHED_TERMS)
def numbered_value(term: str) -> Phrase:
    """The words of a value and its numbers, those that are spelt out as digits.

    >>> numbered_value("second phase, 3.50 m")
    ('2', 'phase', 'm', '3.5')
    """
    rest = _NUMBER.sub(" ", term.casefold()) if _has_digit(term) else term
    digits = tuple(_plain(found[0]) for found in _NUMBER.finditer(term.casefold()))
    return _with_digits(value_phrase(rest), term) + digits


@lru_cache(maxsize=_CACHED_TERMS)
def numbers_in(term: str) -> tuple[str, ...]:
    """The numbers in a term, in order.

    >>> numbers_in("second room on floor 03, 1,000.50 m")
    ('2', '3', '1000.5')
    """
    found = []
    tokens = list(_NUMBER_OR_WORD.finditer(term.casefold()))
    words = sum(token["word"] is not None for token in tokens)
    for token in tokens:
        if token["number"] is not None:
            found.append(_plain(token["number"]))
        elif token["word"] in _SPELT_NUMBERS and (token["word"] != "second" or words > 1):
            found.append(_SPELT_NUMBERS[token["word"]])
    return tuple(found)


def _with_digits(phrase: Phrase, text: str) -> Phrase:
    """Spelt numbers as digits; a *second* is one only beside other words, and not in the plural."""
    is_ordinal = len(phrase) > 1 and re.search(r"(?<![^\W_])second(?![^\W_])", text, re.I)
    return tuple(
        word if word == "second" and not is_ordinal else _SPELT_NUMBERS.get(word, word)
        for word in phrase
    )


def _has_digit(text: str) -> bool:
    return any(character.isdecimal() for character in text)


@lru_cache(maxsize=_CACHED_TERMS)
def _name_numbers(name: str) -> frozenset[str]:
    """The numbers that a name has among its words."""
    return frozenset(word for word in attribute_phrase(name) if _IS_NUMBER.fullmatch(word))


def _lacks_number(asked: str, name: str) -> bool:
    given = _name_numbers(name)
    return bool(given) and not _name_numbers(asked) <= given


def _plain(number: str) -> str:
    """A number without what makes no difference: `03` is `3`, `1,000.50` is `1000.5`."""
    number = re.sub(r"(?:st|nd|rd|th)$|,", "", number)
    letter = number[-1] if number[-1].isalpha() else ""
    whole, _, decimals = number.removesuffix(letter).partition(".")
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    decimals = decimals.rstrip("0")
    return f"{sign}{digits.lstrip('0') or '0'}{'.' if decimals else ''}{decimals}{letter}"


def _are_numbers(words: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([_IS_NUMBER.fullmatch(word) is not None for word in words], np.bool_)


def _stems(word: str) -> str:
    return " ".join(stem(part) for part in word.split())
