"""Texts that nobody would write: a store would run out of stack, or plan for minutes, on them.

pyoxigraph reads, plans and evaluates by recursion. Every bracket within a bracket costs stack, and
so does every part of a group, since each is joined with all that stands before it; what stands
beside what does not. Joined triple patterns are put into order in a time that grows with their
fourth power, while others wait. So the text is gone through once, bracket by bracket: how deep it
is on its deepest way, and how much there is to be joined.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from purport.errors import InvalidInput
from purport.sparql.errors import SparqlSyntaxError
from purport.sparql.tokens import Kind, Token, tokens_of

DEEPEST = 200  # brackets within brackets
MOST_GROUPS = 50  # within groups
LONGEST = 1_000  # parts of a group, or signs in a row, such as + or / or !
JOINED = 100  # triple patterns in a group
MOST_PATTERNS = 1_000  # triple patterns in a query, or in one operation of an update

_BRACKET = 5  # parts, that cost no less stack than a bracket which is itself one
_MOST_STACK = DEEPEST * (_BRACKET + 1)  # parts: four megabytes, of the eight that a thread has
_MOST_PLANNING = JOINED**4
_COUNTED = "({[!/+*|^-&=.;,?$<:\"' \t\r\n"  # one of which every token begins with or follows
_FEW = 50  # of these: too few for too much of anything
_SHORT = 10_000  # letters: texts of which it is worth to know that they were looked over

_OPENING, _CLOSING, _SEPARATING = frozenset("({["), frozenset(")}]"), frozenset(".;,")
_WITHIN_ONE = ("/", "|", "^", "!", "^^")  # what stands before a part of a path or of a literal
_TEMPLATES = ("DATA", "INSERT", "DELETE", "CONSTRUCT")
_BESIDE = ("OPTIONAL", "MINUS", "EXISTS", "LATERAL")  # groups that are joined with nothing
_HIDING = re.compile(r"""<(?:[?$]\w|[^<>\s]*&&)[^<>"{}|^`\\\s]*>""")


