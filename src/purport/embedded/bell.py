"""How a subscriber is woken: one that waits in a thread, in an event loop, or is called."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress

_LOG = logging.getLogger("purport.broker")


class Bell:
    """Rings when there is something new; whoever waits wakes up and looks."""

    def __init__(self) -> None:
        self._rung = threading.Event()
        self._sleepers: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._told: tuple[Callable[[], object], ...] = ()
        self._lock = threading.Lock()

    def tell(self, function: Callable[[], object]) -> None:
        """Call a function each time it rings, in the thread that rings.

        Others wait for it, so it must be quick and must not take anything itself: it tells whoever
        does. What it raises is logged.
        """
        with self._lock:
            self._told = (*self._told, function)

    def ring(self) -> None:
        """Wake all who wait."""
        if not self._rung.is_set():  # which is quicker than to set it again
            self._rung.set()
        if self._sleepers:
            with self._lock:
                sleepers = tuple(self._sleepers)
            for loop, event in sleepers:
                with suppress(RuntimeError):  # the loop was closed, and nobody waits in it any more
                    loop.call_soon_threadsafe(event.set)
        for function in self._told:
            try:
                function()
            except Exception:  # noqa: BLE001 - whatever it raises, others are told
                _LOG.exception("what a bell tells has failed")

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
                    async with asyncio.timeout(seconds):  # wait_for may swallow a cancellation
                        await sleeper[1].wait()
        finally:
            with self._lock:
                self._sleepers.discard(sleeper)
