"""Answers to queries, read as terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    RdfFormat,
    Triple,
    parse,
    parse_query_results,
)

from purport.client.messages import AnswerMessage

Binding = dict[str, NamedNode | BlankNode | Literal | Triple]

RESULTS_JSON = "application/sparql-results+json"
N_TRIPLES = "application/n-triples"


@dataclass(frozen=True, slots=True)
class Solutions:
    """The answer to a SELECT: bindings, in which a variable that is not bound is absent."""

    variables: tuple[str, ...]
    bindings: tuple[Binding, ...]

    def __iter__(self) -> Iterator[Binding]:
        return iter(self.bindings)

    def __len__(self) -> int:
        return len(self.bindings)


Answer = Solutions | bool | tuple[Triple, ...]


def read_answer(body: bytes, media_type: str) -> Answer:
    """The answer to a query; `ValueError` if that is none.

    >>> read_answer(b'{"head":{},"boolean":true}', RESULTS_JSON)
    True
    """
    kind = media_type.partition(";")[0].strip().lower()
    try:
        if kind == N_TRIPLES:
            return tuple(quad.triple for quad in parse(body, RdfFormat.N_TRIPLES))
        if kind in (RESULTS_JSON, "application/json"):
            return _solutions(body)
    except SyntaxError as error:
        raise ValueError(str(error)) from None
    raise ValueError(f"the answer is {kind or 'of no stated kind'}")


def bindings_of(answer: AnswerMessage | None) -> tuple[Binding, ...]:
    """The bindings in a notification; of no answer, none."""
    if answer is None or not answer.results.bindings:
        return ()
    read = read_answer(msgspec.json.encode(answer), RESULTS_JSON)
    assert isinstance(read, Solutions)
    return read.bindings


def _solutions(body: bytes) -> Solutions | bool:
    found = parse_query_results(body, QueryResultsFormat.JSON)
    if isinstance(found, QueryBoolean):
        return bool(found)
    assert isinstance(found, QuerySolutions)
    names = [variable.value for variable in found.variables]
    bindings = ({name: one[name] for name in names} for one in found)
    return Solutions(
        tuple(names),
        tuple({name: term for name, term in one.items() if term is not None} for one in bindings),
    )
