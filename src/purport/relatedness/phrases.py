"""From how near words are to how near phrases are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from purport.model.term import Text, folded
from purport.model.words import words_of
from purport.relatedness.measure import Scores, score_by, set_identical

_TERMS_AT_ONCE = 1024
_FUNCTION_WORDS = frozenset(
    "a an and are as at be been by for from had has have in into is it its of onto or per that "
    "the their there these this to was were which with".split()
)

Phrase = tuple[str, ...]


class WordScores(Protocol):
    """How related single words are; picklable."""

    @property
    def identity(self) -> str:
        """What tells these scores from others."""

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair of words."""

    def guarded(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.bool_]:
        """The pairs that must not stand for each other, such as `first` and `second`."""

    def merged(self, phrase: Phrase) -> Phrase:
        """A phrase whose words are taken together where they make one, such as `car park`."""


@dataclass(frozen=True, slots=True)
class Best:
    """How near the best counterpart is of each word in some phrases, in each of other phrases."""

    scores: Scores
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]


PhraseRule = Callable[[Best, Best], Scores]


def value_phrase(term: str) -> Phrase:
    """The words of a value without *of*, *the* and the like.

    >>> value_phrase("consumption of the building")
    ('consumption', 'building')
    """
    return content_words(words_of(Text(term)))


def content_words(words: Sequence[str]) -> Phrase:
    """The words that say something; all of them if none does."""
    return tuple(word for word in words if word not in _FUNCTION_WORDS) or tuple(words)


def term_identities(term: str, phrase_of: Callable[[str], Phrase] = value_phrase) -> set[Hashable]:
    """What makes terms the same: their folded text, or their words in order."""
    phrase = phrase_of(term)
    return {folded(term), phrase} if phrase else {folded(term)}


def mean_of_best(ours: Best, theirs: Best) -> Scores:
    """The mean over the words of both phrases."""
    left = np.add.reduceat(ours.scores, ours.starts, axis=0) / ours.lengths[:, None]
    right = np.add.reduceat(theirs.scores, theirs.starts, axis=1) / theirs.lengths[None, :]
    return np.asarray((left + right) / 2, np.float64)


def weakest_of_best(ours: Best, theirs: Best) -> Scores:
    """The weakest word of both: nothing that one says may be missing in the other."""
    left = np.minimum.reduceat(ours.scores, ours.starts, axis=0)
    right = np.minimum.reduceat(theirs.scores, theirs.starts, axis=1)
    return np.asarray(np.minimum(left, right), np.float64)


