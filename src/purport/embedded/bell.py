"""How a subscriber is woken: one that waits in a thread, or in an event loop."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress


class Bell:
    """Rings when there is something new; whoever waits wakes up and looks."""

    def __init__(self) -> None:
        self._rung = threading.Event()
        self._sleepers: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._lock = threading.Lock()

    def ring(self) -> None:
        """Wake all who wait."""
        self._rung.set()
        if self._sleepers:
            with self._lock:
                sleepers = tuple(self._sleepers)
            for loop, event in sleepers:
                with suppress(RuntimeError):  # the loop was closed, and nobody waits in it any more
                    loop.call_soon_threadsafe(event.set)

    def still(self) -> None:
        """Be silent until it is rung again; whoever looks for news does this before."""
        self._rung.clear()

    def wait(self, seconds: float) -> None:
        """Wait until it rings, or for so many seconds."""
        self._rung.wait(seconds)

    async def heard(self, seconds: float) -> None:
        """The same in an event loop."""
        sleeper = asyncio.get_running_loop(), asyncio.Event()
        with self._lock:
            self._sleepers.add(sleeper)
        try:
            if not self._rung.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(sleeper[1].wait(), seconds)
        finally:
            with self._lock:
                self._sleepers.discard(sleeper)
