"""A thread that runs delayed updates when their time comes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import timedelta

_LOG = logging.getLogger("purport.broker")
_LONGEST_SECONDS = 1.0  # between looks: a clock may be set, or moved by hand


class Timer:
    """Looks when something is due, and at least every second while something waits."""

    def __init__(
        self, time_left: Callable[[], timedelta | None], run_due: Callable[[], object]
    ) -> None:
        """`time_left` says until when nothing is due, or None if nothing waits at all."""
        self._time_left, self._run_due = time_left, run_due
        self._changed = threading.Event()
        self._stopping = False
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def look(self) -> None:
        """Something new may be due first."""
        with self._lock:
            if self._thread is None and not self._stopping:
                self._thread = threading.Thread(target=self._run, name="purport timer", daemon=True)
                self._thread.start()
        self._changed.set()

    def stop(self) -> None:
        """Let it end what it is at, and wait for that."""
        with self._lock:
            self._stopping = True
        self._changed.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping:
            self._changed.clear()
            seconds = self._seconds_left()
            if seconds is None or seconds > 0:
                self._changed.wait(seconds)
            if not self._stopping and seconds is not None:
                self._run_what_is_due()

    def _seconds_left(self) -> float | None:
        try:
            left = self._time_left()
        except Exception as error:  # noqa: BLE001 - it is asked again
            _LOG.warning("it is not known what is due: %s", error)
            return _LONGEST_SECONDS
        return None if left is None else min(max(left.total_seconds(), 0), _LONGEST_SECONDS)

    def _run_what_is_due(self) -> None:
        try:
            self._run_due()
        except Exception as error:  # noqa: BLE001 - of the journal's: what waits goes on waiting
            _LOG.warning("delayed updates could not run: %s", error)
            self._changed.wait(_LONGEST_SECONDS)
