"""JSON lines as a stream of events: any size, memory flat, a bad line set aside with a reason."""

from __future__ import annotations

import gzip
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from purport.errors import EventError, UnusablePath
from purport.model.event import Event, decode_json_object, identifier_in, interval_in
from purport.model.interval import Interval

REMEMBERED_IDS = 100_000
LONGEST_LINE = 16 * 1024 * 1024
_LONGEST_TEXT_KEPT = 10_000
_NOT_TOLD = (-1, -1)


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A record that is not an event: where it came from, why it was refused, and its text."""

    source: str
    line: int
    reason: str
    text: str

    @classmethod
    def of_line(cls, source: str, line: int, *, reason: str, said: bytes) -> DeadLetter:
        """The letter about a line or another record; of a long one the beginning is kept."""
        text = said.rstrip()[:_LONGEST_TEXT_KEPT].decode("utf-8", "backslashreplace")
        return cls(source, line, reason, text)


@dataclass(frozen=True, slots=True)
class ToldObject:
    """A JSON object that is to be an event (JSON-LD is one already), and the id of that."""

    id: str
    data: Event | dict[str, Any]
    interval: Interval | None = None

    def event(self) -> Event:
        """The event; an `EventError` says what is wrong with its statements."""
        event = self.data if isinstance(self.data, Event) else Event.from_json(self.data)
        return event.with_id(self.id)


class EventLines:
    """Reads the lines of one source, each an event, a dead letter, or (when blank) None.

    An event without an `@id` gets one from its place, e.g. `events.jsonl:17`. An `@id` that came
    before is refused, if it is among the last 100,000 (memory stays flat); the start and the
    end of one event may come apart under the same `@id`.

    Records may be `counted` otherwise than lines: messages have offsets, from 0.
    """

    def __init__(
        self, source: str, remembered_ids: int = REMEMBERED_IDS, *, counted: str = "line"
    ) -> None:
        self.source = source
        self.line = 0
        self._counted = counted
        self._remembered_ids = remembered_ids
        self._recent: dict[str, tuple[int, int]] = {}  # the lines of an event's start and end
        self._older: dict[str, tuple[int, int]] = {}

    def read(self, line: bytes) -> Event | DeadLetter | None:
        """What the next line says."""
        try:
            said = self.read_object(line)
            return None if said is None else said.event()
        except EventError as error:
            return self.dead_letter(line, error)

    def read_object(self, line: bytes) -> ToldObject | None:
        """The JSON object in the next line, under the id of its event; None if it is blank.

        An `EventError` says what is wrong with a line, or with the id and the times it gives. Its
        statements are not looked at.
        """
        self.line += 1
        line = line.rstrip()
        if self.line == 1:
            line = line.removeprefix(BOM_UTF8)
        if not line:
            return None
        if len(line) > LONGEST_LINE:
            raise EventError(f"the line is longer than {LONGEST_LINE // 1024**2} MiB")
        return self.admit(decode_json_object(line))

    def admit(self, data: dict[str, Any]) -> ToldObject:
        """A JSON object that stands in the line that was read last, under the id of its event."""
        if "@context" in data:
            event = Event.from_json(data)
            return ToldObject(self._once(event.id, event.interval), event, event.interval)
        identifier, interval = identifier_in(data), interval_in(data)
        return ToldObject(self._once(identifier, interval), data, interval)

    def admit_whole(self, ids: Sequence[str], lines: Sequence[int]) -> bool:
        """Take events that are whole, all at once; False, and none is taken, if an id came before.

        They are the next ones that have an id of their own.
        """
        different = set(ids)
        if (
            len(different) < len(ids)
            or not self._recent.keys().isdisjoint(different)
            or not self._older.keys().isdisjoint(different)
        ):
            return False
        self._recent.update(zip(ids, zip(lines, lines, strict=True), strict=True))
        self._make_room()
        return True

    def dead_letter(self, line: bytes, error: EventError) -> DeadLetter:
        """The line that was read last, set aside."""
        return DeadLetter.of_line(self.source, self.line, reason=str(error), said=line)

    def _once(self, identifier: str | None, interval: Interval | None) -> str:
        """The id of an event, from its place if it has none.

        One that came before is refused, unless one brought the start and the other the end.
        """
        if identifier is None:
            return f"{self.source}:{self.line}"
        told = self._recent.get(identifier) or self._older.get(identifier) or _NOT_TOLD
        brought = _parts_told(interval, self.line)
        for before, now in zip(told, brought, strict=True):
            if before >= 0 and now >= 0:
                raise EventError(
                    f"duplicate '@id' {identifier!r}, first seen in {self._counted} {before}"
                )
        self._recent[identifier] = (max(told[0], brought[0]), max(told[1], brought[1]))
        self._make_room()
        return identifier

    def _make_room(self) -> None:
        if len(self._recent) >= self._remembered_ids:
            self._recent, self._older = {}, self._recent


def _parts_told(interval: Interval | None, line: int) -> tuple[int, int]:
    """The lines in which the start and the end of an event came; one without times is whole."""
    if interval is None:
        return line, line
    return (-1 if interval.start is None else line), (-1 if interval.end is None else line)


def events_in(lines: Iterable[bytes], source: str) -> Iterator[Event | DeadLetter]:
    """The events in the lines of a source, and the lines that are none."""
    reader = EventLines(source)
    for line in lines:
        found = reader.read(line)
        if found is not None:
            yield found


def events_in_stream(stream: BinaryIO | gzip.GzipFile, source: str) -> Iterator[Event | DeadLetter]:
    """The events in what a stream of bytes says, line by line."""
    return events_in(_bounded_lines(stream), source)


def events_in_file(path: Path) -> Iterator[Event | DeadLetter]:
    """The events in a JSON lines file, plain or `.gz`; `UnusablePath` if it cannot be read."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield from events_in_stream(file, path.name)
    except (OSError, EOFError, zlib.error) as error:
        raise UnusablePath(path, getattr(error, "strerror", None) or str(error)) from None


def _bounded_lines(file: BinaryIO | gzip.GzipFile) -> Iterator[bytes]:
    """The lines of a file; of one that is too long, only so much that it can be seen to be."""
    while line := file.readline(LONGEST_LINE + 1):
        rest = line
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = file.readline(LONGEST_LINE + 1)
        yield line
