"""What control messages take: all those that are no events.

They are taken to arrive, at once and whatever the air is like; they cost what they would cost in
perfect air. Who cannot pay gives what it has left, and is dead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled
from purport.network.energy import Picojoules
from purport.network.traffic import Air
from purport.network.traffic_kernel import squared

Numbers = NDArray[np.int32]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]
Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Control:
    """What each node has to pay, and how much was sent to how many."""

    cost_pj: Picojoules
    transmissions: int
    copies: int

    @classmethod
    def nothing(cls, nodes: int) -> Control:
        return cls(np.zeros(nodes, np.int64), 0, 0)

    def __add__(self, other: Control) -> Control:
        return Control(
            self.cost_pj + other.cost_pj,
            self.transmissions + other.transmissions,
            self.copies + other.copies,
        )


@dataclass(frozen=True)
class Ground:
    """Who hears whom: positions, who is there, and all others by their distance, if that counts."""

    positions: Reals
    up: Flags
    near: Numbers
    air: Air

    def sent(
        self, sender: Numbers, first: Places, receivers: Numbers, bits: Numbers, times: Numbers
    ) -> Control:
        """Messages, each sent so many times to `receivers[first[i]:first[i + 1]]`."""
        reach_m2 = np.zeros(len(sender))
        _measure(self.positions, sender, first, receivers, reach_m2)
        reach_m2 = self.air.reached(reach_m2)
        cost_pj = np.zeros(len(self.positions), np.int64)
        costs = (
            self.air.energy.sending(bits, reach_m2) * times,
            self.air.energy.receiving(bits) * times,
            self.air.overhearing(bits) * times,
        )
        _charge(
            self.positions, self.up, self.near, sender, first, receivers, reach_m2, costs, cost_pj
        )
        copies = int((np.diff(first) * times).sum())
        return Control(cost_pj, int(times.sum()), copies)


@compiled
def _measure(
    positions: Reals, sender: Numbers, first: Places, receivers: Numbers, reach_m2: Reals
) -> None:
    for one in range(len(sender)):
        for place in range(first[one], first[one + 1]):
            apart = squared(positions, sender[one], receivers[place])
            reach_m2[one] = max(reach_m2[one], apart)


@compiled
def _charge(
    positions: Reals,
    up: Flags,
    near: Numbers,
    sender: Numbers,
    first: Places,
    receivers: Numbers,
    reach_m2: Reals,
    costs: tuple[Places, Places, Places],
    cost_pj: Places,
) -> None:
    sending, receiving, overhearing = costs
    for one in range(len(sender)):
        cost_pj[sender[one]] += sending[one]
        for place in range(first[one], first[one + 1]):
            # what it overhears like everybody in range is part of what it receives
            node = receivers[place]
            cost_pj[node] += receiving[one] - (overhearing[one] if near.shape[1] else 0)
        for node in near[sender[one]]:
            if squared(positions, sender[one], node) > reach_m2[one]:
                break
            if up[node]:
                cost_pj[node] += overhearing[one]
