"""From the text of a query to its tree."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyoxigraph import NamedNode

from purport.sparql.algebra import (
    HIDDEN,
    Aggregate,
    Ask,
    Construct,
    Describe,
    Distinct,
    Expression,
    Extend,
    Join,
    Pattern,
    Project,
    Query,
    Select,
    Slice,
    TriplePattern,
    Values,
    is_hidden,
    joined,
)
from purport.sparql.pattern_reader import PatternReader
from purport.sparql.scope import names_in
from purport.sparql.shape import Shaped
from purport.sparql.terms import node_of
from purport.sparql.tokens import Kind
from purport.sparql.triple_reader import Triples

_AFTER_GROUPS = ("HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES")


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """What a query's text says."""

    query: Query
    prologue: str
    default_graphs: tuple[NamedNode, ...]  # of FROM
    named_graphs: tuple[NamedNode, ...]  # of FROM NAMED


@dataclass(slots=True)
class _Selected:
    """What stands behind SELECT."""

    names: list[str]
    extensions: list[tuple[str, Expression]]
    text: Expression | None  # all of it, as it is written
    has_aggregate: bool
    is_all: bool
    is_distinct: bool


def read_query(shaped: Shaped) -> tuple[ReadQuery, frozenset[int]]:
    """What a query says, and the constants that may be others in it; `NotRead` if unknown.

    >>> read, free = read_query(Shaped.of("SELECT ?x WHERE { <urn:a> <urn:p> ?x }"))
    >>> read.query.names, free
    (('x',), frozenset({0}))
    """
    reader = QueryReader(shaped)
    return reader.query(), frozenset(reader.free)


