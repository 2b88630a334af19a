"""The engine's time in texts: `NOW()`, and a function for the time in microseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from purport.sparql.terms import node_of
from purport.sparql.tokens import Kind, Token, after_prologue, tokens_of

CLOCK = "urn:purport:clock"  # <urn:purport:clock>(): microseconds since 1970

_MAY_ASK = re.compile(r"now\s*\(|clock>?\s*\(", re.IGNORECASE)
_DATE_TIME = "<http://www.w3.org/2001/XMLSchema#dateTime>"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def asks_for_time(text: str) -> bool:
    """Whether a text may ask for the time."""
    return _MAY_ASK.search(text) is not None


def at_time(text: str, now: datetime) -> str:
    """A text in which the time stands wherever it is asked for: whoever evaluates it has no say.

    >>> at_time("SELECT (<urn:purport:clock>() AS ?t) {}", datetime(1970, 1, 2, tzinfo=UTC))
    'SELECT (86400000000 AS ?t) {}'
    """
    tokens = tokens_of(text)
    prologue = text[: tokens[after_prologue(tokens)].start] if tokens else ""
    found: list[str] = []
    written = 0
    for place, token in enumerate(tokens[:-2]):
        if tokens[place + 1].is_sign("(") and tokens[place + 2].is_sign(")"):
            value = _value(token, prologue, now)
            if value is not None:
                found += [text[written : token.start], value]
                written = tokens[place + 2].end
    return "".join([*found, text[written:]])


def _value(token: Token, prologue: str, now: datetime) -> str | None:
    if token.is_word("NOW"):
        return f'"{now.astimezone(UTC).isoformat()}"^^{_DATE_TIME}'
    is_name = token.kind is Kind.NAME and token.text.endswith("clock")
    if token.text == f"<{CLOCK}>" or (is_name and node_of(prologue, token.text).value == CLOCK):
        return str((now - _EPOCH) // timedelta(microseconds=1))
    return None
