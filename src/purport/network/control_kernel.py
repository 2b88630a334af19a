"""What single messages take, added up by nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled
from purport.network.traffic_kernel import squared

Numbers = NDArray[np.int32]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]
Reals = NDArray[np.float64]


class Hearing(NamedTuple):
    """Where nodes are, who is there, all others by their distance if that counts; and what it
    takes: in picojoules, with the squares of the distances that power can be set for, rising, and
    with how many bits of a message are overheard at most.
    """

    positions: Reals
    up: Flags
    near: Numbers
    levels_m2: Reals
    electronics_pj_per_bit: float
    amplifier_pj_per_bit_m2: float
    overheard_bits: int


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
    positions = hearing.positions
    reach = 0.0
    for place in range(first, end):
        reach = max(reach, squared(positions, sender, receivers[place]))
    for level in hearing.levels_m2:
        if level >= reach:
            reach = level
            break
    electronics = hearing.electronics_pj_per_bit
    each = (electronics + hearing.amplifier_pj_per_bit_m2 * reach) * bits
    cost_pj[sender] += int(np.rint(each)) * times
    overhearing = int(np.rint(electronics * min(bits, hearing.overheard_bits))) * times
    for node in hearing.near[sender]:
        if squared(positions, sender, node) > reach:
            break
        if hearing.up[node]:
            cost_pj[node] += overhearing
    receiving = int(np.rint(electronics * bits)) * times
    if hearing.near.shape[1]:
        receiving -= overhearing  # which they have paid like everybody in range
    for place in range(first, end):
        cost_pj[receivers[place]] += receiving


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
