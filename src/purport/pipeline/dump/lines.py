"""Lines of an RDF dump to statements in plain words, inside Spark's Python workers.

As DEBS'12 prescribes: of IRIs the last part in plain words, of literals those in English.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePosixPath

import msgspec
import pyarrow as pa
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple, parse

from purport.model.event_lines import LONGEST_LINE, DeadLetter
from purport.model.iris import opaque_id
from purport.model.plain_words import attribute_name, kind_name, thing_name
from purport.model.rdf import literal_term
from purport.model.term import Boolean, Text
from purport.model.units import Quantity, Unit
from purport.model.words import is_in_language
from purport.pipeline.tables import DEAD_LETTERS, DUMP_LINES, STATEMENTS, record_batch_of_rows

Row = tuple[object, ...]
BLANK = "_:"
_TYPES = frozenset(
    (
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
        "http://rdf.freebase.com/ns/type.object.type",
    )
)
_NAMES = {
    "http://rdf.freebase.com/ns/type.object.name": 0,
    "http://www.w3.org/2000/01/rdf-schema#label": 2,
}
_NO_STATEMENT: Row = (None,) * len(STATEMENTS)
_NO_DEAD_LETTER: Row = (None,) * len(DEAD_LETTERS)
_LEFT_OUT: Row = (*_NO_STATEMENT, *_NO_DEAD_LETTER)
_NO_NAME: tuple[str | None, int | None] = (None, None)


def statements_of_lines(
    batches: Iterable[pa.RecordBatch], kinds: frozenset[str]
) -> Iterator[pa.RecordBatch]:
    """What the lines of the table LINES say, as rows of DUMP_LINES."""
    reader, part = DumpLines(""), ("", -1)
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in ("source", "offset", "line"))
        rows: list[Row] = []
        for place, found in groupby(zip(*columns, strict=True), key=lambda row: row[:2]):
            if place != part:
                part = place
                source, offset = place
                reader = DumpLines(source, "" if offset == 0 else f"@{offset}")
            lines = [line for _, _, line in found]
            for said in reader.read(lines):
                if isinstance(said, DeadLetter):
                    letter = (said.source, said.line, said.reason, said.text)
                    rows.append((*_NO_STATEMENT, *letter))
                else:
                    rows.append(_statement(said, reader.source, kinds))
        if rows:
            yield record_batch_of_rows(DUMP_LINES, rows)


class DumpLines:
    """Reads the lines of one part of a file, each a quad or a dead letter, or saying nothing."""

    def __init__(self, source: str, part: str = "") -> None:
        self.source = source
        self._place = source + part
        self._format = _format(source)
        self._line = 0

    def read(self, lines: Sequence[bytes]) -> list[Quad | DeadLetter]:
        """What the next lines say."""
        first = self._line + 1
        self._line += len(lines)
        if first == 1 and lines:
            lines = [lines[0].removeprefix(BOM_UTF8), *lines[1:]]
        return self._read(lines, first)

    def _read(self, lines: Sequence[bytes], first: int) -> list[Quad | DeadLetter]:
        """All lines at once; where one of them is bad, each half of them, down to that one."""
        try:
            return [*self._quads(lines)]
        except _NotStatements as error:
            if len(lines) == 1:
                line = lines[0].rstrip()
                return [DeadLetter.of_line(self._place, first, reason=str(error), said=line)]
        half = len(lines) // 2
        return self._read(lines[:half], first) + self._read(lines[half:], first + half)

    def _quads(self, lines: Sequence[bytes]) -> list[Quad]:
        if any(len(line) > LONGEST_LINE for line in lines):
            raise _NotStatements(f"the line is longer than {LONGEST_LINE // 1024**2} MiB")
        text = b"\n".join(lines)
        try:
            quads = list(parse(text, format=self._format))
        except SyntaxError as error:
            reason = error.msg.partition(": ")[2] or error.msg
            raise _NotStatements(f"not a triple: {reason} (column {error.offset})") from None
        if b"<<(" in text and any(isinstance(quad.object, Triple) for quad in quads):
            raise _NotStatements("expected an IRI, a literal or a blank node, got a triple")
        return quads


def _format(source: str) -> RdfFormat:
    is_quads = ".nq" in PurePosixPath(source).suffixes
    return RdfFormat.N_QUADS if is_quads else RdfFormat.N_TRIPLES


class _NotStatements(ValueError):
    """Lines of which at least one is no statement."""


def _statement(quad: Quad, source: str, kinds: frozenset[str]) -> Row:
    """The row of a quad; the graph that it stands in does not matter."""
    subject, predicate = _node(quad.subject, source), quad.predicate.value
    value, node, is_of_kind, name = None, None, False, _NO_NAME
    match quad.object:
        case Literal() as literal if not is_in_language(literal.language):
            return _LEFT_OUT
        case Literal() as literal:
            value = _json(literal)
            if isinstance(literal_term(literal), Text):
                name = _name(subject, predicate, literal.language)
        case NamedNode(iri):
            node = opaque_id(iri)
            is_type = predicate in _TYPES
            is_of_kind = is_type and iri in kinds
            if node is None:
                value = _json_text(kind_name(iri) if is_type else thing_name(iri))
        case blank:
            node = _node(blank, source)
    return (subject, attribute_name(predicate), value, node, is_of_kind, *name, *_NO_DEAD_LETTER)


def _node(node: NamedNode | BlankNode | Triple, source: str) -> str:
    """An IRI, or what tells a blank node from all others: labels hold within one file only."""
    return node.value if isinstance(node, NamedNode) else f"{node} {source}"


def _name(subject: str, predicate: str, language: str | None) -> tuple[str | None, int | None]:
    """Which id a literal gives a name to, and how good a name it is."""
    rank = _NAMES.get(predicate)
    named = opaque_id(subject) if rank is not None else None
    if rank is None or named is None:
        return _NO_NAME
    return named, rank + (language not in (None, "en"))


def _json(literal: Literal) -> str:
    """A literal as JSON; a time stays as it is written, a number with a unit becomes text."""
    match literal_term(literal):
        case Quantity(magnitude, None) | Boolean(magnitude):
            return _json_text(magnitude)
        case Quantity(_, Unit() as unit):
            return _json_text(f"{literal.value} {unit.symbol}")
    return _json_text(literal.value)


def _json_text(value: object) -> str:
    return msgspec.json.encode(value).decode()
