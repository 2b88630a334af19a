"""The contract of a history, for the one in memory."""

from pathlib import Path

from purport.temporal.history import EventHistory, MemoryHistory
from tests.contracts.event_history import EventHistoryContract


class TestMemoryHistory(EventHistoryContract):
    lasts = False
    examples = 1.0

    def open(self, folder: Path) -> EventHistory:
        return MemoryHistory()
