"""From similarities of predicates to the probability of a mapping.

    mean        p = (s_1 + ... + s_n) / n                    equation 9 of TOIT'14
    harmonic    p = n / (1/s_1 + ... + 1/s_n)

Of an approximate predicate no similarity counts as less than a floor, or a single word that a
measure does not know would undo all the others under the harmonic mean.
"""

from __future__ import annotations

import math

import numpy as np

from purport.model.subscription import Aggregation
from purport.relatedness.measure import Scores

FLOOR = 0.005
ROUNDING = 5e-7  # what scores kept in single precision may take from a probability
DIGITS = 1e12  # totals and probabilities that differ by less than one over this are equal


def rank(value: float) -> int:
    """What totals and probabilities are sorted by: the smaller, the better."""
    return -math.floor(value * DIGITS + 0.5)


def gains(similarities: Scores, aggregation: Aggregation, floors: Scores) -> Scores:
    """What similarities, a row for each predicate, add to the total of a mapping."""
    if aggregation is Aggregation.MEAN:
        return similarities
    with np.errstate(divide="ignore"):
        return -1.0 / np.maximum(similarities, floors[:, None])


def probability(total: float, count: int, aggregation: Aggregation) -> float:
    """The probability of a mapping of so many predicates, whose gains add up to a total."""
    if aggregation is Aggregation.MEAN:
        return min(1.0, max(0.0, total / count))
    return min(1.0, count / -total)
