"""SemPS'12, section 4.2: a polyhierarchy of subscriptions, cut into clusters that rotate.

Events go to the overlay (heads, and whoever is in no cluster that matches) by minimum transmission
energy, down the polyhierarchy. In its cluster a head sends once, as far as to some of its members,
and to those farther off by links: as far as it takes least in all, where what the head spends
weighs more the less it has left, compared with its members when they joined. Heads announce
themselves and what they ask for by flooding, members join with a message along links. Whom a member
of several clusters has an event from, and who passes one on, follows from what all have been told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purport.network.clustering import Clusters, Election
from purport.network.control import Control
from purport.network.dissemination import flooded, message_bits, relayed, told_subscriptions
from purport.network.energy import Picojoules
from purport.network.network import Network
from purport.network.polyhierarchy import told
from purport.network.routing.overlay import Family, Overlay
from purport.network.ways import WayBuilder, Ways, Why

Numbers = NDArray[np.int32]
Flags = NDArray[np.bool_]

_JOINING_BYTES = 6  # who, what it has left, and the order in which it prefers its heads


_HEAVIEST = 10.0  # what a head spends weighs at most so much more or less
_PUBLISHER, _NOBODY = -1, -2  # who passes an event on, if it is none of the overlay


@dataclass(frozen=True)
class _Served:
    """How a head serves the members that want an event, and what it takes to see who does."""

    at_once: tuple[int, ...]
    by_links: tuple[int, ...]
    row: int
    work_pj: int


class SemPS:
    """See above."""

    uses_links = True
    cycles = 1

    def __init__(self) -> None:
        self._election: Election | None = None
        self._clusters = Clusters(np.empty(0, np.int32), np.empty((0, 0), np.bool_))
        self._weights: dict[int, float] = {}  # of what heads spend
        self._works: dict[int, Picojoules] = {}  # what it takes them to look through their members
        self._knows: Flags = np.empty((0, 0), np.bool_)
        self._families: dict[int, Family] = {}
        self._overlays: dict[int, tuple[Overlay, dict[int, _Served]]] = {}

    def set_up(self, network: Network, newcomers: Numbers) -> Control:
        if not len(self._knows):
            self._knows = np.zeros((len(network), len(network)), np.bool_)
        found = told(network, newcomers)
        for node in set(found.nodes.tolist()):
            self._knows[:, node] = found.known[found.nodes == node].all(axis=0)
        self._families.clear()
        return found.control

    def begin_cycle(self, network: Network, cycle: int) -> Control:
        if self._election is None:
            share = network.scenario.clusters.share
            self._election = Election(share, len(network), network.seed)
        meaning, subscribers = network.meaning, network.subscribers
        heads = self._election.heads(cycle, subscribers)
        self._clusters = Clusters.of(heads, subscribers, meaning.asks, meaning.covers)
        announced = flooded(network, *told_subscriptions(network, heads))
        row, member = np.nonzero(self._clusters.joined)
        bits = message_bits(network, np.full(len(row), _JOINING_BYTES))
        joined = relayed(network, member.astype(np.int32), heads[row], bits)
        self._look_at_members(network)
        return announced + joined

    def plan(self, network: Network) -> Control:
        self._overlays.clear()
        return Control.nothing(len(network))

    def matching_pj(self, network: Network) -> Picojoules:
        """Publishers go down the polyhierarchy of those who may be in the overlay."""
        up = network.up
        is_head = np.isin(np.arange(len(network)), self._clusters.heads)
        is_member = self._clusters.joined[up[self._clusters.heads]].any(axis=0)
        asked = network.meaning.asks[up & (is_head | ~is_member)].any(axis=0)
        return network.meaning.descending_pj(np.asarray(asked))

    def ways(self, network: Network, publishers: Numbers) -> Ways:
        known = np.flatnonzero(network.meaning.wanted[network.published[publishers]].any(axis=0))
        network.trees.rows(known[network.up[known]])  # all at once, where they are not there yet
        rows = network.trees.rows(publishers).tolist()
        builder = WayBuilder()
        for event, publisher in enumerate(publishers.tolist()):
            overlay, served = self._overlay(network, int(network.published[publisher]))
            _Event(network, builder, event, publisher, rows[event]).pass_on(overlay, served)
        return builder.ways(network.trees.parents)

    def clusters(self, network: Network) -> list[tuple[int, int]]:
        return self._clusters.pairs(network.up)

    def _look_at_members(self, network: Network) -> None:
        """What heads learn when members join."""
        left, asks = network.batteries.left_pj, network.meaning.asks
        self._weights, self._works = {}, {}
        for head, members in zip(self._clusters.heads.tolist(), self._clusters.joined, strict=True):
            mean = left[members].mean() if members.any() else left[head]
            weight = float(mean) / max(int(left[head]), 1)
            self._weights[head] = min(max(weight, 1 / _HEAVIEST), _HEAVIEST)
            asked = np.asarray(asks[members].any(axis=0))
            self._works[head] = network.meaning.descending_pj(asked)

    def _overlay(self, network: Network, kind: int) -> tuple[Overlay, dict[int, _Served]]:
        """The overlay of an event, and how the heads in it serve their members."""
        if kind not in self._overlays:
            if kind not in self._families:
                self._families[kind] = Family.of(network.meaning, kind, self._knows)
            overlay = Overlay.of(network, self._families[kind], self._clusters)
            served = {
                place: self._served(network, kind, int(overlay.nodes[place]), members)
                for place, members in overlay.members.items()
            }
            self._overlays[kind] = overlay, served
        return self._overlays[kind]

    def _served(self, network: Network, kind: int, head: int, members: Numbers) -> _Served:
        """Which members to serve at once: the nearest ones, as many as it takes least with."""
        energy, trees = network.air.energy, network.trees
        row = int(trees.rows([head])[0])
        apart = ((network.positions[members] - network.positions[head]) ** 2).sum(axis=1)
        order = np.argsort(apart, kind="stable")
        members, apart = members[order], apart[order]
        electronics, amplifier = energy.electronics_pj_per_bit, energy.amplifier_pj_per_bit_m2
        by_links = (
            2 * electronics * trees.hops[row, members] + amplifier * trees.costs[row, members]
        )
        rest = np.concatenate((np.cumsum(by_links[::-1])[::-1], [0.0]))
        sending = electronics + amplifier * network.air.reached(apart)
        sending[apart > network.scenario.radio.reach_m**2] = np.inf
        at_once = self._weights[head] * sending + electronics * np.arange(1, len(members) + 1)
        count = int((rest + np.concatenate(([0.0], at_once))).argmin())
        nodes = members.tolist()
        work_pj = int(self._works[head][kind])
        return _Served(tuple(nodes[:count]), tuple(nodes[count:]), row, work_pj)


@dataclass(frozen=True)
class _Event:
    """An event on its way."""

    network: Network
    builder: WayBuilder
    event: int
    publisher: int
    row: int

    def pass_on(self, overlay: Overlay, served: dict[int, _Served]) -> None:
        """Add its legs: to the overlay, who passes it on before those it passes it on to."""
        trees, nodes = self.network.trees, overlay.nodes.tolist()
        own_work_pj = self.network.meaning.own_work_pj[self.network.published[self.publisher]]
        feeders, hops = self._feeders(overlay)
        legs: dict[int, int] = {}
        for place in np.argsort(feeders, kind="stable").tolist():
            feeder, node = feeders[place], nodes[place]
            if feeder == _PUBLISHER and trees.parents[self.row, node] >= 0:
                legs[place] = self.builder.along(self.event, self.publisher, node, self.row)
            elif feeder in legs:
                row, work_pj = int(overlay.rows[feeder]), int(own_work_pj[node])
                legs[place] = self.builder.along(
                    self.event, nodes[feeder], node, row, legs[feeder], work_pj
                )
            else:
                self._give_up(node)
        for place, how in served.items():
            if place in legs:
                self._pass_on_to_members(nodes[place], how, legs[place], hops[place])
            else:
                for node in (*how.at_once, *how.by_links):
                    self._from_publisher(node)

    def _feeders(self, overlay: Overlay) -> tuple[list[int], list[int]]:
        """From whom each of the overlay has it, by places, and after how many hops."""
        trees = self.network.trees
        limit = self.network.scenario.hop_limit
        costs = trees.costs[self.row, overlay.nodes]
        if limit is None:
            feeders = np.where(costs <= overlay.costs, _PUBLISHER, overlay.best).tolist()
            return feeders, [0] * len(feeders)
        return self._feeders_within(overlay, limit)

    def _feeders_within(self, overlay: Overlay, limit: int) -> tuple[list[int], list[int]]:
        """The same with limited hops: the cheapest of those from whom they are not too many."""
        trees = self.network.trees
        feeders: list[int] = []
        hops: list[int] = []
        for place, node in enumerate(overlay.nodes.tolist()):
            options = [(trees.costs[self.row, node], _PUBLISHER, int(trees.hops[self.row, node]))]
            for feeder in np.flatnonzero(overlay.feeds[:, place]).tolist():
                if feeders[feeder] != _NOBODY:
                    row = overlay.rows[feeder]
                    count = hops[feeder] + int(trees.hops[row, node])
                    options.append((trees.costs[row, node], feeder, count))
            allowed = [one for one in options if np.isfinite(one[0]) and one[2] <= limit]
            _, feeder, count = min(allowed, default=(0.0, _NOBODY, 0))
            feeders.append(feeder)
            hops.append(count)
        return feeders, hops

    def _pass_on_to_members(self, head: int, how: _Served, via: int, hops: int) -> None:
        trees, limit = self.network.trees, self.network.scenario.hop_limit
        work_pj = how.work_pj
        if how.at_once and (limit is None or hops < limit):
            self.builder.at_once(self.event, head, how.at_once, via, work_pj)
            work_pj = 0
        else:
            for node in how.at_once:
                self._from_publisher(node)
        for node in how.by_links:
            count = hops + int(trees.hops[how.row, node])
            if trees.parents[how.row, node] >= 0 and (limit is None or count <= limit):
                self.builder.along(self.event, head, node, how.row, via, work_pj)
                work_pj = 0
            else:
                self._from_publisher(node)

    def _from_publisher(self, node: int) -> None:
        """A member that its head cannot serve."""
        trees, limit = self.network.trees, self.network.scenario.hop_limit
        is_near = limit is None or int(trees.hops[self.row, node]) <= limit
        if trees.parents[self.row, node] >= 0 and is_near:
            self.builder.along(self.event, self.publisher, node, self.row)
        else:
            self._give_up(node)

    def _give_up(self, node: int) -> None:
        is_connected = self.network.trees.parents[self.row, node] >= 0
        why = Why.FORBIDDEN if is_connected else Why.UNCONNECTED
        self.builder.unserved(self.event, node, why)
