"""An archive as a source: events that were kept, and those that are added while it is followed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from purport.errors import UnusablePath
from purport.pipeline.archive.archived_events import archived_events
from purport.pipeline.archive.folder import Archive
from purport.pipeline.archive.statement_codes import StatementCodes
from purport.pipeline.archive.statement_table import StatementTable
from purport.pipeline.sources.files import BATCH_BYTES, Files
from purport.pipeline.told import Tells, Told
from purport.relatedness.array_store import StoreError


@dataclass(frozen=True, slots=True)
class Archived:
    """The events of an archive. Matches keep the places that the events had where they came from.

    `since` leaves out batches whose files were written before a time, or whose names, such as
    `batch=000012`, come before a name.
    """

    folder: Path
    since: datetime | str | None = None
    files_per_batch: int | None = None
    bytes_per_batch: int = BATCH_BYTES

    @property
    def place(self) -> str:
        """The folder, in full."""
        return f"archive:{self.folder.resolve()}"

    @property
    def reader(self) -> ArchiveReader:
        """What reads the files, in the workers."""
        return ArchiveReader(self.folder.resolve(), Archive.open(self.folder).manifest.id)

    def records(self, spark: SparkSession) -> DataFrame:
        """The stream of files, as the table FILES; `StoreError` if there is no archive."""
        archive = Archive.open(self.folder)
        archive.batches()
        files = Files(
            archive.events, "parquet", self.since, self.files_per_batch, self.bytes_per_batch
        )
        return files.records(spark)


@dataclass(frozen=True, slots=True)
class ArchiveReader:
    """Reads the files of events that rows of the table FILES name.

    What a worker has found out about statement ids stays known to it; `archive` is the id of the
    archive, so that another one in the same place is told from it.
    """

    folder: Path
    archive: str

    def read(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Tells]:
        """The events of the files; a file that cannot be read is a dead letter."""
        for batch in batches:
            for row in batch.to_pylist():
                yield from self._read(row["name"], row["appeared"].timestamp())

    def _read(self, name: str, appeared: float) -> Iterator[Tells]:
        codes = _worker_codes(self.folder, self.archive)
        try:
            for events in archived_events(self.folder / "events" / name, codes):
                events.appeared = appeared
                yield events
        except UnusablePath as error:
            told = Told(name, appeared=appeared)
            told.refuse(0, f"the file cannot be read: {error.reason}", b"")
            yield told


@lru_cache(maxsize=2)
def _worker_codes(folder: Path, wanted: str) -> StatementCodes:
    archive = Archive.open(folder)
    if archive.manifest.id != wanted:
        raise StoreError(f"{folder}: another archive has taken the place of the one that was read")
    return StatementCodes(StatementTable(archive))
