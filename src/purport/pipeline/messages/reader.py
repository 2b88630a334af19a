"""Rows of the table MESSAGES to events, in the workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from purport.matching.flat_lists import Places
from purport.model.event_lines import EventLines
from purport.pipeline.formats.json_lines import ToldLines
from purport.pipeline.messages.lines import MessageLines, joined, message_lines
from purport.pipeline.messages.options import Meaning
from purport.pipeline.told import UNKNOWN, Tells, Told

_WIDEST_GAP = 1000  # offsets that may lack between two messages that are read at once


@dataclass(frozen=True, slots=True)
class MessageReader:
    """Reads messages, each an event.

    One without an id is named by its place, such as `TOPIC/PARTITION:OFFSET`; messages that have
    one offset after the other, whatever their topics, come from a `source` that is named here.
    """

    meaning: Meaning
    source: str | None = None

    def read(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Tells]:
        """What the messages tell."""
        reading = _Reading(self)
        for batch in batches:
            if len(batch):
                yield from reading.told(batch)


@dataclass(slots=True)
class _Reading:
    """What one task remembers of what it has read."""

    reader: MessageReader
    _sources: dict[str, EventLines] = field(default_factory=dict)
    _appeared: dict[str, float] = field(default_factory=dict)

    def told(self, batch: pa.RecordBatch) -> Iterator[Tells]:
        """What the messages of a batch tell, in runs of one source."""
        found = message_lines(batch, self.reader.meaning)
        offsets = batch.column("offset").to_numpy()
        published = _published(batch)
        for begin, end in _runs(batch, offsets, self.reader.source is None):
            source = self._source(batch, begin)
            refused = _refused(found, batch, offsets, source, range(begin, end))
            if refused.dead_letters:
                yield refused
            lines = found.lines.slice(begin, end - begin)
            yield self._run(source, lines, offsets[begin:end], published[begin:end])

    def _run(self, source: str, lines: pa.Array, offsets: Places, published: Places) -> ToldLines:
        """Lines that are numbered by their offsets; empty ones fill what lacks between them."""
        first = int(offsets[0])
        count = int(offsets[-1]) - first + 1
        if count > len(lines):
            places = np.full(count, -1, np.int64)
            places[offsets - first] = np.arange(len(lines))
            lines = lines.take(pa.array(places, mask=places < 0)).fill_null(b"")
            times = np.full(count, UNKNOWN, np.int64)
            times[offsets - first] = published
            published = times
        reader = self._sources.setdefault(source, EventLines(source, counted="offset"))
        reader.line = first - 1
        told = ToldLines(reader, joined(lines), published=published)
        earliest = int(published[0])
        if earliest != UNKNOWN:
            known = self._appeared.get(source, 0.0)
            told.appeared = self._appeared[source] = max(known, earliest / 1e6)
        return told

    def _source(self, batch: pa.RecordBatch, row: int) -> str:
        if self.reader.source is not None:
            return self.reader.source
        topic = batch.column("topic")[row].as_py()
        return f"{topic}/{batch.column('partition')[row].as_py()}"


def _published(batch: pa.RecordBatch) -> Places:
    """When messages were told, in microseconds since 1970."""
    times = batch.column("timestamp").cast(pa.timestamp("us")).cast(pa.int64())
    found: Places = times.fill_null(UNKNOWN).to_numpy()
    return found


def _runs(batch: pa.RecordBatch, offsets: Places, has_topics: bool) -> Iterator[tuple[int, int]]:
    """Rows that have one source and rising offsets, without wide gaps between them."""
    steps = np.diff(offsets)
    is_cut = (steps < 1) | (steps > _WIDEST_GAP)
    if has_topics:
        topics = batch.column("topic")
        partitions = batch.column("partition").to_numpy()
        is_cut |= np.diff(partitions) != 0
        if pc.any(pc.not_equal(topics, topics[0])).as_py():
            codes = topics.dictionary_encode().indices.to_numpy()
            is_cut |= np.diff(codes) != 0
    cuts = (np.flatnonzero(is_cut) + 1).tolist()
    yield from zip([0, *cuts], [*cuts, len(offsets)], strict=True)


def _refused(
    found: MessageLines, batch: pa.RecordBatch, offsets: Places, source: str, rows: range
) -> Told:
    """Those of some rows that are no events, with the reasons."""
    told = Told(source)
    if found.refused:
        for row in rows:
            if row in found.refused:
                payload = batch.column("value")[row].as_py() or b""
                told.refuse(int(offsets[row]), found.refused[row], payload)
    return told
