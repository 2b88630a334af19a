"""JSON lines: an event in each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from purport.errors import EventError
from purport.matching.batches import Batch
from purport.matching.flat_lists import Integers, Places
from purport.matching.interned import Interned
from purport.matching.json_kernel import LEFT, PLAIN
from purport.matching.matcher import Matcher
from purport.matching.plain_lines import PlainLines
from purport.model.event import Event
from purport.model.event_lines import EventLines
from purport.pipeline.file_parts import FilePart, line_blocks
from purport.pipeline.told import BEYOND_US, EventPlaces, EventTimes, Matched, Told, aliased_lines


def json_lines(part: FilePart) -> Iterator[ToldLines]:
    """The events of a part of JSON lines."""
    reader = EventLines(part.source)
    for text in line_blocks(part):
        yield ToldLines(reader, text)


def read_lines(reader: EventLines, lines: Iterable[bytes], published: Places | None = None) -> Told:
    """What the next lines tell, and when each was told, if that is known."""
    told = Told(reader.source)
    for place, line in enumerate(lines):
        _read_line(reader, line, told, None if published is None else int(published[place]))
    return told


@dataclass(slots=True)
class ToldLines:
    """Lines that are read when they are matched: plain ones go straight into the kernel's arrays.

    The reader has read the lines before them. Lines are taken in their order, so that the first of
    two events with one id is the one that counts. Once matched, the plain ones are named events:
    their ids are known, the rest stands in their lines.
    """

    reader: EventLines
    text: bytes
    appeared: float | None = None
    published: Places | None = None  # when each was told, in microseconds since 1970, if known
    _is_read: bool = field(init=False, default=False)
    _lines: PlainLines = field(init=False)
    _plain: Told = field(init=False)  # its records are the numbers of its lines
    _others: Told = field(init=False)

    def match(self, matcher: Matcher) -> Matched:
        """The matches of the lines, and those that are no events."""
        self._plain, self._others = Told(self.reader.source), Told(self.reader.source)
        try:
            found = matcher.match_read(self._read, self.event)
        except BEYOND_US:
            raise
        except Exception:  # which line it is that cannot be matched is found out
            if not self._is_read:
                raise
            plain = self._plain
            events = [self.event(number) for number in range(len(plain.ids))]
            plain.events = list(events)
            plain.intervals = {
                number: one.interval
                for number, one in enumerate(events)
                if one.interval is not None
            }
            if self.published is not None:
                told = self.published[np.array(plain.records, np.int64)].tolist()
                plain.published = dict(enumerate(told))
            plain.records = [self._line(place) for place in plain.records]
            matched = plain.match(matcher)
        else:
            matched = Matched([(self, found)], [])
        others = self._others.match(matcher)
        return Matched(
            [*matched.found, *others.found], [*matched.dead_letters, *others.dead_letters]
        )

    def parts(self) -> Sequence[Told]:
        """The objects that the lines are."""
        return [read_lines(self.reader, self.text.split(b"\n"), self.published)]

    @property
    def ids(self) -> list[str]:
        """The ids of all."""
        return self._plain.ids

    def places(self, events: Integers) -> EventPlaces:
        """What the events of these numbers are called, and where they stand."""
        return self._plain.places(events)

    def times(self) -> EventTimes:
        """When they happened."""
        places = np.array(self._plain.records, np.int64)
        published = None if self.published is None else self.published[places]
        return EventTimes.of_plain(self._lines, places, published)

    def aliased(self) -> Iterator[int]:
        """Those whose names may tell a time."""
        return aliased_lines(self.text, map(self._line, self._plain.records))

    def event(self, number: int) -> Event:
        """What one of them says."""
        return Event.from_json(self._line(self._plain.records[number]))

    def _read(self, interned: Interned) -> Batch:
        lines = self._lines = PlainLines.read(self.text, interned)
        before, begin = self.reader.line, 0
        for left in [*np.flatnonzero(lines.kinds == LEFT).tolist(), len(lines.kinds)]:
            places = np.flatnonzero(lines.kinds[begin:left] == PLAIN) + begin
            self._admit(places.tolist(), before)
            if left < len(lines.kinds):
                self._read_left(left, before)
            begin = left + 1
        self.reader.line = before + len(lines.kinds)
        batch = lines.batch()
        self._is_read = True
        return batch

    def _admit(self, places: list[int], before: int) -> None:
        """Take plain lines, none of which another line stands between, under their ids."""
        starts, ends = (
            column[places].tolist() for column in (self._lines.id_starts, self._lines.id_ends)
        )
        ids = [self.text[start:end].decode() for start, end in zip(starts, ends, strict=True)]
        lines = [before + place + 1 for place in places]
        own = ids if all(ids) else [one for one in ids if one]
        own_lines = lines if own is ids else [at for at, one in zip(lines, ids, strict=True) if one]
        if self.reader.admit_whole(own, own_lines):
            source = self.reader.source
            self._plain.ids += [one or f"{source}:{at}" for one, at in zip(ids, lines, strict=True)]
            self._plain.offsets += lines
            self._plain.records += places
        elif len(places) > 1:
            for place in places:
                self._admit([place], before)
        else:  # an id that came before: the parser says what is wrong with that
            self._lines.kinds[places] = LEFT
            self._read_left(places[0], before)

    def _read_left(self, place: int, before: int) -> None:
        self.reader.line = before + place
        published = None if self.published is None else int(self.published[place])
        _read_line(self.reader, self._line(place), self._others, published)

    def _line(self, place: Any) -> bytes:
        return self.text[self._lines.starts[place] : self._lines.ends[place]]


def _read_line(reader: EventLines, line: bytes, told: Told, published: int | None = None) -> None:
    try:
        said = reader.read_object(line)
    except EventError as error:
        told.refuse(reader.line, str(error), line)
    else:
        if said is not None:
            if published is not None:
                told.published[len(told)] = published
            told.add(said, reader.line, line)
