"""An archive as a source: events that were kept, and those that are added while it is followed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from purport.pipeline.archive.archived_events import archived_events
from purport.pipeline.archive.folder import Archive
from purport.pipeline.archive.statement_codes import StatementCodes
from purport.pipeline.archive.statement_table import StatementTable
from purport.pipeline.file_parts import FilePart
from purport.pipeline.readers import PartReader
from purport.pipeline.sources.files import BATCH_BYTES, Files
from purport.pipeline.told import Tells
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
        archive = Archive.open(self.folder)
        return ArchiveReader(archive.events.resolve(), archive.manifest.id)

    def records(self, spark: SparkSession) -> DataFrame:
        """The stream of files, as the table FILES; `StoreError` if there is no archive."""
        archive = Archive.open(self.folder)
        archive.batches()
        files = Files(
            archive.events, "parquet", self.since, self.files_per_batch, self.bytes_per_batch
        )
        return files.records(spark)


@dataclass(frozen=True, slots=True)
class ArchiveReader(PartReader):
    """Reads the files of events in an archive.

    What a worker has found out about statement ids stays known to it; `archive` is the id of the
    archive, so that another one in the same place is told from it.
    """

    archive: str

    def read_part(self, part: FilePart) -> Iterator[Tells]:
        """The events of a file, which is read as a whole."""
        return archived_events(part.path, _worker_codes(self.folder.parent, self.archive))


@lru_cache(maxsize=2)
def _worker_codes(folder: Path, wanted: str) -> StatementCodes:
    archive = Archive.open(folder)
    if archive.manifest.id != wanted:
        raise StoreError(f"{folder}: another archive has taken the place of the one that was read")
    return StatementCodes(StatementTable(archive))
