"""How long to wait before a neighbour is tried again: longer and longer, if that does not help."""

from __future__ import annotations

from typing import NamedTuple


class Pace(NamedTuple):
    """Waits that double, until a link has lasted."""

    first_seconds: float
    longest_seconds: float
    lasting_seconds: float


AFTER_BREAK = Pace(0.1, 2.0, 1.0)
AFTER_REFUSAL = Pace(1.0, 30.0, 30.0)  # what is wrong is in settings or programs: people change it


class Patience:
    """Counts what went wrong with one neighbour.

    >>> patience = Patience()
    >>> [patience.wait_after(AFTER_BREAK, lasted_seconds=0) for _ in range(6)]
    [0.1, 0.2, 0.4, 0.8, 1.6, 2.0]
    >>> patience.wait_after(AFTER_BREAK, lasted_seconds=5)
    0.1
    """

    def __init__(self) -> None:
        self._failures = 0

    def wait_after(self, pace: Pace, *, lasted_seconds: float) -> float:
        """So many seconds, after a link that lasted a while; or 0, if there was none."""
        if lasted_seconds >= pace.lasting_seconds:
            self._failures = 0
        wait = min(pace.first_seconds * 2.0 ** min(self._failures, 20), pace.longest_seconds)
        self._failures += 1
        return wait
