"""The events of a journal, which go straight into the kernel's arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from purport.errors import EventError
from purport.matching.batches import Batch
from purport.matching.flat_lists import Integers, Places
from purport.matching.interned import Interned
from purport.matching.json_kernel import LEFT, PLAIN
from purport.matching.matcher import Matcher
from purport.matching.plain_lines import PlainLines
from purport.model.event import Event, decode_json_object, identifier_in, interval_in
from purport.model.event_lines import ToldObject
from purport.pipeline.journal.stretch_rows import Span, stretch_errors, stretch_rows
from purport.pipeline.told import (
    BEYOND_US,
    EventPlaces,
    EventTimes,
    Matched,
    Told,
    aliased_lines,
)


def journal_events(path: Path, span: Span) -> Iterator[ToldEntries]:
    """The events of a stretch, some at a time; `UnusablePath` if it cannot be read."""
    with stretch_errors(path):
        for rows in stretch_rows(path, "event", span):
            told = rows.that_say_something()
            yield ToldEntries(path.name, _joined(told.texts), told.sequences, told.times)


@dataclass(slots=True)
class ToldEntries:
    """Events of a journal, one on each line, with the sequences and times of their entries.

    They are read when they are matched. Two may have one id: the journal has what was published,
    as often as it was. Once matched, those that the kernel has read are named events: by their
    lines, in which ids are looked up for those that match.
    """

    source: str  # the stretch
    text: bytes
    sequences: Places
    published: Places  # when, in microseconds since 1970
    appeared: float | None = None
    ids: Places = field(init=False)  # the numbers of the lines that the kernel has read
    _lines: PlainLines = field(init=False)

    def __len__(self) -> int:
        return len(self.sequences)

    def match(self, matcher: Matcher) -> Matched:
        """The matches of the events; one that cannot be matched is set aside."""
        if not len(self):
            return Matched([], [])
        try:
            found = matcher.match_read(self._read, self.event)
        except BEYOND_US:
            raise
        except Exception:  # noqa: BLE001 - which event cannot be matched is found out
            return self._told(self._all_lines()).match(matcher)
        others = self._told(self._left_lines()).match(matcher)
        return Matched([(self, found), *others.found], others.dead_letters)

    def parts(self) -> Sequence[Told]:
        """The objects that the events are."""
        return [self._told(self._all_lines())]

    def times_of(self, sequences: Places) -> Places:
        """When entries with these sequences were made."""
        return self.published[np.searchsorted(self.sequences, sequences)]

    def places(self, events: Integers) -> EventPlaces:
        """What the events of these numbers are called, and where they stand."""
        lines = self.ids[events]
        sequences, source, text = self.sequences[lines], self.source, self.text
        spans = zip(
            self._lines.id_starts[lines].tolist(), self._lines.id_ends[lines].tolist(), strict=True
        )
        ids = [
            text[start:end].decode() or _place_name(source, sequence)
            for (start, end), sequence in zip(spans, sequences.tolist(), strict=True)
        ]
        return EventPlaces(
            pa.array(ids, pa.string()),
            pa.repeat(pa.scalar(source, pa.string()), len(ids)),
            pa.array(sequences, pa.int64()),
        )

    def times(self) -> EventTimes:
        """When they happened, and when they were published."""
        return EventTimes.of_plain(self._lines, self.ids, self.published[self.ids])

    def aliased(self) -> Iterator[int]:
        """Those whose names may tell a time."""
        return aliased_lines(self.text, map(self._line, self.ids.tolist()))

    def event(self, number: int) -> Event:
        """What one of them says."""
        return Event.from_json(self._line(int(self.ids[number])))

    def _read(self, interned: Interned) -> Batch:
        lines = self._lines = PlainLines.read(self.text, interned)
        self.ids = np.flatnonzero(lines.kinds == PLAIN)
        return lines.batch()

    def _line(self, number: int) -> bytes:
        return self.text[self._lines.starts[number] : self._lines.ends[number]]

    def _left_lines(self) -> Iterator[tuple[int, bytes]]:
        """The lines that the kernel has left to the parser, with their numbers."""
        for number in np.flatnonzero(self._lines.kinds == LEFT).tolist():
            yield number, self._line(number)

    def _all_lines(self) -> Iterator[tuple[int, bytes]]:
        return enumerate(self.text.split(b"\n") if len(self) else ())

    def _told(self, lines: Iterator[tuple[int, bytes]]) -> Told:
        """The events of some lines, which come with their numbers."""
        told = Told(self.source, appeared=self.appeared)
        for number, line in lines:
            sequence = int(self.sequences[number])
            try:
                data = decode_json_object(line)
                identifier = identifier_in(data) or _place_name(self.source, sequence)
                said = ToldObject(identifier, data, interval_in(data))
            except EventError as error:
                told.refuse(sequence, str(error), line)
            else:
                told.published[len(told)] = int(self.published[number])
                told.add(said, sequence, line)
        return told


def _joined(texts: pa.Array) -> bytes:
    """Texts, one on each line; a line break in one is a space of JSON, as well as another."""
    whole = pa.ListArray.from_arrays(pa.array([0, len(texts)], pa.int32()), texts)
    joined = bytes(pc.binary_join(whole, "\n")[0].as_buffer())
    if len(texts) and joined.count(b"\n") != len(texts) - 1:
        return _joined(pc.replace_substring(texts, "\n", " "))
    return joined


def _place_name(source: str, sequence: int) -> str:
    """What an event is called that has no id."""
    return f"{source}:{sequence}"
