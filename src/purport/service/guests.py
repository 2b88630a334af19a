"""Those who are connected: how many there are, from where, and whether they take what is sent."""

from __future__ import annotations

import asyncio
from collections import Counter

from purport.service.places import place_of
from purport.service.settings import RequestLimits


class Connected:
    """How many connections there are, and from where."""

    def __init__(self, limits: RequestLimits) -> None:
        self._most, self._most_each = limits.connections, limits.connections_per_address
        self.count = 0
        self._by_place: Counter[str] = Counter()

    def enter(self, place: str) -> bool:
        """Count one more, unless there are too many."""
        if self.count >= self._most or self._by_place[place] >= self._most_each:
            return False
        self.count += 1
        self._by_place[place] += 1
        return True

    def leave(self, place: str) -> None:
        """Count one less."""
        self.count -= 1
        self._by_place[place] -= 1
        if not self._by_place[place]:
            del self._by_place[place]


class Guest:
    """A connection that is counted until it ends, over HTTP first and then as a WebSocket."""

    def __init__(self, connected: Connected, address: str | None) -> None:
        self._connected, self._place = connected, place_of(address)
        self._is_here = connected.enter(self._place)

    @property
    def is_let_in(self) -> bool:
        """Whether there was room."""
        return self._is_here

    def leave(self) -> None:
        """It has ended; nothing happens if it has before."""
        if self._is_here:
            self._is_here = False
            self._connected.leave(self._place)


class Taking:
    """Watches that a client takes what is sent to it: who takes nothing for too long is dropped."""

    def __init__(self, transport: asyncio.Transport, seconds: float) -> None:
        self._transport, self._seconds = transport, seconds
        self._timer: asyncio.TimerHandle | None = None
        self._left = 0  # bytes, when it was looked last

    def watch(self) -> None:
        """Begin to watch, if something waits to be taken."""
        self.stop()
        self._left = self._transport.get_write_buffer_size()
        if self._left:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._seconds, self._look)

    def stop(self) -> None:
        """Watch no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        if self._transport.get_write_buffer_size() < self._left:
            self.watch()
        else:
            self._transport.abort()
