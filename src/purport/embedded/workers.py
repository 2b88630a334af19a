"""Threads that hand notifications over to callbacks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from purport.embedded.subscriber import Subscriber
from purport.embedded.written_state import BrokerClosed
from purport.errors import PurportError
from purport.model.notification import Notification

Callback = Callable[[Notification], object]
Rest = Callable[[float], None]  # sleeps so many seconds, or raises `Stopped`
HandOver = Callable[[Notification, Rest], None]

_LOG = logging.getLogger("purport.broker")
_CALLBACK_TRIES = 3
_FIRST_WAIT_SECONDS = 0.1
_AFTER_TROUBLE_SECONDS = 1.0
_LONGEST_REASON = 1_000


class Stopped(Exception):
    """The worker was told to stop while it waited."""


class Worker:
    """Takes the notifications of one subscriber, one after the other, in a thread of its own.

    What `hand_over` raises is told to `fail`; the notification counts as received then, and the
    next one is taken. So nobody else waits for a callback that hangs.
    """

    def __init__(
        self,
        subscriber: Subscriber,
        hand_over: HandOver,
        fail: Callable[[Notification, str], None],
    ) -> None:
        self.subscriber = subscriber
        self._hand_over, self._fail = hand_over, fail
        self._stopping = threading.Event()
        self._thread = threading.Thread(
            target=self._run, name=f"purport {subscriber.id}", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Ask it to stop after what it is at."""
        self._stopping.set()
        self.subscriber.close()

    def join(self, seconds: float) -> bool:
        """Wait until it has stopped; False if it has not in so many seconds."""
        if threading.current_thread() is self._thread:
            return True
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                notification = self.subscriber.take(timeout=None)
                if notification is None:
                    return
                self._work_on(notification)
            except Stopped:
                return
            except Exception as error:  # noqa: BLE001 - of the journal's: what waits goes on waiting
                _LOG.warning("%r could not be handed what waits: %s", self.subscriber.id, error)
                self._stopping.wait(_AFTER_TROUBLE_SECONDS)

    def _work_on(self, notification: Notification) -> None:
        try:
            self._hand_over(notification, self._rest)
        except Stopped:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a callback raises
            said = f"{type(error).__name__}: {error}"[:_LONGEST_REASON]
            self._record(notification, said.encode("utf-8", "replace").decode())
        self.subscriber.acknowledge(notification)

    def _record(self, notification: Notification, reason: str) -> None:
        """Have a failure recorded, however long that takes: a disk may be full for a while."""
        while True:
            try:
                return self._fail(notification, reason)
            except BrokerClosed:
                raise Stopped from None
            except PurportError as error:
                _LOG.warning("%s: a failure could not be recorded: %s", notification.id, error)
                self._rest(_AFTER_TROUBLE_SECONDS)

    def _rest(self, seconds: float) -> None:
        if self._stopping.wait(seconds):
            raise Stopped


def to_callback(callback: Callback) -> HandOver:
    """Calls a function, and again after a wait if it raises."""

    def hand_over(notification: Notification, rest: Rest) -> None:
        for tries_made in range(1, _CALLBACK_TRIES + 1):
            try:
                callback(notification)
            except Exception:
                if tries_made == _CALLBACK_TRIES:
                    raise
                rest(_FIRST_WAIT_SECONDS * 2.0 ** (tries_made - 1))
            else:
                return

    return hand_over
