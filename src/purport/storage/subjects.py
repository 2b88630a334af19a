"""What a database is opened as: a journal or a history, and what its errors are then."""

from __future__ import annotations

from dataclasses import dataclass

from purport.broker.journal import JournalError, JournalTaken
from purport.errors import InvalidInput, PurportError
from purport.temporal.history import HistoryError, HistoryTaken


@dataclass(frozen=True, slots=True)
class Subject:
    """What messages call it, and which errors it raises."""

    noun: str
    error: type[PurportError]
    taken: type[InvalidInput]


JOURNAL = Subject("journal", JournalError, JournalTaken)
HISTORY = Subject("history", HistoryError, HistoryTaken)
