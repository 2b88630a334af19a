"""Which graphs a query or an update reads, by their names: for access rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from purport.broker.access import EVERY_GRAPH
from purport.broker.graph import DEFAULT
from purport.sparql.graph_store import resolved
from purport.sparql.tokens import Kind, Token, after_prologue, tokens_of
from purport.sparql.update import Modify, Transport, operations


@lru_cache(maxsize=1_024)
def graphs_read(query: str) -> frozenset[str]:
    """The graphs that a query reads: those of FROM, or else the default one and those of GRAPH.

    `GRAPH ?g` without FROM NAMED is every graph.
    """
    tokens = tokens_of(query)
    begin = after_prologue(tokens)
    prologue = query[: tokens[begin].start] if begin < len(tokens) else ""
    from_named = list(_after("FROM", tokens))
    if from_named:
        return frozenset(_names(prologue, from_named))
    return frozenset({DEFAULT, *_names(prologue, _after("GRAPH", tokens))})


def graphs_read_by_update(text: str) -> frozenset[str]:
    """The graphs that the operations of an update read, besides those that it changes."""
    return frozenset(name for one in operations(text) for name in _read_by(one))


def _read_by(operation: object) -> Iterator[str]:
    match operation:
        case Modify(prologue=prologue, where=where, graph=graph):
            using = [*operation.using, *operation.using_named]
            inside = tokens_of(where)
            if using:
                yield from _names(prologue, using)
            elif len(inside) > len("{}"):
                yield from _names(prologue, _after("GRAPH", inside))
                yield from _names(prologue, [graph]) if graph else [DEFAULT]
        case Transport(prologue=prologue, source=source):
            yield from _names(prologue, [source]) if source else [DEFAULT]


def _after(word: str, tokens: Sequence[Token]) -> Iterator[str]:
    """What stands after a keyword, or after it and NAMED: an IRI, a name or a variable."""
    kinds = (Kind.IRI, Kind.NAME, Kind.VARIABLE)
    for place, token in enumerate(tokens):
        if token.is_word(word):
            following = [one for one in tokens[place + 1 : place + 3] if not one.is_word("NAMED")]
            if following and following[0].kind in kinds:
                yield following[0].text


def _names(prologue: str, graphs: Iterable[str]) -> Iterator[str]:
    for graph in graphs:
        yield EVERY_GRAPH if graph[0] in "?$" else resolved(prologue, graph).value
