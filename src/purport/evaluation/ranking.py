"""How good a ranking is, against a ground truth.

Precision and recall are averaged over subscriptions at each of eleven levels of recall, and the
score is the best F1 of the averages (TOIT'14, 6.1). A cut-off takes in all events with the same
probability; precision is what it is at the cut-off, not interpolated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEVELS = tuple(level / 10 for level in range(11))

Values = NDArray[np.float64]
Truth = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Effectiveness:
    """Averages over subscriptions, and their F1."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def best_effectiveness(probabilities: Sequence[Values], truths: Sequence[Truth]) -> Effectiveness:
    """The best over the levels of recall; subscriptions without a relevant event are left out."""
    curves = [
        _cut_offs(ranked, truth)
        for ranked, truth in zip(probabilities, truths, strict=True)
        if truth.any()
    ]
    averages = np.mean(curves, axis=0)
    return max((Effectiveness(*pair) for pair in averages), key=lambda one: one.f1)


def effectiveness_at(
    threshold: float, probabilities: Sequence[Values], truths: Sequence[Truth]
) -> Effectiveness:
    """With one fixed threshold; a subscription that finds nothing has precision 0."""
    found = []
    for ranked, truth in zip(probabilities, truths, strict=True):
        if truth.any():
            taken = ranked >= threshold
            right = int(np.sum(taken & truth))
            found.append((right / max(1, int(np.sum(taken))), right / int(np.sum(truth))))
    return Effectiveness(*np.mean(found, axis=0))


def _cut_offs(probabilities: Values, truth: Truth) -> list[tuple[float, float]]:
    """Precision and recall at the first cut-off that reaches each level of recall."""
    order = np.argsort(-probabilities, kind="stable")
    ranked = np.round(probabilities[order], 9)
    right = np.cumsum(truth[order])
    ends = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    recalls, precisions = right[ends] / right[-1], right[ends] / (ends + 1)
    places = np.searchsorted(recalls, np.array(LEVELS) - 1e-12)
    return [(float(precisions[place]), float(recalls[place])) for place in places]
