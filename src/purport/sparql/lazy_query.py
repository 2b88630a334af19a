"""Queries of which nothing is worked out until somebody takes the first solution.

pyoxigraph sees the facts as they are when it is asked, and works out a truth, an order or a sum at
once. A branch of a UNION it begins only when the one before is over, or somebody takes from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyoxigraph import QuerySolutions, Store

from purport.sparql.errors import SparqlSyntaxError
from purport.sparql.graph_store import Answer
from purport.sparql.tokens import Kind, Token, after_prologue, closing, tokens_of

_NOBODY = "FILTER(RAND() > 2)"  # has no solution, which no optimizer knows
_VERBS = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
_AT_ONCE = (
    "ORDER", "GROUP", "HAVING", "COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT",
)  # fmt: skip
_PATHS = ("*", "+", "^", "|", "?")


def answered_later(text: str, ask: Callable[[str], Answer]) -> Callable[[], Answer]:
    """Ask a query of the facts as they are now; what this gives answers it, and may take long.

    >>> store = Store()
    >>> store.update("INSERT DATA { <urn:a> <urn:p> 1 }")
    >>> answer = answered_later("ASK { ?s ?p 1 }", store.query)
    >>> store.update("CLEAR ALL")
    >>> bool(answer()), bool(store.query("ASK { ?s ?p 1 }"))
    (True, False)
    """
    lazy = lazy_text(text)
    if lazy is None:
        found = ask(text)
        return lambda: found
    try:
        begun = ask(lazy)
    except SparqlSyntaxError:
        found = ask(text)  # which says what is wrong in words, and places, of the text as it is
        return lambda: found
    if isinstance(begun, QuerySolutions) and _is_ask(text):
        return lambda: _truth(next(begun, None) is not None)
    return lambda: begun


def lazy_text(text: str) -> str | None:
    """A text that asks the same; None if it begins lazily as it is, or is no query."""
    tokens = tokens_of(text)
    body = tokens[after_prologue(tokens) :]
    if not body or not body[0].is_word(*_VERBS) or _is_lazy(body):
        return None
    opening = _pattern_begins(body)
    end = closing(body, opening)
    if end < 0:
        return None
    head = [one for one in body[:opening] if not one.is_word("WHERE")]
    graphs = next((at for at, one in enumerate(head) if at and one.is_word("FROM")), len(head))
    asked, pattern = _told(text, head[:graphs]), _told(text, body[opening : end + 1])
    rest = pattern + text[body[end].end :]
    match body[0].text.upper():
        case "SELECT":
            first, inner = f"SELECT {_names(head[1:graphs])}", f"{asked} WHERE {rest}"
        case "ASK":
            first, inner = "SELECT *", f"SELECT (1 AS ?there) WHERE {rest}"
        case _:
            is_short = body[0].is_word("CONSTRUCT") and graphs == 1  # the pattern is the template
            first = f"CONSTRUCT {pattern}" if is_short else asked
            inner = f"SELECT * WHERE {rest}"
    prologue = text[: body[0].start]
    where = f"WHERE {{ {{ {inner}\n}} UNION {{ {_NOBODY} }} }}"
    return f"{prologue}{first} {_told(text, head[graphs:])} {where}"


def _is_lazy(body: Sequence[Token]) -> bool:
    """Whether pyoxigraph works out nothing of it at once: one group, without paths and sums."""
    if body[0].is_word("ASK"):
        return False
    groups = sum(one.is_sign("{") for one in body)
    most = 2 if body[0].is_word("CONSTRUCT") else 1
    if groups == 0 or groups > most or any(one.is_word(*_AT_ONCE) for one in body):
        return groups == 0  # DESCRIBE <urn:a>
    where = next(at for at, one in enumerate(body) if one.is_sign("{"))
    return not any(one.is_sign(sign) for one in body[where:] for sign in _PATHS)


def _pattern_begins(body: Sequence[Token]) -> int:
    """The place of the brace that opens the pattern: no template's, and none in an expression."""
    at = 1
    if body[0].is_word("CONSTRUCT") and len(body) > 1 and body[1].is_sign("{"):
        at = closing(body, 1) + 1
    depth = 0
    for place in range(at, len(body)):
        depth += body[place].is_sign("(") - body[place].is_sign(")")
        if depth == 0 and body[place].is_sign("{"):
            return place
    return len(body)


def _names(projection: Sequence[Token]) -> str:
    """What is projected, by its names: of an expression, that which it is given."""
    depth, names = 0, []
    for place, one in enumerate(projection):
        depth += one.is_sign("(") - one.is_sign(")")
        is_given = depth == 1 and projection[place - 1].is_word("AS")
        if one.kind is Kind.VARIABLE and (depth == 0 or is_given):
            names.append(one.text)
    return " ".join(names) or "*"


def _told(text: str, tokens: Sequence[Token]) -> str:
    return text[tokens[0].start : tokens[-1].end] if tokens else ""


def _truth(is_so: bool) -> Answer:
    return Store().query("ASK {}" if is_so else "ASK { FILTER(false) }")


def _is_ask(text: str) -> bool:
    tokens = tokens_of(text)
    return tokens[after_prologue(tokens)].is_word("ASK")
