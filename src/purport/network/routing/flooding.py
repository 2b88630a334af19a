"""Flooding: everybody sends on once what it has received, to all that it is linked to.

Nobody has to know who subscribes. Who receives an event sends it on when it first has it, from
whomever that is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purport.network.control import Control
from purport.network.energy import Picojoules
from purport.network.network import Network
from purport.network.traffic_kernel import ANYHOW, Legs
from purport.network.ways import Ways, Why, pairs_in

Numbers = NDArray[np.int32]


class Flooding:
    """See above."""

    uses_links = True
    cycles = 0

    def set_up(self, network: Network, newcomers: Numbers) -> Control:
        return Control.nothing(len(network))

    def begin_cycle(self, network: Network, cycle: int) -> Control:
        return Control.nothing(len(network))

    def plan(self, network: Network) -> Control:
        return Control.nothing(len(network))

    def matching_pj(self, network: Network) -> Picojoules:
        return np.zeros(len(network.meaning.events), np.int64)

    def ways(self, network: Network, publishers: Numbers) -> Ways:
        trees = network.hop_trees
        rows = trees.rows(publishers)
        hops, is_there = trees.hops[rows], trees.parents[rows] >= 0
        limit = network.scenario.hop_limit
        sends = is_there & (True if limit is None else hops < limit)
        graph = trees.graph
        sends &= np.diff(graph.starts) > 0
        event, source = pairs_in(sends)
        order = np.lexsort((source, hops[event, source], event))
        event, source = event[order], source[order]
        is_first = source == publishers[event]
        counts = np.diff(graph.starts)[source].astype(np.int64)
        first = np.concatenate(([0], np.cumsum(counts)))
        place = np.arange(first[-1]) - np.repeat(first[:-1] - graph.starts[source], counts)
        count = len(event)
        legs = Legs(
            event,
            source,
            np.where(is_first, -1, ANYHOW).astype(np.int32),
            np.full(count, -1, np.int32),
            hops[event, source],
            first,
            graph.others[place],
            np.zeros(count, np.int64),
        )
        ways = Ways(legs, trees.parents, np.empty((0, 3), np.int32))
        due = network.wanted_by(publishers)
        far = due & is_there & (False if limit is None else hops > limit)
        ways = ways.without(*pairs_in(far), Why.FORBIDDEN)
        return ways.without(*pairs_in(due & ~is_there), Why.UNCONNECTED)

    def clusters(self, network: Network) -> list[tuple[int, int]]:
        return []
