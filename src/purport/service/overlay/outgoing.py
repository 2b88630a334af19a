"""What is to be said over one wire: one task says it, and nobody who hears waits for that."""

from __future__ import annotations

import asyncio
from itertools import count

from purport.service.overlay.messages import Said, in_pieces, written
from purport.service.overlay.wire import Wire, WireBroken

_MOST_ANSWERS = 10_000  # that wait


class Outgoing:
    """Answers go first, and wait for nothing; what is long is taken up one by one."""

    def __init__(self, wire: Wire, message_bytes: int) -> None:
        self._wire, self._message_bytes = wire, message_bytes
        self._waiting: asyncio.PriorityQueue[tuple[bool, int, Said]] = asyncio.PriorityQueue()
        self._came = count()
        self._turn = asyncio.Semaphore(1)
        self._answers = 0

    def say(self, said: Said) -> None:
        """Have something short said soon; `WireBroken` if the other end takes nothing any more."""
        if self._answers >= _MOST_ANSWERS:
            raise WireBroken(f"{self._wire.address} does not take what it is told")
        self._answers += 1
        self._waiting.put_nowait((False, next(self._came), said))

    async def tell(self, said: Said) -> None:
        """Have something long said; returns when that before it was."""
        await self._turn.acquire()
        self._waiting.put_nowait((True, next(self._came), said))

    async def run(self) -> None:
        """Say all of it, until the wire breaks."""
        while True:
            is_long, _, said = await self._waiting.get()
            await self.send(said)
            if is_long:
                self._turn.release()
            else:
                self._answers -= 1

    async def send(self, said: Said) -> None:
        """Say something at once, in pieces if need be, when nobody else says anything."""
        for text in in_pieces(written(said), self._message_bytes):
            await self._wire.send(text)
