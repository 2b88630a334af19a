"""Going through a row of tokens from its beginning to its end."""

from __future__ import annotations

from collections.abc import Sequence

from purport.sparql.errors import SparqlSyntaxError
from purport.sparql.tokens import CLOSED_BY, Token, after_prologue, closing, tokens_of


class NotRead(Exception):
    """A text that the store takes, in a form that no reader here knows."""


class TokenReader:
    """Where one is in a text, and what comes next."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: Sequence[Token] = tokens_of(text)
        self._place = 0
        self._prologue = ""

    def _read_prologue(self) -> None:
        begin = self._place
        self._place = after_prologue(self._tokens, begin)
        if self._place > begin:
            self._prologue += self._between(begin, self._place - 1) + " "

    @property
    def _is_at_end(self) -> bool:
        return self._place >= len(self._tokens)

    def _peek(self, ahead: int = 0) -> Token | None:
        place = self._place + ahead
        return self._tokens[place] if place < len(self._tokens) else None

    def _next(self) -> Token:
        token = self._peek()
        if token is None:
            raise self._unexpected(None, "more")
        self._place += 1
        return token

    def _is_word(self, *words: str, ahead: int = 0) -> bool:
        token = self._peek(ahead)
        return token is not None and token.is_word(*words)

    def _is_sign(self, sign: str, ahead: int = 0) -> bool:
        token = self._peek(ahead)
        return token is not None and token.is_sign(sign)

    def _has(self, word: str) -> bool:
        """Go past a word, if it comes next."""
        if not self._is_word(word):
            return False
        self._place += 1
        return True

    def _has_sign(self, sign: str) -> bool:
        """Go past a sign, if it comes next."""
        if not self._is_sign(sign):
            return False
        self._place += 1
        return True

    def _word(self, word: str) -> None:
        if not self._has(word):
            raise self._unexpected(self._peek(), word)

    def _sign(self, sign: str) -> None:
        if not self._has_sign(sign):
            raise self._unexpected(self._peek(), sign)

    def _end_of(self, sign: str) -> int:
        """The place behind what closes the brace or bracket that is here."""
        if not self._is_sign(sign):
            raise self._unexpected(self._peek(), sign)
        end = closing(self._tokens, self._place)
        if end < 0:
            raise self._unexpected(None, CLOSED_BY[sign])
        return end + 1

    def _between(self, first: int, last: int) -> str:
        """The text from one token to another; empty if there is none."""
        if last < first:
            return ""
        return self._text[self._tokens[first].start : self._tokens[last].end]

    def _unexpected(self, token: Token | None, wanted: str) -> SparqlSyntaxError:
        place = len(self._text) if token is None else token.start
        found = "the text ends here" if token is None else f"found {token.text!r}"
        return SparqlSyntaxError.at(self._text, place, f"{found}, expected {wanted}")

    def _not_read(self) -> NotRead:
        token = self._peek()
        return NotRead(f"{token.text!r}" if token else "the end")
