"""The history of a broker as it is opened: it has to be that of its journal."""

from __future__ import annotations

from collections.abc import Callable

from purport.broker.journal import Journal
from purport.temporal.history import EventHistory, HistoryError

_ANEW = "it is made anew from the journal when there is none: move it away, or name another"


def opened_history(open_it: Callable[[], EventHistory], journal: Journal) -> EventHistory:
    """The history; `HistoryError` if it has what this journal never had, or has otherwise."""
    history = open_it()
    try:
        _require_of(history, journal)
    except BaseException:
        history.close()
        raise
    return history


def _require_of(history: EventHistory, journal: Journal) -> None:
    applied, at = history.applied, history.applied_at
    if applied > journal.last:
        raise HistoryError(
            f"the history of events has the journal through entry {applied}, but this journal ends "
            f"with entry {journal.last}; {_ANEW}"
        )
    if at is None or applied < journal.first:
        return
    entry = next(iter(journal.read(applied - 1, applied)), None)
    if entry is not None and entry.at != at:
        raise HistoryError(
            f"the history of events is that of another journal: entry {applied} is another one; "
            f"{_ANEW}"
        )
