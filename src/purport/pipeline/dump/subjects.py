"""Statements in plain words to events: one subject after the other, as lines of JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame

from purport.model.event_lines import LONGEST_LINE
from purport.pipeline.dump.lines import BLANK
from purport.pipeline.tables import DEAD_LETTERS, PLACED_STATEMENTS, SUBJECTS, record_batch_of_rows

Row = tuple[Any, ...]
Path = tuple[tuple[str, str], ...]
Placed = tuple[Path, str, str]
_MOST_ROWS = 10_000
_MOST_LETTERS = 16 * 1024 * 1024
_TOO_LONG = f"the event would be a line longer than {LONGEST_LINE // 1024**2} MiB"
_NO_DEAD_LETTER: Row = (None,) * len(DEAD_LETTERS)


@dataclass(frozen=True, slots=True)
class EventLimits:
    """Which subjects become events: those of some kind, if that is asked for, and not too large."""

    dump: str
    most_statements: int
    is_of_kind_only: bool = False


def events_of_subjects(statements: DataFrame, limits: EventLimits, partitions: int) -> DataFrame:
    """What becomes of each subject of PLACED_STATEMENTS, as rows of SUBJECTS.

    Sorted, the statements about a subject come one after the other: a worker holds those of one
    event, and no more of them than an event may have, however many a subject has.
    """

    def told(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows: list[Row] = []
        size = 0
        for row in _subjects(_rows(batches), limits):
            rows.append(row)
            size += len(row[0] or "")
            if len(rows) == _MOST_ROWS or size > _MOST_LETTERS:
                yield record_batch_of_rows(SUBJECTS, rows)
                rows, size = [], 0
        if rows:
            yield record_batch_of_rows(SUBJECTS, rows)

    together = statements.repartition(partitions, "subject").sortWithinPartitions("subject")
    return together.mapInArrow(told, SUBJECTS)


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[Any, ...]]:
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in PLACED_STATEMENTS.fieldNames())
        yield from zip(*columns, strict=True)


def _subjects(rows: Iterable[tuple[Any, ...]], limits: EventLimits) -> Iterator[Row]:
    for subject, told in groupby(rows, key=itemgetter(0)):
        gathered = _Gathered(limits)
        for _, path, attribute, value, is_of_kind in told:
            gathered.add(path, attribute, value, is_of_kind)
        if gathered.is_of_kind:
            yield gathered.row(subject)


class _Gathered:
    """The different statements about one subject, as long as an event can hold them."""

    def __init__(self, limits: EventLimits) -> None:
        self.is_of_kind = not limits.is_of_kind_only
        self._limits = limits
        self._statements: set[Placed] = set()
        self._letters = 0
        self._unnamed = 0
        self._reason: str | None = None

    def add(
        self, path: list[dict[str, str]] | None, attribute: str, value: str | None, is_of_kind: bool
    ) -> None:
        """Keep one more statement, or none any more if they are too many."""
        self.is_of_kind |= is_of_kind
        if value is None:
            self._unnamed += 1
        if value is None or self._reason is not None:
            return
        before = len(self._statements)
        self._statements.add((_steps(path), attribute, value))
        if len(self._statements) > before:
            self._letters += len(attribute) + len(value)
        most = self._limits.most_statements
        if len(self._statements) > most:
            self._refuse(f"an event has at most {most:,} statements, this subject has more")
        elif self._letters > LONGEST_LINE:
            self._refuse(_TOO_LONG)

    def row(self, subject: str) -> Row:
        """What becomes of the subject, as a row of SUBJECTS."""
        if not self._statements and self._reason is None:
            return (None, 0, self._unnamed, *_NO_DEAD_LETTER)
        number = len(self._statements)
        line = _object(self._statements, {} if subject.startswith(BLANK) else {"@id": subject})
        if len(line) > LONGEST_LINE:
            self._refuse(_TOO_LONG)
        if self._reason is not None:
            return (None, 0, self._unnamed, self._limits.dump, 0, self._reason, subject)
        return (line.decode(), number, self._unnamed, *_NO_DEAD_LETTER)

    def _refuse(self, reason: str) -> None:
        self._reason = reason
        self._statements.clear()


def _steps(path: list[dict[str, str]] | None) -> Path:
    return tuple((step["attribute"], step["node"]) for step in path or ())


def _object(statements: Iterable[Placed], head: dict[str, Any]) -> bytes:
    """A JSON object: attributes in their order, and the values of each in that of their texts."""
    values: dict[str, list[bytes]] = defaultdict(list)
    below: dict[tuple[str, str], list[Placed]] = defaultdict(list)
    for path, attribute, value in statements:
        if path:
            below[path[0]].append((path[1:], attribute, value))
        else:
            values[attribute].append(value.encode())
    for (attribute, _), inner in below.items():
        values[attribute].append(_object(inner, {}))
    for attribute in sorted(values):
        first, *more = (msgspec.Raw(value) for value in sorted(values[attribute]))
        head[attribute] = [first, *more] if more else first
    return msgspec.json.encode(head)
