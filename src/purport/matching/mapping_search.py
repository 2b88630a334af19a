"""The best mappings of predicates to statements, by what each pair gains.

A mapping is a vector: for each predicate the number of its statement. Of mappings that gain the
same, the one with smaller numbers goes first, from the first predicate on. A pair that gains minus
infinity is not allowed.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from itertools import count, islice
from typing import NamedTuple

import numpy as np

from purport.matching.aggregation import rank
from purport.matching.frontier_kernel import Frontier, Vectors, take_best
from purport.relatedness.measure import Scores

Vector = tuple[int, ...]


class Ranked(NamedTuple):
    """Mappings, best first: a row of statements for each, and what each gains."""

    vectors: Vectors
    totals: Scores


def best_mappings(gains: Scores, most: int, *, one_to_one: bool = False) -> Ranked:
    """The best mappings, best first; fewer if there are no more."""
    if not gains.size or np.isneginf(gains.max(axis=1)).any():
        return Ranked(np.zeros((0, len(gains)), np.int32), np.zeros(0))
    if not one_to_one:
        return _frontier(gains, most)
    found = list(islice(_one_to_one(gains), most))
    vectors = np.array([vector for vector, _ in found], np.int32).reshape(-1, len(gains))
    return Ranked(vectors, np.array([total for _, total in found]))


def total_gain(gains: Scores, vector: Vector) -> float:
    """What a mapping gains; always added in the order of the predicates."""
    total = 0.0
    for row, column in enumerate(vector):
        total += float(gains[row, column])
    return total


def _frontier(gains: Scores, most: int) -> Ranked:
    """By the frontier of mappings that are next to those taken."""
    height = len(gains)
    widths = np.sum(~np.isneginf(gains), axis=1)
    most = min(most, math.prod(widths.tolist()))
    order = np.argsort(-gains, axis=1, kind="stable")
    room = most * height
    waiting = Frontier(
        np.empty(room, np.int32),
        np.empty(room, np.float64),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
    )
    steps, vectors = np.empty((most, height), np.int32), np.empty((most, height), np.int32)
    totals = np.empty(most, np.float64)
    count = take_best(gains, order, widths, waiting, steps, vectors, totals)
    return Ranked(vectors[:count], totals[:count])


def _one_to_one(gains: Scores) -> Iterator[tuple[Vector, float]]:
    """Murty's partition: the best assignment, then the best of what remains without it."""
    queue: list[tuple[float, Vector, int, Scores]] = []
    made = count()

    def push(allowed: Scores) -> None:
        vector = _first_assignment(allowed)
        if vector is not None:
            entry = rank(total_gain(gains, vector)), vector, next(made), allowed
            heapq.heappush(queue, entry)

    push(gains)
    while queue:
        _, vector, _, allowed = heapq.heappop(queue)
        yield vector, total_gain(gains, vector)
        for row, column in enumerate(vector):
            without = allowed.copy()
            without[row, column] = -np.inf
            push(without)
            allowed = _with_pair(allowed, row, column)


def _first_assignment(gains: Scores) -> Vector | None:
    """The best assignment of different statements, of equals the first; None if there is none."""
    best = _assignment(gains)
    if best is None:
        return None
    wanted = rank(total_gain(gains, best))
    for row in range(len(gains)):
        for column in range(best[row]):
            fixed = _with_pair(gains, row, column)
            other = _assignment(fixed) if np.isfinite(gains[row, column]) else None
            if other is not None and rank(total_gain(gains, other)) <= wanted:
                best = other
                break
        gains = _with_pair(gains, row, best[row])
    return best


def _assignment(gains: Scores) -> Vector | None:
    """One of the best assignments of different statements; None if there is none."""
    from scipy.optimize import linear_sum_assignment  # a fifth of a second: only 1:1 pays for it

    if gains.shape[0] > gains.shape[1]:
        return None
    try:
        _, columns = linear_sum_assignment(-gains)
    except ValueError:  # every assignment has a pair that is not allowed
        return None
    return tuple(int(column) for column in columns)


def _with_pair(gains: Scores, row: int, column: int) -> Scores:
    """The gains when a predicate is answered by this statement, and no other one is."""
    fixed = gains.copy()
    fixed[row] = -np.inf
    fixed[:, column] = -np.inf
    fixed[row, column] = gains[row, column]
    return fixed
