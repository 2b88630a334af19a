"""N-Triples and Turtle: an event for each subject of a file."""

from __future__ import annotations

from collections.abc import Iterator

from purport.errors import EventError
from purport.model.event import Event
from purport.model.rdf import Syntax, descriptions
from purport.pipeline.file_parts import PART_BYTES, FilePart, whole_text
from purport.pipeline.told import Told


def turtle(part: FilePart) -> Iterator[Told]:
    """The events of a Turtle file; a mistake in it refuses the whole file."""
    text = whole_text(part, PART_BYTES)
    told = Told(part.source)
    try:
        _add(told, text, Syntax.TURTLE)
    except EventError as error:
        told.refuse(1, str(error), text)
    yield told


def ntriples(part: FilePart) -> Iterator[Told]:
    """The events of an N-Triples file; a line that is no triple is refused, the rest is read."""
    text = whole_text(part, PART_BYTES)
    told = Told(part.source)
    try:
        _add(told, text, Syntax.N_TRIPLES)
    except EventError:
        kept = []
        for number, line in enumerate(text.split(b"\n"), 1):
            try:
                descriptions(line, Syntax.N_TRIPLES)
                kept.append(line)
            except EventError as error:
                told.refuse(number, str(error), line)
        _add(told, b"\n".join(kept), Syntax.N_TRIPLES)
    yield told


def _add(told: Told, text: bytes, syntax: Syntax) -> None:
    """Take the events of a text, those without a name under their place; too large ones are not."""
    for number, description in enumerate(descriptions(text, syntax), 1):
        try:
            event = Event.from_description(description)
        except EventError as error:
            about = f"{description.subject}: {error}" if description.subject else str(error)
            told.refuse(number, about, b"")
        else:
            told.add_event(event, event.id or f"{told.source}:{number}", number, event)
