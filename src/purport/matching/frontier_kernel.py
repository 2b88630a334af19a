"""The k best mappings by an evolving frontier (algorithm 1 of TOIT'14), over flat arrays.

A mapping is reached in one way only: from the best one on, a predicate's statement is exchanged for
its next best, at the place that was exchanged last or behind it. What waits in the frontier is
known by the mapping it comes from and the place of the exchange.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled
from purport.matching.aggregation import DIGITS
from purport.matching.flat_lists import Integers, Numbers, Places

Matrix = NDArray[np.float64]
Vectors = NDArray[np.int32]


class Frontier(NamedTuple):
    """What waits, as a heap of numbers of entries: rank, mapping it comes from, exchanged row."""

    heap: Integers
    ranks: Numbers
    origins: Integers
    rows: Integers


@compiled
def take_best(
    gains: Matrix,
    order: Places,
    widths: Places,
    frontier: Frontier,
    steps: Vectors,
    vectors: Vectors,
    totals: Numbers,
) -> int:
    """Write the best mappings, best first, as many as there is room for; how many there are.

    `order` ranks the statements of each row, of which `widths` are allowed. `steps` is room for
    the ranks of the statements in each mapping.
    """
    height = len(gains)
    waiting, entries, taken = 0, 0, 0
    for row in range(height):
        steps[0, row] = 0
    while taken < len(totals):
        first = 0
        if taken:
            if not waiting:
                break
            entry = frontier.heap[0]
            waiting -= 1
            frontier.heap[0] = frontier.heap[waiting]
            _sink(frontier, waiting, order, steps)
            for row in range(height):
                steps[taken, row] = steps[frontier.origins[entry], row]
            first = frontier.rows[entry]
            steps[taken, first] += 1
        total = 0.0
        for row in range(height):
            vectors[taken, row] = order[row, steps[taken, row]]
            total += gains[row, vectors[taken, row]]
        totals[taken] = total
        for row in range(first, height):
            if steps[taken, row] + 1 < widths[row]:
                frontier.origins[entries], frontier.rows[entries] = taken, row
                frontier.ranks[entries] = _rank(gains, order, steps, taken, row)
                frontier.heap[waiting] = entries
                _rise(frontier, waiting, order, steps)
                entries += 1
                waiting += 1
        taken += 1
    return taken


@compiled
def _rank(gains: Matrix, order: Places, steps: Vectors, origin: int, exchanged: int) -> float:
    """What a mapping is ordered by, smallest first: always added in the order of the predicates."""
    total = 0.0
    for row in range(len(gains)):
        total += gains[row, order[row, steps[origin, row] + (row == exchanged)]]
    rank: float = -np.floor(total * DIGITS + 0.5)
    return rank


@compiled
def _precedes(frontier: Frontier, one: int, other: int, order: Places, steps: Vectors) -> bool:
    """Whether an entry goes before another; among equals the one with smaller statements."""
    if frontier.ranks[one] != frontier.ranks[other]:
        return bool(frontier.ranks[one] < frontier.ranks[other])
    for row in range(len(order)):
        left = steps[frontier.origins[one], row] + (frontier.rows[one] == row)
        right = steps[frontier.origins[other], row] + (frontier.rows[other] == row)
        if left != right:
            return bool(order[row, left] < order[row, right])
    return False


@compiled
def _rise(frontier: Frontier, place: int, order: Places, steps: Vectors) -> None:
    heap = frontier.heap
    entry = heap[place]
    while place > 0:
        above = (place - 1) // 2
        if not _precedes(frontier, entry, heap[above], order, steps):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = entry


@compiled
def _sink(frontier: Frontier, size: int, order: Places, steps: Vectors) -> None:
    heap, place = frontier.heap, 0
    entry = heap[0]
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and _precedes(frontier, heap[below + 1], heap[below], order, steps):
            below += 1
        if not _precedes(frontier, heap[below], entry, order, steps):
            break
        heap[place] = heap[below]
        place = below
    if size:
        heap[place] = entry
