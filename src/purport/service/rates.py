"""How much each client may ask for: buckets that fill with time."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable


class Rates:
    """So many requests in a second for each client, and as many at once.

    The table is bounded: whoever has not asked for the longest time begins anew.
    """

    def __init__(
        self,
        per_second: int,
        *,
        most_clients: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_second, self._clock, self._most = per_second, clock, most_clients
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # how full, and when

    def wait(self, client: str) -> float:
        """Take one from a client's bucket; the seconds to wait, if there is too little in it."""
        now = self._clock()
        full, since = self._buckets.pop(client, (float(self._per_second), now))
        full = min(self._per_second, full + (now - since) * self._per_second)
        if full >= 1:
            full, seconds = full - 1, 0.0
        else:
            seconds = (1 - full) / self._per_second
        self._buckets[client] = full, now
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return seconds
