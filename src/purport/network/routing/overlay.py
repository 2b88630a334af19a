"""Who passes an event on to whom, above the links: the polyhierarchy, cut into clusters.

Of those who want an event, some have joined a cluster whose head wants it too; the others, heads
among them, are the *overlay*. An overlay node has the event from its publisher or from an overlay
node with a wider subscription (one that covers a matching one of its own), from whomever it is
cheapest to get it along links. Heads pass it on to their members.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purport.network.clustering import Clusters
from purport.network.meaning import Meaning
from purport.network.network import Network

Numbers = NDArray[np.int32]
Flags = NDArray[np.bool_]
Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Family:
    """All who want an event, whether or not they live, and who may pass it on to whom.

    They are in the order of how much their widest matching subscription covers; `feeds[i, j]` only
    for i before j.
    """

    nodes: Numbers
    feeds: Flags

    @classmethod
    def of(cls, meaning: Meaning, kind: int, knows: Flags) -> Family:
        """Who feeds somebody must know what it asks for: `knows[one, other]`."""
        matching = meaning.asks & meaning.answers[kind]
        nodes = np.flatnonzero(matching.any(axis=1)).astype(np.int32)
        breadth = (matching[nodes] * meaning.covers.sum(axis=1)).max(axis=1, initial=0)
        nodes = nodes[np.argsort(-breadth, kind="stable")]
        which = np.flatnonzero(matching.any(axis=0))
        asked = matching[np.ix_(nodes, which)].astype(np.float32)
        covers = meaning.covers[np.ix_(which, which)].astype(np.float32)
        covering = np.triu(asked @ covers @ asked.T > 0, 1)
        return cls(nodes, covering & knows[np.ix_(nodes, nodes)])


@dataclass(frozen=True)
class Overlay:
    """The overlay of an event: `best[i]` is the place of who would best pass it on to `nodes[i]`.

    That would cost `costs[i]`, which is infinite if nobody can; `rows` are the trees of those who
    pass it on. `members` are, by the places of heads, those in their clusters.
    """

    nodes: Numbers
    feeds: Flags
    best: Numbers
    costs: Reals
    rows: Numbers
    members: dict[int, Numbers]

    @classmethod
    def of(cls, network: Network, family: Family, clusters: Clusters) -> Overlay:
        """The overlay among those who are there now."""
        is_there = network.up[family.nodes]
        served = _served(network, family.nodes, is_there, clusters)
        free = np.flatnonzero(is_there & (served < 0))
        nodes, feeds = family.nodes[free], family.feeds[np.ix_(free, free)]
        place = {node: number for number, node in enumerate(nodes.tolist())}
        members = {
            place[head]: family.nodes[served == head]
            for head in sorted(set(served.tolist()) - {-1})
        }
        return cls(nodes, feeds, *_cheapest(network, nodes, feeds), members)


def _served(network: Network, nodes: Numbers, is_there: Flags, clusters: Clusters) -> Numbers:
    """The nearest head of a cluster that each has joined, among those who want the same; or -1."""
    served = np.full(len(nodes), -1, np.int32)
    wants = np.zeros(len(network), np.bool_)
    wants[nodes[is_there]] = True
    rows = np.flatnonzero(wants[clusters.heads])
    if not len(rows):
        return served
    heads = clusters.heads[rows]
    apart = network.positions[heads][:, None, :] - network.positions[nodes][None, :, :]
    distances = np.where(clusters.joined[np.ix_(rows, nodes)], (apart**2).sum(axis=2), np.inf)
    nearest = distances.argmin(axis=0)
    is_served = is_there & np.isfinite(distances[nearest, np.arange(len(nodes))])
    served[is_served] = heads[nearest[is_served]]
    return served


def _cheapest(network: Network, nodes: Numbers, feeds: Flags) -> tuple[Numbers, Reals, Numbers]:
    """From whom each best has it, at which cost, and the trees of those who pass it on."""
    count = len(nodes)
    costs = np.full((count, count), np.inf)
    rows = np.full(count, -1, np.int32)
    feeding = np.flatnonzero(feeds.any(axis=1))
    rows[feeding] = network.trees.rows(nodes[feeding])
    costs[feeding] = network.trees.costs[rows[feeding]][:, nodes]
    costs[~feeds] = np.inf
    if not count:
        return np.empty(0, np.int32), np.empty(0), rows
    best = costs.argmin(axis=0).astype(np.int32)
    return best, costs[best, np.arange(count)], rows
