"""A file of subscriptions cut into pieces, so that one mistake does not hide another.

A piece begins at a line that starts a subscription (`{`, `(`, `when`, `not`, `event`, `prefix`)
outside of all braces. Where braces stay open to the end of the file, the piece is cut again at the
next line that starts in the first column, so that what follows is still read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from purport.errors import SubscriptionSyntaxError

_START = re.compile(r"[{(]|(?:when|not)\b\s*[{(n]|event\s|prefix\s", re.I)
_EVENT = re.compile(r"\s*event\s", re.I)
_CONTINUES = re.compile(r"(?:^|\s)(?:then|or|after|when|not|publish)\s*$", re.I)
_SAID = re.compile(r"[^\s{}()\[\],]+|\S")
_TOKENS = re.compile(r'"(?:[^"\\\n]|\\.)*"|(?<!\S)#[^\n]*|[{}()]')


# So many lines behind a new beginning, open braces are taken for a mistake.
_LONGEST_PIECE = 200


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text and the number of its first line."""

    text: str
    first_line: int

    def end(self) -> tuple[int, int]:
        """The line and column just behind the last thing said."""
        lines = self.text.rstrip().split("\n")
        return len(lines), len(lines[-1]) + 1

    def next_to(self, place: int) -> tuple[int, int, str]:
        """The line and column of the next thing said behind a place, and what is found there."""
        said = _SAID.search(self.text, place)
        if said is None:
            return *self.end(), "the text ends here"
        before = self.text[: said.start()].split("\n")
        return len(before), len(before[-1]) + 1, f"found {said[0]!r}"

    def text_before(self, line: int, column: int) -> str:
        """What stands before a place, from the beginning of the piece."""
        lines = self.text.split("\n")
        return "\n".join([*lines[: line - 1], lines[line - 1][: column - 1]])

    def error(
        self, message: str, line: int, column: int, file: str | None
    ) -> SubscriptionSyntaxError:
        """A mistake at a place in this piece, told as a place in the file."""
        lines = self.text.split("\n")
        excerpt = lines[line - 1] if line <= len(lines) else ""
        return SubscriptionSyntaxError(
            message,
            line=line + self.first_line - 1,
            column=column,
            excerpt=excerpt.rstrip("\r").replace("\t", " "),
            file=file,
        )


def starts_subscription(text: str) -> bool:
    """Whether a text begins as a subscription or rule does (and not as a file name)."""
    return _START.match(text.lstrip()) is not None


def pieces_of(text: str) -> Iterator[Piece]:
    """The pieces of a text in their order, each with one subscription, rule or prefix in it."""
    lines = text.split("\n")
    first = 0
    while first < len(lines):
        after = _end_of_piece(lines, first)
        piece = "\n".join(lines[first:after])
        if _without_comments(piece).strip():
            yield Piece(piece, first + 1)
        first = after


def _end_of_piece(lines: list[str], first: int) -> int:
    """The line behind a piece that begins at line `first`."""
    while first < len(lines) and not _without_comments(lines[first]).strip():
        first += 1
    depth = 0
    next_in_first_column = len(lines)
    for number in range(first, len(lines)):
        if number > first and _START.match(lines[number]):
            next_in_first_column = min(next_in_first_column, number)
        if depth <= 0 and number > first and _begins_anew(lines, number):
            return number
        if depth > 0 and number - next_in_first_column > _LONGEST_PIECE:
            break
        brackets = [token for token in _TOKENS.findall(lines[number]) if token in "{}()"]
        depth += sum(1 if bracket in "{(" else -1 for bracket in brackets)
    return len(lines) if depth <= 0 else next_in_first_column


def _begins_anew(lines: list[str], number: int) -> bool:
    line = lines[number].lstrip()
    if not _START.match(line):
        return False
    before = next(text for text in map(_without_comments, reversed(lines[:number])) if text.strip())
    is_next_triple = _EVENT.match(line) and _EVENT.match(_without_comments(lines[number - 1]))
    return not (_CONTINUES.search(before) or is_next_triple)


def _without_comments(text: str) -> str:
    return _TOKENS.sub(lambda token: "" if token[0][0] == "#" else token[0], text)
