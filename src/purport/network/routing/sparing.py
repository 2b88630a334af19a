"""Multicast trees that spare whoever has little left: better than the paper's routing, and ours.

Each publisher makes a tree for its event, in which everybody sends once, to all who go on from it;
what a node spends weighs more, the less it has left. Everybody's position, and the subscriptions,
are flooded at the beginning; later, in every fourth cycle, each node floods the level of its
battery if that has fallen to half of what it last was. A publisher makes its tree anew when
somebody in it is gone, when somebody who sends in it has come to a lower level, and when others
want the event. It then sends the tree along itself, so that everybody knows to whom it sends on.
What the publisher computes is counted: every look at a cost as one test.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purport.network.control import Control
from purport.network.dissemination import flooded, message_bits, told_subscriptions
from purport.network.energy import PER_NANOJOULE, Picojoules
from purport.network.multicast import Tree, arcs_of, grown_trees, weighing_of
from purport.network.multicast_kernel import Arcs
from purport.network.network import Network
from purport.network.topology import Pairs
from purport.network.traffic_kernel import Legs
from purport.network.ways import Ways, Why

Numbers = NDArray[np.int32]
Flags = NDArray[np.bool_]
Reals = NDArray[np.float64]

_NEAREST = 20  # who may be sent to beside linked neighbours
_STEP = 0.5  # from one level of a battery to the next
_LOWEST = 1e-3
_POSITION_BYTES, _LEVEL_BYTES = 6, 3
_NONE = np.empty(0, np.int32)
_TREE_BYTES, _NODE_BYTES = 3, 2  # a message with a tree, and with each node in it


class Sparing:
    """See above."""

    uses_links = True
    cycles = 4  # oftener costs more than it saves

    def __init__(self) -> None:
        self._trees: dict[int, Tree] = {}
        self._levels: Reals = np.empty(0)
        self._fallen: Flags = np.empty(0, np.bool_)  # whose level has, since trees were looked at
        self._full_pj: Picojoules = np.empty(0, np.int64)
        self._pairs: Pairs | None = None  # the links that there were when arcs were made
        self._arcs = Arcs(np.zeros(1, np.int32), _NONE, np.empty(0))

    def set_up(self, network: Network, newcomers: Numbers) -> Control:
        if not len(self._levels):
            self._full_pj = network.batteries.left_pj.copy()
            self._levels = np.ones(len(network))
            self._fallen = np.zeros(len(network), np.bool_)
        self._trees.clear()
        positions = message_bits(network, np.full(len(newcomers), _POSITION_BYTES))
        told = flooded(network, *told_subscriptions(network, newcomers))
        return told + flooded(network, newcomers, positions)

    def begin_cycle(self, network: Network, cycle: int) -> Control:
        left = np.maximum(network.batteries.left_pj / self._full_pj, _LOWEST)
        falling = network.up & (left < self._levels * _STEP)
        steps = np.floor(np.log(left[falling]) / np.log(_STEP))
        self._levels[falling] = _STEP**steps
        self._fallen |= falling
        telling = np.flatnonzero(falling).astype(np.int32)
        return flooded(network, telling, message_bits(network, np.full(len(telling), _LEVEL_BYTES)))

    def plan(self, network: Network) -> Control:
        publishers = network.publishers
        old = [
            publisher for publisher in publishers.tolist() if not self._is_good(network, publisher)
        ]
        made = np.array(old, np.int32)
        self._fallen[:] = False
        if not len(made):
            return Control.nothing(len(network))
        weighing = weighing_of(network, 1 / self._levels)
        if self._pairs is not network.pairs:  # links are made anew whenever nodes come, go or move
            self._pairs, self._arcs = network.pairs, arcs_of(network, _NEAREST)
        trees = grown_trees(network, weighing, self._arcs, made)
        changed = [
            tree
            for tree in trees
            if tree.publisher not in self._trees or not tree.is_like(self._trees[tree.publisher])
        ]
        self._trees |= {tree.publisher: tree for tree in trees}
        return self._computed(network, trees) + _sent(network, changed)

    def matching_pj(self, network: Network) -> Picojoules:
        asked = network.meaning.asks[network.up].any(axis=0)
        return network.meaning.descending_pj(np.asarray(asked))

    def ways(self, network: Network, publishers: Numbers) -> Ways:
        trees = [self._trees[publisher] for publisher in publishers.tolist()]
        ways = _joined(trees)
        missing = [(event, node) for event, tree in enumerate(trees) for node in tree.missing]
        if not missing:
            return ways
        event, node = np.array(missing, np.int32).T
        rows = network.trees.rows(publishers)[event]
        is_connected = network.trees.parents[rows, node] >= 0
        ways = ways.without(event[is_connected], node[is_connected], Why.FORBIDDEN)
        return ways.without(event[~is_connected], node[~is_connected], Why.UNCONNECTED)

    def clusters(self, network: Network) -> list[tuple[int, int]]:
        return []

    def _is_good(self, network: Network, publisher: int) -> bool:
        """Whether a publisher keeps its tree."""
        tree, kind = self._trees.get(publisher), int(network.published[publisher])
        if tree is None or tree.kind != kind or self._fallen[tree.senders].any():
            return False
        wanting = np.flatnonzero(network.meaning.wanted[kind] & network.up)
        return bool(network.up[tree.nodes].all()) and np.array_equal(wanting, tree.wanted)

    def _computed(self, network: Network, trees: list[Tree]) -> Control:
        computing = network.scenario.computing
        each = computing.instructions_per_test * computing.nj_per_instruction * PER_NANOJOULE
        work_pj = np.zeros(len(network), np.int64)
        for tree in trees:
            work_pj[tree.publisher] += round(tree.steps * each)
        return Control.computed(work_pj)


def _sent(network: Network, trees: list[Tree]) -> Control:
    """Trees go along themselves, to each sender with what lies behind it."""
    if not trees:
        return Control.nothing(len(network))
    ways = _joined(trees)
    below = np.concatenate([tree.below for tree in trees])
    bits = message_bits(network, _TREE_BYTES + _NODE_BYTES * below)
    return Control.of(
        network.hearing, ways.legs.source, (ways.legs.first, ways.legs.receivers), bits
    )


def _joined(trees: list[Tree]) -> Ways:
    """Trees as ways of events, in their order."""
    if not trees:
        return Ways.one_by_one(_NONE, _NONE, _NONE)
    counts = np.array([len(tree.senders) for tree in trees])
    copies = np.array([len(tree.receivers) for tree in trees])
    begin = np.repeat(np.cumsum(counts) - counts, counts)
    via = np.concatenate([tree.via for tree in trees])
    first = np.concatenate([tree.first[:-1] for tree in trees])
    first += np.repeat(np.cumsum(copies) - copies, counts)
    total = int(counts.sum())
    legs = Legs(
        np.repeat(np.arange(len(trees), dtype=np.int32), counts),
        np.concatenate([tree.senders for tree in trees]),
        np.where(via < 0, -1, via + begin).astype(np.int32),
        np.full(total, -1, np.int32),
        np.full(total, -1, np.int32),
        np.append(first, copies.sum()).astype(np.int64),
        np.concatenate([tree.receivers for tree in trees]),
        np.zeros(total, np.int64),
    )
    return Ways(legs, np.empty((0, 0), np.int32), np.empty((0, 3), np.int32))
