"""What follows from the facts of one graph, kept up to date as facts come and go.

What came is followed forwards. What went takes with it all that might have followed from it, except
what can be shown to follow from other facts; then whatever still follows is put back (delete and
rederive). So facts that follow from each other in a circle do not keep each other alive.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from pyoxigraph import NamedNode

from purport.sparql.graph_store import GraphStore
from purport.sparql.inference_rules import SAME, InferenceRules, Statement
from purport.sparql.terms import TYPE, Fact, Graph, Subject, Term

_STEPS = 3  # of a proof that spares a fact from being taken away and put back


@dataclass(slots=True)
class StatementSet:
    """Some facts, found by their subject or their object."""

    all: set[Statement] = field(default_factory=set)
    by_subject: dict[Subject, set[Statement]] = field(default_factory=dict)
    by_value: dict[Term, set[Statement]] = field(default_factory=dict)

    def add(self, fact: Statement) -> None:
        self.all.add(fact)
        self.by_subject.setdefault(fact[0], set()).add(fact)
        self.by_value.setdefault(fact[2], set()).add(fact)

    def discard(self, fact: Statement) -> None:
        if fact in self.all:
            self.all.discard(fact)
            self.by_subject[fact[0]].discard(fact)
            self.by_value[fact[2]].discard(fact)

    def __contains__(self, fact: object) -> bool:
        return fact in self.all

    def matching(
        self, subject: Subject | None, predicate: NamedNode | None, value: Term | None
    ) -> Iterator[Statement]:
        """The facts with these terms; None is any."""
        some: Iterable[Statement] = self.all
        if subject is not None:
            some = self.by_subject.get(subject, ())
        elif value is not None:
            some = self.by_value.get(value, ())
        for fact in some:
            if (predicate is None or fact[1] == predicate) and (value is None or fact[2] == value):
                yield fact


class GraphFacts:
    """The facts of a graph as they will be: a store, and what has come and gone since.

    `beside` are facts that hold as well, though the graph does not have them.
    """

    def __init__(self, store: GraphStore, graph: Graph, beside: StatementSet) -> None:
        self._store, self._graph, self._beside = store, graph, beside
        self.came = StatementSet()
        self.went: set[Statement] = set()
        self._types: dict[Subject, set[Term]] = {}  # of those that were asked for theirs
        self._said_same = any(True for _ in self._matching(None, SAME, None))

    @property
    def says_same(self) -> bool:
        return self._said_same

    def add(self, fact: Statement) -> None:
        if fact[1] == SAME:
            self._said_same = True
        if fact[1] == TYPE and fact[0] in self._types:
            self._types[fact[0]].add(fact[2])
        if fact in self.went:
            self.went.discard(fact)
        else:
            self.came.add(fact)

    def remove(self, fact: Statement) -> None:
        if fact[1] == TYPE and fact[0] in self._types:
            self._types[fact[0]].discard(fact[2])
        if fact in self.came:
            self.came.discard(fact)
        else:
            self.went.add(fact)

    def holds(self, fact: Statement) -> bool:
        if fact in self.came.all or fact in self._beside.all:
            return True
        return fact not in self.went and bool(self._store.holds(((*fact, self._graph),)))

    def values(self, subject: Subject, predicate: NamedNode) -> Collection[Term]:
        if predicate == TYPE:
            types = self._types.get(subject)
            if types is None:
                found = self._matching(subject, TYPE, None)
                types = self._types[subject] = {fact[2] for fact in found}
            return types
        return [fact[2] for fact in self._matching(subject, predicate, None)]

    def subjects(self, predicate: NamedNode, value: Term) -> list[Subject]:
        return [fact[0] for fact in self._matching(None, predicate, value)]

    def having(self, predicate: NamedNode) -> Iterable[Statement]:
        return self._matching(None, predicate, None)

    def about(self, subject: Subject) -> Iterable[Statement]:
        return self._matching(subject, None, None)

    def naming(self, value: Term) -> Iterable[Statement]:
        return self._matching(None, None, value)

    def _matching(
        self, subject: Subject | None, predicate: NamedNode | None, value: Term | None
    ) -> Iterator[Statement]:
        beside = self._beside
        for one, verb, other, _ in self._store.matching(subject, predicate, value, self._graph):
            fact = one, verb, other
            if fact not in self.went and fact not in beside.all:
                yield fact
        if self.came.all:
            yield from self.came.matching(subject, predicate, value)
        if beside.all:
            yield from beside.matching(subject, predicate, value)


@dataclass(slots=True)
class Inference:
    """A change of what is asserted in a graph, and of all that follows.

    `inferred` are the facts, of all graphs, that nobody had asserted before; `always` are those
    that follow from nothing.
    """

    rules: InferenceRules
    facts: GraphFacts
    graph: Graph
    inferred: Collection[Fact]
    always: StatementSet
    asserted: set[Statement] = field(default_factory=set)
    retracted: set[Statement] = field(default_factory=set)
    _proven: set[Statement] = field(default_factory=set)
    _unproven: dict[Statement, int] = field(default_factory=dict)  # in so many steps

    def run(self, asserted: Iterable[Statement], retracted: Iterable[Statement]) -> None:
        """Bring the facts up to date with what was asserted and retracted."""
        self.asserted, self.retracted = set(asserted), set(retracted)
        new = [fact for fact in self.asserted if not self.facts.holds(fact)]
        for fact in new:
            self.facts.add(fact)
        self.follow(new)
        if self.retracted:
            gone = self._take_away(self.retracted)
            self.follow(self._put_back(gone))

    def follow(self, new: Iterable[Statement]) -> None:
        """Add all that follows from facts that are there and have not been followed yet."""
        facts, waiting = self.facts, [(fact, False) for fact in new]
        came = facts.came.all
        while waiting:
            for fact, is_above in self._next(*waiting.pop()):
                if fact not in came and not facts.holds(fact):
                    facts.add(fact)
                    waiting.append((fact, is_above))

    def _next(self, fact: Statement, was_above: bool) -> list[tuple[Statement, bool]]:
        """What follows in one step; what is above what was above another was found with that."""
        found = [(one, False) for one in self.rules.conclusions(fact, self.facts)]
        if not was_above:
            found += [(one, True) for one in self.rules.above(fact)]
        return found

    def _take_away(self, doubtful: Iterable[Statement]) -> list[Statement]:
        """Remove facts that were retracted, and all that may have followed from them alone."""
        facts, gone = self.facts, []
        waiting = [(fact, False) for fact in doubtful]
        while waiting:
            fact, was_above = waiting.pop()
            if not facts.holds(fact) or self._is_proven(fact, _STEPS):
                continue
            waiting += self._next(fact, was_above)
            facts.remove(fact)
            gone.append(fact)
        return gone

    def _put_back(self, gone: Iterable[Statement]) -> list[Statement]:
        back = []
        for fact in gone:
            if any(True for _ in self.rules.derivations(fact, self.facts)):
                self.facts.add(fact)
                back.append(fact)
        return back

    def _is_proven(self, fact: Statement, steps: int) -> bool:
        """Whether a fact is given, or follows from given ones in so many steps."""
        if fact in self._proven or self._is_given(fact):
            return True
        if self._unproven.get(fact, 0) >= steps:
            return False
        for premises in self.rules.derivations(fact, self.facts):
            if all(self._is_proven(one, steps - 1) for one in premises):
                self._proven.add(fact)
                return True
        self._unproven[fact] = steps
        return False

    def _is_given(self, fact: Statement) -> bool:
        """Whether a fact that is there needs no other."""
        if fact in self.asserted or fact in self.always:
            return True
        if fact in self.retracted or fact in self.facts.came:
            return False
        return (*fact, self.graph) not in self.inferred
