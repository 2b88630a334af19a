"""Where what a broker is asked is done: in threads, so that no event loop waits for a disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from purport.errors import PurportError

T = TypeVar("T")

_READERS = 4


class Overloaded(PurportError):
    """As much waits to be done as may."""


class Desk:
    """What changes something is done in one thread, in order; what reads, in some others."""

    def __init__(self, most_waiting: int) -> None:
        self._most_waiting = most_waiting
        self._waiting = 0
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="purport writer")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="purport reader")

    async def write(self, do: Callable[[], T]) -> T:
        """Do what changes something; `Overloaded` if too much waits already."""
        return await self._run(self._writer, do)

    async def read(self, do: Callable[[], T]) -> T:
        """Do what changes nothing; `Overloaded` if too much waits already."""
        return await self._run(self._readers, do)

    async def clean_up(self, do: Callable[[], object]) -> None:
        """Change what has to be changed, as when a client has gone: that is never refused."""
        await asyncio.get_running_loop().run_in_executor(self._writer, do)

    async def watch(self, do: Callable[[], T]) -> T:
        """Do what those ask who watch over a service: that is never refused either."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, do)

    async def _run(self, executor: ThreadPoolExecutor, do: Callable[[], T]) -> T:
        if self._waiting >= self._most_waiting:
            raise Overloaded(f"{self._waiting:,} requests wait already: try again later")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(executor, do)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Wait for what is being done."""
        self._writer.shutdown()
        self._readers.shutdown(cancel_futures=True)
