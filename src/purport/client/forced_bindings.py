"""Variables of a query or an update that are given values: its text, with terms in their places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from pyoxigraph import Literal, NamedNode

from purport.errors import InvalidInput
from purport.sparql.tokens import Kind, Token, closing, tokens_of

Value = NamedNode | Literal

_AFTER_SELECT = ("{", "WHERE", "FROM")
_AFTER_ORDER = ("}", "HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES")


def with_values(text: str, values: Mapping[str, Value]) -> str:
    """A query or an update in which variables have values.

    A variable that is selected stays in the answer, with its value. Values are written as N-Triples
    have them, so that no value can be read as anything but the one term.

    >>> with_values("SELECT ?x ?y { ?x <urn:p> ?y }", {"x": NamedNode("urn:a")})
    'SELECT ( <urn:a> AS ?x ) ?y { <urn:a> <urn:p> ?y }'
    """
    return _Text(text, values).bound()


class _Text:
    """One text, and what stands in the places of its tokens."""

    def __init__(self, text: str, values: Mapping[str, Value]) -> None:
        self._text, self._values = text, values
        self._tokens = tokens_of(text)
        self._selected = frozenset(_bare(self._tokens, "SELECT", _AFTER_SELECT))
        self._ordered = frozenset(_bare(self._tokens, "BY", _AFTER_ORDER))
        self._free_names = (f"forced{number}" for number in count())

    def bound(self) -> str:
        """The text, bound."""
        pieces, end = [], 0
        place = 0
        while place < len(self._tokens):
            first = self._tokens[place]
            last, written = self._at(place)
            if written is not None:
                before, end = self._text[end : first.start], self._tokens[last].end
                pieces += [before, _apart(self._text[: first.start]), written]
                pieces.append(_apart(self._text[end : end + 1]))
            place = last + 1
        return "".join([*pieces, self._text[end:]])

    def _at(self, place: int) -> tuple[int, str | None]:
        """The last token that is written anew from here, and how; None: it stays."""
        token = self._tokens[place]
        if token.is_word("BOUND") and self._value(place + 2) is not None:
            return place + 3, "(true)"
        if token.is_word("VALUES"):
            self._require_unbound(place)
        value = self._value(place)
        if value is None:
            return place, None
        if place and self._tokens[place - 1].is_word("AS"):
            raise InvalidInput(f"{token.text} is computed in the text: it can be given no value")
        if place in self._selected:
            return place, f"( {value} AS {self._answered_as(place)} )"
        if place in self._ordered:  # where a term must not stand alone
            return place, f"( {value} )"
        return place, str(value)

    def _value(self, place: int) -> Value | None:
        if place >= len(self._tokens) or self._tokens[place].kind is not Kind.VARIABLE:
            return None
        return self._values.get(self._tokens[place].text[1:])

    def _answered_as(self, place: int) -> str:
        """A selected variable; within a query another one, which nobody outside can mean."""
        token = self._tokens[place]
        if not any(one.is_sign("{") for one in self._tokens[:place]):
            return token.text
        there = {one.text[1:] for one in self._tokens if one.kind is Kind.VARIABLE}
        return "?" + next(name for name in self._free_names if name not in there)

    def _require_unbound(self, place: int) -> None:
        """Raise `InvalidInput` if VALUES names a variable that has a value already."""
        after = place + 1
        while after < len(self._tokens) and not self._tokens[after].is_sign("{"):
            if self._value(after) is not None:
                name = self._tokens[after].text
                raise InvalidInput(f"{name} has VALUES in the text: it can be given no other value")
            after += 1


def _bare(tokens: Sequence[Token], word: str, ends: Sequence[str]) -> Iterator[int]:
    """The places of variables that stand in no brackets, after a word and before others."""
    for start, token in enumerate(tokens):
        place = start + 1 if token.is_word(word) else len(tokens)
        while place < len(tokens) and tokens[place].text.upper() not in ends:
            if tokens[place].is_sign("("):
                place = max(place, closing(tokens, place))
            elif tokens[place].kind is Kind.VARIABLE:
                yield place
            place += 1


def _apart(neighbour: str) -> str:
    """The space that keeps a term from what stands beside it."""
    return "" if not neighbour or neighbour[-1].isspace() else " "
