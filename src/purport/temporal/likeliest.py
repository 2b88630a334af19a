"""Of each event only the likeliest of the answers that come about at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from purport.temporal.history import Dropped
from purport.temporal.instance import Instance
from purport.temporal.progress import Progress


class LikeliestNode:
    """Hears what answers a pattern, and tells of each event the likeliest, when all is there.

    One publication may answer several parts of a pattern, and these one after the other; so what is
    not certain waits until all that the pattern is made of (of a lower rank) has been looked at.
    """

    is_prompt = True
    is_over = False

    def __init__(self, rank: int, progress: Progress) -> None:
        self.rank, self._progress = rank, progress
        self.listeners: list[Callable[[Instance], None]] = []
        self._best: dict[str, Instance] = {}  # by event
        self._is_waiting = False

    def hear(self, instance: Instance) -> None:
        """The pattern is answered."""
        if instance.probability >= 1.0:
            if self._best:
                self._best.pop(instance.about.id, None)
            for listener in self.listeners:
                listener(instance)
            return
        if not self._is_waiting:
            self._is_waiting = True
            self._progress.wait(self._progress.watermark, self.rank, self, self._tell_all)
        name = instance.about.id
        best = self._best.get(name)
        if best is None or instance.probability > best.probability:
            self._best[name] = instance

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Nothing is kept here."""

    def _tell_all(self) -> None:
        found, self._best, self._is_waiting = self._best, {}, False
        for instance in found.values():
            for listener in self.listeners:
                listener(instance)
