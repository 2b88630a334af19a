"""Events of an archive: columns of ids that go straight into the kernel's arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from purport.errors import UnusablePath
from purport.matching.batches import Batch, batch_of_events
from purport.matching.flat_lists import Integers, Places
from purport.matching.interned import Interned
from purport.matching.matcher import Matcher
from purport.model.event import MOST_STATEMENTS, Event, Statement
from purport.model.interval import Interval
from purport.pipeline.archive.statement_codes import LOOK, Coded, StatementCodes
from purport.pipeline.told import BEYOND_US, EventPlaces, EventTimes, Matched, Told

_COLUMNS = ["event_id", "source", "offset", "statements", "numbers"]
_RARE_COLUMNS = ["texts", "start", "end"]
_BROKEN = (OSError, pa.ArrowException, KeyError, ValueError)


def archived_events(path: Path, codes: StatementCodes) -> Iterator[ArchivedEvents]:
    """The events of a file, some at a time; `UnusablePath` if it cannot be read."""
    try:
        with pq.ParquetFile(path, read_dictionary=["source"]) as file:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, _COLUMNS, use_threads=False)
                yield ArchivedEvents.of(table, codes, _Rest(path, group))
    except _BROKEN as error:
        raise UnusablePath(path, f"not a file of archived events: {error}") from None


@dataclass(frozen=True, slots=True)
class _Lists:
    """A column of lists: all of their items, and where each list begins."""

    starts: Places
    items: pa.Array

    @classmethod
    def of(cls, table: pa.Table, name: str) -> _Lists:
        column = table.column(name).combine_chunks()
        if column.null_count or column.values.null_count:
            raise ValueError(f"nulls among its {name}")
        return cls(column.offsets.to_numpy().astype(np.int64), column.values)

    def span(self, number: int) -> slice:
        return slice(int(self.starts[number]), int(self.starts[number + 1]))


@dataclass(slots=True)
class _Rest:
    """What else stands with the events of a group; it is read when it is asked for."""

    path: Path
    group: int
    _read: pa.Table | None = None
    _texts: _Lists | None = None

    def texts(self) -> _Lists:
        """The texts of statements."""
        if self._texts is None:
            self._texts = _Lists.of(self._table(), "texts")
        return self._texts

    def intervals(self) -> Iterator[Interval | None]:
        """When the events happened, as far as it is known."""
        starts, ends = (self._table().column(name).to_pylist() for name in ("start", "end"))
        for start, end in zip(starts, ends, strict=True):
            yield None if start is None and end is None else Interval(start, end)

    def _table(self) -> pa.Table:
        if self._read is None:
            try:
                with pq.ParquetFile(self.path) as file:
                    self._read = file.read_row_group(self.group, _RARE_COLUMNS, use_threads=False)
            except _BROKEN as error:
                reason = f"not a file of archived events: {error}"
                raise UnusablePath(self.path, reason) from None
        return self._read


@dataclass(slots=True)
class ArchivedEvents:
    """Some events, by columns, and what codes them."""

    ids: pa.Array
    sources: pa.Array
    offsets: pa.Array
    statements: _Lists
    numbers: _Lists
    rest: _Rest
    codes: StatementCodes
    appeared: float | None = None

    @classmethod
    def of(cls, table: pa.Table, codes: StatementCodes, rest: _Rest) -> ArchivedEvents:
        """The events of a table; `ValueError` if there cannot be such."""
        statements, numbers = _Lists.of(table, "statements"), _Lists.of(table, "numbers")
        if len(table) and np.diff(statements.starts).max() > MOST_STATEMENTS:
            raise ValueError(f"an event has more than {MOST_STATEMENTS:,} statements")
        ids, sources, offsets = (table.column(name).combine_chunks() for name in _COLUMNS[:3])
        return cls(ids, sources, offsets, statements, numbers, rest, codes)

    def __len__(self) -> int:
        return len(self.ids)

    def match(self, matcher: Matcher) -> Matched:
        """The matches of the events; one that cannot be matched is set aside."""
        try:
            return Matched([(self, matcher.match_read(self._batch, self.event))], [])
        except BEYOND_US:
            raise
        except Exception:  # noqa: BLE001 - what is wrong with which event is found out
            matched = [part.match(matcher) for part in self._readable_parts()]
        return Matched(
            [found for one in matched for found in one.found],
            [letter for one in matched for letter in one.dead_letters],
        )

    def parts(self) -> Sequence[Told]:
        """The events themselves, by the sources that they came from."""
        parts: dict[str, Told] = {}
        columns = (column.to_pylist() for column in (self.ids, self.sources, self.offsets))
        rows = zip(*columns, self.rest.intervals(), strict=True)
        for number, (identifier, source, offset, interval) in enumerate(rows):
            event, told = self.event(number), parts.setdefault(source, Told(source))
            told.add_event(event, identifier, offset, event, interval)
        return list(parts.values())

    def _readable_parts(self) -> Sequence[Told]:
        try:
            return self.parts()
        except UnusablePath as error:
            told = Told(self.rest.path.name)
            told.refuse(0, f"the file cannot be read: {error.reason}", b"")
            return [told]

    def places(self, events: Integers) -> EventPlaces:
        """What the events of these numbers are called, and where they stood."""
        numbers = pa.array(events)
        columns = (column.take(numbers) for column in (self.ids, self.sources, self.offsets))
        return EventPlaces(*columns)

    def times(self) -> EventTimes:
        """When the events happened."""
        found = dict(enumerate(self.rest.intervals()))
        intervals = {number: one for number, one in found.items() if one is not None}
        return EventTimes.of_intervals(len(self), intervals, {})

    def aliased(self) -> Iterator[int]:
        """Those that may tell a time in their statements, which are not looked at for it."""
        return (number for number, one in enumerate(self.rest.intervals()) if one is None)

    def event(self, number: int) -> Event:
        """One of the events, put together again."""
        ids = self.statements.items.to_numpy()[self.statements.span(number)]
        numbers = iter(self.numbers.items[self.numbers.span(number)].to_pylist())
        texts = self.rest.texts()
        spelt = iter(texts.items[texts.span(number)].to_pylist())
        said: list[Statement] = []
        for row in self.codes.table.rows(ids):
            told = next(numbers, None) if row.has_number else None
            said.append(row.statement(told, next(spelt, None) if row.has_text else None))
        return Event(tuple(said))

    def _batch(self, interned: Interned) -> Batch:
        if not interned.has_scales:
            return batch_of_events(map(self.event, range(len(self))), interned)
        ids = self.statements.items.to_numpy()
        coded = self.codes.coded(ids, self.numbers.items.to_numpy(), interned)
        is_looked_at = coded.codes == LOOK
        if interned.asks_for_wordless:
            is_looked_at |= self.codes.is_spelt[ids]
        if is_looked_at.any():
            self._look(np.flatnonzero(is_looked_at), coded, interned)
        return Batch(self.statements.starts, *coded)

    def _look(self, places: Places, coded: Coded, interned: Interned) -> None:
        """Code statements by the texts that stand with their events, where somebody asks for it."""
        ids = self.statements.items.to_numpy()
        ids_here, different = ids[places], np.unique(ids[places])
        rows = dict(zip(different.tolist(), self.codes.table.rows(different), strict=True))
        before = np.cumsum(self.codes.has_text[ids]) - 1
        texts = self.rest.texts().items.take(pa.array(before[places])).to_pylist()
        for place, one, text in zip(places.tolist(), ids_here.tolist(), texts, strict=True):
            if coded.codes[place] == LOOK or interned.asks_for(text):
                statement = rows[one].statement(None, text)
                coded.codes[place], coded.numbers[place] = interned.statement(statement)
