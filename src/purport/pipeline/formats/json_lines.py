"""JSON lines: an event in each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from purport.errors import EventError
from purport.model.event_lines import EventLines
from purport.pipeline.stretches import Stretch, line_blocks
from purport.pipeline.told import Told


def json_lines(stretch: Stretch) -> Iterator[Told]:
    """The events of a stretch of JSON lines."""
    reader = EventLines(stretch.source)
    for lines in line_blocks(stretch):
        yield read_lines(reader, lines)


def read_lines(reader: EventLines, lines: Iterable[bytes]) -> Told:
    """What the next lines tell."""
    told = Told(reader.source)
    for line in lines:
        try:
            said = reader.read_object(line)
        except EventError as error:
            told.refuse(reader.line, str(error), line)
        else:
            if said is not None:
                told.add(said, reader.line, line)
    return told
