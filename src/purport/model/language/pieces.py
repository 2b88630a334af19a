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
_CONTINUES = re.compile(r"(?:then|or|after|within)\s*$", re.I)
_TOKENS = re.compile(r'"(?:[^"\\\n]|\\.)*"|(?<!\S)#[^\n]*|[{}]')


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text and the number of its first line."""

    text: str
    first_line: int

    def end(self) -> tuple[int, int]:
        """The line and column just behind the last thing said."""
        lines = self.text.rstrip().split("\n")
        return len(lines), len(lines[-1]) + 1

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
    for number in range(first, len(lines)):
        if depth <= 0 and number > first and _begins_anew(lines, number):
            return number
        braces = [token for token in _TOKENS.findall(lines[number]) if token in "{}"]
        depth += braces.count("{") - braces.count("}")
    return len(lines) if depth <= 0 else _next_start_in_first_column(lines, first)


def _begins_anew(lines: list[str], number: int) -> bool:
    before, line = _without_comments(lines[number - 1]), lines[number].lstrip()
    if not _START.match(line) or _CONTINUES.search(before):
        return False
    return not (_EVENT.match(line) and _EVENT.match(before))


def _next_start_in_first_column(lines: list[str], first: int) -> int:
    for number in range(first + 1, len(lines)):
        if _START.match(lines[number]):
            return number
    return len(lines)


def _without_comments(text: str) -> str:
    return _TOKENS.sub(lambda token: "" if token[0][0] == "#" else token[0], text)
