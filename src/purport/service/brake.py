"""What slows down those who guess: after some failures they wait, longer each time."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable

_FREE = 5  # failures that cost nothing
_LONGEST_SECONDS = 300.0
_FORGOTTEN_SECONDS = 900.0


class Brake:
    """Failures by whom they concern; the table is bounded, the oldest are forgotten."""

    def __init__(self, *, most: int = 10_000, clock: Callable[[], float] = time.monotonic) -> None:
        self._failures: OrderedDict[bytes, tuple[int, float]] = OrderedDict()  # how many, and when
        self._most, self._clock = most, clock

    def fail(self, concerned: str) -> None:
        """Somebody has guessed wrongly."""
        key, now = _key_of(concerned), self._clock()
        count, since = self._failures.pop(key, (0, now))
        count = 0 if now - since > _FORGOTTEN_SECONDS else count
        self._failures[key] = count + 1, now
        if len(self._failures) > self._most:
            self._failures.popitem(last=False)

    def release(self, concerned: str) -> None:
        """Somebody has told what only they know."""
        self._failures.pop(_key_of(concerned), None)

    def wait(self, concerned: str) -> float:
        """The seconds that somebody has to wait before they may try again."""
        count, since = self._failures.get(_key_of(concerned), (0, 0.0))
        if count < _FREE:
            return 0.0
        pause: float = min(_LONGEST_SECONDS, 2.0 ** (count - _FREE))
        return max(0.0, since + pause - self._clock())


def _key_of(one: str) -> bytes:
    """What is kept of somebody: as much of all, however long the name is that they tell."""
    return hashlib.sha256(one.encode(errors="surrogatepass")).digest()
