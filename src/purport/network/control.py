"""What control messages take: all those that are no events.

They are taken to arrive, at once and whatever the air is like; they cost what they would cost in
perfect air. Who cannot pay gives what it has left, and is dead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from purport.network.control_kernel import Hearing, Numbers, Places, charge_all
from purport.network.energy import MOST_PJ, Picojoules


@dataclass(frozen=True)
class Control:
    """What each node has to pay for messages and computation, and how much was sent to how many."""

    cost_pj: Picojoules
    transmissions: int
    copies: int
    work_pj: Picojoules

    @classmethod
    def nothing(cls, nodes: int) -> Control:
        return cls(np.zeros(nodes, np.int64), 0, 0, np.zeros(nodes, np.int64))

    @classmethod
    def computed(cls, work_pj: Picojoules) -> Control:
        """Computation alone."""
        return cls(np.zeros(len(work_pj), np.int64), 0, 0, work_pj)

    @classmethod
    def of(
        cls,
        hearing: Hearing,
        senders: Numbers,
        receivers: tuple[Places, Numbers],
        bits: Numbers,
        times: Places | None = None,
    ) -> Control:
        """Messages, once or oftener; `receivers` are places, two for each, and nodes at these."""
        first, nodes = receivers
        often = np.ones(len(senders), np.int64) if times is None else times
        cost_pj = np.zeros(len(hearing.positions), np.int64)
        charge_all(hearing, senders, first, nodes, bits, often, cost_pj)
        copies = int((np.diff(first) * often).sum())
        return cls(cost_pj, int(often.sum()), copies, np.zeros(len(cost_pj), np.int64))

    def __add__(self, other: Control) -> Control:
        return Control(
            np.minimum(self.cost_pj + other.cost_pj, MOST_PJ),
            self.transmissions + other.transmissions,
            self.copies + other.copies,
            self.work_pj + other.work_pj,
        )
