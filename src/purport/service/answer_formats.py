"""The formats in which answers to queries are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO

from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolutions, QueryTriples, RdfFormat

from purport.service.accept import chosen
from purport.service.deadline import Deadline
from purport.service.problems import Refused
from purport.sparql.errors import StoreFailed
from purport.sparql.graph_store import Answer

IN_MEMORY = 1024 * 1024  # bytes of an answer; a longer one is written to a file first

# The first of each is what whoever does not say is given.
_RESULTS = {
    "application/sparql-results+json": QueryResultsFormat.JSON,
    "application/json": QueryResultsFormat.JSON,
    "application/sparql-results+xml": QueryResultsFormat.XML,
    "application/xml": QueryResultsFormat.XML,
    "text/xml": QueryResultsFormat.XML,
    "text/csv": QueryResultsFormat.CSV,
    "text/tab-separated-values": QueryResultsFormat.TSV,
}
_TRIPLES = {
    "text/turtle": RdfFormat.TURTLE,
    "application/n-triples": RdfFormat.N_TRIPLES,
    "application/ld+json": RdfFormat.JSON_LD,
    "application/json": RdfFormat.JSON_LD,
    "application/rdf+xml": RdfFormat.RDF_XML,
    "application/xml": RdfFormat.RDF_XML,
    "application/n-quads": RdfFormat.N_QUADS,
    "application/trig": RdfFormat.TRIG,
    "text/n3": RdfFormat.N3,
}


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """An answer in its format; whoever reads the file closes it."""

    content_type: str
    length: int
    file: IO[bytes]


@dataclass(slots=True)
class _Output:
    """Takes what is written, as long as there is time."""

    file: IO[bytes]
    deadline: Deadline

    def write(self, portion: bytes) -> int:
        self.deadline.require()
        return self.file.write(portion)

    def flush(self) -> None:
        pass


def written_answer(answer: Answer, accept: str, deadline: Deadline) -> WrittenAnswer:
    """An answer in the format that an `Accept` header asks for.

    `Refused` (406) if it asks for none that there is, `QueryTooSlow` if it takes too long: that is
    found between portions, so after some solutions.
    """
    formats = _TRIPLES if isinstance(answer, QueryTriples) else _RESULTS
    media_type = chosen(accept, tuple(formats))
    if media_type is None:
        raise _not_acceptable(answer, tuple(formats))
    file: IO[bytes] = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - whoever reads it closes it
    try:
        deadline.require()
        _write(answer, media_type, _Output(file, deadline))
        deadline.require()  # or else nobody reads it
        length = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    is_text = media_type.startswith("text/")
    return WrittenAnswer(media_type + ("; charset=utf-8" if is_text else ""), length, file)


def _write(answer: Answer, media_type: str, output: _Output) -> None:
    try:
        if isinstance(answer, QueryTriples):
            answer.serialize(output, format=_TRIPLES[media_type])  # type: ignore[arg-type]
        else:
            answer.serialize(output, format=_RESULTS[media_type])  # type: ignore[arg-type]
    except (OSError, ValueError, RuntimeError) as error:
        raise StoreFailed(f"the answer could not be written: {error}") from None


def _not_acceptable(answer: QuerySolutions | QueryBoolean | QueryTriples, there: Sequence[str]) -> (
    Refused
):  # fmt: skip
    what = "triples" if isinstance(answer, QueryTriples) else "this answer"
    return Refused(406, "not_acceptable", f"there is {what} as {', '.join(there)}")
