"""A network in the course of a run: where nodes are, who lives, who is linked, what is left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purport.network.control import Control
from purport.network.control_kernel import Hearing
from purport.network.energy import For, Picojoules
from purport.network.meaning import Meaning
from purport.network.paths import Trees, graph_of
from purport.network.scenario import Overhearing, Scenario
from purport.network.topology import Pairs, Positions, Topology
from purport.network.traffic import Air

Numbers = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass
class Batteries:
    """What nodes have left and have spent, in picojoules; `fell` are those that have just died."""

    left_pj: Picojoules
    spent_pj: Picojoules  # rows as in `For`
    alive: Flags
    fell: Flags

    @classmethod
    def charged(cls, full_pj: Picojoules) -> Batteries:
        """As at the beginning."""
        nodes = len(full_pj)
        spent = np.zeros((len(For), nodes), np.int64)
        return cls(full_pj.copy(), spent, np.ones(nodes, np.bool_), np.zeros(nodes, np.bool_))

    def pay(self, cost_pj: Picojoules, purpose: For) -> None:
        """Everybody who lives pays; who cannot gives what it has left, and dies."""
        asked = np.where(self.alive, cost_pj, 0)
        paid = np.minimum(asked, self.left_pj)
        self.left_pj -= paid
        self.spent_pj[purpose] += paid
        dying = paid < asked
        self.fell |= dying
        self.alive &= ~dying


class Network:
    """Nodes by their numbers; who is `away` has left and may come back.

    `published` is what each node publishes now, -1 if nothing; `died` the round in which it died, 0
    while it lives. `pairs` are the links, `trees` the cheapest paths along them, by what amplifiers
    take: the squares of distances.
    """

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        meaning: Meaning,
        places: tuple[Positions, Topology],
        full_pj: Picojoules,
    ) -> None:
        self.scenario, self.seed, self.meaning = scenario, seed, meaning
        self.positions, self._topology = places
        self.batteries = Batteries.charged(full_pj)
        self.away = np.zeros(len(full_pj), np.bool_)
        self.died = np.zeros(len(full_pj), np.int32)
        self.published = meaning.published.copy()
        self.air = Air.of(scenario.radio)
        self.clock_s = np.zeros(len(full_pj))  # by how much each clock is wrong
        self.round = 0
        self.control = Control.nothing(len(full_pj))
        self.pairs: Pairs = np.empty((0, 2), np.int32)
        self.near = self._near()
        self.link(np.ones(len(full_pj), np.bool_))

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def up(self) -> Flags:
        """Who lives and is there."""
        found: Flags = self.batteries.alive & ~self.away
        return found

    @property
    def publishers(self) -> Numbers:
        """Who publishes now."""
        return np.flatnonzero(self.up & (self.published >= 0)).astype(np.int32)

    @property
    def subscribers(self) -> Numbers:
        """Who is there and has a subscription."""
        return np.flatnonzero(self.up & self.meaning.asks.any(axis=1)).astype(np.int32)

    @property
    def hearing(self) -> Hearing:
        """Who hears whom now, and what that takes."""
        return self.air.hearing(self.positions, self.up, self.near)

    def wanted_by(self, publishers: Numbers) -> Flags:
        """Which node, by columns, is due the event of which publisher."""
        found: Flags = self.meaning.wanted[self.published[publishers]] & self.up
        return found

    def link(self, moved: Flags) -> Pairs:
        """Link those that are there now, after some have moved or come back; the new links."""
        nodes, up, before = len(self), self.up, self.pairs
        self.pairs = self._topology.links(self.positions, up, moved)
        one, other = self.pairs.T
        weights = ((self.positions[one] - self.positions[other]) ** 2).sum(axis=1)
        is_new = ~np.isin(_keys(self.pairs, nodes), _keys(before, nodes))
        graphs = (
            graph_of(nodes, self.pairs, weights),
            graph_of(nodes, self.pairs, np.ones(len(one))),
        )
        if moved.any():
            self.trees, self.hop_trees = map(Trees, graphs)
        else:
            for trees, graph in zip((self.trees, self.hop_trees), graphs, strict=True):
                trees.mend(graph, ~up, self.pairs[is_new])
        return self.pairs[is_new]

    def move(self, positions: Positions) -> None:
        """Nodes are somewhere else."""
        self.positions = positions
        self.near = self._near()

    def pay_control(self, control: Control) -> None:
        """Control messages were sent."""
        self.control += control
        self.batteries.pay(np.where(self.up, control.cost_pj, 0), For.CONTROL)
        self.batteries.pay(np.where(self.up, control.work_pj, 0), For.COMPUTATION)

    def _near(self) -> Numbers:
        """All other nodes by their distance from each, where somebody may overhear."""
        nodes = len(self.positions)
        if self.scenario.radio.overhearing is Overhearing.NOTHING:
            return np.empty((nodes, 0), np.int32)
        found = np.empty((nodes, nodes - 1), np.int32)
        for node in range(nodes):
            apart = ((self.positions - self.positions[node]) ** 2).sum(axis=1)
            apart[node] = -1.0
            found[node] = np.argsort(apart, kind="stable")[1:]
        return found


def _keys(pairs: Pairs, nodes: int) -> NDArray[np.int64]:
    found: NDArray[np.int64] = pairs[:, 0].astype(np.int64) * nodes + pairs[:, 1]
    return found
