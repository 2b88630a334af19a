"""Weighted location-dependent wiring (SemPS'12, section 5).

Nodes come one after the other. Each is linked to those before it that minimise
`F_m(i, j) = H(1, i) + w_m · D(i, j)`, one for each weight: hops to the first node, and distance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled

Numbers = NDArray[np.int32]
Flags = NDArray[np.bool_]
Reals = NDArray[np.float64]

_FAR = 1 << 30


@compiled
def wire(
    positions: Reals,
    up: Flags,
    weights: Reals,
    reach: float,
    chosen: Numbers,
    hops: Numbers,
    first_edge: Numbers,
    edges: Numbers,
    queue: Numbers,
) -> None:
    """Fill in what is -1 in `chosen[node, weight]`, of nodes that are up, in their order.

    `positions` and `reach` are in sides of the field. `hops` are those to the first node that is
    up, as they come to be; `first_edge`, `edges[2 · links, 2]` and `queue` are room for them. Who
    has nobody in reach before it stays at -1.
    """
    for node in range(len(positions)):
        first_edge[node] = -1
        hops[node] = _FAR
    count, is_first = 0, True
    for node in range(len(positions)):
        if not up[node]:
            continue
        if is_first:
            hops[node] = 0
            is_first = False
        else:
            _choose(positions, up, weights, reach, chosen, hops, node)
            count = _link(chosen, hops, first_edge, edges, queue, node, count)


@compiled
def _choose(
    positions: Reals,
    up: Flags,
    weights: Reals,
    reach: float,
    chosen: Numbers,
    hops: Numbers,
    node: int,
) -> None:
    is_settled = True
    for place in range(len(weights)):
        is_settled = is_settled and chosen[node, place] >= 0
    if is_settled:
        return
    for place in range(len(weights)):
        if chosen[node, place] >= 0:
            continue
        least = np.inf
        for other in range(node):
            if not up[other] or hops[other] >= _FAR:
                continue
            distance = np.sqrt(
                (positions[node, 0] - positions[other, 0]) ** 2
                + (positions[node, 1] - positions[other, 1]) ** 2
            )
            value = hops[other] + weights[place] * distance
            if distance <= reach and value < least:
                least = value
                chosen[node, place] = other


@compiled
def _link(
    chosen: Numbers,
    hops: Numbers,
    first_edge: Numbers,
    edges: Numbers,
    queue: Numbers,
    node: int,
    count: int,
) -> int:
    """Link a node to whom it has chosen, and shorten the ways that are shorter through it."""
    for place in range(chosen.shape[1]):
        other = chosen[node, place]
        if other >= 0:
            hops[node] = min(hops[node], hops[other] + 1)
            edges[count, 0], edges[count, 1] = other, first_edge[node]
            first_edge[node] = count
            edges[count + 1, 0], edges[count + 1, 1] = node, first_edge[other]
            first_edge[other] = count + 1
            count += 2
    queue[0] = node
    taken, waiting = 0, 1
    while taken < waiting:
        here = queue[taken % len(queue)]
        taken += 1
        edge = first_edge[here]
        while edge >= 0:
            there = edges[edge, 0]
            if hops[there] > hops[here] + 1:
                hops[there] = hops[here] + 1
                queue[waiting % len(queue)] = there
                waiting += 1
            edge = edges[edge, 1]
    return count
