"""Queries as typed trees. What a constant is may be left open: then a tree serves many queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode

from purport.sparql.terms import Term, absolute_node, term_of

HIDDEN = "purport_"  # how a variable begins that expressions need and no query asked for


@dataclass(frozen=True, slots=True)
class Var:
    """A variable; one that only the tree knows of is hidden."""

    name: str

    @property
    def is_hidden(self) -> bool:
        """Whether it is none of the query's own."""
        return is_hidden(self.name)


def is_hidden(name: str) -> bool:
    """Whether a variable is none of the query's own."""
    return not name[0].isalnum() or name.startswith(HIDDEN)


@dataclass(frozen=True, slots=True)
class Constant:
    """The constant with some number, such as 2 in `"5"^^xsd:integer`, with what belongs to it."""

    number: int
    prologue: str
    before: str = ""
    behind: str = ""
    is_relative: bool = False  # an IRI may have to be joined with that of BASE

    def term(self, constants: Sequence[str]) -> Term:
        """What it is in one query."""
        text = constants[self.number]
        if not self.before and not self.behind:
            if text[0] == "<" and not self.is_relative and "\\" not in text:
                return absolute_node(text)
            if text.isdecimal() and len(text) < _LONG:
                return Literal(int(text))
            if text[0] in "\"'" and "\\" not in text and text[1:2] != text[0]:
                return Literal(text[1:-1])
        return term_of(self.prologue, f"{self.before}{text}{self.behind}")


_LONG = 18  # digits, beyond which a number is kept as it is written
Spot = Var | Constant | Term  # what stands at a place of a pattern


def filled(spot: Spot, constants: Sequence[str]) -> Var | Term:
    """What stands there in one query."""
    return spot.term(constants) if isinstance(spot, Constant) else spot


@dataclass(frozen=True, slots=True)
class TriplePattern:
    """A triple with variables, in a graph: None is the default one."""

    subject: Spot
    predicate: Spot
    object: Spot
    graph: Spot | None = None

    @property
    def spots(self) -> tuple[Spot | None, ...]:
        """All four places."""
        return self.subject, self.predicate, self.object, self.graph


def replaced(pattern: TriplePattern, spots: Mapping[str, Spot]) -> TriplePattern:
    """A pattern with other things in the place of some variables."""

    def put(spot: Spot) -> Spot:
        return spots.get(spot.name, spot) if isinstance(spot, Var) else spot

    return TriplePattern(
        put(pattern.subject),
        put(pattern.predicate),
        put(pattern.object),
        None if pattern.graph is None else put(pattern.graph),
    )


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression as it is written: pieces of text, with numbers for constants left open."""

    pieces: tuple[str | int, ...]
    variables: frozenset[str]
    existences: tuple[Existence, ...] = ()
    is_deterministic: bool = True

    def text(self, constants: Sequence[str]) -> str:
        """As it is in one query."""
        return "".join(one if isinstance(one, str) else constants[one] for one in self.pieces)

    @property
    def is_open(self) -> bool:
        """Whether a constant is left open."""
        return any(isinstance(one, int) for one in self.pieces)


@dataclass(frozen=True, slots=True)
class Existence:
    """EXISTS in an expression, which has a variable in its place."""

    name: str
    pattern: Pattern
    conditions: tuple[Expression, ...]  # its own filters, which may look at both


# Paths -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Link:
    """One step along a predicate."""

    predicate: NamedNode


@dataclass(frozen=True, slots=True)
class Inverse:
    """`^path`"""

    path: Path


@dataclass(frozen=True, slots=True)
class Chain:
    """`path/path`"""

    first: Path
    then: Path


@dataclass(frozen=True, slots=True)
class Alternative:
    """`path|path`"""

    one: Path
    other: Path


@dataclass(frozen=True, slots=True)
class Excluding:
    """`!(a|^b)`: one step along a predicate that is none of these, forwards or backwards."""

    forwards: tuple[NamedNode, ...]
    backwards: tuple[NamedNode, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """`path?`, `path*`, `path+`"""

    path: Path
    sign: str


Path = Link | Inverse | Chain | Alternative | Excluding | Repeated


# Patterns --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Basic:
    """Triple patterns that hold together; none at all is one solution without variables."""

    patterns: tuple[TriplePattern, ...]


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A path between two nodes."""

    subject: Spot
    path: Path
    object: Spot
    graph: Spot | None


@dataclass(frozen=True, slots=True)
class Join:
    """Solutions of both that agree."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class LeftJoin:
    """OPTIONAL, with the filters of the optional part, which may look at both."""

    left: Pattern
    right: Pattern
    conditions: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Union:
    """Solutions of either."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class Minus:
    """Solutions of the left with which none of the right agrees in something."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class Filter:
    """Solutions for which an expression is true."""

    inner: Pattern
    expression: Expression


@dataclass(frozen=True, slots=True)
class Extend:
    """BIND: solutions with one more variable, if the expression has a value."""

    inner: Pattern
    name: str
    expression: Expression


@dataclass(frozen=True, slots=True)
class Values:
    """VALUES; None is UNDEF."""

    names: tuple[str, ...]
    rows: tuple[tuple[Spot | None, ...], ...]


@dataclass(frozen=True, slots=True)
class InGraph:
    """GRAPH around something that does not tell in which graph it looks: `GRAPH ?g {}`."""

    graph: Spot
    inner: Pattern


@dataclass(frozen=True, slots=True)
class Project:
    """Only some of the variables."""

    inner: Pattern
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Distinct:
    """Each solution once."""

    inner: Pattern


@dataclass(frozen=True, slots=True)
class Aggregate:
    """GROUP BY some variables, with what is said of each group, as it is written."""

    inner: Pattern
    keys: tuple[str, ...]
    selected: Expression
    names: tuple[str, ...]  # of what is selected
    having: Expression | None


@dataclass(frozen=True, slots=True)
class Slice:
    """ORDER BY with LIMIT or OFFSET."""

    inner: Pattern


Pattern = (
    Basic
    | PathPattern
    | Join
    | LeftJoin
    | Union
    | Minus
    | Filter
    | Extend
    | Values
    | InGraph
    | Project
    | Distinct
    | Aggregate
    | Slice
)


NOTHING = Basic(())


def joined(left: Pattern, right: Pattern) -> Pattern:
    """Two patterns of one group as one."""
    if isinstance(left, Basic):
        if not left.patterns:
            return right
        if isinstance(right, Basic):
            return Basic(left.patterns + right.patterns)
    if isinstance(right, Basic) and not right.patterns:
        return left
    return Join(left, right)


def filtered(pattern: Pattern, filters: Iterable[Expression]) -> Pattern:
    """A pattern under filters."""
    for expression in filters:
        pattern = Filter(pattern, expression)
    return pattern


# Queries ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Select:
    """SELECT: the names are those of the pattern, in order."""

    pattern: Pattern
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """ASK"""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Construct:
    """CONSTRUCT; a hidden variable of the template is a node without a name."""

    pattern: Pattern
    template: tuple[TriplePattern, ...]


@dataclass(frozen=True, slots=True)
class Describe:
    """DESCRIBE"""


Query = Select | Ask | Construct | Describe
