"""SPARQL 1.1 updates as operations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from purport.sparql.algebra import NOTHING, Basic, Expression, Pattern, Spot, TriplePattern
from purport.sparql.query_reader import QueryReader
from purport.sparql.shape import Shaped
from purport.sparql.token_reader import NotRead
from purport.sparql.tokens import Kind, Token
from purport.sparql.triple_reader import Triples


@dataclass(frozen=True, slots=True)
class Modify:
    """DELETE and INSERT, with data or with a pattern.

    Where a triple of a template has no graph it is in that of WITH, or in the default one. A hidden
    variable in what is inserted is a node without a name, another one for each solution.
    """

    prologue: str
    deletes: tuple[TriplePattern, ...]
    inserts: tuple[TriplePattern, ...]
    pattern: Pattern | None  # None: one that only the store reads
    where: Expression  # as it is written, in braces
    graph: Spot | None = None  # of WITH
    using: tuple[Spot, ...] = ()
    using_named: tuple[Spot, ...] = ()


class Graphs(StrEnum):
    """Which graphs CLEAR and DROP are about, if not a single one."""

    DEFAULT = "default"
    NAMED = "named"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Clear:
    """CLEAR, or DROP, which makes a graph vanish."""

    target: Graphs | Spot
    is_drop: bool
    is_silent: bool


@dataclass(frozen=True, slots=True)
class Create:
    """CREATE GRAPH."""

    graph: Spot
    is_silent: bool


class Transfer(StrEnum):
    """Three ways to bring what is in one graph into another."""

    ADD = "ADD"
    MOVE = "MOVE"
    COPY = "COPY"


@dataclass(frozen=True, slots=True)
class Transport:
    """ADD, MOVE or COPY; None is the default graph."""

    way: Transfer
    source: Spot | None
    target: Spot | None
    is_silent: bool


@dataclass(frozen=True, slots=True)
class Load:
    """LOAD of a document."""

    document: Spot
    graph: Spot | None
    is_silent: bool


Operation = Modify | Clear | Create | Transport | Load


@dataclass(frozen=True, slots=True)
class ReadUpdate:
    """What a request says: its operations, in order."""

    operations: tuple[Operation, ...]
    texts: tuple[str, ...]  # a text for a parser that knows one prologue only, or one for each


def read_update(shaped: Shaped) -> tuple[ReadUpdate, frozenset[int]]:
    """The operations of a request, and the constants that may be others in them.

    `SparqlSyntaxError` where one is none; `NotRead` if it is one that this reader does not know.
    """
    reader = _UpdateReader(shaped)
    found = tuple(reader.operations())
    texts = tuple(reader.texts) if reader.has_late_prologue else (shaped.text,)
    return ReadUpdate(found, texts), frozenset(reader.free)


class _UpdateReader(QueryReader):
    def __init__(self, shaped: Shaped) -> None:
        super().__init__(shaped)
        self.texts: list[str] = []  # of the operations, each with what stands before it
        self.has_late_prologue = False

    def operations(self) -> Iterator[Operation]:
        while True:
            before = self._prologue
            self._read_prologue()
            self.has_late_prologue |= bool(self.texts) and self._prologue != before
            if self._is_at_end:
                return
            begin = self._place
            yield self._operation()
            self.texts.append(self._prologue + self._between(begin, self._place - 1))
            if not self._is_at_end and not self._has_sign(";"):
                raise self._unexpected(self._peek(), "';' or the end")

    def _operation(self) -> Operation:
        token = self._next()
        match token.text.upper() if token.kind is Kind.WORD else "":
            case "INSERT" | "DELETE":
                return self._modify(token)
            case "WITH":
                graph = self._iri()
                return self._modify(self._next(), graph)
            case "CLEAR" | "DROP":
                is_silent = self._has("SILENT")
                return Clear(self._target(), token.is_word("DROP"), is_silent)
            case "CREATE":
                is_silent = self._has("SILENT")
                self._word("GRAPH")
                return Create(self._iri(), is_silent)
            case "ADD" | "MOVE" | "COPY":
                return self._transport(Transfer(token.text.upper()))
            case "LOAD":
                return self._load()
        raise self._unexpected(token, "an update such as INSERT or DELETE")

    def _modify(self, verb: Token, graph: Spot | None = None) -> Modify:
        is_insert = verb.is_word("INSERT")
        if not verb.is_word("INSERT", "DELETE"):
            raise self._unexpected(verb, "INSERT or DELETE")
        if graph is None and self._has("DATA"):
            parts = self._quads()
            deletes, inserts = ((), parts) if is_insert else (parts, ())
            return Modify(
                self._prologue, deletes, inserts, NOTHING, Expression(("{}",), frozenset())
            )
        if graph is None and not is_insert and self._has("WHERE"):
            begin = self._place
            parts = self._quads()
            end, self._place = self._place, begin
            where = self._as_written(end)
            return Modify(self._prologue, parts, (), Basic(parts), where)
        deletes = () if is_insert else self._quads()
        inserts = self._quads() if is_insert or self._has("INSERT") else ()
        using, using_named = self._using()
        self._word("WHERE")
        pattern, where = self._where()
        return Modify(self._prologue, deletes, inserts, pattern, where, graph, using, using_named)

    def _where(self) -> tuple[Pattern | None, Expression]:
        begin = self._place
        end = self._end_of("{")
        try:
            pattern: Pattern | None = self._whole_group()
        except NotRead:
            pattern = None
        self._place, self._graph = begin, None
        return pattern, self._as_written(end)

    def _using(self) -> tuple[tuple[Spot, ...], tuple[Spot, ...]]:
        using: list[Spot] = []
        using_named: list[Spot] = []
        while self._has("USING"):
            (using_named if self._has("NAMED") else using).append(self._iri())
        return tuple(using), tuple(using_named)

    def _quads(self) -> tuple[TriplePattern, ...]:
        """Triples in braces, some of them in braces of their own behind GRAPH."""
        self._end_of("{")
        triples = Triples()
        self._sign("{")
        while not self._has_sign("}"):
            if self._has("GRAPH"):
                self._graph = self._spot()
                self._sign("{")
                while not self._has_sign("}"):
                    self._triples_block(triples)
                    self._has_sign(".")
                self._graph = None
            else:
                self._triples_block(triples)
            self._has_sign(".")
        if triples.others:
            raise self._not_read()
        return tuple(triples.plain)

    def _target(self) -> Graphs | Spot:
        for graphs in Graphs:
            if self._has(graphs.upper()):
                return graphs
        self._word("GRAPH")
        return self._iri()

    def _transport(self, way: Transfer) -> Transport:
        is_silent = self._has("SILENT")
        source = self._graph_or_default()
        self._word("TO")
        return Transport(way, source, self._graph_or_default(), is_silent)

    def _load(self) -> Load:
        is_silent = self._has("SILENT")
        document = self._iri()
        graph = None
        if self._has("INTO"):
            self._word("GRAPH")
            graph = self._iri()
        return Load(document, graph, is_silent)

    def _graph_or_default(self) -> Spot | None:
        if self._has("DEFAULT"):
            return None
        self._has("GRAPH")
        return self._iri()

    def _iri(self) -> Spot:
        token = self._next()
        if token.kind not in (Kind.IRI, Kind.NAME):
            raise self._unexpected(token, "an IRI")
        return self._constant(token)
