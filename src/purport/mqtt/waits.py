"""How long one waits before one tries a broker again."""

from __future__ import annotations

import random
from typing import Annotated

import msgspec

_Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]


class Waits(msgspec.Struct, frozen=True, kw_only=True):
    """A wait is twice as long as the one before, up to the longest, and less by a random part.

    Without that part, all clients of a broker that was down would come back at once.
    """

    first_seconds: _Seconds = 0.5
    longest_seconds: _Seconds = 60.0
    refused_seconds: _Seconds = 10.0  # at least, after the broker has said no
    lasting_seconds: _Seconds = 10.0  # a connection that lasted so long was a good one
    keeping_seconds: _Seconds = 0.5  # until what could not be kept is tried again

    def wait(self, failures: int, rng: random.Random, *, is_refused: bool = False) -> float:
        """The seconds before the next try, after so many failures in a row."""
        wait = min(self.longest_seconds, self.first_seconds * 2.0 ** min(failures - 1, 64))
        if is_refused:
            wait = max(wait, self.refused_seconds)
        return wait * rng.uniform(0.5, 1.0)
