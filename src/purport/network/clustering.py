"""Clusters of subscribers with similar interests, under heads that elect themselves.

As in LEACH (Heinzelman et al. 2000) and SemPS'12, section 4.2: in the r-th cycle, a node that has
not been a head since the last cycle divisible by ⌊1/P⌋ becomes one with probability
`P / (1 - P · (r mod ⌊1/P⌋))`. Only subscribers can be heads, since a head has to cover what its
members ask for. A node joins every head that covers one of its subscriptions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from purport.network.chance import chance

Numbers = NDArray[np.int32]
Flags = NDArray[np.bool_]

_ELECTION = 0x656C65


class Election:
    """Who has been a head lately."""

    def __init__(self, share: float, nodes: int, seed: int) -> None:
        self._share = share
        self._period = math.floor(1 / share)
        self._key = seed
        self._has_been = np.zeros(nodes, np.bool_)

    def heads(self, cycle: int, candidates: Numbers) -> Numbers:
        """Those of some nodes that become heads in a cycle; cycles come one after the other."""
        place = cycle % self._period
        if place == 0:
            self._has_been[:] = False
        likely = self._share / (1 - self._share * place)
        drawn = np.array(
            [chance(self._key, _ELECTION, cycle, node) for node in candidates.tolist()]
        )
        found: Numbers = candidates[(drawn < likely) & ~self._has_been[candidates]]
        self._has_been[found] = True
        return found


@dataclass(frozen=True)
class Clusters:
    """Heads, and which node, by columns, has joined which of them, by rows."""

    heads: Numbers
    joined: Flags

    @classmethod
    def of(cls, heads: Numbers, nodes: Numbers, asks: Flags, covers: Flags) -> Clusters:
        """Every one of some nodes joins all heads that cover one of its subscriptions."""
        wide = (asks[heads].astype(np.float32) @ covers.astype(np.float32)) > 0
        joined = np.zeros((len(heads), len(asks)), np.bool_)
        joined[:, nodes] = (wide.astype(np.float32) @ asks[nodes].T.astype(np.float32)) > 0
        joined[:, heads] = False
        return cls(heads, joined)

    def pairs(self, up: Flags) -> list[tuple[int, int]]:
        """Heads with their members that are there, and with themselves."""
        living = [(row, head) for row, head in enumerate(self.heads.tolist()) if up[head]]
        return [
            (head, node)
            for row, head in living
            for node in [head, *np.flatnonzero(self.joined[row] & up).tolist()]
        ]
