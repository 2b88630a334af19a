"""Where what a broker is asked is done: in threads, so that no event loop waits for a disk."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from purport.errors import PurportError

T = TypeVar("T")

_READERS = 4
_QUERIERS = 4


class Overloaded(PurportError):
    """As much waits to be done as may."""


class Desk:
    """What changes something is done in one thread, in order; what reads, in some others.

    Queries have threads of their own: one that nobody waits for any more goes on until it has a
    solution, which may be never. Those who watch over the service have theirs.
    """

    def __init__(self, most_waiting: int) -> None:
        self._most_waiting = most_waiting
        self._waiting = 0
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="purport writer")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="purport reader")
        self._queriers = ThreadPoolExecutor(_QUERIERS, thread_name_prefix="purport query")
        self._watcher = ThreadPoolExecutor(1, thread_name_prefix="purport watcher")
        self._given_up: set[Future[Any]] = set()  # queries that go on all the same

    @property
    def has_given_up(self) -> bool:
        """Whether queries go on that nobody waits for."""
        return bool(self._given_up)

    async def write(self, do: Callable[[], T]) -> T:
        """Do what changes something; `Overloaded` if too much waits already."""
        return await self._run(self._writer, do)

    async def read(self, do: Callable[[], T]) -> T:
        """Do what changes nothing; `Overloaded` if too much waits already."""
        return await self._run(self._readers, do)

    async def query(self, do: Callable[[], T]) -> T:
        """Do what may take long; `Overloaded` if all threads have what was given up, too."""
        if len(self._given_up) >= _QUERIERS:
            raise Overloaded(f"{_QUERIERS} queries that took too long still run: try again later")
        self._require_few()
        future: Future[T] = self._queriers.submit(_without_frames, do)
        self._waiting += 1
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if not future.cancelled():
                self._given_up.add(future)
                future.add_done_callback(self._given_up.discard)
            raise
        finally:
            self._waiting -= 1

    async def clean_up(self, do: Callable[[], object]) -> None:
        """Change what has to be changed, as when a client has gone: that is never refused."""
        await asyncio.get_running_loop().run_in_executor(self._writer, do)

    async def watch(self, do: Callable[[], T]) -> T:
        """Do what those ask who watch over a service: that is never refused either."""
        return await asyncio.get_running_loop().run_in_executor(self._watcher, do)

    async def _run(self, executor: ThreadPoolExecutor, do: Callable[[], T]) -> T:
        self._require_few()
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(executor, do)
        finally:
            self._waiting -= 1

    def _require_few(self) -> None:
        if self._waiting >= self._most_waiting:
            raise Overloaded(f"{self._waiting:,} requests wait already: try again later")

    def close(self) -> None:
        """Wait for what is being done, but not for queries: nobody waits for those any more."""
        self._queriers.shutdown(wait=False, cancel_futures=True)
        self._writer.shutdown()
        self._readers.shutdown(cancel_futures=True)
        self._watcher.shutdown(cancel_futures=True)


def _without_frames(do: Callable[[], T]) -> T:
    """What it gives; what it raises is without frames.

    Those hold an answer of pyoxigraph's, which only the thread that has it may let go.
    """
    try:
        return do()
    except BaseException as error:
        raised: BaseException | None = error
        while raised is not None:
            traceback.clear_frames(raised.__traceback__)
            raised = raised.__context__
        raise
