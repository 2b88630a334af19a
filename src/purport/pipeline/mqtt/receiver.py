"""The receiver of a stream: a connection to a broker, and the spool that it fills."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from purport.mqtt.address import BrokerAddress
from purport.mqtt.connection import Connection
from purport.mqtt.errors import BrokerRefused
from purport.spool.errors import SpoolTaken
from purport.spool.inlet import SpoolInlet, WhenFull
from purport.spool.spool import Spool

_LOCK_SECONDS = 15.0  # a receiver that was stopped may take so long to go
_LOOK_SECONDS = 0.02


class Receiver:
    """Receives what is asked for, until it is stopped; what it has acknowledged is in the spool."""

    def __init__(
        self, address: BrokerAddress, folder: Path, *, most_bytes: int, when_full: WhenFull
    ) -> None:
        self._address = address
        self._spool = _opened(folder, most_bytes)
        inlet = SpoolInlet(self._spool, when_full=when_full)
        try:
            self._connection = Connection(address.place, address.session(), inlet).start()
        except BaseException:
            self._spool.close()
            raise

    @property
    def end(self) -> int:
        """The position after the last message that is there."""
        return self._spool.end

    def wait_until_ready(self) -> None:
        """Return when messages come in; an error says why they do not."""
        self._connection.wait_until_ready(self._address.options.connect_seconds)
        refused = self._connection.figures().refused_topics
        said = "; ".join(f"{topics}: {reason}" for topics, reason in refused.items())
        if refused and len(refused) == len(self._address.filters):
            raise BrokerRefused(f"{self._address.place}: nothing of this may be received: {said}")
        if refused:
            sys.stderr.write(f"{self._address.place}: not received: {said}\n")

    def wait_until_quiet(self, seconds: float) -> None:
        """Return when nothing more has come for so long: the broker has sent what it had."""
        end, changed = self.end, time.monotonic()
        while time.monotonic() - changed < seconds:
            time.sleep(_LOOK_SECONDS)
            if self.end != end:
                end, changed = self.end, time.monotonic()

    def stop(self) -> None:
        """Go, and let others write the spool."""
        self._connection.stop()
        self._spool.close()


def _opened(folder: Path, most_bytes: int) -> Spool:
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            return Spool.open(folder, most_bytes=most_bytes)
        except SpoolTaken:
            if time.monotonic() > deadline:
                raise
            time.sleep(_LOOK_SECONDS)
