"""Waiting for room: who publishes more than a subscriber takes is slowed down, then refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from purport.broker.drafting import BacklogFull

T = TypeVar("T")

_FIRST_WAIT_SECONDS = 0.02
_LONGEST_WAIT_SECONDS = 0.5


async def when_there_is_room(do: Callable[[], Awaitable[T]], seconds: float) -> T:
    """Do something, again and again for so long if as much waits for a subscriber as may.

    Each try costs those as much who publish something else: so the waits become longer.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    wait = _FIRST_WAIT_SECONDS
    while True:
        try:
            return await do()
        except BacklogFull:
            left = deadline - loop.time()
            if left <= 0:
                raise
        await asyncio.sleep(min(wait, left))
        wait = min(2 * wait, _LONGEST_WAIT_SECONDS)
