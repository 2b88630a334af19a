"""Which old entries of a journal nobody needs any more."""

from __future__ import annotations

from datetime import datetime

from purport.broker.journal import Journal
from purport.broker.retention import Retention
from purport.broker.state import BrokerState
from purport.model.interval import microseconds_of


def droppable(journal: Journal, state: BrokerState, retention: Retention, now: datetime) -> int:
    """The last sequence that need not be kept; a journal without stretches goes by age.

    What the state follows from may go: whoever drops has a snapshot of it first.
    """
    wanted = _first_wanted(journal, state)
    through = retention.droppable(journal.stretches(), now, wanted)
    if retention.most_age is not None:
        old = journal.droppable_before(microseconds_of(now - retention.most_age))
        through = max(through, old if wanted is None else min(old, wanted - 1))
    return through


def _first_wanted(journal: Journal, state: BrokerState) -> int | None:
    """The sequence of the oldest entry that somebody durable waits for."""
    wanted: list[int] = []
    for one in state.registry:
        cursor = state.cursors[one.id]
        if one.is_durable and cursor.waiting:
            entries = journal.told(one.id, cursor.acknowledged, 1)
            wanted += [entry.sequence for entry in entries]
    return min(wanted, default=None)
