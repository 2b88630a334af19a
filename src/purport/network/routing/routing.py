"""What every routing does; to add one: a file, a line in the catalogue, a contract test."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from purport.network.control import Control
from purport.network.energy import Picojoules
from purport.network.network import Network
from purport.network.ways import Ways

Numbers = NDArray[np.int32]


class Routing(Protocol):
    """Plans the ways of events, and pays for what has to be known for that.

    The rules are the same for all. A node knows its linked neighbours, and whose subscriptions or
    announcements have reached it; to these alone it can send. It may send as far as the radio
    reaches, and everybody whom a transmission is for has it by that one transmission. Deaths are
    noticed before the next round, at no cost.
    """

    uses_links: bool  # and so pays for having them
    cycles: int  # after so many it plans anew; 0: only when nodes come, go or move

    def set_up(self, network: Network, newcomers: Numbers) -> Control:
        """Nodes tell what others must know of them: all at first, later who moved or came back."""
        ...

    def begin_cycle(self, network: Network, cycle: int) -> Control:
        """One of these cycles begins, from 0."""
        ...

    def plan(self, network: Network) -> Control:
        """Somebody died, came, went or moved, or a cycle has begun: what everybody must hear."""
        ...

    def matching_pj(self, network: Network) -> Picojoules:
        """What it takes a publisher to see where an event goes, by numbers of events."""
        ...

    def ways(self, network: Network, publishers: Numbers) -> Ways:
        """The ways of one event of each of some publishers; it is the same until the next plan.

        Everybody who is due an event is led to, or told of as unserved.
        """
        ...

    def clusters(self, network: Network) -> list[tuple[int, int]]:
        """Heads with their members, heads with themselves too; for pictures."""
        ...
