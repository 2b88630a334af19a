"""Lines to events, inside Spark's Python workers, by the parser that a single process uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from purport.model.event import Event
from purport.model.event_lines import DeadLetter, EventLines


def events_of_lines(batches: Iterable[pa.RecordBatch]) -> Iterator[list[Event | DeadLetter]]:
    """What each batch of the table LINES says: its events, and its lines that are none.

    Lines come in the order in which they stand, so that they can be counted as they pass.
    """
    reader, stretch = EventLines(""), ("", -1)
    for batch in batches:
        found: list[Event | DeadLetter] = []
        columns = (batch.column(name).to_pylist() for name in ("source", "offset", "line"))
        for source, offset, line in zip(*columns, strict=True):
            if (source, offset) != stretch:
                stretch = (source, offset)
                reader = EventLines(source if offset == 0 else f"{source}@{offset}")
            said = reader.read(line)
            if said is not None:
                found.append(said)
        yield found
