"""What sending and receiving takes, in whole picojoules, so that sums are exact.

The first-order radio model of Heinzelman et al. (2000), as SemPS'12 has it in section 3.1:
`E_tx(k, d) = E·k + a·k·d²` and `E_rx(k) = E·k` for k bits over d metres.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from purport.network.scenario import Radio

Picojoules = NDArray[np.int64]
PER_JOULE = 10**12
PER_NANOJOULE = 10**3
MOST_PJ = 1 << 61  # more than any battery has: what takes more takes so much


class For(IntEnum):
    """What energy is spent for; rows of what nodes have spent."""

    COMPUTATION = 0
    CONTROL = 1
    DATA = 2
    IDLE = 3


@dataclass(frozen=True, slots=True)
class RadioEnergy:
    """The model with its two constants."""

    electronics_pj_per_bit: float
    amplifier_pj_per_bit_m2: float

    @classmethod
    def of(cls, radio: Radio) -> RadioEnergy:
        """The constants of a scenario's radio."""
        return cls(radio.nj_per_bit * PER_NANOJOULE, radio.amplifier_pj_per_bit_m2)

    def sending(self, bits: ArrayLike, distance_m2: ArrayLike) -> Picojoules:
        """What it takes to send so many bits over a distance, given as its square."""
        each = self.electronics_pj_per_bit + self.amplifier_pj_per_bit_m2 * np.asarray(distance_m2)
        found: Picojoules = np.rint(np.minimum(each * np.asarray(bits), MOST_PJ)).astype(np.int64)
        return found

    def receiving(self, bits: ArrayLike) -> Picojoules:
        """What it takes to receive so many bits."""
        found: Picojoules = np.rint(self.electronics_pj_per_bit * np.asarray(bits)).astype(np.int64)
        return found
