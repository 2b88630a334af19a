"""The best mappings of predicates to statements, by what each pair gains.

A mapping is a vector: for each predicate the number of its statement. Of mappings that gain the
same, the one with smaller numbers goes first, from the first predicate on. A pair that gains minus
infinity is not allowed.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice

import numpy as np

from purport.relatedness.measure import Scores

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A mapping and what it gains."""

    vector: Vector
    total: float


def best_mappings(gains: Scores, most: int, *, one_to_one: bool = False) -> list[Found]:
    """The best mappings, best first; fewer if there are no more."""
    if not gains.size or np.isneginf(gains.max(axis=1)).any():
        return []
    found = _one_to_one(gains) if one_to_one else _frontier(gains)
    return list(islice(found, most))


def total_gain(gains: Scores, vector: Vector) -> float:
    """What a mapping gains; always added in the order of the predicates."""
    return sum(float(gains[row, column]) for row, column in enumerate(vector))


def _frontier(gains: Scores) -> Iterator[Found]:
    """Algorithm 1 of TOIT'14: a queue of vectors next to those taken, best first.

    A vector is reached in one way only: it is advanced at the last place that was advanced, or
    behind it.
    """
    order = np.argsort(-gains, axis=1, kind="stable")
    widths = np.sum(~np.isneginf(gains), axis=1)

    def entry(steps: Vector, last: int) -> tuple[float, Vector, Vector, int]:
        vector = tuple(int(order[row, step]) for row, step in enumerate(steps))
        return _rank(total_gain(gains, vector)), vector, steps, last

    queue = [entry((0,) * len(gains), 0)]
    while queue:
        _, vector, steps, last = heapq.heappop(queue)
        yield Found(vector, total_gain(gains, vector))
        for row in range(last, len(gains)):
            if steps[row] + 1 < widths[row]:
                advanced = (*steps[:row], steps[row] + 1, *steps[row + 1 :])
                heapq.heappush(queue, entry(advanced, row))


def _one_to_one(gains: Scores) -> Iterator[Found]:
    """Murty's partition: the best assignment, then the best of what remains without it."""
    queue: list[tuple[float, Vector, int, Scores]] = []
    made = count()

    def push(allowed: Scores) -> None:
        vector = _first_assignment(allowed)
        if vector is not None:
            entry = _rank(total_gain(gains, vector)), vector, next(made), allowed
            heapq.heappush(queue, entry)

    push(gains)
    while queue:
        _, vector, _, allowed = heapq.heappop(queue)
        yield Found(vector, total_gain(gains, vector))
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
    wanted = _rank(total_gain(gains, best))
    for row in range(len(gains)):
        for column in range(best[row]):
            fixed = _with_pair(gains, row, column)
            other = _assignment(fixed) if np.isfinite(gains[row, column]) else None
            if other is not None and _rank(total_gain(gains, other)) <= wanted:
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


def _rank(total: float) -> float:
    """What mappings are ordered by, smallest first: totals that differ by rounding are equal."""
    return -round(total, 12)
