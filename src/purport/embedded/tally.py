"""What a broker has done since it was opened, counted as entries are written."""

from __future__ import annotations

from dataclasses import dataclass

from purport.broker.links import count_here
from purport.broker.records import (
    Acknowledged,
    AnswerTold,
    Detected,
    Failed,
    Paused,
    Published,
    Record,
    Updated,
    UpdateFailed,
    addressees,
)


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts since a broker was opened, and what there is now."""

    events: int = 0  # published, by somebody, by a rule, or at a neighbour and told by it
    derived: int = 0  # of them, by a rule
    updates: int = 0
    matches_told: int = 0
    changes_told: int = 0  # of answers
    missed: int = 0  # times that notifications were dropped because too much waited
    paused: int = 0  # subscriptions that were paused for that
    failures: int = 0
    sequence: int = 0  # of the last entry of the journal
    subscriptions: int = 0  # rules included
    waiting: int = 0  # notifications that nobody has acknowledged


class Counts:
    """Counts records; the caller has the lock."""

    def __init__(self) -> None:
        self._events = self._derived = self._updates = 0
        self._matches = self._changes = self._missed = self._paused = self._failures = 0

    def count(self, record: Record) -> None:
        """Count one more."""
        match record:
            case Published():
                self._events += 1
                self._derived += bool(record.rules)
                self._matches += count_here(record.told)
            case Detected():
                self._matches += len(record.told)
            case Updated():
                self._updates += 1
                self._changes += len(tuple(addressees(record)))
            case AnswerTold():
                self._changes += len(tuple(addressees(record)))
            case Acknowledged(is_missed=True):
                self._missed += 1
            case Paused(reason="overflow"):
                self._paused += 1
            case Failed() | UpdateFailed():
                self._failures += 1

    def tally(self, sequence: int, subscriptions: int, waiting: int) -> Tally:
        """All of it, as it is now."""
        return Tally(
            self._events, self._derived, self._updates, self._matches, self._changes,
            self._missed, self._paused, self._failures, sequence, subscriptions, waiting,
        )  # fmt: skip
