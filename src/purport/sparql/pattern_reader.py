"""From tokens to triple patterns, groups and expressions.

The store's own parser has read the same text: this reader finds its parts, and need not find what
is wrong with them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pyoxigraph import Literal, NamedNode

from purport.sparql.algebra import (
    HIDDEN,
    Alternative,
    Basic,
    Chain,
    Constant,
    Distinct,
    Excluding,
    Existence,
    Expression,
    Extend,
    Filter,
    InGraph,
    Inverse,
    Join,
    LeftJoin,
    Link,
    Minus,
    Path,
    PathPattern,
    Pattern,
    Project,
    Repeated,
    Spot,
    TriplePattern,
    Union,
    Values,
    Var,
)
from purport.sparql.shape import Shaped
from purport.sparql.terms import FIRST, NIL, REST, TYPE, has_base, node_of, term_of
from purport.sparql.token_reader import TokenReader
from purport.sparql.tokens import Kind, Token

NOTHING = Basic(())
_AGGREGATES = ("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT")
_CHANCE = ("RAND", "NOW", "UUID", "STRUUID", "BNODE")


class NotRead(Exception):
    """A text that the store takes, in a form that this reader does not know."""


@dataclass(slots=True)
class Triples:
    """What a block of triples says; paths stand beside the plain ones."""

    plain: list[TriplePattern] = field(default_factory=list)
    others: list[Pattern] = field(default_factory=list)


class PatternReader(TokenReader):
    """Reads patterns; `free` are the constants that may be others in a text alike."""

    def __init__(self, shaped: Shaped) -> None:
        super().__init__(shaped.text)
        self._numbers = self._aligned(shaped)
        self.free: set[int] = set()
        self._made = 0  # hidden variables
        self._graph: Spot | None = None  # in which the group at hand looks

    def _aligned(self, shaped: Shaped) -> dict[int, int]:
        """The numbers of the constants, by where they begin; none if they are not tokens."""
        ends = {token.start: token.end for token in self._tokens}
        numbers: dict[int, int] = {}
        for number, start in enumerate(shaped.starts()):
            if ends.get(start) != start + len(shaped.constants[number]):
                return {}
            numbers[start] = number
        return numbers

    # Groups

    def _group(self) -> tuple[Pattern, tuple[Expression, ...]]:
        """A group in braces: its pattern, and its filters."""
        self._sign("{")
        if self._is_word("SELECT"):
            found = self._subselect()
            self._sign("}")
            return found, ()
        pattern: Pattern = NOTHING
        filters: list[Expression] = []
        while not self._has_sign("}"):
            if self._has("FILTER"):
                filters.append(self._constraint())
            elif self._has("OPTIONAL"):
                right, conditions = self._group()
                pattern = LeftJoin(pattern, right, conditions)
            elif self._has("MINUS"):
                pattern = Minus(pattern, self._whole_group())
            elif self._has("BIND"):
                pattern = self._bind(pattern)
            elif self._has("VALUES"):
                pattern = joined(pattern, self._values())
            elif self._has("GRAPH"):
                pattern = joined(pattern, self._in_graph())
            elif self._is_sign("{"):
                pattern = joined(pattern, self._unions())
            elif self._is_word("SERVICE", "LATERAL"):
                raise self._not_read()
            else:
                pattern = joined(pattern, self._triples_pattern())
            self._has_sign(".")
        return pattern, tuple(filters)

    def _subselect(self) -> Pattern:
        raise NotImplementedError

    def _whole_group(self) -> Pattern:
        return filtered(*self._group())

    def _in_graph(self) -> Pattern:
        around, self._graph = self._graph, self._spot()
        pattern = InGraph(self._graph, self._whole_group())
        self._graph = around
        return pattern

    def _unions(self) -> Pattern:
        pattern = self._whole_group()
        while self._has("UNION"):
            pattern = Union(pattern, self._whole_group())
        return pattern

    def _bind(self, pattern: Pattern) -> Pattern:
        expression, name = self._expression_as()
        return Extend(pattern, name, expression)

    def _expression_as(self) -> tuple[Expression, str]:
        """`(expression AS ?name)`"""
        end = self._end_of_brackets()
        self._place += 1
        expression = self._expression(end - 3)
        self._word("AS")
        name = self._variable()
        self._sign(")")
        return expression, name

    def _values(self) -> Values:
        names: list[str] = []
        is_single = not self._has_sign("(")
        while is_single or not self._has_sign(")"):
            names.append(self._variable())
            if is_single:
                break
        rows: list[tuple[Spot | None, ...]] = []
        self._sign("{")
        while not self._has_sign("}"):
            if is_single:
                rows.append((self._value(),))
                continue
            self._sign("(")
            row: list[Spot | None] = []
            while not self._has_sign(")"):
                row.append(self._value())
            rows.append(tuple(row))
        return Values(tuple(names), tuple(rows))

    def _value(self) -> Spot | None:
        return None if self._has("UNDEF") else self._spot()

    # Triples

    def _triples_pattern(self) -> Pattern:
        triples = Triples()
        self._triples_block(triples)
        pattern: Pattern = Basic(tuple(triples.plain))
        for other in triples.others:
            pattern = joined(pattern, other)
        return pattern

    def _triples_block(self, triples: Triples) -> None:
        """Triples with one subject after the other, up to something else."""
        while True:
            subject = self._node(triples)
            if not self._ends_subject():
                self._properties(subject, triples)
            if not self._has_sign(".") or not self._begins_triples():
                return

    def _begins_triples(self) -> bool:
        token = self._peek()
        if token is None or token.is_sign("}") or token.is_sign("{"):
            return False
        return token.kind is not Kind.WORD or token.is_word("TRUE", "FALSE")

    def _ends_subject(self) -> bool:
        return self._is_sign(".") or self._is_sign("}") or self._is_sign("]")

    def _properties(self, subject: Spot, triples: Triples) -> None:
        while True:
            verb = self._verb()
            while True:
                value = self._node(triples)
                if isinstance(verb, Var):
                    triples.plain.append(TriplePattern(subject, verb, value, self._graph))
                else:
                    self._along(subject, verb, value, triples)
                if not self._has_sign(","):
                    break
            if not self._has_sign(";"):
                return
            while self._has_sign(";"):
                pass
            if self._ends_subject() or not (self._begins_triples() or self._is_word("a", "A")):
                return

    def _node(self, triples: Triples) -> Spot:
        """A term, or a node that stands for a list or for what is said in brackets."""
        if self._has_sign("["):
            node = self._fresh()
            if not self._has_sign("]"):
                self._properties(node, triples)
                self._sign("]")
            return node
        if self._has_sign("("):
            return self._list(triples)
        return self._spot()

    def _list(self, triples: Triples) -> Spot:
        values: list[Spot] = []
        while not self._has_sign(")"):
            values.append(self._node(triples))
        if not values:
            return NIL
        nodes: list[Spot] = [self._fresh() for _ in values]
        for node, value, rest in zip(nodes, values, [*nodes[1:], NIL], strict=True):
            triples.plain.append(TriplePattern(node, FIRST, value, self._graph))
            triples.plain.append(TriplePattern(node, REST, rest, self._graph))
        return nodes[0]

    def _spot(self) -> Spot:
        """A variable or a term."""
        token = self._next()
        match token.kind:
            case Kind.VARIABLE:
                return Var(token.text[1:])
            case Kind.BLANK:
                return Var(token.text)
            case Kind.IRI | Kind.NAME | Kind.NUMBER:
                return self._constant(token)
            case Kind.STRING:
                return self._constant(token, behind=self._behind_string())
            case Kind.SIGN if token.text in "+-":
                return self._constant(self._next(), before=token.text)
            case Kind.WORD if token.is_word("TRUE", "FALSE"):
                return Literal(token.text.lower() == "true")
        raise self._not_read()

    def _behind_string(self) -> str:
        """The language or datatype of a string."""
        token = self._peek()
        if token is not None and token.kind is Kind.WORD and token.text[0] == "@":
            self._place += 1
            return token.text
        if self._has_sign("^^"):
            return f"^^{self._next().text}"
        return ""

    def _constant(self, token: Token, before: str = "", behind: str = "") -> Spot:
        number = self._numbers.get(token.start)
        if number is None:
            return term_of(self._prologue, f"{before}{token.text}{behind}")
        self.free.add(number)
        return Constant(number, self._prologue, before, behind, has_base(self._prologue))

    def _variable(self) -> str:
        token = self._next()
        if token.kind is not Kind.VARIABLE:
            raise self._not_read()
        return token.text[1:]

    def _fresh(self, name: str = ".") -> Var:
        self._made += 1
        return Var(f"{name}{self._made}")

    # Verbs and paths

    def _verb(self) -> Var | Path:
        token = self._peek()
        if token is not None and token.kind is Kind.VARIABLE:
            return Var(self._variable())
        return self._path()

    def _path(self) -> Path:
        path = self._path_chain()
        while self._has_sign("|"):
            path = Alternative(path, self._path_chain())
        return path

    def _path_chain(self) -> Path:
        path = self._path_step()
        while self._has_sign("/"):
            path = Chain(path, self._path_step())
        return path

    def _path_step(self) -> Path:
        if self._has_sign("^"):
            return Inverse(self._path_step())
        path = self._path_primary()
        for sign in "?*+":
            if self._has_sign(sign):
                return Repeated(path, sign)
        return path

    def _path_primary(self) -> Path:
        if self._has_sign("("):
            path = self._path()
            self._sign(")")
            return path
        if self._has_sign("!"):
            return self._excluding()
        return Link(self._predicate())

    def _predicate(self) -> NamedNode:
        token = self._next()
        if token.kind is Kind.WORD and token.text == "a":
            return TYPE
        if token.kind not in (Kind.IRI, Kind.NAME):
            raise self._not_read()
        return node_of(self._prologue, token.text)

    def _excluding(self) -> Path:
        forwards: list[NamedNode] = []
        backwards: list[NamedNode] = []
        is_single = not self._has_sign("(")
        while True:
            (backwards if self._has_sign("^") else forwards).append(self._predicate())
            if is_single or self._has_sign(")"):
                break
            self._sign("|")
        return Excluding(tuple(forwards), tuple(backwards))

    def _along(self, subject: Spot, path: Path, value: Spot, triples: Triples) -> None:
        """Put down what a path between two nodes means."""
        match path:
            case Link(predicate):
                triples.plain.append(TriplePattern(subject, predicate, value, self._graph))
            case Inverse(inner):
                self._along(value, inner, subject, triples)
            case Chain(first, then):
                between = self._fresh()
                self._along(subject, first, between, triples)
                self._along(between, then, value, triples)
            case Alternative(one, other):
                ways = Union(*(self._one_way(subject, way, value) for way in (one, other)))
                triples.others.append(Distinct(Project(ways, self._ends(subject, value))))
            case Excluding() | Repeated():
                triples.others.append(PathPattern(subject, path, value, self._graph))

    def _one_way(self, subject: Spot, path: Path, value: Spot) -> Pattern:
        triples = Triples()
        self._along(subject, path, value, triples)
        pattern: Pattern = Basic(tuple(triples.plain))
        for other in triples.others:
            pattern = joined(pattern, other)
        return pattern

    def _ends(self, subject: Spot, value: Spot) -> tuple[str, ...]:
        """The variables at the ends of a path, and the graph's: a store tells each pair once."""
        spots = (subject, value, self._graph)
        return tuple(dict.fromkeys(spot.name for spot in spots if isinstance(spot, Var)))

    # Expressions

    def _constraint(self) -> Expression:
        """What stands behind FILTER, HAVING, GROUP BY: brackets, a call, or EXISTS."""
        begin = self._place
        if self._is_word("EXISTS", "NOT"):
            self._place += 2 if self._is_word("NOT") else 1
            end = self._end_of_group() + 1
        else:
            self._place += 0 if self._is_sign("(") else 1
            if not self._is_sign("("):
                raise self._not_read()
            end = self._end_of_brackets()
        self._place = begin
        return self._expression(end)

    def _expression(self, end: int) -> Expression:
        """The expression from here up to a place; a variable stands for each EXISTS."""
        pieces: list[str | int] = []
        variables: set[str] = set()
        existences: list[Existence] = []
        is_deterministic = True
        written = self._tokens[self._place].start
        while self._place < end:
            token = self._next()
            number = self._numbers.get(token.start)
            if self._begins_existence(token):
                existence = self._existence(token)
                existences.append(existence)
                sign = "!" if token.is_word("NOT") else ""
                pieces += [self._text[written : token.start], f"{sign}?{existence.name}"]
                written = self._tokens[self._place - 1].end
            elif number is not None:
                pieces += [self._text[written : token.start], number]
                self.free.add(number)
                written = token.end
            elif token.kind is Kind.VARIABLE:
                variables.add(token.text[1:])
            elif token.is_word(*_CHANCE) and self._is_sign("("):
                is_deterministic = False
        pieces.append(self._text[written : self._tokens[end - 1].end])
        text = tuple(piece for piece in pieces if piece != "")
        return Expression(text, frozenset(variables), tuple(existences), is_deterministic)

    def _as_written(self, end: int) -> Expression:
        """The text from here up to a place, as it is but for constants that were found free."""
        pieces: list[str | int] = []
        written = self._tokens[self._place].start
        while self._place < end:
            token = self._next()
            number = self._numbers.get(token.start)
            if number in self.free:
                pieces += [self._text[written : token.start], number]
                written = token.end
        pieces.append(self._text[written : self._tokens[end - 1].end])
        return Expression(tuple(pieces), frozenset())

    def _begins_existence(self, token: Token) -> bool:
        if token.is_word("NOT"):
            return self._is_word("EXISTS") and self._is_sign("{", ahead=1)
        return token.is_word("EXISTS") and self._is_sign("{")

    def _existence(self, token: Token) -> Existence:
        if token.is_word("NOT"):
            self._word("EXISTS")
        name = self._fresh(f"{HIDDEN}exists_").name
        return Existence(name, *self._group())

    def _has_aggregate(self, first: int, end: int) -> bool:
        return any(
            self._tokens[place].is_word(*_AGGREGATES) and self._tokens[place + 1].is_sign("(")
            for place in range(first, end - 1)
        )

    def _not_read(self) -> NotRead:
        token = self._peek()
        return NotRead(f"{token.text!r}" if token else "the end")


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


def filtered(pattern: Pattern, filters: tuple[Expression, ...]) -> Pattern:
    """A pattern under filters."""
    for expression in filters:
        pattern = Filter(pattern, expression)
    return pattern
