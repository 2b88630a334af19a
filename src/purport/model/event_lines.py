"""JSON lines as a stream of events: any size, memory flat, a bad line set aside with a reason."""

from __future__ import annotations

import gzip
import zlib
from codecs import BOM_UTF8
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from purport.errors import EventError, UnusablePath
from purport.model.event import Event
from purport.model.interval import Interval

REMEMBERED_IDS = 100_000
LONGEST_LINE = 16 * 1024 * 1024
_LONGEST_TEXT_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A record that is not an event: where it came from, why it was refused, and its text."""

    source: str
    line: int
    reason: str
    text: str

    @classmethod
    def of_line(cls, source: str, line: int, *, reason: str, said: bytes) -> DeadLetter:
        """The letter about a line; of a long one the beginning is kept."""
        text = said[:_LONGEST_TEXT_KEPT].decode("utf-8", "backslashreplace")
        return cls(source, line, reason, text)


class EventLines:
    """Reads the lines of one source, each an event, a dead letter, or (when blank) None.

    An event without an `@id` gets one from its place, e.g. `events.jsonl:17`. An `@id` that came
    before is refused, within a window of the last 100,000 (memory stays flat); the start and the
    end of one event may come apart under the same `@id`.
    """

    def __init__(self, source: str, remembered_ids: int = REMEMBERED_IDS) -> None:
        self._source = source
        self._line = 0
        self._remembered_ids = remembered_ids
        self._seen: OrderedDict[str, dict[str, int]] = OrderedDict()

    def read(self, line: bytes) -> Event | DeadLetter | None:
        """What the next line says."""
        self._line += 1
        line = line.rstrip()
        if self._line == 1:
            line = line.removeprefix(BOM_UTF8)
        if not line:
            return None
        try:
            event = self._event(line)
        except EventError as error:
            return DeadLetter.of_line(self._source, self._line, reason=str(error), said=line)
        return event if event.id is not None else event.with_id(f"{self._source}:{self._line}")

    def _event(self, line: bytes) -> Event:
        if len(line) > LONGEST_LINE:
            raise EventError(f"the line is longer than {LONGEST_LINE // 1024**2} MiB")
        event = Event.from_json(line)
        if event.id is not None:
            self._refuse_seen(event.id, event.interval)
        return event

    def _refuse_seen(self, identifier: str, interval: Interval | None) -> None:
        """Refuse an id that came before, unless one brought the start and the other the end."""
        seen = self._seen.setdefault(identifier, {})
        for part in _parts_told(interval):
            if part in seen:
                raise EventError(f"duplicate '@id' {identifier!r}, first seen in line {seen[part]}")
            seen[part] = self._line
        if len(self._seen) > self._remembered_ids:
            self._seen.popitem(last=False)


def _parts_told(interval: Interval | None) -> tuple[str, ...]:
    """What an event brings of its interval; one without times is whole."""
    if interval is None or (interval.start is not None and interval.end is not None):
        return ("start", "end")
    return ("end",) if interval.start is None else ("start",)


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
