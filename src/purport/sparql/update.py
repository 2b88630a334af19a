"""SPARQL 1.1 updates as operations; what they write and what they match stay texts.

The store's own parser reads those texts: a template becomes the head of a CONSTRUCT.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from purport.sparql.errors import SparqlSyntaxError
from purport.sparql.tokens import Kind, Token, after_prologue, closing, tokens_of


@dataclass(frozen=True, slots=True)
class TemplatePart:
    """Triples of a template in one graph: None is the default one, or that of WITH."""

    graph: str | None  # as it is written: an IRI, a name with a prefix, a variable
    triples: str


@dataclass(frozen=True, slots=True)
class Modify:
    """DELETE and INSERT, with data or with a pattern."""

    prologue: str
    deletes: tuple[TemplatePart, ...]
    inserts: tuple[TemplatePart, ...]
    where: str  # in braces
    graph: str | None = None  # of WITH
    using: tuple[str, ...] = ()
    using_named: tuple[str, ...] = ()

    @property
    def shares_blank_nodes(self) -> bool:
        """Whether a node without a name may stand in several parts of what is inserted."""
        parts = [part for part in self.inserts if "_:" in part.triples]
        return len(parts) > 1


class Graphs(StrEnum):
    """Which graphs CLEAR and DROP are about, if not a single one."""

    DEFAULT = "default"
    NAMED = "named"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Clear:
    """CLEAR, or DROP, which makes a graph vanish."""

    prologue: str
    target: Graphs | str
    is_drop: bool
    is_silent: bool


@dataclass(frozen=True, slots=True)
class Create:
    """CREATE GRAPH."""

    prologue: str
    graph: str
    is_silent: bool


class Transfer(StrEnum):
    """Three ways to bring what is in one graph into another."""

    ADD = "ADD"
    MOVE = "MOVE"
    COPY = "COPY"


@dataclass(frozen=True, slots=True)
class Transport:
    """ADD, MOVE or COPY; None is the default graph."""

    prologue: str
    way: Transfer
    source: str | None
    target: str | None
    is_silent: bool


@dataclass(frozen=True, slots=True)
class Load:
    """LOAD of a document."""

    prologue: str
    document: str
    graph: str | None
    is_silent: bool


Operation = Modify | Clear | Create | Transport | Load


def operations(text: str) -> list[Operation]:
    """The operations of a request, in order; `SparqlSyntaxError` where one is none."""
    return list(_Reader(text).operations())


class _Reader:
    """Reads a request from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: Sequence[Token] = tokens_of(text)
        self._place = 0
        self._prologue = ""

    def operations(self) -> Iterator[Operation]:
        while True:
            begin = self._place
            self._place = after_prologue(self._tokens, begin)
            if self._place > begin:
                self._prologue += self._between(begin, self._place - 1) + " "
            if self._place >= len(self._tokens):
                return
            yield self._operation()
            if self._place < len(self._tokens):
                self._sign(";")

    def _operation(self) -> Operation:
        token = self._next()
        match token.text.upper() if token.kind is Kind.WORD else "":
            case "INSERT" | "DELETE":
                return self._modify(token)
            case "WITH":
                graph = self._graph()
                return self._modify(self._next(), graph)
            case "CLEAR" | "DROP":
                is_silent = self._has("SILENT")
                return Clear(self._prologue, self._target(), token.is_word("DROP"), is_silent)
            case "CREATE":
                is_silent = self._has("SILENT")
                self._word("GRAPH")
                return Create(self._prologue, self._graph(), is_silent)
            case "ADD" | "MOVE" | "COPY":
                return self._transport(Transfer(token.text.upper()))
            case "LOAD":
                return self._load()
        raise self._unexpected(token, "an update such as INSERT or DELETE")

    def _modify(self, verb: Token, graph: str | None = None) -> Modify:
        is_insert = verb.is_word("INSERT")
        if not verb.is_word("INSERT", "DELETE"):
            raise self._unexpected(verb, "INSERT or DELETE")
        if graph is None and self._has("DATA"):
            parts = self._template()
            deletes, inserts = ((), parts) if is_insert else (parts, ())
            return Modify(self._prologue, deletes, inserts, "{}")
        if graph is None and not is_insert and self._has("WHERE"):
            begin = self._place
            parts = self._template()
            return Modify(self._prologue, parts, (), self._between(begin, self._place - 1))
        deletes = () if is_insert else self._template()
        inserts = self._template() if is_insert or self._has("INSERT") else ()
        using, using_named = self._using()
        self._word("WHERE")
        where = self._group()
        return Modify(self._prologue, deletes, inserts, where, graph, using, using_named)

    def _using(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        using: list[str] = []
        using_named: list[str] = []
        while self._has("USING"):
            (using_named if self._has("NAMED") else using).append(self._graph())
        return tuple(using), tuple(using_named)

    def _template(self) -> tuple[TemplatePart, ...]:
        """Triples in braces, some of them in braces of their own behind GRAPH."""
        end = self._end_of_group()
        place, parts, plain = self._place + 1, [], self._place + 1
        while place < end:
            if self._tokens[place].is_word("GRAPH"):
                parts.append(TemplatePart(None, self._between(plain, place - 1)))
                last = closing(self._tokens, place + 2)
                if not self._tokens[place + 2].is_sign("{") or last < 0:
                    raise self._unexpected(self._tokens[place + 2], "{")
                triples = self._between(place + 3, last - 1)
                parts.append(TemplatePart(self._tokens[place + 1].text, triples))
                place = last + 1
                if place < end and self._tokens[place].is_sign("."):
                    place += 1
                plain = place
            else:
                place += 1
        parts.append(TemplatePart(None, self._between(plain, end - 1)))
        self._place = end + 1
        return tuple(part for part in parts if part.triples)

    def _group(self) -> str:
        begin, end = self._place, self._end_of_group()
        self._place = end + 1
        return self._between(begin, end)

    def _end_of_group(self) -> int:
        if self._place >= len(self._tokens) or not self._tokens[self._place].is_sign("{"):
            raise self._unexpected(self._peek(), "{")
        end = closing(self._tokens, self._place)
        if end < 0:
            raise self._unexpected(None, "}")
        return end

    def _target(self) -> Graphs | str:
        for graphs in Graphs:
            if self._has(graphs.upper()):
                return graphs
        self._word("GRAPH")
        return self._graph()

    def _transport(self, way: Transfer) -> Transport:
        is_silent = self._has("SILENT")
        source = self._graph_or_default()
        self._word("TO")
        return Transport(self._prologue, way, source, self._graph_or_default(), is_silent)

    def _load(self) -> Load:
        is_silent = self._has("SILENT")
        document = self._graph()
        graph = None
        if self._has("INTO"):
            self._word("GRAPH")
            graph = self._graph()
        return Load(self._prologue, document, graph, is_silent)

    def _graph_or_default(self) -> str | None:
        if self._has("DEFAULT"):
            return None
        self._has("GRAPH")
        return self._graph()

    def _graph(self) -> str:
        token = self._next()
        if token.kind not in (Kind.IRI, Kind.NAME):
            raise self._unexpected(token, "an IRI")
        return token.text

    def _word(self, word: str) -> None:
        if not self._has(word):
            raise self._unexpected(self._peek(), word)

    def _sign(self, sign: str) -> None:
        token = self._next()
        if not token.is_sign(sign):
            raise self._unexpected(token, f"{sign!r} or the end")

    def _has(self, word: str) -> bool:
        token = self._peek()
        if token is None or not token.is_word(word):
            return False
        self._place += 1
        return True

    def _peek(self) -> Token | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _next(self) -> Token:
        token = self._peek()
        if token is None:
            raise self._unexpected(None, "more")
        self._place += 1
        return token

    def _between(self, first: int, last: int) -> str:
        """The text from one token to another; empty if there is none."""
        if last < first:
            return ""
        return self._text[self._tokens[first].start : self._tokens[last].end]

    def _unexpected(self, token: Token | None, wanted: str) -> SparqlSyntaxError:
        place = len(self._text) if token is None else token.start
        found = "the text ends here" if token is None else f"found {token.text!r}"
        line = self._text.count("\n", 0, place) + 1
        column = place - (self._text.rfind("\n", 0, place) + 1) + 1
        return SparqlSyntaxError(f"{found}, expected {wanted}", line=line, column=column)
