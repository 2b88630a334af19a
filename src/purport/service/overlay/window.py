"""Events that are on their way over a link: no more than the other end has room for."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

from purport.service.overlay.messages import ToldEvent

MOST_EVENTS = 2_000
MOST_BYTES = 4 * 1024 * 1024  # and one message more


def size_of(events: Sequence[ToldEvent]) -> int:
    """How many bytes of a window events take."""
    return sum(len(bytes(one.event)) for one in events)


class Window:
    """What was told and is not acknowledged yet."""

    def __init__(self) -> None:
        self._on_way: deque[tuple[int, int, int]] = deque()  # last number, how many, bytes
        self._events = self._bytes = 0
        self._news = asyncio.Event()

    async def room(self) -> None:
        """Wait until something may be told."""
        while self._events >= MOST_EVENTS or self._bytes >= MOST_BYTES:
            self._news.clear()
            await self._news.wait()

    def tell(self, events: Sequence[ToldEvent]) -> None:
        """Some are on their way."""
        size = size_of(events)
        self._on_way.append((events[-1].number, len(events), size))
        self._events += len(events)
        self._bytes += size

    def acknowledge(self, number: int) -> None:
        """All through this number have come."""
        while self._on_way and self._on_way[0][0] <= number:
            _, events, size = self._on_way.popleft()
            self._events -= events
            self._bytes -= size
        self._news.set()


class Waiting:
    """What has come over a link and is in no journal yet; the other end keeps it small."""

    def __init__(self) -> None:
        self._messages: deque[tuple[ToldEvent, ...]] = deque()
        self._bytes = 0
        self._news = asyncio.Event()

    def put(self, events: tuple[ToldEvent, ...]) -> bool:
        """Some have come; False if there is no room for them, which the other end has to know."""
        if self._bytes > 2 * MOST_BYTES or len(self._messages) > 2 * MOST_EVENTS:
            return False
        self._messages.append(events)
        self._bytes += size_of(events)
        self._news.set()
        return True

    async def first(self) -> tuple[ToldEvent, ...]:
        """What came first; it goes on counting until it is `drop`ped."""
        while not self._messages:
            self._news.clear()
            await self._news.wait()
        return self._messages[0]

    def drop(self) -> None:
        """What came first is in the journal."""
        self._bytes -= size_of(self._messages.popleft())
