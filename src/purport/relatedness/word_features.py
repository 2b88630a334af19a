"""What is known of a pair of words, as numbers from which the calibrated measure is fitted.

* concepts    ln(ESA + 0.003)
* glosses     ln(g + 0.001), where g is how near each word is to those that explain the other: the
              mean ESA with the words of its glosses, rare words weighing more, taken both ways
* frequency   ln of how many concepts the words have: common words meet by chance
* path        1 / (1 + fewest steps between any of their synsets)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from purport.relatedness.esa import Esa
from purport.relatedness.measure import Scores
from purport.relatedness.stems import stems_of_text
from purport.relatedness.wordnet import WordNet

FEATURES = ("concepts", "glosses", "frequency", "path")
_MOST_SENSES = 8
_MOST_STEMS = 50
_LEAST_ESA, _LEAST_GLOSS = 0.003, 0.001


@dataclass(frozen=True, slots=True)
class _Senses:
    """The places of words that WordNet knows, and all their synsets behind one another."""

    words: NDArray[np.int64]
    synsets: NDArray[np.int64]
    starts: NDArray[np.int64]


class WordFeatures:
    """Features of pairs of words, from a concept space and WordNet."""

    def __init__(self, esa: Esa, wordnet: WordNet) -> None:
        self.esa = esa
        self.wordnet = wordnet
        self._explanation = lru_cache(maxsize=100_000)(self._found_explanation)

    def __reduce__(self) -> tuple[object, ...]:
        return WordFeatures, (self.esa, self.wordnet)

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
        """The features of every pair, along the last axis; nan for words that nobody knows."""
        ours, theirs = self.esa.vectors(left), self.esa.vectors(right)
        counts = [np.diff(vectors.indptr) for vectors in (ours, theirs)]
        features = np.stack(
            (
                np.log(self.esa.matrix(left, right) + _LEAST_ESA),
                np.log(self._gloss_scores(left, ours, right, theirs) + _LEAST_GLOSS),
                np.add.outer(*(np.log(count + 1) for count in counts)),
                1 / (1 + self._steps(left, right)),
            ),
            axis=-1,
        )
        features[counts[0] == 0] = np.nan
        features[:, counts[1] == 0] = np.nan
        return features

    def _gloss_scores(
        self,
        left: Sequence[str],
        ours: sparse.csr_array,
        right: Sequence[str],
        theirs: sparse.csr_array,
    ) -> Scores:
        """The mean of both ways, or the one way there is where only one word has a gloss."""
        in_right, right_has = self._near_explanations(ours, right)
        in_left, left_has = self._near_explanations(theirs, left)
        ways = np.add.outer(left_has.astype(float), right_has.astype(float))
        return np.asarray((in_right + in_left.T) / np.maximum(ways, 1.0), np.float64)

    def _near_explanations(
        self, vectors: sparse.csr_array, words: Sequence[str]
    ) -> tuple[Scores, NDArray[np.bool_]]:
        """How near vectors are to the explanations of words, and which words have one."""
        explanations = [self._explanation(word) for word in words]
        sizes = [len(stems) for stems, _ in explanations]
        stems = np.concatenate([np.empty(0, np.int64), *(stems for stems, _ in explanations)])
        weights = np.concatenate([np.empty(0), *(weights for _, weights in explanations)])
        different, places = np.unique(stems, return_inverse=True)
        bags = sparse.csr_array(
            (weights, places, np.cumsum([0, *sizes])), shape=(len(words), len(different))
        )
        near = (self.esa.space.rows(different) @ vectors.T).toarray()
        return np.asarray((bags @ near).T, np.float64), np.array(sizes) > 0

    def _found_explanation(self, word: str) -> tuple[NDArray[np.int64], Scores]:
        """The strongest stems in a word's glosses, and their weights, which add up to 1."""
        space = self.esa.space
        stems = [
            number
            for synset in self.wordnet.senses(word)[:_MOST_SENSES]
            for stem in stems_of_text(f"{self.wordnet.name(synset)} {self.wordnet.gloss(synset)}")
            if (number := space.find(stem)) is not None
        ]
        different, counts = np.unique(np.array(stems, np.int64), return_counts=True)
        rarity = [np.log(space.manifest.concepts / space.frequency(stem)) for stem in different]
        weights = counts * np.array(rarity) ** 2
        strongest = np.sort(np.argsort(-weights, kind="stable")[:_MOST_STEMS])
        weights = weights[strongest]
        total = float(weights.sum())
        return different[strongest], weights / total if total > 0 else weights

    def _steps(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """The fewest steps between any synsets of two words."""
        steps = np.full((len(left), len(right)), np.inf)
        ours, theirs = self._with_senses(left), self._with_senses(right)
        if not len(ours.words) or not len(theirs.words):
            return steps
        between = self.wordnet.steps(ours.synsets, theirs.synsets)
        between = np.minimum.reduceat(between, ours.starts, axis=0)
        between = np.minimum.reduceat(between, theirs.starts, axis=1)
        steps[np.ix_(ours.words, theirs.words)] = between
        return steps

    def _with_senses(self, words: Sequence[str]) -> _Senses:
        senses = [(place, self.wordnet.senses(word)) for place, word in enumerate(words)]
        known = [(place, synsets) for place, synsets in senses if synsets]
        starts = np.cumsum([0, *(len(synsets) for _, synsets in known)])[:-1]
        return _Senses(
            np.array([place for place, _ in known], np.int64),
            np.array([synset for _, synsets in known for synset in synsets], np.int64),
            starts.astype(np.int64),
        )
