"""From tokens to patterns: groups, what stands in them, and expressions.

The store's own parser has read the same text: this reader finds its parts, and need not find what
is wrong with them.
"""

from __future__ import annotations

from purport.sparql.algebra import (
    HIDDEN,
    NOTHING,
    Existence,
    Expression,
    Extend,
    InGraph,
    LeftJoin,
    Minus,
    Pattern,
    Spot,
    Union,
    Values,
    filtered,
    joined,
)
from purport.sparql.tokens import Kind, Token
from purport.sparql.triple_reader import TripleReader

_AGGREGATES = ("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT")
_CHANCE = ("RAND", "NOW", "UUID", "STRUUID", "BNODE")


class PatternReader(TripleReader):
    """Reads groups and expressions."""

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
        end = self._end_of("(")
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

    # Expressions

    def _constraint(self) -> Expression:
        """What stands behind FILTER, HAVING, GROUP BY: brackets, a call, or EXISTS."""
        begin = self._place
        if self._is_word("EXISTS", "NOT"):
            self._place += 2 if self._is_word("NOT") else 1
            end = self._end_of("{")
        else:
            self._place += 0 if self._is_sign("(") else 1
            if not self._is_sign("("):
                raise self._not_read()
            end = self._end_of("(")
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
