"""Texts that nobody would write: nested so deeply that a parser would run out of stack."""

from __future__ import annotations

from purport.errors import InvalidInput
from purport.sparql.errors import SparqlSyntaxError
from purport.sparql.tokens import Kind, tokens_of

DEEPEST = 200  # brackets within brackets
LONGEST = 1_000  # signs in a row, such as + or / or !, with nothing but operands between them

_NESTING = "({[!/+*|^-&="
_OPENING, _CLOSING, _ENDING = frozenset("({["), frozenset(")}]"), frozenset(".;,")


def require_text(text: str) -> None:
    """Raise `InvalidInput` if something is no text at all."""
    if not isinstance(text, str):
        raise InvalidInput(f"expected a text in SPARQL, got {text!r}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"a text that is no Unicode, at place {error.start}") from None


def require_modest(text: str) -> None:
    """Raise `SparqlSyntaxError` if a text is nested more deeply than a store can read."""
    if sum(map(text.count, _NESTING)) < DEEPEST:
        return
    depth = signs = 0
    for token in tokens_of(text):
        if token.kind is not Kind.SIGN:
            continue
        if token.text in _OPENING:
            depth += 1
            signs = 0 if token.text == "{" else signs
        elif token.text in _CLOSING:
            depth -= 1
        elif token.text in _ENDING:
            signs = 0
        else:
            signs += 1
        if depth > DEEPEST or signs > LONGEST:
            message = f"nested more than {DEEPEST} deep, or more than {LONGEST:,} signs in a row"
            raise SparqlSyntaxError.at(text, token.start, message)
