"""The plainest measure: the same words, or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from purport.model.term import folded
from purport.relatedness.measure import Scores


@dataclass(frozen=True, slots=True)
class Exact:
    """1 for terms whose case-folded, space-collapsed texts are equal, otherwise 0."""

    @property
    def identity(self) -> str:
        """What tells this measure's scores from another's."""
        return "exact"

    def score(self, left: str, right: str) -> float:
        """How related two terms are."""
        return float(folded(left) == folded(right))

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair."""
        return np.array([[self.score(a, b) for b in right] for a in left], np.float64).reshape(
            len(left), len(right)
        )
