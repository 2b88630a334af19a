"""From tokens to triple patterns, with the paths, lists and nodes without names within them."""

from __future__ import annotations

from dataclasses import dataclass, field

from pyoxigraph import Literal, NamedNode

from purport.sparql.algebra import (
    Alternative,
    Basic,
    Chain,
    Constant,
    Distinct,
    Excluding,
    Inverse,
    Link,
    Path,
    PathPattern,
    Pattern,
    Project,
    Repeated,
    Spot,
    TriplePattern,
    Union,
    Var,
    joined,
)
from purport.sparql.shape import Shaped
from purport.sparql.terms import FIRST, NIL, REST, TYPE, has_base, node_of, term_of
from purport.sparql.token_reader import TokenReader
from purport.sparql.tokens import Kind, Token


@dataclass(slots=True)
class Triples:
    """What a block of triples says; paths stand beside the plain ones."""

    plain: list[TriplePattern] = field(default_factory=list)
    others: list[Pattern] = field(default_factory=list)

    def pattern(self) -> Pattern:
        """All of it."""
        pattern: Pattern = Basic(tuple(self.plain))
        for other in self.others:
            pattern = joined(pattern, other)
        return pattern


class TripleReader(TokenReader):
    """Reads triples; `free` are the constants that may be others in a text alike."""

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

    def _triples_pattern(self) -> Pattern:
        triples = Triples()
        self._triples_block(triples)
        return triples.pattern()

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
        return triples.pattern()

    def _ends(self, subject: Spot, value: Spot) -> tuple[str, ...]:
        """The variables at the ends of a path, and the graph's: a store tells each pair once."""
        spots = (subject, value, self._graph)
        return tuple(dict.fromkeys(spot.name for spot in spots if isinstance(spot, Var)))
