"""The text in a page of wiki markup: what a reader of the page would read."""

from __future__ import annotations

import html
import re

_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.S)
_HIDDEN = re.compile(
    r"<(ref|math|gallery|timeline|nowiki|source|syntaxhighlight|score)\b[^<>]{0,2000}?"
    r"(?:/>|>.*?(?:</\1\s*>|$))",
    re.S | re.I,
)
_TAG = re.compile(r"</?[a-z][^<>]{0,2000}>", re.I)
_INNERMOST_TEMPLATE = re.compile(r"\{\{[^{}]*\}\}")
_TABLE = re.compile(r"\{\|(?:(?!\{\||\|\}).)*\|\}", re.S)
_OPEN_ENDS = re.compile(r"\{\{.*|\{\|.*", re.S)
_MEDIA_LINK = re.compile(
    r"\[\[ ?(?:file|image|category|[a-z]{2,3}(?:-[a-z]+)?) ?:"
    r"[^\[\]]{0,2000}(?:\[\[[^\[\]]{0,500}\]\][^\[\]]{0,2000}){0,20}\]\]",
    re.I,
)
_LINK = re.compile(r"\[\[(?:[^\[\]|]{0,500}\|)?([^\[\]]{0,2000})\]\]")
_ADDRESS_LINK = re.compile(r"\[(?:https?|ftp):[^\s\[\]]{0,2000}(?:\s([^\[\]\n]{0,2000}))?\]")
_ADDRESS = re.compile(r"(?:https?|ftp)://\S+")
_MARKS = re.compile(
    r"'{2,}|^=+[ \t]*|(?<=[^=\s])[ \t]*=+[ \t]*$|^[*#:;]+[ \t]*|__[A-Z]{1,40}__", re.M
)
_SPACES = re.compile(r"[ \t]+")
_MOST_NESTED = 30


def plain_text(markup: str) -> str:
    """The plain text of a page; what does not close is dropped to its end, never an error."""
    text = _HIDDEN.sub(" ", _COMMENT.sub(" ", markup))
    text = _without_nested(_INNERMOST_TEMPLATE, text)
    text = _without_nested(_TABLE, text)
    text = _OPEN_ENDS.sub(" ", text)
    text = _MEDIA_LINK.sub(" ", text)
    text = _LINK.sub(r"\1", text)
    text = _ADDRESS.sub(" ", _ADDRESS_LINK.sub(r"\1", text))
    text = html.unescape(_TAG.sub(" ", text))
    return _SPACES.sub(" ", _MARKS.sub("", text)).strip()


def _without_nested(innermost: re.Pattern[str], text: str) -> str:
    """The text without what a pattern finds, from the inside out."""
    for _ in range(_MOST_NESTED):
        text, count = innermost.subn(" ", text)
        if not count:
            break
    return text
