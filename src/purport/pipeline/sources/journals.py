"""The journal of a broker as a source: what was published, as it is sealed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from purport.errors import InvalidInput, UnusablePath
from purport.pipeline.journaled import Span, journal_events, stretches_in
from purport.pipeline.sources.files import BATCH_BYTES, Files
from purport.pipeline.told import Tells, Told


@dataclass(frozen=True, slots=True)
class Journaled:
    """The sealed stretches of the journal in a broker's folder, and those yet to come.

    Matches have the sequence of the entry as their offset. `since` leaves out what was published
    before a time, or stands before a sequence.
    """

    folder: Path
    since: datetime | str | None = None
    files_per_batch: int | None = None
    bytes_per_batch: int = BATCH_BYTES

    @property
    def place(self) -> str:
        """The folder, in full."""
        return f"journal:{self.folder.resolve()}"

    @property
    def reader(self) -> JournalReader:
        """What reads the stretches, in the workers."""
        return JournalReader(stretches_in(self.folder.resolve()), _span(self.since))

    def records(self, spark: SparkSession) -> DataFrame:
        """The stream of stretches, as the table FILES; `InvalidInput` if there is no journal."""
        _span(self.since)
        stretches = stretches_in(self.folder)
        files = Files(stretches, "parquet", None, self.files_per_batch, self.bytes_per_batch)
        return files.records(spark)


@dataclass(frozen=True, slots=True)
class JournalReader:
    """Reads the stretches that rows of the table FILES name, as far as they are in a span."""

    folder: Path
    span: Span

    def read(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Tells]:
        """The events of the stretches; one that cannot be read is a dead letter."""
        for batch in batches:
            for row in batch.to_pylist():
                yield from self._read(row["name"], row["appeared"].timestamp())

    def _read(self, name: str, appeared: float) -> Iterator[Tells]:
        try:
            for entries in journal_events(self.folder / name, self.span):
                entries.appeared = appeared
                yield entries
        except UnusablePath as error:
            told = Told(name, appeared=appeared)
            told.refuse(0, f"the file cannot be read: {error.reason}", b"")
            yield told


def _span(since: datetime | str | None) -> Span:
    if since is None:
        return Span()
    if isinstance(since, datetime):
        return Span(since=since)
    if not since.isdecimal():
        raise InvalidInput(f"a journal is read from a time or a sequence on, got {since!r}")
    return Span(after=int(since) - 1)
