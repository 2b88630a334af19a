"""What is sent in one round: ways of events, laid out as single transmissions with their costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from purport.network.control_kernel import Costs, Flags, Hearing, reached_all
from purport.network.energy import Picojoules, RadioEnergy
from purport.network.scenario import Overhearing, Radio
from purport.network.traffic_kernel import (
    ANYHOW,
    Laid,
    Numbers,
    Places,
    Reals,
    Room,
    count_laid,
    follow,
    lay,
    measure_reach,
)
from purport.network.ways import Ways

_ALL_BITS = 1 << 30


class Events(NamedTuple):
    """What is published in a round: by whom, which, in how many bits, after which computation."""

    publisher: Numbers
    kind: Numbers
    bits: Numbers
    work_pj: Picojoules


class Traffic(NamedTuple):
    """Transmissions of a round, what each takes its sender, a receiver and who overhears it.

    Transmissions that go on from a copy are at `following[starts[copy]:starts[copy + 1]]`, those
    that begin event e at the place of copy `copies + e`. `anyhow[e, node]` is the one with which a
    node goes on from its first copy of an event, whichever it is; it has no rows if there is none.
    """

    events: Events
    laid: Laid
    reach_m2: Reals
    sending_pj: Picojoules
    receiving_pj: Picojoules
    overhearing_pj: Picojoules
    starts: Places
    following: Numbers
    anyhow: Numbers


@dataclass(frozen=True, slots=True)
class Air:
    """What is sent over, and what that takes."""

    radio: Radio
    energy: RadioEnergy

    @classmethod
    def of(cls, radio: Radio) -> Air:
        return cls(radio, RadioEnergy.of(radio))

    @property
    def overheard_bits(self) -> int:
        """How many bits of a message are overheard at most."""
        heard = {Overhearing.NOTHING: 0, Overhearing.HEADER: 8 * self.radio.header_bytes}
        return heard.get(self.radio.overhearing, _ALL_BITS)

    @property
    def costs(self) -> Costs:
        """What kernels have to know of it."""
        return Costs(
            np.sort(np.array(self.radio.levels_m, np.float64)) ** 2,
            self.energy.electronics_pj_per_bit,
            self.energy.amplifier_pj_per_bit_m2,
            self.overheard_bits,
        )

    def hearing(self, positions: Reals, up: Flags, near: Numbers) -> Hearing:
        """The same for single messages among some nodes."""
        return Hearing(positions, up, near, self.costs)

    def reached(self, distance_m2: Reals) -> Reals:
        """The squares of how far messages go that have to go so far: to the next level of power."""
        found = np.empty(len(distance_m2))
        reached_all(self.costs, distance_m2, found)
        return found

    def overhearing(self, bits: Numbers) -> Picojoules:
        """What messages of so many bits take who overhears them."""
        return self.energy.receiving(np.minimum(bits, self.overheard_bits))


def laid_out(ways: Ways, events: Events, positions: Reals, air: Air, is_shared: bool) -> Traffic:
    """The transmissions of some ways; with `is_shared`, legs of an event share what is the same."""
    nodes = len(positions)
    room = Room(
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int32),
        np.empty(nodes, np.int32),
        np.empty(len(ways.legs.event), np.int64),
    )
    transmissions, copies = count_laid(ways.legs, ways.parents, is_shared, room)
    laid = Laid(
        np.empty(transmissions, np.int32),
        np.empty(transmissions, np.int32),
        np.empty(transmissions, np.int64),
        np.empty(transmissions, np.int64),
        np.empty(transmissions + 1, np.int64),
        np.empty(copies, np.int32),
        np.empty(copies, np.int32),
    )
    lay(ways.legs, ways.parents, is_shared, room, laid)
    reach_m2 = np.empty(transmissions)
    measure_reach(laid, positions, reach_m2)
    reach_m2 = air.reached(reach_m2)
    starts = np.zeros(copies + len(events.publisher) + 2, np.int64)
    following = np.empty(transmissions, np.int32)
    has_any = bool((ways.legs.via == ANYHOW).any())
    anyhow = np.full((len(events.publisher) if has_any else 0, nodes), -1, np.int32)
    follow(laid, starts, following, anyhow)
    bits = events.bits[laid.event]
    return Traffic(
        events,
        laid,
        reach_m2,
        air.energy.sending(bits, reach_m2),
        air.energy.receiving(bits),
        air.overhearing(bits),
        starts,
        following,
        anyhow,
    )
