"""Measures of tests, told by what they make of one pair."""

from collections.abc import Sequence

import numpy as np

from purport.relatedness.measure import Scores


class Pairwise:
    """A measure whose matrix is made pair by pair, of its `score`."""

    def score(self, left: str, right: str) -> float:
        raise NotImplementedError

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        return np.array([[self.score(a, b) for b in right] for a in left], np.float64).reshape(
            len(left), len(right)
        )