class Wordwise:
    """A measure of phrases that compares them word by word, under a rule."""

    def __init__(
        self,
        words: WordScores,
        rule: PhraseRule,
        phrase_of: Callable[[str], Phrase] = value_phrase,
    ) -> None:
        self.words = words
        self._rule = rule
        self._phrase_of = phrase_of
        self._score = score_by(self.matrix)

    def __reduce__(self) -> tuple[object, ...]:
        return Wordwise, (self.words, self._rule, self._phrase_of)

    @property
    def identity(self) -> str:
        """What tells this measure's scores from another's."""
        return f"{self.words.identity} {self._rule.__name__} {self._phrase_of.__name__}"

    def score(self, left: str, right: str) -> float:
        """How related two terms are."""
        return self._score(left, right)

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair, in blocks, so that what they are made from stays small."""
        scores = np.zeros((len(left), len(right)))
        columns = [*self._blocks(right)]
        for above, ours in self._blocks(left):
            for before, theirs in columns:
                if len(ours.terms) and len(theirs.terms):
                    at = np.ix_(above + ours.terms, before + theirs.terms)
                    scores[at] = self._scores(ours, theirs)
        set_identical(scores, left, right, self._identities)
        return scores

    def _blocks(self, terms: Sequence[str]) -> Iterator[tuple[int, _Variants]]:
        for start in range(0, len(terms), _TERMS_AT_ONCE):
            yield start, self._variants(terms[start : start + _TERMS_AT_ONCE])

    def _variants(self, terms: Sequence[str]) -> _Variants:
        """The ways to read terms: word by word, and with several words taken as one."""
        readings = []
        for place, term in enumerate(terms):
            phrase = self._phrase_of(term)
            if phrase:
                readings.append((place, {phrase: None, self.words.merged(phrase): None}))
        starts = np.cumsum([0, *(len(phrases) for _, phrases in readings)])[:-1]
        return _Variants(
            np.array([place for place, _ in readings], np.int64),
            starts.astype(np.int64),
            _Placed.of([phrase for _, phrases in readings for phrase in phrases]),
        )

    def _scores(self, left: _Variants, right: _Variants) -> Scores:
        """The best that any readings of two terms make of each other.

        A reading with guarded words alone counts, unless one of them is said on the other side too:
        `hot water` may be one word, but it is never `cold water`; a `microwave oven` may be a
        `microwave`. With several words taken as one, only these are guarded: the `United Kingdom`
        is not `Ireland`, and nothing keeps `hot, cold water` from `cold, hot water`.
        """
        ours, theirs = left.phrases, right.phrases
        words = self.words.matrix(ours.words, theirs.words)
        guarded = self.words.guarded(ours.words, theirs.words)
        found, kept_out = _best(
            words[:, theirs.places], guarded[:, theirs.places], theirs.starts, 1
        )
        given, left_out = _best(words[ours.places], guarded[ours.places], ours.starts, 0)
        scores = self._rule(
            Best(found[ours.places], ours.starts, ours.lengths),
            Best(given[:, theirs.places], theirs.starts, theirs.lengths),
        )
        word_by_word = np.ix_(left.starts, right.starts)
        is_kept_apart = _kept_apart(kept_out & ours.are_merged[:, None], left_out, ours, theirs)
        is_kept_apart |= _kept_apart(kept_out, left_out & theirs.are_merged, ours, theirs)
        is_kept_apart[word_by_word] = _kept_apart(kept_out, left_out, ours, theirs)[word_by_word]
        kept_apart = _reduced(np.minimum, np.where(is_kept_apart, scores, np.inf), left, right)
        best = np.where(
            np.isfinite(kept_apart), kept_apart, _reduced(np.maximum, scores, left, right)
        )
        return np.asarray(np.clip(best, 0.0, 1.0), np.float64)

    def _identities(self, term: str) -> set[Hashable]:
        return term_identities(term, self._phrase_of)


@dataclass(frozen=True, slots=True)
class _Placed:
    """Different words, and the places of the words of phrases among them."""

    words: list[str]
    places: NDArray[np.int64]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, phrases: Sequence[Phrase]) -> _Placed:
        numbers: dict[str, int] = {}
        places = [numbers.setdefault(word, len(numbers)) for phrase in phrases for word in phrase]
        lengths = np.array([len(phrase) for phrase in phrases], np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
        return cls(list(numbers), np.array(places, np.int64), starts, lengths)

    @property
    def are_merged(self) -> NDArray[np.bool_]:
        """Which words are several taken as one."""
        return np.array([" " in word for word in self.words], np.bool_)


@dataclass(frozen=True, slots=True)
class _Variants:
    """Terms that have words, where the readings of each begin, and the readings."""

    terms: NDArray[np.int64]
    starts: NDArray[np.int64]
    phrases: _Placed


def _best(
    scores: Scores, guarded: NDArray[np.bool_], starts: NDArray[np.int64], axis: int
) -> tuple[Scores, NDArray[np.bool_]]:
    """The best counterpart in each phrase, and where there is none because of a guarded word."""
    best = np.maximum.reduceat(scores, starts, axis=axis)
    is_kept_apart = (best < 1) & np.logical_or.reduceat(guarded, starts, axis=axis)
    return np.where(is_kept_apart, 0.0, best), is_kept_apart


def _kept_apart(
    kept_out: NDArray[np.bool_], left_out: NDArray[np.bool_], ours: _Placed, theirs: _Placed
) -> NDArray[np.bool_]:
    """The pairs of readings of which each has a word that the other keeps out."""
    return np.logical_and(
        np.logical_or.reduceat(kept_out[ours.places], ours.starts, axis=0),
        np.logical_or.reduceat(left_out[:, theirs.places], theirs.starts, axis=1),
    )


def _reduced(function: np.ufunc, scores: Scores, left: _Variants, right: _Variants) -> Scores:
    """What a function makes of the readings of each pair of terms."""
    by_row = function.reduceat(scores, left.starts, axis=0)
    return np.asarray(function.reduceat(by_row, right.starts, axis=1), np.float64)
