"""Waiting for room: who publishes more than a subscriber takes is slowed down, then refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from purport.broker.drafting import BacklogFull

T = TypeVar("T")

_BETWEEN_LOOKS_SECONDS = 0.02


async def when_there_is_room(do: Callable[[], Awaitable[T]], seconds: float) -> T:
    """Do something, again and again for so long if as much waits for a subscriber as may."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while True:
        try:
            return await do()
        except BacklogFull:
            if loop.time() >= deadline:
                raise
        await asyncio.sleep(_BETWEEN_LOOKS_SECONDS)
