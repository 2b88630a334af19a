"""What somebody who watches a run wants to see of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come."""

    round: int
    alive: int
    nodes: int


@dataclass(frozen=True, slots=True)
class Watching:
    """What is kept of a run beside its figures: networks after some rounds, messages of some.

    `snapshots_after` 0 is the beginning; where any are asked for, the end is among them.
    `on_progress` is called now and then.
    """

    snapshots_after: tuple[int, ...] = ()
    snapshots_every: int | None = None
    steps_of: tuple[int, ...] = ()  # rounds, from 1
    on_progress: Callable[[Progress], None] | None = None

    def next_round(self, round: int) -> int | None:
        """After which round there is something to be looked at."""
        wanted = [one for one in self.snapshots_after if one > round]
        wanted += [one - 1 for one in self.steps_of if one - 1 > round]
        if self.snapshots_every:
            wanted.append((round // self.snapshots_every + 1) * self.snapshots_every)
        return min(wanted, default=None)

    def wants_snapshot(self, round: int) -> bool:
        """Whether the network is kept as it is after a round."""
        is_due = self.snapshots_every is not None and round % self.snapshots_every == 0
        return is_due or round in self.snapshots_after
