"""Updates of the common kind, done without a query: find facts, put others in their place.

`DELETE { ?lamp :dim ?old } INSERT { ?lamp :dim 5 } WHERE { ... }` over triple patterns becomes a
compiled join, over the facts that are kept beside the store where all that it needs is there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pyoxigraph import NamedNode

from purport.sparql.algebra import (
    Basic,
    Constant,
    Filter,
    Pattern,
    Spot,
    TriplePattern,
    Var,
    replaced,
)
from purport.sparql.basic_plan import BasicShape
from purport.sparql.change import Change
from purport.sparql.context_store import ContextStore, Find, store_finder
from purport.sparql.graph_store import GraphStore
from purport.sparql.join_code import JoinCode, Look, Names, join_code
from purport.sparql.terms import DEFAULT, Fact, Term, has_base
from purport.sparql.update import Modify

Solutions = list[tuple[object, tuple[Term, ...]]]  # nobody, and the values of the variables

_NOTHING = Change()
_IS_NODE = re.compile(r"\(*\s*\?(\w+)\s*=\s*")


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """How an update of this kind is done."""

    code: JoinCode
    shape: BasicShape
    constants: tuple[Constant | Term, ...]
    deletes: tuple[_Template, ...]
    inserts: tuple[_Template, ...]

    def change(self, texts: Sequence[str], store: GraphStore, context: ContextStore) -> Change:
        """What the update changes, with the constants of one text."""
        constants = [
            one.term(texts) if isinstance(one, Constant) else one for one in self.constants
        ]
        solutions = self._solutions(constants, store, context)
        if not solutions:
            return _NOTHING
        deleted: set[Fact] = set()
        inserted: set[Fact] = set()
        for one in self.deletes:
            found = one.facts(constants, solutions)
            deleted |= found if one.is_found(constants) else store.holds(found)
        for one in self.inserts:
            inserted |= one.facts(constants, solutions)
        removed = deleted - inserted
        added = inserted - deleted
        if added:
            added -= self._held(added, store, context)
        return Change(frozenset(added), frozenset(removed))

    def _solutions(
        self, constants: Sequence[Term], store: GraphStore, context: ContextStore
    ) -> Solutions:
        finders = []
        for step in self.code.steps:
            assert isinstance(step, Look)
            place = (*self.shape.relations[step.pattern], step.bound, step.free)
            finders.append(context.known(*place) or store_finder(store, *place))
        out: Solutions = []
        self.code.run([constants], out, {}, *finders)
        return out

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
    basic = _basic(operation.pattern, operation.prologue, texts)
    return None if basic is None else _Planner(operation, basic).plan()


@dataclass(slots=True)
class _Planner:
    operation: Modify
    basic: Basic
    variables: dict[str, int] = field(default_factory=dict)
    constants: dict[Constant | Term, int] = field(default_factory=dict)

    def plan(self) -> UpdatePlan | None:
        patterns = self.basic.patterns
        templates = (*self.operation.deletes, *self.operation.inserts)
        if not all(map(_is_plain, (*patterns, *templates))):
            return None
        names: tuple[Names, ...] = tuple(
            (self._name(one.subject), None, self._name(one.object), None) for one in patterns
        )
        if not all(map(self._is_bound, templates)):
            return None
        relations = tuple((one.predicate, DEFAULT) for one in patterns)
        variables = tuple(f"v{number}" for number in self.variables.values())
        deletes = tuple(map(self._template, self.operation.deletes))
        inserts = tuple(map(self._template, self.operation.inserts))
        given = tuple(f"k{number}" for number in self.constants.values())
        code = join_code(names, None, given, variables)
        shape = BasicShape(names, relations, variables)  # type: ignore[arg-type]
        return UpdatePlan(code, shape, tuple(self.constants), deletes, inserts)

    def _name(self, spot: Spot) -> str:
        if isinstance(spot, Var):
            return f"v{self.variables.setdefault(spot.name, len(self.variables))}"
        return f"k{self._number(spot)}"

    def _number(self, spot: Constant | Term) -> int:
        return self.constants.setdefault(spot, len(self.constants))

    def _is_bound(self, template: TriplePattern) -> bool:
        """Whether all of a template has values, and its subject is surely none that is a text."""
        subject, value = template.subject, template.object
        if isinstance(value, Var) and value.name not in self.variables:
            return False
        return not isinstance(subject, Var) or any(
            one.subject == subject for one in self.basic.patterns
        )

    def _template(self, template: TriplePattern) -> _Template:
        assert isinstance(template.predicate, NamedNode)
        twins = (self._twin(template, pattern) for pattern in self.basic.patterns)
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
                pairs.append((self._number(one), self._number(other)))
        return tuple(pairs)

    def _value(self, spot: Spot) -> str:
        if isinstance(spot, Var):
            return f"v[{self.variables[spot.name]}]"
        return f"c[{self._number(spot)}]"


def _basic(pattern: Pattern | None, prologue: str, texts: Sequence[str]) -> Basic | None:
    """The triple patterns, in which a node stands for a variable that is to be that node."""
    if isinstance(pattern, Filter) and isinstance(pattern.inner, Basic):
        match pattern.expression.pieces:
            case (str(before), int(number), str(behind)):
                found = _IS_NODE.fullmatch(before)
                is_node = texts[number][0] == "<" or ":" in texts[number][1:]
                if found and is_node and not behind.strip(" )") and texts[number][0] not in "\"'":
                    node = {found[1]: Constant(number, prologue, is_relative=has_base(prologue))}
                    return Basic(tuple(replaced(one, node) for one in pattern.inner.patterns))
    return pattern if isinstance(pattern, Basic) else None


def _is_plain(pattern: TriplePattern) -> bool:
    """Whether a triple is in the default graph, and has no variable for a predicate or a node."""
    spots = (pattern.subject, pattern.object)
    return (
        isinstance(pattern.predicate, NamedNode)
        and pattern.graph is None
        and not any(isinstance(spot, Var) and spot.is_hidden for spot in spots)
    )
