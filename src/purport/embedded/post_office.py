"""A few threads that post for all webhooks, so that a thousand of them are no thousand threads."""

from __future__ import annotations

import heapq
import itertools
import logging
import math
import threading
import time
from collections import deque
from typing import Protocol

_LOG = logging.getLogger("purport.broker")
_AFTER_TROUBLE_SECONDS = 1.0
_IDLE_SECONDS = 5.0
MOST_THREADS = 32
LONG_SECONDS = 2.0  # from which on whoever takes so long counts with those that fail


class Customer(Protocol):
    """Somebody who has something to be done, a piece at a time."""

    id: str

    @property
    def holds_up(self) -> bool:
        """Whether what was done last has failed, or taken long."""

    def serve(self) -> float | None:
        """Do a piece; gives the seconds until the next, or None: when it is rung for."""


class PostOffice:
    """Serves those who are rung for, each by one thread at a time, all in turn.

    Threads come with the work and go when there is none. At most half of them are with those that
    fail, who may be slow at it: so they do not hold up the others.
    """

    def __init__(self, most_threads: int = MOST_THREADS) -> None:
        self._most = most_threads
        self._news = threading.Condition()
        self._ready: deque[Customer] = deque()
        self._slow: deque[Customer] = deque()  # or failing
        self._later: list[tuple[float, int, Customer]] = []  # a heap, by the time
        self._numbers = itertools.count()
        self._known: set[Customer] = set()  # those in one of these, or at work
        self._at_work: dict[Customer, float] = {}  # since when; of those that hold up, always
        self._rung: set[Customer] = set()  # while they were at work
        self._threads: set[threading.Thread] = set()
        self._idle = 0
        self._is_closed = False

    @property
    def threads(self) -> int:
        """How many there are now."""
        return len(self._threads)

    def ring(self, customer: Customer) -> None:
        """There is something to do for somebody."""
        with self._news:
            if self._is_closed:
                return
            if customer in self._at_work:
                self._rung.add(customer)
            elif customer not in self._known:
                self._known.add(customer)
                self._queue(customer)
                self._call()

    def close(self) -> None:
        """Begin nothing more."""
        with self._news:
            self._is_closed = True
            self._news.notify_all()

    def join(self, seconds: float) -> list[str]:
        """Wait until all have ended what they are at; gives the ids of those that have not."""
        deadline = time.monotonic() + seconds
        for thread in tuple(self._threads):
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))
        with self._news:
            return [one.id for one in self._at_work]

    def _queue(self, customer: Customer) -> None:
        (self._slow if customer.holds_up else self._ready).append(customer)

    def _call(self) -> None:
        """Have a thread come if there is more to do than those can who wait for it."""
        to_do = len(self._ready) + min(len(self._slow), self._room_for_slow())
        if to_do and self._idle:
            self._news.notify()
        is_needed = to_do > self._idle or (bool(self._later) and not self._idle)
        if is_needed and len(self._threads) < self._most:
            thread = threading.Thread(target=self._run, name="purport webhooks", daemon=True)
            self._threads.add(thread)
            thread.start()

    def _run(self) -> None:
        while (customer := self._next()) is not None:
            try:
                wait = customer.serve()
            except Exception as error:  # noqa: BLE001 - of the journal's: what waits goes on waiting
                _LOG.warning("%r could not be handed what waits: %s", customer.id, error)
                wait = _AFTER_TROUBLE_SECONDS
            self._put_back(customer, wait)

    def _next(self) -> Customer | None:
        """The next to be served; None if the thread is not needed any more."""
        with self._news:
            while not self._is_closed:
                self._let_time_pass()
                customer = self._pick()
                if customer is not None:
                    self._call()  # for the rest, and to look at the time
                    return customer
                self._idle += 1
                is_notified = self._news.wait(self._left())
                self._idle -= 1
                if not is_notified and not self._is_needed():
                    break
            self._threads.discard(threading.current_thread())
            return None

    def _is_needed(self) -> bool:
        return bool(self._ready or self._slow or (self._later and not self._idle))

    def _pick(self) -> Customer | None:
        if self._ready:
            customer, since = self._ready.popleft(), time.monotonic()
        elif self._slow and self._room_for_slow() > 0:
            customer, since = self._slow.popleft(), -math.inf
        else:
            return None
        self._at_work[customer] = since
        return customer

    def _room_for_slow(self) -> int:
        long_ago = time.monotonic() - LONG_SECONDS
        taken = sum(one < long_ago for one in self._at_work.values())
        return max(0, max(1, self._most // 2) - taken)

    def _put_back(self, customer: Customer, wait: float | None) -> None:
        with self._news:
            del self._at_work[customer]
            is_rung = customer in self._rung
            self._rung.discard(customer)
            if self._is_closed:
                return
            if wait:
                due = time.monotonic() + wait
                heapq.heappush(self._later, (due, next(self._numbers), customer))
            elif wait is not None or is_rung:
                self._queue(customer)
            else:
                self._known.discard(customer)

    def _let_time_pass(self) -> None:
        now = time.monotonic()
        while self._later and self._later[0][0] <= now:
            self._queue(heapq.heappop(self._later)[2])

    def _left(self) -> float:
        if not self._later:
            return _IDLE_SECONDS
        return max(0.0, min(_IDLE_SECONDS, self._later[0][0] - time.monotonic()))
