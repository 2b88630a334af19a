"""The sealed stretches of a journal: as a table, and as rows of which a span is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession

from purport.broker.encoding import RECORD_VERSION
from purport.errors import EventError, InvalidInput, UnusablePath
from purport.matching.flat_lists import Places
from purport.model.interval import microseconds_of
from purport.pipeline.session import spark_pattern
from purport.pipeline.tables import JOURNAL

_COLUMNS = ["sequence", "at", "version"]
_ROWS_AT_ONCE = 20_000
_BROKEN = (OSError, pa.ArrowException, KeyError, ValueError, msgspec.MsgspecError, EventError)


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


@dataclass(frozen=True, slots=True)
class StretchRows:
    """Entries of a stretch, by columns: what one of them says is null of some kinds of entries."""

    sequences: Places
    times: Places  # in microseconds since 1970
    texts: pa.Array

    def that_say_something(self) -> StretchRows:
        """Those of which the text is not null."""
        if not self.texts.null_count:
            return self
        says = self.texts.is_valid()
        is_wanted = says.to_numpy(zero_copy_only=False)
        return StretchRows(
            self.sequences[is_wanted], self.times[is_wanted], self.texts.filter(says)
        )


def stretch_rows(
    path: Path, column: str, span: Span, *, kind: str | None = None
) -> Iterator[StretchRows]:
    """What a column says in the entries of a span, or in those of a kind, some at a time.

    `UnusablePath` if the stretch cannot be read.
    """
    columns = [*_COLUMNS, column, *([] if kind is None else ["kind"])]
    with stretch_errors(path), pq.ParquetFile(path, page_checksum_verification=True) as file:
        for rows in file.iter_batches(_ROWS_AT_ONCE, columns=columns, use_threads=False):
            yield _held(rows, column, span, kind)


@contextmanager
def stretch_errors(path: Path) -> Iterator[None]:
    """Says of a stretch that could not be read to its end why that is."""
    try:
        yield
    except _BROKEN as error:
        raise UnusablePath(path, f"not a whole stretch of a journal: {error}") from None


def _held(rows: pa.RecordBatch, column: str, span: Span, kind: str | None) -> StretchRows:
    newest = pc.max(rows.column("version")).as_py() or 0
    if newest > RECORD_VERSION:
        raise ValueError(f"of version {newest}; this Purport reads versions up to {RECORD_VERSION}")
    if kind is not None:
        rows = rows.filter(pc.equal(rows.column("kind"), kind))
    sequences, times = (
        rows.column(name).cast(pa.int64()).to_numpy() for name in ("sequence", "at")
    )
    held, texts = span.holds(sequences, times), rows.column(column)
    if held.all():
        return StretchRows(sequences, times, texts)
    return StretchRows(sequences[held], times[held], texts.filter(pa.array(held)))
