"""A thread that keeps a journal in order: seals what is old, drops what need not be kept."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from purport.broker.journal import Journal
from purport.embedded.ledger import Ledger

_LOG = logging.getLogger("purport.broker")
_SECONDS = 1.0
_SECONDS_BETWEEN_SEALS = 10


class Housekeeper:
    """Looks after a journal every second, beside whoever publishes."""

    def __init__(self, journal: Journal, ledger: Ledger) -> None:
        self._journal, self._ledger = journal, ledger
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="purport journal", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Let it end what it is at, and wait for that."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        second = 0
        while not self._stopping.wait(_SECONDS):
            second += 1
            self._do(self._ledger.write_received)
            self._do(self._ledger.expire)
            if second % _SECONDS_BETWEEN_SEALS == 0:
                self._do(self._seal)
                self._do(self._ledger.drop_old)

    def _seal(self) -> None:
        while not self._stopping.is_set() and self._journal.seal() is not None:
            pass

    def _do(self, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - the journal goes on as it is, and is whole
            _LOG.warning("the journal could not be kept in order: %s", error)
