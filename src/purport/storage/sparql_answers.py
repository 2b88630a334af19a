"""What a SPARQL endpoint answers, as pyoxigraph has answers."""

from __future__ import annotations

import re
from collections import deque
from typing import Any

import msgspec
from pyoxigraph import (
    Literal,
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Store,
    parse_query_results,
)

from purport.sparql.terms import as_kept

_NOT_IN_LABELS = re.compile(r"\W+", re.ASCII)
_LITERALS = ("literal", "typed-literal")  # the second is of 2004, and still Virtuoso's


def answer_of_results(data: bytes) -> QuerySolutions | QueryBoolean:
    """The answer to SELECT or ASK, from JSON; `ValueError` if it is none.

    Numbers, times and languages are spelled as pyoxigraph spells them.
    """
    results = _decoded(data)
    if isinstance(results.get("boolean"), bool):
        rewritten: object = {"head": {}, "boolean": results["boolean"]}
    else:
        rewritten = {"head": {"vars": _variables(results)}, "results": {"bindings": _rows(results)}}
    encoded = msgspec.json.encode(rewritten)
    try:
        answer = parse_query_results(encoded, format=QueryResultsFormat.JSON)
        if isinstance(answer, QuerySolutions):
            deque(answer, maxlen=0)  # it is read as one goes: find now what is wrong with it
    except SyntaxError as error:
        raise ValueError(str(error.args[0])) from None
    return parse_query_results(encoded, format=QueryResultsFormat.JSON)


def answer_of_triples(data: bytes, content_type: str) -> QueryTriples:
    """The answer to CONSTRUCT or DESCRIBE; `ValueError` if it is none."""
    syntax = RdfFormat.from_media_type(content_type) or RdfFormat.N_TRIPLES
    store = Store()
    try:
        store.load(data, format=syntax)
    except (SyntaxError, ValueError) as error:
        raise ValueError(str(error)) from None
    answer = store.query("CONSTRUCT WHERE { ?s ?p ?o }")
    assert isinstance(answer, QueryTriples)
    return answer


def _decoded(data: bytes) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ValueError(f"no JSON: {error}") from None
    if not isinstance(found, dict):
        raise ValueError("JSON, but no object")
    return found


def _variables(results: dict[str, Any]) -> list[str]:
    try:
        return [str(name) for name in results["head"]["vars"]]
    except (KeyError, TypeError):
        raise ValueError("JSON without head and vars, or a boolean") from None


def _rows(results: dict[str, Any]) -> list[dict[str, dict[str, str]]]:
    try:
        rows = results["results"]["bindings"]
        return [{name: _term(term) for name, term in row.items()} for row in rows]
    except (KeyError, TypeError, AttributeError):
        raise ValueError("JSON without results and bindings of terms") from None


def _term(term: dict[str, str]) -> dict[str, str]:
    """A term as it would stand in an answer of pyoxigraph's."""
    kind, value = term["type"], term["value"]
    if kind in _LITERALS:
        return _literal(str(value), term.get("datatype"), term.get("xml:lang"))
    if kind == "bnode":
        return {"type": kind, "value": f"b{_NOT_IN_LABELS.sub('', value)}"}
    return term


def _literal(value: str, datatype: str | None, language: str | None) -> dict[str, str]:
    if language:
        return {"type": "literal", "value": value, "xml:lang": language}
    if datatype is None:
        return {"type": "literal", "value": value}
    kept = as_kept(Literal(value, datatype=NamedNode(datatype)))
    assert isinstance(kept, Literal)
    return {"type": "literal", "value": kept.value, "datatype": datatype}
