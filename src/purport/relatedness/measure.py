"""The protocol of a measure: how related are two terms?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


class Measure(Protocol):
    """How related two terms are: 0 is unrelated, 1 is the same meaning.

    Pure, deterministic and picklable; terms that say the same words score 1.
    """

    def score(self, left: str, right: str) -> float:
        """How related two terms are."""

    def matrix(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Scores of every pair; row i, column j is `score(left[i], right[j])`."""
