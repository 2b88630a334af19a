"""Clocks that go wrong, each at its own rate, until a beacon sets them."""

from __future__ import annotations

import numpy as np
from numpy.random import default_rng

from purport.network.control import Control
from purport.network.dissemination import flooded, message_bits
from purport.network.network import Network
from purport.network.scenario import Air

_OF_CLOCKS = 0x636C6F
_PER_MILLION = 1e-6


class Clocks:
    """All clocks are right at the beginning."""

    def __init__(self, air: Air, nodes: int, seed: int) -> None:
        self._air = air
        self._rates = default_rng((seed, _OF_CLOCKS)).normal(0.0, 1.0, nodes)
        self._set_at = 0

    def is_due(self, round: int) -> bool:
        """Whether it is time, before the round after this one."""
        return round > 0 and self.next_round(round - 1) == round

    def next_round(self, round: int) -> int | None:
        """After which round a beacon is sent."""
        every = self._air.sync_every_rounds
        return None if not self._air.drift_ppm else (round // every + 1) * every

    def go_on(self, network: Network) -> None:
        """By how much each is wrong in the next round."""
        passed_s = (network.round - self._set_at) * self._air.round_s
        network.clock_s = self._rates * (self._air.drift_ppm * _PER_MILLION * passed_s)

    def set_all(self, network: Network) -> Control:
        """A beacon of the first node that is there goes through the network."""
        self._set_at = network.round
        first = np.flatnonzero(network.up)[:1].astype(np.int32)
        return flooded(network, first, message_bits(network, np.zeros(len(first), np.int32)))
