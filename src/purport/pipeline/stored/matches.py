"""Matches that a job wrote to files, read again a few at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from purport.errors import UnusablePath
from purport.pipeline.sinks.batch_folders import FileKind
from purport.pipeline.sinks.match_message import MatchPart
from purport.pipeline.tables import MATCHES, arrow_schema, record_batches

_ROWS_AT_ONCE = 65_536
_MOST_COMPARED = 10_000
_NEAR_SHOWN = 3


class StoredMatch(msgspec.Struct, frozen=True):
    """A row of the table MATCHES."""

    event_id: str
    subscription: str
    version: int
    probability: float
    mapping: tuple[int, ...]
    similarities: tuple[float, ...]  # not a number: too small to be kept
    source: str
    offset: int
    parts: tuple[MatchPart, ...] | None = None  # of a match in time


@dataclass(frozen=True, slots=True)
class StoredMatches:
    """A folder that a job writes its matches to, whether it still does so or not."""

    folder: Path
    kind: FileKind = FileKind.PARQUET

    def batches(self, where: Any = None) -> Iterator[pa.RecordBatch]:
        """The table MATCHES, in the order of the job's batches; those that fit an expression."""
        files = self._files()
        try:
            if self.kind is FileKind.PARQUET:
                table = ds.dataset(files, arrow_schema(MATCHES), format="parquet")
                yield from table.to_batches(filter=where, batch_size=_ROWS_AT_ONCE)
            else:
                for batch in _json_batches(files):
                    yield batch if where is None else batch.filter(where)
        except (OSError, pa.ArrowException, msgspec.MsgspecError) as error:
            raise UnusablePath(self.folder, f"the matches cannot be read: {error}") from None

    def of_event(self, event_id: str) -> list[StoredMatch]:
        """The matches of an event, the most probable first."""
        found = [
            match
            for batch in self.batches(pc.field("event_id") == event_id)
            for match in matches_in(batch)
        ]
        return sorted(found, key=lambda one: -one.probability)

    def near_ids(self, event_id: str) -> list[str]:
        """Ids of matched events that look like this one.

        An id with one slip in it begins or ends as the right one does, so only such are compared.
        """
        half = len(event_id) // 2
        begins = pc.starts_with(pc.field("event_id"), event_id[:half])
        ends = pc.ends_with(pc.field("event_id"), event_id[half:])
        found = (one for batch in self.batches(begins | ends) for one in _ids(batch))
        some = dict.fromkeys(islice(found, _MOST_COMPARED))
        return get_close_matches(event_id, some, _NEAR_SHOWN, 0.5)

    def _files(self) -> list[str]:
        """The files, batch by batch; one in which nothing stands is none."""
        found = [path for path in self.folder.glob("batch=*/part-*") if path.stat().st_size]
        return [str(path) for path in sorted(found, key=_place)]


def matches_in(batch: pa.RecordBatch) -> list[StoredMatch]:
    """Rows of the table MATCHES."""
    return [msgspec.convert(row, StoredMatch) for row in batch.to_pylist()]


def _ids(batch: pa.RecordBatch) -> Iterable[str]:
    ids: list[str] = batch.column("event_id").to_pylist()
    return ids


def _place(path: Path) -> tuple[int, str]:
    number = path.parent.name.removeprefix("batch=")
    return int(number) if number.isdigit() else -1, path.name


class _JsonMatch(StoredMatch, frozen=True):
    """A match as Spark writes it in JSON, which has no word for what is not a number."""

    similarities: tuple[float | str, ...]  # type: ignore[assignment]


def _json_batches(files: Sequence[str]) -> Iterator[pa.RecordBatch]:
    decode = msgspec.json.Decoder(_JsonMatch).decode
    for name in files:
        with Path(name).open("rb") as file:
            yield from record_batches(MATCHES, map(_row, map(decode, file)), _ROWS_AT_ONCE)


def _row(match: _JsonMatch) -> tuple[object, ...]:
    *before, similarities, source, offset, parts = msgspec.structs.astuple(match)
    rested = None if parts is None else [msgspec.structs.astuple(one) for one in parts]
    return (*before, [float(one) for one in similarities], source, offset, rested)
