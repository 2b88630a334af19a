"""Other services that a text would have asked: none may be."""

from __future__ import annotations

from purport.sparql.errors import NotAllowed
from purport.sparql.tokens import tokens_of


def refuse_services(text: str) -> None:
    """Raise `NotAllowed` if a text has `SERVICE` in it."""
    if "service" in text.lower() and any(one.is_word("SERVICE") for one in tokens_of(text)):
        raise NotAllowed("SERVICE is not allowed here")
