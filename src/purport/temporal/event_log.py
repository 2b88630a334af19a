"""What an engine asks of a history: what is known of each event. In memory, that is enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from purport.temporal.occurrence import Occurrence


class KeptEvents(Protocol):
    """Keeps occurrences, each under its id; an `EventHistory` does, and finds them by time too."""

    @property
    def applied(self) -> int:
        """The last sequence of the journal that was taken up; 0 if there never was one."""

    def keep(self, occurrences: Sequence[Occurrence], applied: int) -> None:
        """Take up what is new, or known better, and the journal through a sequence."""

    def find(self, identifier: str) -> Occurrence | None:
        """What is known under an id, also if it was told late."""

    def all(self) -> Iterator[Occurrence]:
        """Everything, also what was told late."""

    def drop(self, *, before: int | None = None, most: int | None = None) -> int:
        """Forget what ended before a time, then the oldest by end that are more than `most`."""


class EventLog:
    """Events in memory, by their ids."""

    def __init__(self) -> None:
        self.applied = 0
        self._known: dict[str, Occurrence] = {}

    def keep(self, occurrences: Sequence[Occurrence], applied: int) -> None:
        """Take up what is new, or known better."""
        for one in occurrences:
            self._known[one.id] = one
        self.applied = applied

    def find(self, identifier: str) -> Occurrence | None:
        """What is known under an id."""
        return self._known.get(identifier)

    def all(self) -> Iterator[Occurrence]:
        """Everything, in the order of arrival."""
        return iter(tuple(self._known.values()))

    def drop(self, *, before: int | None = None, most: int | None = None) -> int:
        """Forget what is old; gives how many."""
        ended = sorted((one.end, one.id) for one in self._known.values() if one.end is not None)
        gone = [name for end, name in ended if before is not None and end < before]
        if most is not None:
            gone = [name for _, name in ended[: max(len(gone), len(ended) - most)]]
        for name in gone:
            del self._known[name]
        return len(gone)

    def close(self) -> None:
        """Nothing is held."""
