"""Waits for what other threads and processes do."""

import time
from collections.abc import Callable

_MOST_SECONDS = 30.0


def eventually(is_so: Callable[[], bool]) -> None:
    """Return when something is so; an error if it never is."""
    deadline = time.monotonic() + _MOST_SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError("it has not come to that")
        time.sleep(0.005)
