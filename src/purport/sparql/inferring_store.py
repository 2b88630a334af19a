"""A store in which one sees what follows from its facts, kept apart from what was asserted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from pyoxigraph import NamedNode

from purport.sparql.change import Change
from purport.sparql.graph_store import WHOLE, Answer, Dataset, GraphStore
from purport.sparql.inference import GraphFacts, Inference, StatementSet
from purport.sparql.inference_rules import InferenceRules, Statement
from purport.sparql.memory_store import MemoryStore
from purport.sparql.terms import DEFAULT, Fact, Graph, Subject, Term, quad_of

_NOTHING = StatementSet()


class InferringStore:
    """Facts, and what follows from them in each graph: a graph store, in memory.

    Changes are of what is asserted; whoever looks sees what follows as well. What the rules take
    for granted is seen in the default graph, and every other graph goes by it. `base`, if there is
    one, keeps what is asserted and nothing else.
    """

    def __init__(self, rules: InferenceRules, base: GraphStore | None = None) -> None:
        self._rules, self._base = rules, base
        self._granted = _closed(rules)
        self._visible = MemoryStore()
        self._inferred: set[Fact] = set()  # what is visible and was not asserted
        self.asserted = AssertedFacts(self)
        self.refresh()

    def query(self, text: str, dataset: Dataset = WHOLE) -> Answer:
        return self._visible.query(text, dataset)

    def matching(
        self,
        subject: Subject | None,
        predicate: NamedNode | None,
        value: Term | None,
        graph: Graph | None,
    ) -> Iterable[Fact]:
        return self._visible.matching(subject, predicate, value, graph)

    def holds(self, facts: Collection[Fact]) -> set[Fact]:
        return self._visible.holds(facts)

    def named_graphs(self) -> Collection[NamedNode]:
        return self._visible.named_graphs()

    def is_inferred(self, fact: Fact) -> bool:
        """Whether a fact is there because it follows, and for no other reason."""
        return fact in self._inferred

    def apply(self, change: Change) -> None:
        self.make(change)

    def make(self, change: Change) -> Change:
        """Change what is asserted; gives what that changes for those who look."""
        real = self._real(change)
        if not real:
            return real
        seen = self._seen(real)
        if self._base is not None:
            self._base.apply(real)
        self._visible.apply(seen)
        self._inferred |= seen.added | real.removed
        self._inferred -= real.added | seen.removed
        return seen

    def refresh(self) -> None:
        """Take up what the base has now, if there is one, and infer all that follows anew."""
        base = self._base or self.asserted
        asserted = list(base.matching(None, None, None, None))
        graphs = base.named_graphs()
        inferred: set[Fact] = {(*fact, DEFAULT) for fact in self._granted.all}
        inferred.difference_update(asserted)
        plain = MemoryStore.filled(map(quad_of, (*asserted, *inferred)))
        by_graph: dict[Graph, list[Statement]] = {}
        for fact in asserted:
            by_graph.setdefault(fact[3], []).append(fact[:3])
        for graph, facts in by_graph.items():
            inference = self._inference(plain, graph)
            inference.follow(facts)
            inferred |= {(*fact, graph) for fact in inference.facts.came.all}
        self._visible = MemoryStore.filled(map(quad_of, (*asserted, *inferred)))
        self._inferred = inferred
        empty = frozenset(graphs).difference(self._visible.named_graphs())
        if empty:
            self._visible.apply(Change(created=empty))

    def _real(self, change: Change) -> Change:
        """What is not so yet."""
        asserted, created, dropped = self.asserted, change.created, change.dropped
        removed = asserted.holds(change.removed)
        if created or dropped:
            graphs = frozenset(self.named_graphs())
            created, dropped = created - graphs, dropped & graphs
            for graph in dropped:
                removed.update(asserted.matching(None, None, None, graph))
        return Change(
            change.added - asserted.holds(change.added),
            frozenset(removed - change.added),
            created,
            dropped,
        )

    def _seen(self, real: Change) -> Change:
        """What a change of what is asserted changes for those who look."""
        came: set[Fact] = set()
        went: set[Fact] = set()
        for graph in {fact[3] for facts in (real.added, real.removed) for fact in facts}:
            added, removed = (
                {fact[:3] for fact in facts if fact[3] == graph}
                for facts in (real.added, real.removed)
            )
            inference = self._inference(self._visible, graph)
            inference.run(added, removed)
            shown, hidden = inference.facts.came.all, inference.facts.went
            if graph != DEFAULT:  # which shows nothing that is granted, unless it is asserted
                shown, hidden = (
                    shown | (added & self._granted.all),
                    hidden | (removed & self._granted.all),
                )
            came.update((*fact, graph) for fact in shown)
            went.update((*fact, graph) for fact in hidden)
        return Change(frozenset(came), frozenset(went), real.created, real.dropped)

    def _inference(self, store: GraphStore, graph: Graph) -> Inference:
        beside = _NOTHING if graph == DEFAULT else self._granted
        facts = GraphFacts(store, graph, beside)
        return Inference(self._rules, facts, graph, self._inferred, self._granted)


class AssertedFacts:
    """Of what a store shows, that which was asserted."""

    def __init__(self, store: InferringStore) -> None:
        self._store = store

    def matching(
        self,
        subject: Subject | None,
        predicate: NamedNode | None,
        value: Term | None,
        graph: Graph | None,
    ) -> Iterator[Fact]:
        """The asserted facts with these terms; None is any."""
        for fact in self._store.matching(subject, predicate, value, graph):
            if not self._store.is_inferred(fact):
                yield fact

    def holds(self, facts: Collection[Fact]) -> set[Fact]:
        """Those of some facts that were asserted."""
        return {fact for fact in self._store.holds(facts) if not self._store.is_inferred(fact)}

    def named_graphs(self) -> Collection[NamedNode]:
        """The named graphs."""
        return self._store.named_graphs()


def _closed(rules: InferenceRules) -> StatementSet:
    """What the rules take for granted, and all that follows from it."""
    facts = GraphFacts(MemoryStore(), DEFAULT, _NOTHING)
    for fact in rules.granted:
        facts.add(fact)
    Inference(rules, facts, DEFAULT, frozenset(), _NOTHING).follow(rules.granted)
    return facts.came
