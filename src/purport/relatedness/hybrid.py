"""The hybrid measure of DEBS'12: WordNet ranks an event's attributes, ESA says how near they are.

Equation 14, with m = 5 and the rank of an attribute e among those of the event, by Jiang-Conrath:

    f_P(s, e) = min(1, (m - rank(s, e) + 1) · ESA(s, e))        for the top m, and 0 for the others
    f_V(s, e) = ESA(s, e)

Attributes that Jiang-Conrath finds equally near share the better rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purport.relatedness.measure import Measure, Scores

BEST_RANKED = 5


@dataclass(frozen=True, slots=True)
class Hybrid:
    """An event measure for attributes (`rows`), and ESA for values (`score`, `matrix`)."""

    esa: Measure
    wordnet: Measure
    best_ranked: int = BEST_RANKED

    def rows(self, attribute: str, event_attributes: Sequence[str]) -> Scores:
        """How well each of an event's attributes answers the one asked for."""
        factors = np.maximum(self.best_ranked - self._ranks(attribute, event_attributes) + 1, 0)
        esa = self.esa.matrix([attribute], event_attributes)[0]
        return np.asarray(np.minimum(1.0, factors * esa), np.float64)

    def candidates(self, attribute: str, event_attributes: Sequence[str]) -> NDArray[np.bool_]:
        """Which of an event's attributes may answer at all: Top_m, equation 15."""
        return self._ranks(attribute, event_attributes) <= self.best_ranked

    def _ranks(self, attribute: str, event_attributes: Sequence[str]) -> NDArray[np.int64]:
        near = self.wordnet.matrix([attribute], event_attributes)[0]
        return np.asarray(1 + np.sum(near[None, :] > near[:, None], axis=1), np.int64)

    def score(self, left: str, right: str) -> float:
        """How related two values are."""
        return self.esa.score(left, right)

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair of values."""
        return self.esa.matrix(left, right)
