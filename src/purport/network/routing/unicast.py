"""Direct unicast: a publisher sends its event to each subscriber by a transmission of its own.

Whoever subscribes tells everybody in range at once; nobody relays anything.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from purport.network.control import Control
from purport.network.dissemination import announced, told_subscriptions
from purport.network.energy import Picojoules
from purport.network.network import Network
from purport.network.ways import Ways, Why, pairs_in

Numbers = NDArray[np.int32]


class Unicast:
    """See above."""

    uses_links = False
    cycles = 0

    def set_up(self, network: Network, newcomers: Numbers) -> Control:
        return announced(network, *told_subscriptions(network, newcomers))

    def begin_cycle(self, network: Network, cycle: int) -> Control:
        return Control.nothing(len(network))

    def plan(self, network: Network) -> Control:
        return Control.nothing(len(network))

    def matching_pj(self, network: Network) -> Picojoules:
        return network.meaning.matching_pj(network.subscribers)

    def ways(self, network: Network, publishers: Numbers) -> Ways:
        event, node = pairs_in(network.wanted_by(publishers))
        source = publishers[event]
        apart = ((network.positions[source] - network.positions[node]) ** 2).sum(axis=1)
        is_near = apart <= network.scenario.radio.reach_m**2
        ways = Ways.one_by_one(event[is_near], source[is_near], node[is_near])
        return ways.without(event[~is_near], node[~is_near], Why.FORBIDDEN)

    def clusters(self, network: Network) -> list[tuple[int, int]]:
        return []
