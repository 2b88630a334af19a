"""Trees from publishers to all who want their events, kept as long as they are good."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from purport.network.multicast_kernel import (
    Arcs,
    Growing,
    Grown,
    Weighing,
    grow_all,
    shape,
    weigh_arcs,
)
from purport.network.network import Network
from purport.network.paths_kernel import Heap
from purport.network.scenario import Overhearing

Numbers = NDArray[np.int32]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]
Reals = NDArray[np.float64]

_AT_ONCE = 256  # trees that are grown together


@dataclass(frozen=True)
class Tree:
    """Who sends, in order, to `receivers[first[i]:first[i + 1]]`.

    `via` is the place of who has sent it to the sender before, -1 for the publisher. `below` counts
    the nodes behind each sender. `missing` are those who want the event, but are not in the tree;
    `steps` is how much there was to compute.
    """

    publisher: int
    kind: int
    wanted: Numbers
    nodes: Numbers
    senders: Numbers
    via: Numbers
    first: Places
    receivers: Numbers
    below: Numbers
    missing: Numbers
    steps: int

    def is_like(self, other: Tree) -> bool:
        """Whether the same send to the same."""
        return (
            np.array_equal(self.senders, other.senders)
            and np.array_equal(self.first, other.first)
            and np.array_equal(self.receivers, other.receivers)
        )


def arcs_of(network: Network, most: int) -> Arcs:
    """Who may send to whom: all linked neighbours, and so many of the nearest nodes in range."""
    up = np.flatnonzero(network.up)
    positions = network.positions[up]
    ranks = np.arange(1, min(most + 1, len(up)) + 1)
    found = cKDTree(positions).query(positions, k=ranks)
    distances, nearest = np.asarray(found[0]), np.asarray(found[1])
    row, column = np.nonzero(distances[:, 1:] <= network.scenario.radio.reach_m)
    column += 1
    one = np.concatenate((up[row], network.pairs[:, 0])).astype(np.int64)
    other = np.concatenate((up[nearest[row, column]], network.pairs[:, 1])).astype(np.int64)
    nodes = len(network)
    keys = np.sort(np.concatenate((one * nodes + other, other * nodes + one)))
    keys = keys[np.diff(keys, prepend=-1) > 0]
    one, other = keys // nodes, keys % nodes
    apart = ((network.positions[one] - network.positions[other]) ** 2).sum(axis=1)
    order = np.lexsort((other, apart, one))
    starts = np.searchsorted(one, np.arange(nodes + 1)).astype(np.int32)
    return Arcs(starts, other[order].astype(np.int32), np.zeros(len(order)))


def weighing_of(network: Network, weights: Reals) -> Weighing:
    """What nodes weigh, and what a bit of an event takes them."""
    energy, radio = network.air.energy, network.scenario.radio
    bits = 8 * (radio.header_bytes + radio.data_bytes + float(network.meaning.event_bytes.mean()))
    heard = {Overhearing.NOTHING: 0.0, Overhearing.HEADER: 8 * radio.header_bytes / bits}
    return Weighing(
        weights,
        network.positions,
        network.near,
        network.up,
        energy.electronics_pj_per_bit,
        energy.amplifier_pj_per_bit_m2,
        energy.electronics_pj_per_bit * heard.get(radio.overhearing, 1.0),
    )


def grown_trees(
    network: Network, weighing: Weighing, arcs: Arcs, publishers: Numbers
) -> list[Tree]:
    """A tree for each of some publishers."""
    weigh_arcs(weighing, arcs)
    groups = range(0, len(publishers), _AT_ONCE)
    return [
        tree
        for start in groups
        for tree in _grown(network, weighing, arcs, publishers[start : start + _AT_ONCE])
    ]


def _grown(network: Network, weighing: Weighing, arcs: Arcs, publishers: Numbers) -> list[Tree]:
    nodes, count = len(network), len(publishers)
    heap = Heap(np.empty(nodes + 1, np.int32), np.empty(nodes, np.int32))
    room = Growing(
        heap,
        np.empty(nodes),
        np.empty(nodes, np.int32),
        np.empty(nodes, np.int32),
        np.empty(nodes),
        np.empty(nodes),
        np.empty(nodes, np.int32),
    )
    grown = Grown(
        np.empty((count, nodes), np.int32),
        np.empty((count, nodes), np.int32),
        np.empty(count, np.int32),
        np.empty(count, np.int64),
    )
    wanted = network.wanted_by(publishers)
    limit = network.scenario.hop_limit
    reach_m2 = network.scenario.radio.reach_m**2
    grow_all(
        weighing,
        arcs,
        publishers,
        wanted,
        reach_m2,
        -1 if limit is None else limit,
        room,
        grown,
    )
    return [
        _tree(
            int(network.published[publisher]),
            np.flatnonzero(wanted[row]).astype(np.int32),
            grown.order[row, : grown.counts[row]].copy(),
            grown.parents[row],
            int(grown.steps[row]),
        )
        for row, publisher in enumerate(publishers.tolist())
    ]


def _tree(kind: int, wanted: Numbers, order: Numbers, parents: Numbers, steps: int) -> Tree:
    """Nodes in the order in which they joined, put together by who sends to them."""
    count = len(order)
    place, behind = np.empty(len(parents), np.int32), np.empty(count, np.int32)
    first, receivers = np.empty(count + 1, np.int64), np.empty(count - 1, np.int32)
    shape(order, parents, place, behind, first, receivers)
    sending = np.flatnonzero(first[1:] > first[:-1])
    senders = order[sending]
    via = np.searchsorted(sending, place[parents[senders]]).astype(np.int32)
    via[:1] = -1
    return Tree(
        int(order[0]),
        kind,
        wanted,
        order,
        senders,
        via,
        np.append(first[sending], count - 1),
        receivers,
        behind[sending],
        wanted[parents[wanted] < 0],
        steps,
    )
