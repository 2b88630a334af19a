"""Nodes that move, leave and come back."""

from __future__ import annotations

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from purport.network.bounds import MOST_SIDES
from purport.network.errors import require
from purport.network.network import Network
from purport.network.scenario import Motion

Flags = NDArray[np.bool_]

_OF_MOTION = 0x6D6F76  # so that its draws are no others


class Wanderers:
    """Some nodes go to places, one after the other; some are away for a while."""

    def __init__(self, motion: Motion, network: Network) -> None:
        self._motion = motion
        self._rng = default_rng((network.seed, _OF_MOTION))
        nodes = len(network)
        self._moves = np.zeros(nodes, np.bool_)
        self._moves[self._rng.permutation(nodes)[: round(motion.moving * nodes)]] = True
        self._least, self._most = network.positions.min(axis=0), network.positions.max(axis=0)
        self._goals = self._places(nodes)
        if self._moves.any():
            self._require_near(motion)

    def is_due(self, round: int) -> bool:
        """Whether it is time, before the round after this one."""
        return round > 0 and self.next_round(round - 1) == round

    def next_round(self, round: int) -> int | None:
        """After which round something changes again."""
        every = self._motion.every_rounds
        return None if self._motion.is_still else (round // every + 1) * every

    def step(self, network: Network) -> Flags:
        """Go on for as many rounds as there are between two steps; who moved or came back."""
        present = network.batteries.alive & ~network.away
        moved = self._moves & present
        if moved.any():
            network.move(self._gone_on(network.positions, moved))
        drawn = self._rng.random(len(network))
        returns = network.away & network.batteries.alive & (drawn < self._motion.returning)
        leaves = present & (drawn < self._motion.leaving)
        network.away = (network.away | leaves) & ~returns
        found: Flags = (moved & ~leaves) | returns
        return found

    def _gone_on(self, positions: NDArray[np.float64], moved: Flags) -> NDArray[np.float64]:
        left_m = np.where(moved, self._motion.speed_m_per_round * self._motion.every_rounds, 0.0)
        positions = positions.copy()
        while (left_m > 0).any():
            way = self._goals - positions
            apart = np.hypot(*way.T)
            step = np.minimum(left_m, apart)
            share = np.divide(step, apart, out=np.zeros_like(step), where=apart > 0)
            positions += way * share[:, None]
            left_m = np.where(left_m >= apart, left_m - step, 0.0)
            there = step >= apart
            self._goals[there & moved] = self._places(int((there & moved).sum()))
            if (self._most <= self._least).all():
                break
        return positions

    def _require_near(self, motion: Motion) -> None:
        """Refuse a way between two steps that crosses the field again and again."""
        side = float((self._most - self._least).max())
        way = motion.speed_m_per_round * motion.every_rounds
        expected = f"at most {MOST_SIDES} sides of the field ({side:g} m) in every_rounds rounds"
        is_near = not side or way <= MOST_SIDES * side
        require(is_near, "motion.speed_m_per_round", expected, f"{way:g} m")

    def _places(self, count: int) -> NDArray[np.float64]:
        return self._rng.uniform(self._least, self._most, (count, 2))