class QueryReader(PatternReader):
    """Reads queries, and the queries within them."""

    def __init__(self, shaped: Shaped) -> None:
        super().__init__(shaped)
        self._default_graphs: list[NamedNode] = []
        self._named_graphs: list[NamedNode] = []

    def query(self) -> ReadQuery:
        """The whole text as a query."""
        self._read_prologue()
        query = self._query()
        if not self._is_at_end:
            raise self._not_read()
        graphs = tuple(self._default_graphs), tuple(self._named_graphs)
        return ReadQuery(query, self._prologue, *graphs)

    def _query(self) -> Query:
        if self._is_word("SELECT"):
            pattern = self._select()
            return Select(pattern, tuple(n for n in names_in(pattern) if not is_hidden(n)))
        if self._has("ASK"):
            return Ask(self._body())
        if self._has("CONSTRUCT"):
            return self._construct()
        if self._has("DESCRIBE"):
            self._place = len(self._tokens)
            return Describe()
        raise self._not_read()

    def _construct(self) -> Query:
        if self._is_sign("{"):
            template = self._template()
            return Construct(self._body(), template)
        self._dataset()
        self._word("WHERE")
        begin = self._place
        template = self._template()
        self._place = begin
        return Construct(self._modified(self._whole_group()), template)

    def _template(self) -> tuple[TriplePattern, ...]:
        triples = Triples()
        self._sign("{")
        while not self._has_sign("}"):
            self._triples_block(triples)
            self._has_sign(".")
        if triples.others:
            raise self._not_read()
        return tuple(triples.plain)

    def _body(self) -> Pattern:
        """The rest of a query that has no SELECT."""
        self._dataset()
        self._has("WHERE")
        return self._modified(self._whole_group())

    def _modified(self, pattern: Pattern) -> Pattern:
        """What stands behind the pattern of a query that has no SELECT."""
        if self._is_word("GROUP", "HAVING"):
            raise self._not_read()
        if self._is_sliced():
            pattern = Slice(pattern)
        return joined(pattern, self._values()) if self._has("VALUES") else pattern

    def _dataset(self) -> None:
        while self._has("FROM"):
            graphs = self._named_graphs if self._has("NAMED") else self._default_graphs
            token = self._next()
            if token.kind not in (Kind.IRI, Kind.NAME):
                raise self._not_read()
            graphs.append(node_of(self._prologue, token.text))

    def _subselect(self) -> Pattern:
        return self._select()

    def _select(self) -> Pattern:
        selected = self._selected()
        self._dataset()
        self._has("WHERE")
        pattern = self._whole_group()
        keys, pattern, is_grouped = self._groups(pattern)
        having, has_having = self._having()
        is_sliced = self._is_sliced()
        values = self._values() if self._has("VALUES") else None
        if is_grouped or selected.has_aggregate or has_having:
            pattern = self._aggregate(pattern, keys, selected, having, values)
        else:
            if values is not None:
                pattern = joined(pattern, values)
            for name, expression in selected.extensions:
                pattern = Extend(pattern, name, expression)
            names = tuple(selected.names)
            if selected.is_all:
                names = tuple(name for name in names_in(pattern) if not is_hidden(name))
            pattern = Project(pattern, names)
        if selected.is_distinct:
            pattern = Distinct(pattern)
        return Slice(pattern) if is_sliced else pattern

    def _aggregate(
        self,
        pattern: Pattern,
        keys: list[str],
        selected: _Selected,
        having: Expression | None,
        values: Values | None,
    ) -> Pattern:
        """Groups; values behind the query are joined with what they become."""
        text, names = selected.text, tuple(selected.names)
        if text is None:
            raise self._not_read()
        if values is None:
            return Aggregate(pattern, tuple(keys), text, names, having)
        if any(name in names and name not in keys for name in values.names):
            raise self._not_read()
        added = tuple(name for name in keys if name in values.names and name not in names)
        pieces = (*text.pieces, *(f" ?{name}" for name in added))
        text = replace(text, pieces=pieces)
        found = Aggregate(pattern, tuple(keys), text, names + added, having)
        return Project(Join(found, values), names)

    def _selected(self) -> _Selected:
        self._word("SELECT")
        is_distinct = self._has("DISTINCT")
        self._has("REDUCED")
        if self._has_sign("*"):
            return _Selected([], [], None, False, True, is_distinct)
        begin = self._place
        names: list[str] = []
        extensions: list[tuple[str, Expression]] = []
        while not self._is_sign("{") and not self._is_word("WHERE", "FROM"):
            if self._is_sign("("):
                expression, name = self._expression_as()
                extensions.append((name, expression))
                names.append(name)
            else:
                names.append(self._variable())
        end = self._place
        has_aggregate = self._has_aggregate(begin, end)
        self._place = begin
        text = self._expression(end)
        return _Selected(names, extensions, text, has_aggregate, False, is_distinct)

    def _groups(self, pattern: Pattern) -> tuple[list[str], Pattern, bool]:
        """GROUP BY: the variables, and the pattern with those that are made for it."""
        keys: list[str] = []
        if not self._has("GROUP"):
            return keys, pattern, False
        self._word("BY")
        while not self._is_at_end and not self._is_sign("}") and not self._is_word(*_AFTER_GROUPS):
            token = self._peek()
            if token is not None and token.kind is Kind.VARIABLE:
                keys.append(self._variable())
                continue
            if self._is_sign("("):
                end = self._end_of("(")
                if self._tokens[end - 3].is_word("AS"):
                    expression, name = self._expression_as()
                    pattern = Extend(pattern, name, expression)
                    keys.append(name)
                    continue
            expression = self._constraint()
            name = self._fresh(f"{HIDDEN}group_").name
            pattern = Extend(pattern, name, expression)
            keys.append(name)
        return keys, pattern, True

    def _having(self) -> tuple[Expression | None, bool]:
        if not self._has("HAVING"):
            return None, False
        begin = self._place
        while not self._is_at_end and not self._is_sign("}") and not self._is_word(*_AFTER_GROUPS):
            self._constraint()
        end, self._place = self._place, begin
        return self._expression(end), True

    def _is_sliced(self) -> bool:
        """Go past ORDER BY, which alone changes no multiset; whether LIMIT or OFFSET follows."""
        if self._has("ORDER"):
            self._word("BY")
            while not self._is_at_end and not self._is_sign("}"):
                if self._is_word("LIMIT", "OFFSET", "VALUES"):
                    break
                if self._is_word("ASC", "DESC"):
                    self._place += 1
                token = self._peek()
                if token is not None and token.kind is Kind.VARIABLE:
                    self._place += 1
                else:
                    self._constraint()
        is_sliced = False
        while self._is_word("LIMIT", "OFFSET"):
            self._place += 2
            is_sliced = True
        return is_sliced
