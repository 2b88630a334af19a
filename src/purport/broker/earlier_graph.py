"""The graph of a broker as it was before some entry of its journal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from purport.broker.journal import Journal, JournalError
from purport.broker.kept_state import kept_state
from purport.broker.records import Updated


@dataclass(slots=True)
class EarlierGraph:
    """Quads, as lines of N-Quads without their points, and the IRIs of graphs."""

    facts: set[str] = field(default_factory=set)
    graphs: set[str] = field(default_factory=set)

    def follow(self, updates: Iterable[Updated]) -> None:
        """What came after it."""
        for one in updates:
            self.facts.difference_update(one.removed)
            self.facts.update(one.added)
            self.graphs.difference_update(one.dropped)
            self.graphs.update(one.created)

    def go_back(self, updates: Iterable[Updated]) -> None:
        """What came before: updates are taken back, the last one first."""
        for one in updates:
            self.facts.difference_update(one.added)
            self.facts.update(one.removed)
            self.graphs.difference_update(one.created)
            self.graphs.update(one.dropped)


def graph_before(journal: Journal, first: int) -> EarlierGraph:
    """The graph before an entry that a journal keeps, or before the next one.

    Entries say what really came and went; so it follows from a snapshot forwards, if that is
    earlier, and backwards, if it is later.
    """
    graph, after = EarlierGraph(), 0
    snapshot = journal.snapshot()
    if snapshot is not None:
        kept = kept_state(snapshot.state)
        graph, after = EarlierGraph(set(kept.facts), set(kept.graphs)), snapshot.sequence
    elif journal.first > 1:
        raise JournalError("the journal does not begin at its first entry, and has no snapshot")
    if after < first:
        graph.follow(_updates(journal, after, first - 1))
    else:
        graph.go_back(reversed(list(_updates(journal, first - 1, after))))
    return graph


def _updates(journal: Journal, after: int, through: int) -> Iterator[Updated]:
    for entry in journal.read(after, through):
        if isinstance(entry.record, Updated):
            yield entry.record
