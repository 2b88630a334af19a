"""The state of a broker, from its journal: the last snapshot, and what came after it."""

from __future__ import annotations

from collections.abc import Sequence

from purport.broker.engine import Engine
from purport.broker.graph import Graph
from purport.broker.journal import Journal, JournalError
from purport.broker.state import BrokerState


def restored(
    journal: Journal, engines: Sequence[Engine], graph: Graph | None = None
) -> BrokerState:
    """The state that follows from a journal; `JournalError` if a part of it is missing."""
    state = BrokerState(engines, graph)
    state.sleep()
    snapshot = journal.snapshot()
    try:
        if snapshot is not None:
            state.restore(snapshot.state)
    except JournalError:
        if journal.first > 1:  # or else everything can be applied again
            raise
    if state.sequence + 1 < journal.first:
        raise JournalError("the journal does not begin at its first entry, and has no snapshot")
    for entry in journal.read(after=state.sequence):
        state.apply(entry)
    state.wake()
    return state
