"""Which prime goes to which name, so that codes are short."""

from __future__ import annotations

import math
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from purport.ontology.closure import Lists
from purport.ontology.primes import first_primes

Lengths = NDArray[np.float64]
Weights = NDArray[np.int64]

_ROUNDS = 60
_STEEPEST = 2**20


class Objective(StrEnum):
    """What is to be short: all codes together, or the longest one."""

    TOTAL = "total"
    LONGEST = "longest"


def assigned_genes(lineage: Lists, objective: Objective) -> list[int]:
    """A prime for each group of names, larger than those of its ancestors.

    A prime is in the code of its group and of all below it, so all codes together are shortest when
    the smallest primes go to those with the most descendants. A parent has more than its child.
    """
    flat = _Flat(lineage)
    primes = np.array(first_primes(flat.count), np.int64)
    weights = np.ones(flat.count, np.int64)
    genes = flat.by_weight(weights, primes)
    if objective is Objective.LONGEST and flat.count:
        genes = _with_short_longest(flat, primes, genes)
    elif flat.count:
        genes = _with_filled_bits(flat, genes)
    found: list[int] = genes.tolist()
    return found


def _with_short_longest(flat: _Flat, primes: Weights, genes: Weights) -> Weights:
    """Genes that make the longest code shorter than the given ones do, if any are found.

    Round by round the groups with long codes weigh more (multiplicative weights), so that what is
    above them gets smaller primes.
    """
    best, shortest = genes, flat.lengths(genes).max()
    pressure = np.zeros(flat.count)
    for number in range(_ROUNDS):
        lengths = flat.lengths(genes)
        pressure += (lengths / lengths.max()) ** 8 / math.sqrt(number + 1)
        steep = np.exp2(20 * (pressure / pressure.max() - 1) * min(1.0, (number + 1) / 10))
        genes = flat.by_weight(1 + (_STEEPEST * steep).astype(np.int64), primes)
        longest = flat.lengths(genes).max()
        if longest < shortest:
            best, shortest = genes, longest
    return best


def _with_filled_bits(flat: _Flat, genes: Weights) -> Weights:
    """The primes of the leaves in another order, which makes more codes end within a bit.

    A code takes one bit less when the parts of a bit that a leaf's prime and its inherited genes
    need do not make up a whole one. Most pairs fit when every prime, from the one that leaves the
    least room, takes the leaf that needs the least, if there is room for that.
    """
    leaves = flat.leaves()
    primes = genes[leaves]
    needed = (flat.lengths(genes)[leaves] - np.log2(primes)) % 1
    left = 1 - np.log2(primes) % 1
    by_need, by_room = np.argsort(needed, kind="stable"), np.argsort(left, kind="stable")
    fitting: list[int] = []
    others: list[int] = []
    for prime in by_room.tolist():
        has_room = needed[by_need[len(fitting)]] < left[prime]
        (fitting if has_room else others).append(prime)
    better = genes.copy()
    better[leaves[by_need]] = primes[fitting + others]
    return better


class _Flat:
    """The lineages of groups as arrays."""

    def __init__(self, lineage: Lists) -> None:
        starts = np.array(lineage.starts, np.int64)
        self.count = len(starts) - 1
        self._starts = starts[:-1]
        self._sizes = np.diff(starts)
        self._items = np.array(lineage.items, np.int64)

    def by_weight(self, weights: Weights, primes: Weights) -> Weights:
        """The smallest primes to those that weigh most with all below them.

        Sums of whole numbers are exact, and of equal ones the first comes first, so that no group
        comes before its ancestors.
        """
        below = np.bincount(
            self._items, weights=np.repeat(weights, self._sizes), minlength=self.count
        )
        genes = np.zeros(self.count, np.int64)
        genes[np.argsort(-below, kind="stable")] = primes
        return genes

    def leaves(self) -> Weights:
        """The groups without descendants."""
        return np.flatnonzero(np.bincount(self._items, minlength=self.count) == 1)

    def lengths(self, genes: Weights) -> Lengths:
        """How long the code of each group is, in bits."""
        return np.add.reduceat(np.log2(genes)[self._items], self._starts)
