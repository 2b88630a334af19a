"""What became of a message that we publish."""

from __future__ import annotations

import threading

from purport.mqtt.errors import NotDelivered


class Delivery:
    """A message on its way to a broker: acknowledged, refused, or neither so far.

    Whoever waits is woken through a condition that all messages of a connection share.
    """

    __slots__ = ("_changed", "is_done", "refused", "topic")

    def __init__(self, topic: str, changed: threading.Condition) -> None:
        self.topic, self._changed = topic, changed
        self.is_done = False
        self.refused: str | None = None  # why, in words

    def finish(self, refused: str | None = None) -> None:
        """Say that nothing more will come of it; called once, with the condition held."""
        self.is_done, self.refused = True, refused

    def wait(self, seconds: float | None = None) -> None:
        """Return when it is acknowledged; `NotDelivered` if it is refused or the time is over."""
        with self._changed:
            if not self._changed.wait_for(lambda: self.is_done, seconds):
                raise NotDelivered(f"{self.topic}: not acknowledged within {seconds:g} seconds")
        if self.refused is not None:
            raise NotDelivered(f"{self.topic}: {self.refused}")
