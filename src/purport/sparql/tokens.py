"""SPARQL as a row of tokens: enough to find its parts, which the store then parses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a token is."""

    IRI = "iri"
    VARIABLE = "variable"
    STRING = "string"
    NAME = "name"  # with a prefix
    BLANK = "blank"  # a node with a label
    WORD = "word"
    NUMBER = "number"
    SIGN = "sign"


# Parts of patterns in which spaces say nothing.
IRI = r"""<(?![?$]\w|[^<>\s]*&&)(?:[^<>"{}|^`\\\x00-\x20]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*>"""
STRING = r"""
    \"\"\"(?:\"{0,2}(?:[^"\\]|\\.))*\"\"\" | '''(?:'{0,2}(?:[^'\\]|\\.))*'''
  | "(?:[^"\\\n\r]|\\.)*" | '(?:[^'\\\n\r]|\\.)*'
"""
_TOKEN = re.compile(
    rf"""
    (?P<skip>\s+|\#[^\n\r]*)
  | (?P<iri>{IRI})
  | (?P<string>{STRING})
  | (?P<variable>[?$]\w+)
  | (?P<blank>_:[\w.\-·]*[\w\-·]|_:\w)
  | (?P<name>(?:[^\W\d_][\w.\-·]*)?:(?:(?:[\w:.\-·]|%[0-9A-Fa-f]{{2}}|\\[_~.\-!$&'()*+,;=/?\#@%])*
      (?:[\w:\-·]|%[0-9A-Fa-f]{{2}}|\\[_~.\-!$&'()*+,;=/?\#@%]))?)
  | (?P<number>[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)
  | (?P<word>@?[^\W\d_][\w\-]*)
  | (?P<sign>\^\^|&&|\|\||!=|<=|>=|.)
    """,
    re.VERBOSE | re.DOTALL,
)
CLOSED_BY = {"{": "}", "(": ")"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text: `text[start:end]`."""

    kind: Kind
    text: str
    start: int
    end: int

    def is_word(self, *words: str) -> bool:
        """Whether it is one of these keywords, in whatever case."""
        return self.kind is Kind.WORD and self.text.upper() in words

    def is_sign(self, sign: str) -> bool:
        """Whether it is this sign."""
        return self.kind is Kind.SIGN and self.text == sign


def tokens_of(text: str) -> list[Token]:
    """The tokens of a text, without spaces and comments."""
    return list(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    for found in _TOKEN.finditer(text):
        if found.lastgroup != "skip":
            kind = Kind(found.lastgroup or Kind.SIGN)
            yield Token(kind, found[0], found.start(), found.end())


def closing(tokens: Sequence[Token], opening: int) -> int:
    """The place of the brace or bracket that closes the one at a place; -1 if none does."""
    begin = tokens[opening].text if opening < len(tokens) else ""
    end = CLOSED_BY.get(begin)
    if end is None:  # nothing opens there
        return -1
    depth = 0
    for place in range(opening, len(tokens)):
        if tokens[place].is_sign(begin):
            depth += 1
        elif tokens[place].is_sign(end):
            depth -= 1
            if depth == 0:
                return place
    return -1


def after_prologue(tokens: Sequence[Token], start: int = 0) -> int:
    """The place of the first token that belongs to no BASE or PREFIX."""
    place = start
    while place < len(tokens) and tokens[place].is_word("BASE", "PREFIX"):
        place += 2 if tokens[place].is_word("BASE") else 3
    return place


def operations_of(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The tokens of each operation of an update: a `;` in braces is none between operations."""
    begin, depth = 0, 0
    for place, token in enumerate(tokens):
        depth += token.is_sign("{") - token.is_sign("}")
        if depth == 0 and token.is_sign(";"):
            yield tokens[begin:place]
            begin = place + 1
    yield tokens[begin:]
