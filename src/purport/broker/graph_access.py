"""Which graphs a query or an update reads, by their names: for access rules.

Where that is not plain to see, it is more of them than it may be, never fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from purport.broker.access import EVERY_GRAPH
from purport.broker.graph import DEFAULT
from purport.sparql.terms import node_of
from purport.sparql.tokens import Kind, Token, after_prologue, closing, tokens_of

_NAMES = (Kind.IRI, Kind.NAME, Kind.VARIABLE)


@lru_cache(maxsize=1_024)
def graphs_read(query: str) -> frozenset[str]:
    """The graphs that a query reads: those of FROM, or else the default one and those of GRAPH.

    `GRAPH ?g` without FROM NAMED is every graph. Who asks for nothing outside of GRAPH does not
    read the default graph.
    """
    tokens = tokens_of(query)
    begin = after_prologue(tokens)
    prologue, tokens = _text(query, tokens[:begin]), tokens[begin:]
    from_graphs = list(_after("FROM", tokens))
    if from_graphs:
        return frozenset(_names(prologue, from_graphs))
    is_described = bool(tokens) and tokens[0].is_word("DESCRIBE")
    read = set(_names(prologue, _after("GRAPH", tokens)))
    return frozenset(read | {DEFAULT} if is_described or _asks_outside(tokens) else read)


@lru_cache(maxsize=1_024)
def graphs_read_by_update(update: str) -> frozenset[str]:
    """The graphs that the operations of an update read, besides those that they change."""
    read: set[str] = set()
    prologue = ""
    for operation in _operations(tokens_of(update)):
        begin = after_prologue(operation)
        prologue += f"{_text(update, operation[:begin])} "
        read |= _read_by(prologue, operation[begin:])
    return frozenset(read)


def _read_by(prologue: str, tokens: Sequence[Token]) -> set[str]:
    if not tokens:
        return set()
    if tokens[0].is_word("ADD", "MOVE", "COPY"):
        source = next((one for one in tokens[1:] if one.kind in _NAMES), None)
        is_default = any(one.is_word("DEFAULT") for one in tokens[1:3])
        return {DEFAULT} if is_default or source is None else set(_names(prologue, [source.text]))
    using = list(_after("USING", tokens))
    if using:
        return set(_names(prologue, using))
    where = next((place for place, one in enumerate(tokens) if one.is_word("WHERE")), len(tokens))
    read = set(_names(prologue, _after("GRAPH", tokens[where:])))
    if _asks_outside(tokens[where:]):
        instead = [tokens[1].text] if tokens[0].is_word("WITH") else []
        read |= set(_names(prologue, instead)) or {DEFAULT}
    return read


def _operations(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The tokens of each operation: a `;` in braces is none between operations."""
    begin, depth = 0, 0
    for place, token in enumerate(tokens):
        depth += token.is_sign("{") - token.is_sign("}")
        if depth == 0 and token.is_sign(";"):
            yield tokens[begin:place]
            begin = place + 1
    yield tokens[begin:]


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
    """What stands after a keyword, or after it and NAMED: an IRI, a name or a variable."""
    for place, token in enumerate(tokens):
        if token.is_word(word):
            following = [one for one in tokens[place + 1 : place + 3] if not one.is_word("NAMED")]
            if following and following[0].kind in _NAMES:
                yield following[0].text


def _text(text: str, tokens: Sequence[Token]) -> str:
    return text[tokens[0].start : tokens[-1].end] if tokens else ""


def _names(prologue: str, graphs: Iterable[str]) -> Iterator[str]:
    for graph in graphs:
        yield EVERY_GRAPH if graph[0] in "?$" else node_of(prologue, graph).value
