"""Minimum transmission energy: along the links on which amplifiers take the least, one by one.

An event goes to each subscriber as a message of its own, which relays send on without looking at
what it says (SemPS'12, sections 1 and 5); what electronics take does not count for the choice.
Subscriptions are flooded.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purport.network.control import Control
from purport.network.dissemination import flooded, told_subscriptions
from purport.network.energy import Picojoules
from purport.network.network import Network
from purport.network.ways import Ways, Why, pairs_in

Numbers = NDArray[np.int32]


class MinimumTransmissionEnergy:
    """See above."""

    uses_links = True
    cycles = 0

    def set_up(self, network: Network, newcomers: Numbers) -> Control:
        return flooded(network, *told_subscriptions(network, newcomers))

    def begin_cycle(self, network: Network, cycle: int) -> Control:
        return Control.nothing(len(network))

    def plan(self, network: Network) -> Control:
        return Control.nothing(len(network))

    def matching_pj(self, network: Network) -> Picojoules:
        return network.meaning.matching_pj(network.subscribers)

    def ways(self, network: Network, publishers: Numbers) -> Ways:
        trees, limit = network.trees, network.scenario.hop_limit
        rows = trees.rows(publishers)
        event, node = pairs_in(network.wanted_by(publishers))
        row = rows[event]
        is_there = trees.parents[row, node] >= 0
        is_allowed = is_there & ((limit is None) | (trees.hops[row, node] <= (limit or 0)))
        ways = Ways.along_trees(
            event[is_allowed],
            publishers[event[is_allowed]],
            node[is_allowed],
            row[is_allowed],
            trees.parents,
        )
        far = is_there & ~is_allowed
        ways = ways.without(event[far], node[far], Why.FORBIDDEN)
        return ways.without(event[~is_there], node[~is_there], Why.UNCONNECTED)

    def clusters(self, network: Network) -> list[tuple[int, int]]:
        return []
