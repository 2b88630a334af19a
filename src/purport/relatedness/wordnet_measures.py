"""Relatedness over WordNet's kinds, and by its glosses.

A word stands for its most common synset in the first part of speech that both words have; a phrase
scores the mean of its words' best counterparts, both ways (DEBS'12, 5.3). With c the information
content of a synset, and l the most specific kind that both are of:

    Jiang-Conrath   d = c(a) + c(b) - 2 c(l)     raw 1 / d, brought to [0, 1] as 1 / (1 + d)
    Lin             2 c(l) / (c(a) + c(b))
    shortest path   1 / (1 + steps from a to b)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from purport.relatedness.array_store import digest
from purport.relatedness.esa import Esa
from purport.relatedness.measure import Scores
from purport.relatedness.phrases import Phrase, Wordwise, mean_of_best
from purport.relatedness.wordnet import Synsets, WordNet
from purport.relatedness.wordnet_files import PartOfSpeech


class Relation(StrEnum):
    """What makes two synsets near."""

    JIANG_CONRATH = "jiang-conrath"
    LIN = "lin"
    PATH = "path"
    GLOSS = "gloss"


def jiang_conrath(wordnet: WordNet, left: str, right: str) -> float:
    """Jiang & Conrath's raw similarity of two words; infinite for the same synset."""
    synsets = wordnet.most_common(left, right)
    if synsets is None:
        return 0.0
    left_synset, right_synset = (np.array([synset]) for synset in synsets)
    distance = _distances(wordnet, left_synset, right_synset)[0, 0]
    return 1 / float(distance) if distance else np.inf


def wordnet_measure(
    wordnet: WordNet, relation: Relation = Relation.JIANG_CONRATH, esa: Esa | None = None
) -> Wordwise:
    """The measure of terms by one of WordNet's relations; glosses are compared by ESA."""
    return Wordwise(WordNetWords(wordnet, relation, esa), mean_of_best)


@dataclass(frozen=True, slots=True)
class WordNetWords:
    """How near single words are in WordNet."""

    wordnet: WordNet
    relation: Relation
    esa: Esa | None = None

    @property
    def identity(self) -> str:
        """What tells these scores from others."""
        esa = self.esa.identity if self.esa is not None else ""
        return f"wordnet {self.relation} {digest(self.wordnet.identity, esa)}"

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair of words; 0 where no part of speech is shared."""
        scores = np.zeros((len(left), len(right)))
        is_scored = np.zeros(scores.shape, np.bool_)
        for part in PartOfSpeech:
            rows, ours = self._most_common(left, part)
            columns, theirs = self._most_common(right, part)
            if not len(rows) or not len(columns):
                continue
            at = np.ix_(rows, columns)
            found = self._synset_scores(ours, theirs)
            found[np.equal.outer(ours, theirs)] = 1.0
            scores[at] = np.where(is_scored[at], scores[at], found)
            is_scored[at] = True
        return scores

    def guarded(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.bool_]:
        """None: WordNet's measures are taken as published."""
        return np.zeros((len(left), len(right)), np.bool_)

    def merged(self, phrase: Phrase) -> Phrase:
        """The phrase with WordNet's words of several words, such as `car park`, as one."""
        return self.wordnet.merged(phrase)

    def _most_common(
        self, words: Sequence[str], part: PartOfSpeech
    ) -> tuple[NDArray[np.int64], Synsets]:
        """The words that have a synset in this part of speech, and the most common one."""
        firsts = [
            (place, synset)
            for place, word in enumerate(words)
            if (synset := self.wordnet.first_sense(word, part)) is not None
        ]
        pairs = np.array(firsts, np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def _synset_scores(self, left: Synsets, right: Synsets) -> Scores:
        match self.relation:
            case Relation.JIANG_CONRATH:
                return np.asarray(1 / (1 + _distances(self.wordnet, left, right)), np.float64)
            case Relation.LIN:
                return _lin(self.wordnet, left, right)
            case Relation.PATH:
                return np.asarray(1 / (1 + self.wordnet.steps(left, right)), np.float64)
            case Relation.GLOSS:
                if self.esa is None:
                    raise ValueError("glosses are compared by ESA: give one")
                ours, theirs = ([self._document(one) for one in side] for side in (left, right))
                return self.esa.matrix(ours, theirs)

    def _document(self, synset: int) -> str:
        """The words and the gloss of a synset and of the kinds it is directly of."""
        every = [synset, *self.wordnet.hypernyms(synset).tolist()]
        return " ".join(f"{self.wordnet.name(one)} {self.wordnet.gloss(one)}" for one in every)


def _distances(wordnet: WordNet, left: Synsets, right: Synsets) -> Scores:
    """Jiang & Conrath's distances; infinite where nothing was counted."""
    ours, theirs = wordnet.content[left][:, None], wordnet.content[right][None, :]
    with np.errstate(invalid="ignore"):
        distances = ours + theirs - 2 * wordnet.shared_content(left, right)
    distances = np.where(np.isnan(distances), np.inf, np.maximum(distances, 0.0))
    distances[np.equal.outer(left, right)] = 0.0
    return distances


def _lin(wordnet: WordNet, left: Synsets, right: Synsets) -> Scores:
    total = wordnet.content[left][:, None] + wordnet.content[right][None, :]
    shared = wordnet.shared_content(left, right)
    is_counted = np.isfinite(total) & (total > 0)
    return np.divide(2 * shared, total, out=np.zeros_like(shared), where=is_counted)
