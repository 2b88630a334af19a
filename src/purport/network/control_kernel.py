"""What single messages take, added up by nodes: how far they go, and who pays for what of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled, inlined
from purport.network.energy import MOST_PJ
from purport.network.traffic_kernel import squared

Numbers = NDArray[np.int32]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]
Reals = NDArray[np.float64]


class Costs(NamedTuple):
    """What a bit takes, in picojoules, with the squares of the distances that power can be set for,
    rising, and with how many bits of a message are overheard at most.
    """

    levels_m2: Reals
    electronics_pj_per_bit: float
    amplifier_pj_per_bit_m2: float
    overheard_bits: int


class Hearing(NamedTuple):
    """Where nodes are, who is there, all others by their distance if that counts; what it takes."""

    positions: Reals
    up: Flags
    near: Numbers
    costs: Costs


@inlined
def reached(costs: Costs, distance_m2: float) -> float:
    """The square of how far a message goes that has to go so far: to the next level of power."""
    for level in costs.levels_m2:
        if level >= distance_m2:
            return float(level)
    return distance_m2


@inlined
def sending_pj(costs: Costs, bits: int, reach_m2: float) -> float:
    """What sending takes, in whole picojoules."""
    each = costs.electronics_pj_per_bit + costs.amplifier_pj_per_bit_m2 * reach_m2
    return float(min(np.rint(each * bits), MOST_PJ))


@inlined
def receiving_pj(costs: Costs, bits: int) -> float:
    """What receiving takes, or hearing so much of a message."""
    return float(np.rint(costs.electronics_pj_per_bit * bits))


@compiled
def reached_all(costs: Costs, distances_m2: Reals, reach_m2: Reals) -> None:
    """Fill in how far messages go that have to go so far."""
    for one in range(len(distances_m2)):
        reach_m2[one] = reached(costs, distances_m2[one])


@inlined
def _add(cost_pj: Places, node: int, more: float) -> None:
    """Add to what a node is to pay, up to more than it can."""
    cost_pj[node] = min(cost_pj[node] + int(min(more, MOST_PJ)), MOST_PJ)


@compiled
def charge(
    hearing: Hearing,
    sender: int,
    receivers: Numbers,
    first: int,
    end: int,
    bits: int,
    times: int,
    cost_pj: Places,
) -> None:
    """Add what a message takes that is sent so many times to `receivers[first:end]`."""
    positions, costs = hearing.positions, hearing.costs
    reach = 0.0
    for place in range(first, end):
        reach = max(reach, squared(positions, sender, receivers[place]))
    reach = reached(costs, reach)
    _add(cost_pj, sender, sending_pj(costs, bits, reach) * times)
    overhearing = receiving_pj(costs, min(bits, costs.overheard_bits)) * times
    for node in hearing.near[sender]:
        if squared(positions, sender, node) > reach:
            break
        if hearing.up[node]:
            _add(cost_pj, node, overhearing)
    receiving = receiving_pj(costs, bits) * times
    if hearing.near.shape[1]:
        receiving -= overhearing  # which they have paid like everybody in range
    for place in range(first, end):
        _add(cost_pj, receivers[place], receiving)


@compiled
def charge_all(
    hearing: Hearing,
    senders: Numbers,
    first: Places,
    receivers: Numbers,
    bits: Numbers,
    times: Places,
    cost_pj: Places,
) -> None:
    """The same for many messages, the i-th one to `receivers[first[i]:first[i + 1]]`."""
    for one in range(len(senders)):
        if times[one]:
            charge(
                hearing,
                senders[one],
                receivers,
                first[one],
                first[one + 1],
                bits[one],
                times[one],
                cost_pj,
            )
