"""A multicast tree grown one subscriber at a time, looking for paths anew each time."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterable

Cost = Callable[[int, int], float]


def plain_tree(
    publisher: int,
    wanted: Iterable[int],
    arcs: dict[int, list[int]],
    sending: Cost,
    receiving: Callable[[int], float],
    hop_limit: int | None = None,
) -> dict[int, int]:
    """Who sends to each node of the tree; `sending` is what it costs a node to send so far.

    A node of the tree that sends already pays only for what sending farther costs more.
    """
    parents = {publisher: publisher}
    spent: dict[int, float] = {publisher: 0.0}
    missing = set(wanted)
    while missing:
        found = _cheapest(parents, spent, missing, arcs, sending, receiving)
        if found is None:
            return parents
        end, before = found
        path = [end]
        while path[-1] not in parents:
            path.append(before[path[-1]])
        for node, tail in reversed(list(itertools.pairwise(path))):
            parents[node] = tail
            spent[node] = 0.0
            spent[tail] = max(spent[tail], sending(tail, node))
        missing -= set(path)
    return parents


def _cheapest(
    parents: dict[int, int],
    spent: dict[int, float],
    missing: set[int],
    arcs: dict[int, list[int]],
    sending: Cost,
    receiving: Callable[[int], float],
) -> tuple[int, dict[int, int]] | None:
    """Who of those who are missing costs least to reach, and who comes before whom on the way."""
    costs = dict.fromkeys(parents, 0.0)
    before: dict[int, int] = {}
    waiting = [(0.0, node) for node in parents]
    heapq.heapify(waiting)
    while waiting:
        cost, node = heapq.heappop(waiting)
        if cost > costs[node]:
            continue
        if node in missing:
            return node, before
        for other in arcs[node]:
            more = max(sending(node, other) - spent.get(node, 0.0), 0.0) + receiving(other)
            known = costs.get(other, math.inf)
            is_same = cost + more == known and node in parents and node < before[other]
            if other not in parents and (cost + more < known or is_same):
                costs[other], before[other] = cost + more, node
                heapq.heappush(waiting, (cost + more, other))
    return None
