"""The syntaxes of ontologies, told apart by how a file begins."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

from purport.errors import UnusablePath
from purport.ontology.errors import OntologyError

_HEAD = 65_536
SUFFIXES = frozenset(
    ".owl .rdf .xml .ttl .nt .n3 .jsonld .json .owx .ofn .omn .obof .fss .ontology".split()
)
EXPECTED = "expected OWL as RDF/XML, Turtle, JSON-LD, OWL/XML, functional or Manchester syntax"

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_COMMENTS = re.compile(r"(?:\s+|#[^\n]*(?:\n|$))*")
_PROLOGUE = re.compile(r"(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*", re.DOTALL)
_ROOT = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)(?=[\s/>])([^>]*)")
_FUNCTIONAL = re.compile(r"(?:Prefix|Ontology)\s*\(")
_MANCHESTER = re.compile(r"(?:Prefix|Ontology|AnnotationProperty|Class|ObjectProperty)\s*:\s")
_JSON = re.compile(r"\{|\[\s*[\[{\]\"0-9]")
_TURTLE = re.compile(
    r"@(?:prefix|base)\s|(?:prefix|base)\s+[\w.-]*:?\s*<"
    r"|<[^\s<>]*>\s|\[|_:\w|[\w.-]*:\S*\s+\S",
    re.I,
)


class OntologySyntax(StrEnum):
    """How an ontology is written, by the name that people know."""

    RDF_XML = "RDF/XML"
    TURTLE = "Turtle"
    JSON_LD = "JSON-LD"
    OWL_XML = "OWL/XML"
    FUNCTIONAL = "functional syntax"
    MANCHESTER = "Manchester syntax"


def syntax_of(path: Path) -> OntologySyntax:
    """The syntax that a file is written in; one that is in none is an `OntologyError`."""
    text = head_of(path)
    if not text.strip():
        raise OntologyError(f"{path}: the file is empty, {EXPECTED}")
    xml = _ROOT.match(text, _end(_PROLOGUE, text))
    if xml:
        return _of_root(path, xml[1], xml[2])
    if text.lstrip().startswith(("<?xml", "<!")):
        raise OntologyError(f"{path}: found XML without a root element, {EXPECTED}")
    start = _end(_COMMENTS, text)
    if _FUNCTIONAL.match(text, start):
        return OntologySyntax.FUNCTIONAL
    if _MANCHESTER.match(text, start):
        return OntologySyntax.MANCHESTER
    if _JSON.match(text, start):
        if not re.search(r'"@(?:context|id|graph|type)"', text):
            raise OntologyError(f"{path}: found JSON that is no JSON-LD, {EXPECTED}")
        return OntologySyntax.JSON_LD
    if _TURTLE.match(text, start):
        return OntologySyntax.TURTLE
    line = 1 + text.count("\n", 0, start)
    raise OntologyError(f"{path}, line {line}: found {_excerpt(text[start:])}, {EXPECTED}")


def head_of(path: Path) -> str:
    """The beginning of a file as text; bytes that are no text are an `OntologyError`."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise OntologyError(f"{path}: found text in UTF-16, expected UTF-8")
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3 or len(head) < _HEAD:
            raise _no_text(path, error.start, head) from None
        text = head[: error.start].decode("utf-8-sig")
    if "\0" in text:
        raise _no_text(path, head.index(0), head)
    return text


def _no_text(path: Path, place: int, head: bytes) -> OntologyError:
    declared = re.match(rb"""<\?xml[^>]*encoding=["']([\w-]+)""", head)
    if declared:
        found = f"XML in {declared[1].decode()} (byte {place} is no UTF-8), expected UTF-8"
        return OntologyError(f"{path}: found {found}")
    if not _CONTROL.search(head):
        line = head.count(b"\n", 0, place) + 1
        return OntologyError(f"{path}, line {line}: found text that is no UTF-8 (byte {place})")
    return OntologyError(f"{path}: found binary data (byte {place}), {EXPECTED}")


def _of_root(path: Path, name: str, attributes: str) -> OntologySyntax:
    if name == "Ontology" and "rdf:about" not in attributes:
        return OntologySyntax.OWL_XML
    if name in ("RDF", "Ontology"):
        return OntologySyntax.RDF_XML
    raise OntologyError(f"{path}: found XML with the root element <{name}>, {EXPECTED}")


def _excerpt(text: str) -> str:
    line = text.split("\n", 1)[0].strip()
    return repr(line if len(line) <= 40 else line[:40] + "...")


def _end(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0
