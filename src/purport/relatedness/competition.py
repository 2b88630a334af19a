"""Competition: a term is discounted for words of an event that another term explains better.

With o the odds of a score, and b those of the best score that a registered term has for the words,

    o' = o · (o / b)^rivalry        where o < b

Nothing counts as surer than 0.99: a word that a rival says itself may still be meant by a near one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from purport.relatedness.measure import Measure, Scores

RIVALRY_OF_VALUES = 0.75
RIVALRY_OF_NAMES = 0.2
_SUREST = 0.99
_MOST_REMEMBERED = 1_000_000


class RegisteredTerms:
    """The terms that compete, each with how often it was registered."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self.changes = 0

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def add(self, term: str) -> None:
        """Register a term, once more if it is here."""
        self._counts[term] += 1
        self.changes += self._counts[term] == 1

    def remove(self, term: str) -> None:
        """Take back one registration; `KeyError` if there is none."""
        if term not in self._counts:
            raise KeyError(term)
        self._counts[term] -= 1
        if not self._counts[term]:
            del self._counts[term]
            self.changes += 1


class Competing:
    """A measure under competition: what is asked for on the left, what an event says on the right.

    A score follows from the two terms and the terms that are registered, in one or more sets. The
    best scores are remembered until a set changes.
    """

    def __init__(self, measure: Measure, rivals: Sequence[RegisteredTerms], rivalry: float) -> None:
        self.measure = measure
        self.rivals = tuple(rivals)
        self.rivalry = rivalry
        self._best: dict[str, float] = {}
        self._changes: tuple[int, ...] = ()

    def __reduce__(self) -> tuple[object, ...]:
        return Competing, (self.measure, self.rivals, self.rivalry)

    def score(self, left: str, right: str) -> float:
        """How related two terms are, among those that are registered."""
        return float(self.matrix([left], [right])[0, 0])

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair, in single precision as those of tables are."""
        scores = self.measure.matrix(left, right)
        found = discounted(scores, self._best_scores(right), rivalry=self.rivalry)
        return found.astype(np.float32).astype(np.float64)

    def _best_scores(self, told: Sequence[str]) -> Scores:
        """For each term of an event, how well it is explained by the term that does it best."""
        changes = tuple(terms.changes for terms in self.rivals)
        if changes != self._changes or len(self._best) > _MOST_REMEMBERED:
            self._best, self._changes = {}, changes
        new = list(dict.fromkeys(term for term in told if term not in self._best))
        if new:
            registered = list(dict.fromkeys(term for terms in self.rivals for term in terms))
            best = self.measure.matrix(registered, new).max(axis=0, initial=0.0)
            self._best.update(zip(new, best.tolist(), strict=True))
        return np.array([self._best[term] for term in told], np.float64)


def discounted(scores: Scores, best: Scores, *, rivalry: float) -> Scores:
    """Scores, a column for each told term, after the best registered ones had their share."""
    ours, theirs = _odds(scores), _odds(best)[None, :]
    is_beaten = (ours < theirs) & (ours > 0)
    share = np.divide(ours, theirs, out=np.ones_like(ours), where=is_beaten) ** rivalry
    return np.where(is_beaten, ours * share / (1 + ours * share), scores)


def _odds(scores: Scores) -> Scores:
    surest = np.minimum(scores, _SUREST)
    return np.asarray(surest / (1 - surest), np.float64)
