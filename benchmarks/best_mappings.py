"""How long do the k best mappings take, and how does that grow?

Beside it runs the same frontier in plain Python, with a heap and no duplicates.
"""

import heapq
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.finding import Finding, at_least, at_most, quickest_seconds
from purport.matching.mapping_search import best_mappings
from purport.plots import picture
from purport.relatedness.measure import Scores

PREDICATES, STATEMENTS, MAPPINGS = 20, 50, 100
PICTURE = Path("top-k.png")
_SIZES = (1, 2, 3, 4, 5)


def plain_frontier(gains: list[list[float]]) -> Iterator[tuple[int, ...]]:
    """The mappings, best first, as TOIT'14 gives the algorithm."""
    order = [sorted(range(len(row)), key=lambda column: -row[column]) for row in gains]

    def entry(steps: tuple[int, ...], last: int) -> tuple[float, tuple[int, ...], int]:
        total = sum(gains[row][order[row][step]] for row, step in enumerate(steps))
        return -total, steps, last

    queue = [entry((0,) * len(gains), 0)]
    while queue:
        _, steps, last = heapq.heappop(queue)
        yield tuple(order[row][step] for row, step in enumerate(steps))
        for row in range(last, len(gains)):
            if steps[row] + 1 < len(gains[row]):
                advanced = (*steps[:row], steps[row] + 1, *steps[row + 1 :])
                heapq.heappush(queue, entry(advanced, row))


def findings() -> Iterator[Finding]:
    gains = _gains(PREDICATES, STATEMENTS)
    listed = gains.tolist()
    found = best_mappings(gains, MAPPINGS)
    plain = list(islice(plain_frontier(listed), MAPPINGS))
    same = [tuple(vector) for vector in found.vectors.tolist()] == plain
    yield Finding("both find the same mappings", str(same), "True", same)
    ours = quickest_seconds(lambda: best_mappings(gains, MAPPINGS), runs=50)
    theirs = quickest_seconds(lambda: list(islice(plain_frontier(listed), MAPPINGS)))
    what = f"n = {PREDICATES}, m = {STATEMENTS}, k = {MAPPINGS}"
    yield at_most(f"{what}, in µs", 1e6 * ours, 150)
    yield at_least("plain Python takes", theirs / ours, 8, " x")
    growth = {
        "k": [(size * MAPPINGS, PREDICATES, STATEMENTS) for size in _SIZES],
        "m": [(MAPPINGS, PREDICATES, size * STATEMENTS) for size in _SIZES],
        "n": [(MAPPINGS, size * PREDICATES, STATEMENTS) for size in _SIZES],
    }
    with picture(PICTURE, 6.4, 4.0) as axes:
        for name, cases in growth.items():
            taken = [_seconds(*case) for case in cases]
            yield Finding(f"five times {name} takes", f"{taken[-1] / taken[0]:.1f} x")
            axes.plot(_SIZES, [one / taken[0] for one in taken], marker="o", label=name)
        axes.plot(_SIZES, [size**2 for size in _SIZES], ":", color="grey", label="quadratic")
        axes.plot(_SIZES, _SIZES, "--", color="grey", label="linear")
        axes.set(xlabel="times as large", ylabel="times as long", xticks=_SIZES)
        axes.set_title(f"The k best mappings, from {what}", loc="left")
        axes.legend(frameon=False)
    yield Finding("drawn", str(PICTURE))


def _gains(predicates: int, statements: int) -> Scores:
    return np.random.default_rng(1).random((predicates, statements))


def _seconds(mappings: int, predicates: int, statements: int) -> float:
    gains = _gains(predicates, statements)
    return quickest_seconds(lambda: best_mappings(gains, mappings), runs=20)
