"""Updates of the common kind, done without a query: find facts, put others in their place.

`DELETE { ?lamp :dim ?old } INSERT { ?lamp :dim 5 } WHERE { ... }` over triple patterns becomes a
compiled join, over the facts that are kept beside the store where all that it needs is there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pyoxigraph import NamedNode

from purport.sparql.algebra import Spot, TriplePattern, Var
from purport.sparql.change import NO_CHANGE, Change
from purport.sparql.context_store import ContextStore, Find
from purport.sparql.given_join import (
    GivenJoin,
    GivenJoinBuilder,
    Solutions,
    is_plain,
    plain_patterns,
)
from purport.sparql.graph_store import GraphStore
from purport.sparql.inferring_store import AssertedFacts
from purport.sparql.terms import DEFAULT, Fact, Term
from purport.sparql.update_reader import Modify


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """How an update of this kind is done."""

    join: GivenJoin
    deletes: tuple[_Template, ...]
    inserts: tuple[_Template, ...]

    def change(
        self,
        texts: Sequence[str],
        store: GraphStore,
        context: ContextStore,
        asserted: AssertedFacts | None = None,
    ) -> Change:
        """What the update changes, with the constants of one text.

        Where what is `asserted` is not all that is there, only that changes.
        """
        constants = self.join.terms(texts)
        solutions = self.join.solutions(constants, store, context)
        if not solutions:
            return NO_CHANGE
        deleted: set[Fact] = set()
        inserted: set[Fact] = set()
        for one in self.inserts:
            inserted |= one.facts(constants, solutions)
        if asserted is not None:
            for one in self.deletes:
                deleted |= one.facts(constants, solutions)
            removed = asserted.holds(deleted - inserted)
            return Change(frozenset(inserted - asserted.holds(inserted)), frozenset(removed))
        for one in self.deletes:
            found = one.facts(constants, solutions)
            deleted |= found if one.is_found(constants) else store.holds(found)
        removed = deleted - inserted
        added = inserted - deleted
        if added:
            added -= self._held(added, store, context)
        return Change(frozenset(added), frozenset(removed))

    def _held(self, facts: set[Fact], store: GraphStore, context: ContextStore) -> set[Fact]:
        """Those of some facts that are there."""
        held: set[Fact] = set()
        unknown: list[Fact] = []
        finders: dict[NamedNode, Find | None] = {}
        for fact in facts:
            subject, predicate, value, graph = fact
            if predicate not in finders:
                finders[predicate] = context.known(predicate, graph, (0,), (2,))
            find = finders[predicate]
            if find is None:
                unknown.append(fact)
            elif value in find(subject, ()):
                held.add(fact)
        return held | store.holds(unknown) if unknown else held


@dataclass(frozen=True, slots=True)
class _Template:
    """A triple that is deleted or inserted for each solution, in the default graph."""

    facts: Callable[[Sequence[Term], Solutions], set[Fact]]
    twins: tuple[tuple[tuple[int, int], ...], ...]  # patterns it is, if these constants are equal

    def is_found(self, constants: Sequence[Term]) -> bool:
        """Whether it is one of the patterns: then what it deletes is there."""
        return any(
            all(constants[one] == constants[other] for one, other in pairs) for pairs in self.twins
        )


def update_plan(operation: Modify, texts: Sequence[str]) -> UpdatePlan | None:
    """The plan of an update, of which one has these constants; None if it is not of this kind."""
    if operation.graph or operation.using or operation.using_named:
        return None
    patterns = plain_patterns(operation.pattern, operation.prologue, texts)
    templates = (*operation.deletes, *operation.inserts)
    if patterns is None or not all(map(is_plain, templates)):
        return None
    return _Planner(operation, patterns).plan()


@dataclass(slots=True)
class _Planner:
    operation: Modify
    patterns: tuple[TriplePattern, ...]
    builder: GivenJoinBuilder = field(default_factory=GivenJoinBuilder)

    def plan(self) -> UpdatePlan | None:
        self.builder.add(self.patterns)
        if not all(map(self._is_bound, (*self.operation.deletes, *self.operation.inserts))):
            return None
        deletes = tuple(map(self._template, self.operation.deletes))
        inserts = tuple(map(self._template, self.operation.inserts))
        return UpdatePlan(self.builder.build(self.patterns), deletes, inserts)

    def _is_bound(self, template: TriplePattern) -> bool:
        """Whether all of a template has values, and its subject is surely none that is a text."""
        subject, value = template.subject, template.object
        if isinstance(value, Var) and value.name not in self.builder.variables:
            return False
        return not isinstance(subject, Var) or any(one.subject == subject for one in self.patterns)

    def _template(self, template: TriplePattern) -> _Template:
        assert isinstance(template.predicate, NamedNode)
        twins = (self._twin(template, pattern) for pattern in self.patterns)
        return _Template(
            self._facts(template), tuple(pairs for pairs in twins if pairs is not None)
        )

    def _facts(self, template: TriplePattern) -> Callable[[Sequence[Term], Solutions], set[Fact]]:
        """A function that makes the facts of a template for some solutions."""
        subject, value = self._value(template.subject), self._value(template.object)
        source = f"lambda c, rows: {{({subject}, predicate, {value}, graph) for _, v in rows}}"
        space = {"predicate": template.predicate, "graph": DEFAULT}
        made: Callable[[Sequence[Term], Solutions], set[Fact]] = eval(source, space)
        return made

    def _twin(
        self, template: TriplePattern, pattern: TriplePattern
    ) -> tuple[tuple[int, int], ...] | None:
        """The constants that must be equal if a template is to be a pattern; None if it cannot."""
        if template.predicate != pattern.predicate:
            return None
        pairs = []
        for one, other in (
            (template.subject, pattern.subject),
            (template.object, pattern.object),
        ):
            if isinstance(one, Var) or isinstance(other, Var):
                if one != other:
                    return None
            else:
                pairs.append((self.builder.number(one), self.builder.number(other)))
        return tuple(pairs)

    def _value(self, spot: Spot) -> str:
        if isinstance(spot, Var):
            return f"v[{self.builder.variables[spot.name]}]"
        return f"c[{self.builder.number(spot)}]"
