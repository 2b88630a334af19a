"""The store in memory, which keeps as quick as it was.

pyoxigraph keeps old versions of what is removed, and passes all that have the same subject whenever
it looks something up. What is known to have many is kept here as well, for those
who look it up; and the facts are copied into a new store when that costs less than going on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Self

from pyoxigraph import NamedNode, Quad, Store

from purport.sparql.change import Change
from purport.sparql.graph_store import WHOLE, Answer, Dataset, OxigraphStore
from purport.sparql.lookup_plan import LookupPlan, lookup_plan
from purport.sparql.shape import ShapeCache
from purport.sparql.terms import Fact, Graph, Subject, Term

_HOT = 64  # old versions under one subject and predicate, from which on they are kept here too
_COPYING = 170  # how many versions can be passed in the time in which a fact is copied
_SPREAD = 2  # how many old versions there may be for each fact
_FEW = 1_000  # facts: a copy of fewer costs as much


class MemoryStore(OxigraphStore):
    """A store in memory; one that is given from outside is used as it is, and never copied."""

    def __init__(self, store: Store | None = None) -> None:
        super().__init__(Store() if store is None else store)
        self._may_renew = store is None
        self._size = 0
        self._old = 0  # versions, since the store was new
        self._passed = 0  # versions, if each fact is looked up as often as it is changed
        self._old_under: dict[tuple[Subject, NamedNode], int] = {}
        self._hot: dict[tuple[Subject, NamedNode], set[Fact]] = {}
        self._lookups: ShapeCache[LookupPlan | None] = ShapeCache(lookup_plan)
        self.renewals = 0

    @classmethod
    def filled(cls, quads: Iterable[Quad]) -> Self:
        """A store with some quads in it: quicker than updates, if there are many."""
        made = cls()
        made._store.bulk_extend(quads)
        made._size = len(made._store)
        return made

    def query(self, text: str, dataset: Dataset = WHOLE) -> Answer:
        if self._hot and dataset == WHOLE:
            plan, constants = self._lookups.get(text)
            if plan is not None:
                return plan.answer(constants, self)
        return super().query(text, dataset)

    def matching(
        self,
        subject: Subject | None,
        predicate: NamedNode | None,
        value: Term | None,
        graph: Graph | None,
    ) -> Iterable[Fact]:
        if self._hot and subject is not None and predicate is not None:
            hot = self._hot.get((subject, predicate))
            if hot is not None:
                return [
                    fact
                    for fact in hot
                    if (value is None or fact[2] == value) and (graph is None or fact[3] == graph)
                ]
        return super().matching(subject, predicate, value, graph)

    def apply(self, change: Change) -> None:
        super().apply(change)
        if self._may_renew:
            self._size += len(change.added) - len(change.removed)
            if self._hot:
                self._keep_hot(change)
            if change.removed:
                self._count(change.removed)

    def _keep_hot(self, change: Change) -> None:
        hot = self._hot
        for fact in change.removed:
            if (kept := hot.get(fact[:2])) is not None:
                kept.discard(fact)
        for fact in change.added:
            if (kept := hot.get(fact[:2])) is not None:
                kept.add(fact)

    def _count(self, removed: Collection[Fact]) -> None:
        under, passed = self._old_under, 0
        for fact in removed:
            key = fact[:2]
            times = under[key] = under.get(key, 0) + 1
            passed += times
            if times == _HOT:
                self._hot[key] = set(super().matching(*key, None, None))
        self._passed += passed
        self._old += len(removed)
        size = max(self._size, _FEW)
        if self._passed > size * _COPYING or self._old > size * _SPREAD:
            self._renew()

    def _renew(self) -> None:
        fresh = Store()
        fresh.bulk_extend(self._store)
        for graph in self._store.named_graphs():
            fresh.add_graph(graph)
        self._store = fresh
        self._size = len(fresh)
        self._old = self._passed = 0
        self._old_under.clear()
        self._hot.clear()
        self.renewals += 1
