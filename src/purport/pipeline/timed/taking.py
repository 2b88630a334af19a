"""Rows of the table TIMED_EVENTS, taken by an engine in the order in which they arrived."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from purport.errors import EventError
from purport.matching.matcher import Matcher
from purport.model.event import Event
from purport.model.event_lines import DeadLetter
from purport.model.interval import Interval, length_of, time_of
from purport.model.language.label import label
from purport.model.subscription import Subscription
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.tables import MATCHES, record_batch_of_rows
from purport.temporal.engine import Mark, TemporalEngine
from purport.temporal.filters import Passed
from purport.temporal.occurrence import Report
from purport.temporal.progress import BEGINNING
from purport.temporal.told import Detection

_AT_ONCE = 4096
_NUMBERS = re.compile(r"(\d+)")


class TimedRow(NamedTuple):
    """A row of the table TIMED_EVENTS."""

    appeared: float | None
    source: str
    offset: int
    event_id: str | None
    start: int | None
    end: int | None
    published: int | None
    said: bytes | None
    until: int | None
    instants: int
    instant: int | None


def rows_in(paths: Iterable[Path]) -> list[TimedRow]:
    """The rows of some files, in the order in which they arrived."""
    return in_order(row for path in paths for row in rows_of(pq.read_table(path)))


def in_order(rows: Iterable[TimedRow]) -> list[TimedRow]:
    """Rows in the order in which they arrived.

    What stands in one source arrived in its order. Of sources, the one that appeared first is the
    first, and of those that appeared at once the one whose name is: 2 comes before 10.
    """
    return sorted(rows, key=_arrival)


def rows_of(table: pa.Table) -> Iterator[TimedRow]:
    """The rows of the table TIMED_EVENTS."""
    return map(TimedRow._make, zip(*(column.to_pylist() for column in table.columns), strict=True))


def _arrival(row: TimedRow) -> tuple[float, tuple[str | int, ...], int]:
    return row.appeared or 0.0, _order(row.source), row.offset


@lru_cache(maxsize=1024)
def _order(name: str) -> tuple[str | int, ...]:
    return tuple(int(one) if one.isdigit() else one for one in _NUMBERS.split(name))


@dataclass(slots=True)
class Told:
    """What an engine has to tell of some rows."""

    matches: list[tuple[object, ...]] = field(default_factory=list)  # rows of MATCHES
    letters: list[DeadLetter] = field(default_factory=list)
    late: int = 0

    def rows(self) -> pa.RecordBatch | None:
        """The table MATCHES."""
        return record_batch_of_rows(MATCHES, self.matches) if self.matches else None


class Taking:
    """An engine that takes rows; who subscribes, and how far it has come.

    `sequence` counts the events that were told of, and so the order in which they arrived.
    """

    def __init__(self, settings: MatcherSettings, allowance: timedelta) -> None:
        def matcher() -> Matcher:
            return settings.matcher()

        self._engine = TemporalEngine(matcher, allowance=allowance)
        self._allowance = length_of(allowance)
        self._labels: dict[str, str] = {}
        self._places: dict[int, tuple[str, int]] = {}  # of events, by their sequences
        self.sequence = 0
        self.batch = -1  # the last that it has taken

    @property
    def mark(self) -> Mark:
        """How far it has come in time."""
        return self._engine.mark

    def subscribe(
        self, subscriptions: Mapping[str, Subscription], since: Mapping[str, int]
    ) -> None:
        """Have these subscriptions, by their texts, and no others.

        Each is told of events after a sequence; what came before counts for it all the same.
        """
        for gone in self._labels.keys() - subscriptions.keys():
            self._engine.remove(gone)
            del self._labels[gone]
        new = {text: one for text, one in subscriptions.items() if text not in self._labels}
        if new:
            self._engine.add_all(new, since)
        self._labels |= {text: label(one) for text, one in new.items()}

    def take(self, rows: Sequence[TimedRow], version: int = 0) -> Told:
        """Take rows, in their order; what is told is of this version of the subscriptions."""
        told = Told()
        with nothing_collected():
            self._take_all(rows, version, told)
        return told

    def _take_all(self, rows: Sequence[TimedRow], version: int, told: Told) -> None:
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            reports = [_report(row) if row.event_id is not None else None for row in some]
            passed = self._engine.match(reports)
            for row, report, known in zip(some, reports, passed, strict=True):
                found = [*self._pass(row)]
                if report is not None:
                    found += self._take(row, report, known, told)
                told.matches += [self._match(one, version) for one in found]

    def _pass(self, row: TimedRow) -> Sequence[Detection]:
        """Let time go on by what stands before a row, and does not matter itself."""
        if row.until is None and not row.instants:
            return ()
        before = self._engine.mark
        instant, latest = before.last_instant, BEGINNING if row.until is None else row.until
        if row.instants:
            assert row.instant is not None
            instant = max(instant + row.instants, row.instant)
            latest = max(latest, instant)
        watermark = max(before.watermark, latest - self._allowance)
        if watermark == before.watermark and instant == before.last_instant:
            return ()
        return self._engine.go_on(Mark(watermark, instant))

    def _take(
        self, row: TimedRow, report: Report, passed: list[Passed] | None, told: Told
    ) -> Sequence[Detection]:
        """Take an event, or set it aside."""
        self.sequence += 1
        if report.is_without_time:
            assert row.published is not None
            report = self._engine.in_turn(report, row.published)
        try:
            taken = self._engine.take_report(report, self.sequence, passed)
        except EventError as error:
            told.letters.append(_letter(row, str(error)))
            return ()
        told.late += taken.late_by is not None
        if not taken.is_known:
            self._places.setdefault(taken.occurrence.sequence, (row.source, row.offset))
        return taken.detections

    def _match(self, found: Detection, version: int) -> tuple[object, ...]:
        """A row of the table MATCHES."""
        about = found.instance.about
        parts = [
            (one.place, one.instance.about.id, one.instance.probability)
            for one in found.instance.all_parts()
        ]
        named = (about.id, self._labels[found.subscription], version, found.probability)
        return (*named, [], [], *self._places[about.sequence], parts)


@contextmanager
def nothing_collected() -> Iterator[None]:
    """Python does not look for cycles in what an engine makes: nearly all of that is kept."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.freeze()
            gc.enable()


def _letter(row: TimedRow, reason: str) -> DeadLetter:
    """What was told cannot be so; the event as it was, with its id and times."""
    start, end = (None if one is None else time_of(one) for one in (row.start, row.end))
    interval = None if start is None and end is None else Interval(start, end)
    said = Event(Event.from_json(row.said or b"{}").statements, row.event_id, interval)
    return DeadLetter.of_line(row.source, row.offset, reason=reason, said=said.to_json())


def _report(row: TimedRow) -> Report:
    """What a row tells of an event."""
    assert row.said is not None
    statements = Event.from_json(row.said).statements
    if row.start is None and row.end is None:
        return Report.without_time(row.event_id, row.published, statements)
    return Report.of(row.event_id, row.start, row.end, statements)
