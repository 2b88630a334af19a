"""Which graphs a query reads, or an update reads and changes, by their names: for access rules.

Where that is not plain to see, it is more of them than it may be, never fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from purport.broker.access import EVERY_GRAPH
from purport.broker.asked import Query
from purport.broker.graph import DEFAULT
from purport.remembering import remembered
from purport.sparql.errors import SparqlSyntaxError
from purport.sparql.graph_store import WHOLE
from purport.sparql.terms import node_of
from purport.sparql.tokens import Kind, Token, after_prologue, closing, operations_of, tokens_of

_NAMES = (Kind.IRI, Kind.NAME, Kind.VARIABLE)
_UNKNOWN = "?"  # what stands where a graph should, and is understood no better than a variable
_BEFORE_GRAPHS = ("GRAPH", "FROM", "USING", "NAMED", "WITH")
_BEFORE_PREFIXES = ("PREFIX", "BASE")


@remembered(1_024, longest=16_384, length=lambda query: len(query.text))
def graphs_read(query: Query) -> frozenset[str]:
    """The graphs that a query reads: those of FROM, or else the default one and those of GRAPH.

    `GRAPH ?g` without FROM NAMED is every graph. Who asks for nothing outside of GRAPH does not
    read the default graph. Graphs that a dataset names are read in the place of these.
    """
    tokens = tokens_of(query.text)
    begin = after_prologue(tokens)
    prologue, tokens = _text(query.text, tokens[:begin]), tokens[begin:]
    if not _is_plain(tokens):
        return frozenset({EVERY_GRAPH})
    dataset = query.dataset
    read = {*_names(prologue, _after("FROM", tokens))}
    if read and dataset == WHOLE:
        return frozenset(read)
    read.update(dataset.default_graphs or (), dataset.named_graphs or ())
    if dataset.named_graphs is None:
        read.update(_names(prologue, _after("GRAPH", tokens)))
    is_described = bool(tokens) and tokens[0].is_word("DESCRIBE")
    if dataset.default_graphs is None and (is_described or _asks_outside(tokens)):
        read.add(DEFAULT)
    return frozenset(read)


@remembered(1_024, longest=16_384, length=len)
def graphs_of_update(update: str) -> frozenset[str]:
    """The graphs that the operations of an update read, or name as those to be changed.

    They are the same whatever the graphs hold, so that nobody learns from a refusal what is there.
    """
    found: set[str] = set()
    prologue = ""
    for operation in operations_of(tokens_of(update)):
        begin = after_prologue(operation)
        prologue += f"{_text(update, operation[:begin])} "
        if operation[begin:]:
            found |= _graphs_of(prologue, operation[begin:])
    return frozenset(found)


def _graphs_of(prologue: str, tokens: Sequence[Token]) -> set[str]:
    """The graphs of one operation."""
    if not _is_plain(tokens):
        return {EVERY_GRAPH}
    if tokens[0].is_word("ADD", "MOVE", "COPY"):
        return _transported(prologue, tokens[1:])
    if tokens[0].is_word("CLEAR", "DROP", "CREATE", "LOAD"):
        if any(one.is_word("ALL", "NAMED") for one in tokens):
            return {EVERY_GRAPH}
        return set(_names(prologue, _after("GRAPH", tokens))) or {DEFAULT}
    if not tokens[0].is_word("WITH", "INSERT", "DELETE"):
        return {EVERY_GRAPH}
    unnamed = set(_names(prologue, _after("WITH", tokens[:2]))) or {DEFAULT}
    where = next((place for place, one in enumerate(tokens) if one.is_word("WHERE")), None)
    if where is not None:
        read = _read(prologue, tokens, where, unnamed)
        return read | _changed(prologue, tokens[:where], unnamed)
    is_data = any(one.is_word("DATA") for one in tokens[:2])
    return _changed(prologue, tokens, unnamed) if is_data else {EVERY_GRAPH}


def _changed(prologue: str, tokens: Sequence[Token], unnamed: set[str]) -> set[str]:
    """The graphs that the templates, or the data, of an operation name."""
    changed = set(_names(prologue, _after("GRAPH", tokens)))
    place = 0
    while place < len(tokens):
        if tokens[place].is_sign("{"):
            end = closing(tokens, place)
            if end < 0:
                return {EVERY_GRAPH}
            if _asks_outside(tokens[place : end + 1]):
                changed |= unnamed
            place = end
        place += 1
    return changed


def _read(prologue: str, tokens: Sequence[Token], where: int, unnamed: set[str]) -> set[str]:
    """The graphs that the pattern of an operation reads; of DELETE WHERE, it changes them too."""
    using = list(_after("USING", tokens[:where]))
    if using:
        return set(_names(prologue, using))
    read = set(_names(prologue, _after("GRAPH", tokens[where:])))
    return read | unnamed if _asks_outside(tokens[where:]) else read


def _transported(prologue: str, tokens: Sequence[Token]) -> set[str]:
    """Both graphs of ADD, MOVE and COPY."""
    graphs = [one for one in tokens if one.kind in _NAMES or one.is_word("DEFAULT")]
    if len(graphs) != 2:
        return {EVERY_GRAPH}
    named = [one.text for one in graphs if one.kind in _NAMES]
    return set(_names(prologue, named)) | ({DEFAULT} if len(named) < 2 else set())


def _is_plain(tokens: Sequence[Token]) -> bool:
    """Whether all words that matter here stand by themselves.

    The store's parser reads `GRAPH:a` as GRAPH and `:a`, if it cannot be a name, and `ASKFROM` as
    two words; it also takes a PREFIX from where we would not look for one.
    """
    return not any(map(_is_doubtful, tokens))


def _is_doubtful(token: Token) -> bool:
    if token.kind is Kind.NAME:
        prefix = token.text.partition(":")[0].upper()
        return any(word in prefix for word in (*_BEFORE_GRAPHS, "PREFIX"))
    if token.kind is not Kind.WORD or token.text[0] == "@":
        return False
    word = token.text.upper()
    if any(one in word for one in _BEFORE_PREFIXES):
        return True
    return word not in _BEFORE_GRAPHS and any(one in word for one in _BEFORE_GRAPHS)


def _asks_outside(tokens: Sequence[Token]) -> bool:
    """Whether there is anything besides one group with nothing but `GRAPH name {...}` in it."""
    first = next((place for place, one in enumerate(tokens) if one.is_sign("{")), None)
    if first is None:
        return False
    last = closing(tokens, first)
    if last < 0 or any(one.is_sign("{") for one in tokens[last + 1 :]):
        return True
    place = first + 1
    while place < last:
        if tokens[place].is_sign("."):
            place += 1
            continue
        end = closing(tokens, place + 2)
        if not tokens[place].is_word("GRAPH") or end < 0:
            return True
        place = end + 1
    return False


def _after(word: str, tokens: Sequence[Token]) -> Iterator[str]:
    """What stands after a keyword, or after it and NAMED: a name of any kind, or who knows."""
    for place, token in enumerate(tokens):
        if token.is_word(word):
            following = [one for one in tokens[place + 1 : place + 3] if not one.is_word("NAMED")]
            is_name = bool(following) and following[0].kind in _NAMES
            yield following[0].text if is_name else _UNKNOWN


def _text(text: str, tokens: Sequence[Token]) -> str:
    return text[tokens[0].start : tokens[-1].end] if tokens else ""


def _names(prologue: str, graphs: Iterable[str]) -> Iterator[str]:
    for graph in graphs:
        try:
            yield EVERY_GRAPH if graph[0] in "?$" else node_of(prologue, graph).value
        except SparqlSyntaxError:  # the store will say what is wrong, or knows better
            yield EVERY_GRAPH
