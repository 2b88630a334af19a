"""The engine's time in texts: `NOW()`, and a function for the time in microseconds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from purport.model.rdf import XSD
from purport.sparql.terms import node_of
from purport.sparql.tokens import Kind, Token, tokens_of

CLOCK = "urn:purport:clock"  # <urn:purport:clock>(): microseconds since 1970

_MAY_ASK = re.compile(r"\bnow\b|clock", re.IGNORECASE)
_DATE_TIME = f"<{XSD}dateTime>"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def asks_for_time(text: str) -> bool:
    """Whether a text asks for the time."""
    return _MAY_ASK.search(text) is not None and next(_calls(text), None) is not None


def at_time(text: str, now: datetime) -> str:
    """A text in which the time stands wherever it is asked for: whoever evaluates it has no say.

    >>> at_time("SELECT (<urn:purport:clock>() AS ?t) {}", datetime(1970, 1, 2, tzinfo=UTC))
    'SELECT (86400000000 AS ?t) {}'
    """
    found: list[str] = []
    written = 0
    for function, end in _calls(text):
        found += [text[written : function.start], _value(function, now)]
        written = end
    return "".join([*found, text[written:]])


def _calls(text: str) -> Iterator[tuple[Token, int]]:
    """The functions that are called for the time, and where the calls end."""
    tokens = tokens_of(text)
    prologue = ""
    for place, token in enumerate(tokens[:-2]):
        if token.is_word("PREFIX", "BASE"):
            last = tokens[place + (2 if token.is_word("PREFIX") else 1)]
            prologue += f"{text[token.start : last.end]} "
        is_called = tokens[place + 1].is_sign("(") and tokens[place + 2].is_sign(")")
        if is_called and _is_time(token, prologue):
            yield token, tokens[place + 2].end


def _is_time(token: Token, prologue: str) -> bool:
    if token.kind is Kind.NAME:
        return token.text.endswith("clock") and node_of(prologue, token.text).value == CLOCK
    return token.is_word("NOW") or token.text == f"<{CLOCK}>"


def _value(token: Token, now: datetime) -> str:
    if token.is_word("NOW"):
        return f'"{now.astimezone(UTC).isoformat()}"^^{_DATE_TIME}'
    return str((now - _EPOCH) // timedelta(microseconds=1))
