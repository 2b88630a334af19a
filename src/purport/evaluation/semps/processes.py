"""Work that is independent, in as many processes as are asked for."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.queues import SimpleQueue
from typing import Any, TypeVar

from purport.errors import PurportError

T = TypeVar("T")
R = TypeVar("R")
Tell = Callable[[int, int, str], None]  # how much is done, of how much, and what goes on

_LOOK_SECONDS = 0.2
_INTERRUPTED = 130


class ProcessDied(PurportError):
    """One of the processes ended that should have gone on, e.g. for lack of memory."""


def done_in_processes(
    work: Callable[[T, Callable[[str], None]], R], given: Sequence[T], processes: int, tell: Tell
) -> list[R]:
    """What some work makes of each, in order; it may say how far it is.

    In one process it is this one.
    """
    if processes <= 1 or len(given) <= 1:
        return _done_here(work, given, tell)
    context = multiprocessing.get_context("spawn")
    news: SimpleQueue[str] = context.SimpleQueue()
    before = set(multiprocessing.active_children())
    count = min(processes, len(given))
    with ProcessPoolExecutor(count, context, _begin, (news,)) as pool:
        futures = [pool.submit(_working, work, one) for one in given]
        try:
            _watch(futures, news, tell)
            return [future.result() for future in futures]
        except BrokenProcessPool:
            raise ProcessDied(
                "a process ended before its run did, perhaps for lack of memory: "
                "try fewer --processes"
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - before:
                process.terminate()
            raise


def _done_here(
    work: Callable[[T, Callable[[str], None]], R], given: Sequence[T], tell: Tell
) -> list[R]:
    found = []
    for place, one in enumerate(given):
        tell(place, len(given), "")

        def said(now: str, place: int = place) -> None:
            tell(place, len(given), now)

        found.append(work(one, said))
    tell(len(given), len(given), "")
    return found


def _watch(futures: Sequence[Future[Any]], news: SimpleQueue[str], tell: Tell) -> None:
    """Tell what is done, until all is; the first error is raised."""
    waiting, now = set(futures), ""
    while waiting:
        done, waiting = wait(waiting, _LOOK_SECONDS, FIRST_COMPLETED)
        for future in done:
            future.result()
        while not news.empty():
            now = news.get()
        tell(len(futures) - len(waiting), len(futures), now)


_news: SimpleQueue[str] | None = None  # of this process, if it is one of those


def _begin(news: SimpleQueue[str]) -> None:
    """A process begins; Ctrl-C, which reaches all of them, ends it without a word."""
    global _news
    _news = news
    signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Who has given the work may die without a word, too."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(_INTERRUPTED)


def _working(work: Callable[[T, Callable[[str], None]], R], one: T) -> R:
    last = time.monotonic()

    def said(now: str) -> None:
        nonlocal last
        if _news is not None and time.monotonic() - last > _LOOK_SECONDS:
            _news.put(now)
            last = time.monotonic()

    return work(one, said)
