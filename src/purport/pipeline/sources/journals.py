"""The journal of a broker as a source: what was published, as it is sealed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from pyspark.sql import DataFrame, SparkSession

from purport.errors import InvalidInput
from purport.pipeline.file_parts import FilePart
from purport.pipeline.journal.stretch_rows import Span, stretches_in
from purport.pipeline.journal.told_entries import journal_events
from purport.pipeline.readers import PartReader
from purport.pipeline.sources.files import BATCH_BYTES, Files
from purport.pipeline.told import Tells


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
class JournalReader(PartReader):
    """Reads the stretches of a journal, as far as they are in a span."""

    may_be_empty: ClassVar = True  # retention does not wait for streams

    span: Span

    def read_part(self, part: FilePart) -> Iterator[Tells]:
        """The events of a stretch, a file which is read as a whole."""
        return journal_events(part.path, self.span)


def _span(since: datetime | str | None) -> Span:
    if since is None:
        return Span()
    if isinstance(since, datetime):
        return Span(since=since)
    if not since.isdecimal():
        raise InvalidInput(f"a journal is read from a time or a sequence on, got {since!r}")
    return Span(after=int(since) - 1)
