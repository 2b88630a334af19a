"""Weighted wiring, with hops to the first node found anew whenever a node has been linked."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence


def hops_from(first: int, links: set[tuple[int, int]]) -> dict[int, int]:
    found, waiting = {first: 0}, deque([first])
    while waiting:
        node = waiting.popleft()
        for pair in links:
            if node in pair:
                other = pair[0] if pair[1] == node else pair[1]
                if other not in found:
                    found[other] = found[node] + 1
                    waiting.append(other)
    return found


def plain_wiring(
    places: Sequence[tuple[float, float]],
    weights: Sequence[float],
    kept: dict[int, list[int | None]],
    present: Sequence[int],
) -> dict[int, list[int | None]]:
    """Whom each node has chosen, by weights; what was `kept` of an earlier choice stays."""
    chosen: dict[int, list[int | None]] = {}
    links: set[tuple[int, int]] = set()
    for node in present:
        if not chosen:
            chosen[node] = [None] * len(weights)
            continue
        hops = hops_from(present[0], links)
        before = list(chosen)
        picks: list[int | None] = []
        for place, weight in enumerate(weights):
            old = kept.get(node, [None] * len(weights))[place]
            values = [
                (hops[one] + weight * math.dist(places[one], places[node]), one) for one in before
            ]
            picks.append(old if old is not None else min(values)[1])
        chosen[node] = picks
        links |= {(one, node) for one in picks if one is not None}
    return chosen
