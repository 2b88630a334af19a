"""A join of triple patterns that begins with the constants of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pyoxigraph import NamedNode

from purport.sparql.algebra import (
    Basic,
    Constant,
    Expression,
    Filter,
    Pattern,
    Spot,
    TriplePattern,
    Var,
    replaced,
)
from purport.sparql.conditions import said_node
from purport.sparql.context_store import ContextStore, store_finder
from purport.sparql.graph_store import GraphStore
from purport.sparql.join_code import JoinCode, Look, Names, join_code
from purport.sparql.terms import DEFAULT, Term, has_base

Solutions = list[tuple[object, tuple[Term, ...]]]  # nobody, and the values of the variables


@dataclass(frozen=True, slots=True)
class GivenJoin:
    """A compiled join over the default graph; its constants differ from text to text."""

    code: JoinCode
    predicates: tuple[NamedNode, ...]
    constants: tuple[Constant | Term, ...]

    def terms(self, texts: Sequence[str]) -> list[Term]:
        """The constants of one text."""
        return [one.term(texts) if isinstance(one, Constant) else one for one in self.constants]

    def solutions(
        self, terms: Sequence[Term], store: GraphStore, context: ContextStore | None = None
    ) -> Solutions:
        """The solutions; facts are looked for in the context first, if it has all of a kind."""
        finders = []
        for step in self.code.steps:
            assert isinstance(step, Look)
            place = (self.predicates[step.pattern], DEFAULT, step.bound, step.free)
            known = None if context is None else context.known(*place)
            finders.append(known or store_finder(store, *place))
        out: Solutions = []
        self.code.run([terms], out, {}, *finders)
        return out


@dataclass(slots=True)
class GivenJoinBuilder:
    """Numbers variables and constants, of patterns and of whatever else looks at solutions."""

    variables: dict[str, int] = field(default_factory=dict)
    constants: dict[Constant | Term, int] = field(default_factory=dict)
    names: tuple[Names, ...] = ()

    def add(self, patterns: Sequence[TriplePattern]) -> None:
        """Take up the patterns that are joined."""
        self.names = tuple(
            (self._name(one.subject), None, self._name(one.object), None) for one in patterns
        )

    def number(self, spot: Constant | Term) -> int:
        """The number of a constant."""
        return self.constants.setdefault(spot, len(self.constants))

    def build(self, patterns: Sequence[TriplePattern]) -> GivenJoin:
        """The join, when all constants are known."""
        given = tuple(f"k{number}" for number in self.constants.values())
        wanted = tuple(f"v{number}" for number in self.variables.values())
        predicates = tuple(one.predicate for one in patterns)
        return GivenJoin(
            join_code(self.names, None, given, wanted),
            predicates,  # type: ignore[arg-type]  # plain patterns have no variables there
            tuple(self.constants),
        )

    def _name(self, spot: Spot) -> str:
        if isinstance(spot, Var):
            return f"v{self.variables.setdefault(spot.name, len(self.variables))}"
        return f"k{self.number(spot)}"


def plain_patterns(
    pattern: Pattern | None, prologue: str, texts: Sequence[str]
) -> tuple[TriplePattern, ...] | None:
    """Triple patterns of the default graph, if there is nothing else.

    In the place of a variable that a filter says is some node, that node stands. `texts` are the
    constants of one text.
    """
    patterns: tuple[TriplePattern, ...] | None = None
    match pattern:
        case Basic(patterns):
            pass
        case Filter(Basic(inner), expression):
            node = _node_said(expression, prologue, texts)
            if node is not None:
                patterns = tuple(replaced(one, node) for one in inner)
    return patterns if patterns is not None and all(map(is_plain, patterns)) else None


def _node_said(
    expression: Expression, prologue: str, texts: Sequence[str]
) -> dict[str, Spot] | None:
    """What `(?road = <iri>)` says, whatever the IRI is in other texts."""
    said = said_node(expression.text(texts))
    numbers = [one for one in expression.pieces if isinstance(one, int)]
    if said is None or len(numbers) != 1:
        return None
    return {said[0]: Constant(numbers[0], prologue, is_relative=has_base(prologue))}


def is_plain(pattern: TriplePattern) -> bool:
    """Whether a triple is in the default graph, and has no variable for a predicate or a node."""
    spots = (pattern.subject, pattern.object)
    return (
        isinstance(pattern.predicate, NamedNode)
        and pattern.graph is None
        and not any(isinstance(spot, Var) and spot.is_hidden for spot in spots)
    )
