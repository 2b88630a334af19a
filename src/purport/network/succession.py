"""Who publishes, when publishers die."""

from __future__ import annotations

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from purport.network.network import Network
from purport.network.scenario import Succession

_OF_SUCCESSION = 0x737563


def bury(network: Network, round: int) -> bool:
    """Nodes that fell in a round are dead, and others publish what they did; whether any did."""
    batteries = network.batteries
    fallen = np.flatnonzero(batteries.fell)
    if not len(fallen):
        return False
    batteries.fell[:] = False
    network.died[fallen] = round
    for node in fallen.tolist():
        if network.published[node] >= 0:
            if network.scenario.roles.succession is Succession.NEAREST:
                _pass_on(network, node)
            network.published[node] = -1
    return True


def draw_publishers(network: Network, cycle: int) -> None:
    """As many as there were at the beginning, or all that are left, publish the same events."""
    candidates = np.flatnonzero(network.up & ~network.meaning.asks.any(axis=1))
    first = network.meaning.published
    kinds = first[first >= 0]
    rng = default_rng((network.seed, _OF_SUCCESSION, cycle))
    chosen = rng.permutation(candidates)[: len(kinds)]
    network.published[:] = -1
    network.published[chosen] = rng.permutation(kinds)[: len(chosen)]


def _pass_on(network: Network, node: int) -> None:
    relays = network.up & ~network.meaning.asks.any(axis=1) & (network.published < 0)
    candidates: NDArray[np.intp] = np.flatnonzero(relays)
    if len(candidates):
        apart = ((network.positions[candidates] - network.positions[node]) ** 2).sum(axis=1)
        network.published[candidates[np.argmin(apart)]] = network.published[node]