def require_text(text: str) -> None:
    """Raise `InvalidInput` if something is no text at all."""
    if not isinstance(text, str):
        raise InvalidInput(f"expected a text in SPARQL, got {text!r}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"a text that is no Unicode, at place {error.start}") from None


def require_modest(text: str) -> None:
    """Raise `SparqlSyntaxError` if a store cannot read a text, or would plan it for too long."""
    if sum(map(text.count, _COUNTED)) >= _FEW:
        (_measure_once if len(text) <= _SHORT else _measure)(text)


def _measure(text: str) -> None:
    _require_no_hiding(text)
    _Measuring(text).measure()


_measure_once = lru_cache(maxsize=1_024)(_measure)  # queries are asked again and again


def _require_no_hiding(text: str) -> None:
    """Raise if what may be an IRI as well as a comparison would hide what stands behind it."""
    for found in _HIDING.finditer(text):
        if "'" in found[0] or "#" in found[0]:
            message = f"is {found[0]:.40} an IRI, or is something less? Put a space after the <"
            raise SparqlSyntaxError.at(text, found.start(), message)


class _Within(Enum):
    """What stands between two brackets."""

    HEAD = auto()  # of a request or of a sub-SELECT: no triples, but expressions
    GROUP = auto()
    NODE = auto()  # what is said of one without a name
    LIST = auto()  # a collection, or a path
    EXPRESSION = auto()
    DATA = auto()  # or a template: each triple by itself


@dataclass(slots=True)
class _Bracket:
    """What has been met since a bracket opened."""

    within: _Within
    is_group: bool = False
    is_apart: bool = False  # put into order by itself
    is_joined: bool = True  # with what stands beside it
    parts: int = 0
    signs: int = 0  # since the last separator
    deepest: int = 0  # of what stands in it
    joined: int = 0
    is_fresh: bool = True  # whether a term that comes now begins another triple
    awaits: _Within | None = None  # what the next bracket opens, after FILTER, BIND or VALUES

    @property
    def depth(self) -> int:
        """How much stack it takes, in parts."""
        return self.parts + max(self.signs, self.deepest)


class _Measuring:
    """Goes through the tokens of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open = [_Bracket(_Within.HEAD)]
        self._planning = 0
        self._patterns = 0
        self._groups = 0  # that are open
        self._is_describing = False

    def measure(self) -> None:
        tokens = tokens_of(self._text)
        before: Token | None = None
        for place, token in enumerate(tokens):
            if token.kind is not Kind.SIGN:
                self._take_term(token, before)
            elif token.text in _OPENING:
                self._take_opening(token, before)
            elif token.text in _CLOSING:
                after = tokens[place + 1] if place + 1 < len(tokens) else None
                self._take_closing(token, is_united=_is_word(after, "UNION"))
            else:
                self._take_sign(token)
            before = token
        while len(self._open) > 1:
            self._take_closing(tokens[-1], is_united=False)

    def _take_term(self, token: Token, before: Token | None) -> None:
        here = self._open[-1]
        if token.kind is Kind.WORD and not token.is_word("TRUE", "FALSE"):
            self._take_word(token, before)
        elif here.within is _Within.HEAD:
            here.parts += self._is_describing
            self._require_depth(token)
        elif here.awaits is None and here.within not in (_Within.EXPRESSION, _Within.DATA):
            self._take_node(before)

    def _take_word(self, token: Token, before: Token | None) -> None:
        here = self._open[-1]
        if token.is_word("A"):  # a verb
            return
        here.is_fresh = False
        if token.is_word("FILTER", "BIND"):
            here.awaits = _Within.EXPRESSION
        elif token.is_word("VALUES"):
            here.awaits = _Within.DATA
        elif token.is_word("EXISTS"):
            here.awaits = None
        elif token.is_word("DESCRIBE"):
            self._is_describing = True
        elif token.is_word("SELECT") and before is not None and before.is_sign("{"):
            here.within, here.is_apart = _Within.HEAD, True

    def _take_node(self, before: Token | None) -> None:
        """A term, a list, or a node without a name: whether another triple begins with it."""
        here = self._open[-1]
        if here.is_fresh:
            self._join(1)
            here.is_fresh = False
        elif here.within is _Within.LIST:
            is_step = before is not None and before.text in _WITHIN_ONE
            self._join(0 if is_step else 2)  # a place in a collection is two triples

    def _join(self, patterns: int) -> None:
        self._open[-1].joined += patterns
        self._patterns += patterns

    def _take_opening(self, token: Token, before: Token | None) -> None:
        here = self._open[-1]
        within = self._opened_within(token, before)
        if within in (_Within.NODE, _Within.LIST):
            self._take_node(before)
        here.parts += here.within is not _Within.DATA
        bracket = _Bracket(within, is_group=token.text == "{")
        if bracket.is_group:
            bracket.is_joined = not _is_word(before, *_BESIDE)
            bracket.is_apart = (
                not bracket.is_joined
                or _is_word(before, "UNION")
                or here.within in (_Within.HEAD, _Within.EXPRESSION)
            )
        self._open.append(bracket)
        self._groups += bracket.is_group
        self._require_depth(token)

    def _opened_within(self, token: Token, before: Token | None) -> _Within:
        here = self._open[-1]
        awaited = here.awaits
        if here.within is _Within.DATA:
            return _Within.DATA
        if token.text == "[":
            return _Within.NODE
        if token.text == "{":
            here.awaits = None
            is_template = here.within is _Within.HEAD and _is_word(before, *_TEMPLATES)
            return _Within.DATA if is_template or awaited is _Within.DATA else _Within.GROUP
        if awaited is _Within.EXPRESSION:
            here.awaits = None
        if awaited is not None or here.within in (_Within.HEAD, _Within.EXPRESSION):
            return _Within.EXPRESSION
        return _Within.LIST

    def _take_closing(self, token: Token, *, is_united: bool) -> None:
        if len(self._open) == 1:  # one too many, as the store's parser will say
            return
        gone = self._open.pop()
        self._groups -= gone.is_group
        here = self._open[-1]
        here.deepest = max(here.deepest, gone.depth + _BRACKET)
        if gone.is_apart or is_united:
            self._planning += gone.joined**4
            here.joined += gone.is_joined and not is_united
        else:
            here.joined += max(gone.joined, gone.within in (_Within.GROUP, _Within.DATA))
        here.is_fresh = here.is_fresh or gone.within not in (_Within.NODE, _Within.LIST)
        self._require_depth(token)
        self._require_planning(token)

    def _take_sign(self, token: Token) -> None:
        here = self._open[-1]
        if token.text not in _SEPARATING:
            here.signs += 1
            if token.text == "/" and here.within not in (_Within.EXPRESSION, _Within.DATA):
                self._join(1)
            self._require_depth(token)
            return
        here.deepest, here.signs = max(here.deepest, here.signs), 0
        if here.within is not _Within.EXPRESSION:
            here.is_fresh = True
        if len(self._open) == 1 and token.text == ";":  # another update
            here.parts = here.deepest = self._patterns = 0

    def _require_depth(self, token: Token) -> None:
        """Raise if there is too much between the first bracket and this token."""
        here = self._open[-1]
        if here.parts > LONGEST or here.signs > LONGEST:
            self._refuse(token, f"more than {LONGEST:,} parts of a group or signs in a row")
        if self._groups > MOST_GROUPS or len(self._open) > DEEPEST or here.depth > _MOST_STACK:
            self._refuse(token, f"nested more than {MOST_GROUPS} groups or {DEEPEST} brackets deep")

    def _require_planning(self, token: Token) -> None:
        here = self._open[-1]
        joined = 0 if here.within is _Within.HEAD else here.joined
        if self._planning + joined**4 > _MOST_PLANNING:
            self._refuse(
                token, f"more than {JOINED} triple patterns in a group, or nearly, in many"
            )
        if self._patterns > MOST_PATTERNS:
            self._refuse(token, f"more than {MOST_PATTERNS:,} triple patterns")

    def _refuse(self, token: Token, message: str) -> None:
        raise SparqlSyntaxError.at(self._text, token.start, message)


def _is_word(token: Token | None, *words: str) -> bool:
    return token is not None and token.is_word(*words)
