"""Sealed entries of a journal: Parquet whose events go straight into the kernel's arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession

from purport.broker.encoding import RECORD_VERSION
from purport.errors import EventError, InvalidInput, UnusablePath
from purport.matching.batches import Batch
from purport.matching.flat_lists import Integers, Places
from purport.matching.json_kernel import LEFT, PLAIN
from purport.matching.matcher import Matcher
from purport.matching.plain_lines import PlainLines
from purport.matching.telling import Telling
from purport.model.event import Event, decode_json_object, identifier_in, interval_in
from purport.model.event_lines import ToldObject
from purport.model.interval import microseconds_of
from purport.pipeline.session import spark_pattern
from purport.pipeline.tables import JOURNAL
from purport.pipeline.told import BEYOND_US, EventPlaces, EventTimes, Matched, Told

_COLUMNS = ["sequence", "at", "version", "event"]
_ROWS_AT_ONCE = 20_000
_ALIASES = b"kbn_"
_BROKEN = (OSError, pa.ArrowException, KeyError, ValueError)


def journal_table(spark: SparkSession, folder: Path | str) -> DataFrame:
    """The sealed entries of the journal in a broker's folder, as the table JOURNAL."""
    return spark.read.schema(JOURNAL).parquet(spark_pattern(stretches_in(Path(folder))))


def stretches_in(folder: Path) -> Path:
    """Where the stretches of a journal are; `InvalidInput` if no journal seals any here."""
    stretches = folder / "stretches"
    if not stretches.is_dir():
        raise InvalidInput(f"{folder}: no folder of a broker whose journal seals stretches")
    return stretches


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a journal: after one sequence and through another, from one time on until another.

    What is at the time `until` is no longer in it.
    """

    after: int = 0
    through: int | None = None
    since: datetime | None = None
    until: datetime | None = None

    def require_some(self) -> None:
        """Raise `InvalidInput` if no entry can be in it."""
        if self.through is not None and self.through <= self.after:
            raise InvalidInput(f"no entry comes after {self.after} and up to {self.through}")
        if self.since is not None and self.until is not None and self.until <= self.since:
            raise InvalidInput(f"no time is from {self.since} on and before {self.until}")

    def holds(self, sequences: Places, times: Places) -> NDArray[np.bool_]:
        """Which of some entries are in it; times are microseconds since 1970."""
        held = sequences > self.after
        if self.through is not None:
            held &= sequences <= self.through
        if self.since is not None:
            held &= times >= microseconds_of(self.since)
        if self.until is not None:
            held &= times < microseconds_of(self.until)
        return held


def journal_events(path: Path, span: Span) -> Iterator[ToldEntries]:
    """The events of a stretch, some at a time; `UnusablePath` if it cannot be read."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            for rows in file.iter_batches(_ROWS_AT_ONCE, columns=_COLUMNS, use_threads=False):
                yield _told_entries(path.name, rows, span)
    except _BROKEN as error:
        raise UnusablePath(path, f"not a whole stretch of a journal: {error}") from None


@dataclass(slots=True)
class ToldEntries:
    """Events of a journal, one on each line, with the sequences and times of their entries.

    They are read when they are matched. Two may have one id: the journal has what was published,
    as often as it was.
    """

    source: str  # the stretch
    text: bytes
    sequences: Places
    times: Places  # in microseconds since 1970
    appeared: float | None = None
    _plain: _PlainEntries = field(init=False)

    def __len__(self) -> int:
        return len(self.sequences)

    def match(self, matcher: Matcher) -> Matched:
        """The matches of the events; one that cannot be matched is set aside."""
        if not len(self):
            return Matched([], [])
        try:
            found = matcher.match_read(self._read, self._plain_event)
        except BEYOND_US:
            raise
        except Exception:  # noqa: BLE001 - which event cannot be matched is found out
            return self._told(self._all_lines()).match(matcher)
        others = self._told(self._plain.left()).match(matcher)
        return Matched([(self._plain, found), *others.found], others.dead_letters)

    def parts(self) -> Sequence[Told]:
        """The objects that the events are."""
        return [self._told(self._all_lines())]

    def times_of(self, sequences: Places) -> Places:
        """When entries with these sequences were made."""
        return self.times[np.searchsorted(self.sequences, sequences)]

    def _read(self, telling: Telling) -> Batch:
        lines = PlainLines.read(self.text, telling)
        self._plain = _PlainEntries(self, lines, np.flatnonzero(lines.kinds == PLAIN))
        return lines.batch()

    def _plain_event(self, number: int) -> Event:
        return Event.from_json(self._plain.line(int(self._plain.ids[number])))

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
                told.published[len(told)] = int(self.times[number])
                told.add(said, sequence, line)
        return told


@dataclass(frozen=True, slots=True)
class _PlainEntries:
    """Events that the kernel has read, by their lines; ids are looked up for those that match."""

    entries: ToldEntries
    lines: PlainLines
    ids: Places  # the numbers of their lines

    def line(self, number: int) -> bytes:
        """The text of a line."""
        return self.entries.text[self.lines.starts[number] : self.lines.ends[number]]

    def left(self) -> Iterator[tuple[int, bytes]]:
        """The lines that the kernel has left to the parser, with their numbers."""
        for number in np.flatnonzero(self.lines.kinds == LEFT).tolist():
            yield number, self.line(number)

    def times(self) -> EventTimes:
        """When they happened, and when they were published."""
        return EventTimes.of_plain(self.lines, self.ids, self.entries.times[self.ids])

    def aliased(self) -> Iterator[int]:
        """Those whose names may tell a time."""
        if _ALIASES in self.entries.text.lower():
            for number, place in enumerate(self.ids.tolist()):
                if _ALIASES in self.line(place).lower():
                    yield number

    def event(self, number: int) -> Event:
        """What one of them says."""
        return Event.from_json(self.line(int(self.ids[number])))

    def places(self, events: Integers) -> EventPlaces:
        """What the events of these numbers are called, and where they stand."""
        lines = self.ids[events]
        sequences = self.entries.sequences[lines]
        source, text = self.entries.source, self.entries.text
        spans = zip(
            self.lines.id_starts[lines].tolist(), self.lines.id_ends[lines].tolist(), strict=True
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


def _told_entries(source: str, rows: pa.RecordBatch, span: Span) -> ToldEntries:
    """The publications among the rows of a stretch."""
    newest = pc.max(rows.column("version")).as_py() or 0
    if newest > RECORD_VERSION:
        raise ValueError(f"of version {newest}; this Purport reads versions up to {RECORD_VERSION}")
    sequences, times = (
        rows.column(name).cast(pa.int64()).to_numpy() for name in ("sequence", "at")
    )
    events = rows.column("event")
    wanted = span.holds(sequences, times) & events.is_valid().to_numpy(zero_copy_only=False)
    if not wanted.all():
        events = events.filter(pa.array(wanted))
    return ToldEntries(source, _joined(events), sequences[wanted], times[wanted])


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
