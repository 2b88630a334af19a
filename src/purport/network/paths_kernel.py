"""The cheapest ways from a node to all others (Dijkstra), over flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled, inlined

Numbers = NDArray[np.int32]
Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]

_UNKNOWN, _KEPT, _LOST = 0, 1, 2


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
def mend_trees(
    graph: Graph,
    gone: Flags,
    news: Numbers,
    count: int,
    heap: Heap,
    marks: Numbers,
    parents: Numbers,
    hops: Numbers,
    costs: Reals,
) -> None:
    """Have the first rows be right again after some nodes have `gone` and links have come.

    `news` are the ends of new links. What lay behind a node that has gone is looked for anew; links
    between nodes that are there must still be there.
    """
    for row in range(count):
        _mend_tree(graph, gone, news, heap, marks, parents[row], hops[row], costs[row])


@compiled
def _mend_tree(
    graph: Graph,
    gone: Flags,
    news: Numbers,
    heap: Heap,
    marks: Numbers,
    parents: Numbers,
    hops: Numbers,
    costs: Reals,
) -> None:
    _mark_lost(gone, marks, parents)
    size = 0
    for node in range(len(parents)):
        heap.places[node] = -1
        if marks[node] == _LOST:
            parents[node], hops[node], costs[node] = -1, 0, np.inf
    for node in range(len(parents)):
        if marks[node] == _LOST and not gone[node]:
            size = _look_around(graph, heap, parents, hops, costs, node, size)
    for node in news:
        if not gone[node]:
            size = _look_around(graph, heap, parents, hops, costs, node, size)
    _settle(graph, heap, parents, hops, costs, size)


@inlined
def _mark_lost(gone: Flags, marks: Numbers, parents: Numbers) -> None:
    """Mark whoever has gone or has the source behind somebody who has."""
    for node in range(len(parents)):
        marks[node] = _UNKNOWN
        if gone[node]:
            marks[node] = _LOST
        elif parents[node] == node or parents[node] < 0:
            marks[node] = _KEPT if parents[node] == node else _LOST
    for node in range(len(parents)):
        top = node
        while marks[top] == _UNKNOWN:
            top = parents[top]
        mark, here = marks[top], node
        while marks[here] == _UNKNOWN:
            marks[here] = mark
            here = parents[here]


@inlined
def _look_around(
    graph: Graph,
    heap: Heap,
    parents: Numbers,
    hops: Numbers,
    costs: Reals,
    node: int,
    size: int,
) -> int:
    """Come to a node from its cheapest neighbour, if that is cheaper than before."""
    is_cheaper = False
    for link in range(graph.starts[node], graph.starts[node + 1]):
        there = graph.others[link]
        cost = costs[there] + graph.weights[link]
        if cost < costs[node]:
            costs[node], parents[node], hops[node] = cost, there, hops[there] + 1
            is_cheaper = True
    if is_cheaper:
        if heap.places[node] < 0:
            heap.places[node] = size
            size += 1
        rise(heap, costs, node)
    return size


@compiled
def _grow_tree(
    graph: Graph, source: int, heap: Heap, parents: Numbers, hops: Numbers, costs: Reals
) -> None:
    for node in range(len(parents)):
        parents[node], hops[node], costs[node], heap.places[node] = -1, 0, np.inf, -1
    parents[source], costs[source] = source, 0.0
    heap.nodes[0], heap.places[source] = source, 0
    _settle(graph, heap, parents, hops, costs, 1)


@inlined
def _settle(
    graph: Graph, heap: Heap, parents: Numbers, hops: Numbers, costs: Reals, size: int
) -> None:
    """Go on from the nodes that wait, the cheapest first."""
    while size:
        here = heap.nodes[0]
        size -= 1
        heap.places[here] = -1
        if size:
            sink(heap, costs, size, heap.nodes[size])
        for link in range(graph.starts[here], graph.starts[here + 1]):
            there = graph.others[link]
            cost = costs[here] + graph.weights[link]
            if cost < costs[there]:
                costs[there], parents[there], hops[there] = cost, here, hops[here] + 1
                if heap.places[there] < 0:
                    heap.places[there] = size
                    size += 1
                rise(heap, costs, there)


@inlined
def rise(heap: Heap, costs: Reals, node: int) -> None:
    """Move a node up to where it belongs, now that it costs less."""
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
def sink(heap: Heap, costs: Reals, size: int, node: int) -> None:
    """Put a node in at the top of a heap of so many, and move it down to where it belongs."""
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
