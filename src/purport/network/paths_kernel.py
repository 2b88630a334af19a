"""The cheapest ways from a node to all others (Dijkstra), over flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled, inlined

Numbers = NDArray[np.int32]
Reals = NDArray[np.float64]


class Graph(NamedTuple):
    """The links of node i are at `starts[i]` to `starts[i + 1]`."""

    starts: Numbers
    others: Numbers
    weights: Reals


class Heap(NamedTuple):
    """Nodes by what it costs to come to them; `places` is where they are, -1 if not there."""

    nodes: Numbers
    places: Numbers


@compiled
def grow_trees(
    graph: Graph,
    sources: Numbers,
    rows: Numbers,
    heap: Heap,
    parents: Numbers,
    hops: Numbers,
    costs: Reals,
) -> None:
    """For each source, fill in a row: who comes before each node, how many hops, what it costs.

    A node that cannot be reached has parent -1 and an infinite cost; a source is its own parent.
    """
    for number in range(len(sources)):
        row = rows[number]
        _grow_tree(graph, sources[number], heap, parents[row], hops[row], costs[row])


@compiled
def _grow_tree(
    graph: Graph, source: int, heap: Heap, parents: Numbers, hops: Numbers, costs: Reals
) -> None:
    for node in range(len(parents)):
        parents[node], hops[node], costs[node], heap.places[node] = -1, 0, np.inf, -1
    parents[source], costs[source] = source, 0.0
    heap.nodes[0], heap.places[source] = source, 0
    size = 1
    while size:
        here = heap.nodes[0]
        size -= 1
        heap.places[here] = -1
        if size:
            _sink(heap, costs, size, heap.nodes[size])
        for link in range(graph.starts[here], graph.starts[here + 1]):
            there = graph.others[link]
            cost = costs[here] + graph.weights[link]
            if cost < costs[there]:
                costs[there], parents[there], hops[there] = cost, here, hops[here] + 1
                if heap.places[there] < 0:
                    heap.places[there] = size
                    size += 1
                _rise(heap, costs, there)


@inlined
def _rise(heap: Heap, costs: Reals, node: int) -> None:
    place = heap.places[node]
    while place > 0:
        above = (place - 1) >> 1
        other = heap.nodes[above]
        if costs[other] <= costs[node]:
            break
        heap.nodes[place], heap.places[other] = other, place
        place = above
    heap.nodes[place], heap.places[node] = node, place


@inlined
def _sink(heap: Heap, costs: Reals, size: int, node: int) -> None:
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and costs[heap.nodes[below + 1]] < costs[heap.nodes[below]]:
            below += 1
        other = heap.nodes[below]
        if costs[node] <= costs[other]:
            break
        heap.nodes[place], heap.places[other] = other, place
        place = below
    heap.nodes[place], heap.places[node] = node, place
