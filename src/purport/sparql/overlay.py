"""A store with a change that is not made yet: what a request's later operations see."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from pyoxigraph import NamedNode

from purport.sparql.change import NO_CHANGE, Change
from purport.sparql.graph_store import WHOLE, Answer, Dataset, GraphStore
from purport.sparql.terms import Fact, Graph, Subject, Term


class NeedsQuery(Exception):
    """A query over what is not in the store yet: only the store itself could answer it."""


class Overlay:
    """A graph store that is another one after a change; nothing is written."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self.change = NO_CHANGE

    def query(self, text: str, dataset: Dataset = WHOLE) -> Answer:
        if self.change:
            raise NeedsQuery
        return self._store.query(text, dataset)

    def matching(
        self,
        subject: Subject | None,
        predicate: NamedNode | None,
        value: Term | None,
        graph: Graph | None,
    ) -> Iterator[Fact]:
        asked = subject, predicate, value, graph
        for fact in self._store.matching(*asked):
            if fact not in self.change.removed:
                yield fact
        for fact in self.change.added:
            if all(one is None or one == other for one, other in zip(asked, fact, strict=True)):
                yield fact

    def holds(self, facts: Collection[Fact]) -> set[Fact]:
        kept = self._store.holds(facts) - self.change.removed
        return kept | self.change.added.intersection(facts)

    def named_graphs(self) -> set[NamedNode]:
        graphs: Iterable[NamedNode] = self._store.named_graphs()
        return (set(graphs) | self.change.created) - self.change.dropped

    def apply(self, change: Change) -> None:
        self.change = self.change.then(change)
