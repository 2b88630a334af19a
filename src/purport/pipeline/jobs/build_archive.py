"""The job that keeps events as an archive: source -> events with statement ids, batch by batch."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from purport.errors import UnusablePath
from purport.pipeline.archive.folder import (
    STATEMENTS_FILE,
    Archive,
    ArchivedBatch,
    require_place,
    state_folder,
)
from purport.pipeline.archive.numbering import (
    events_with_ids,
    local_statements,
    new_statements,
    write_numbered,
)
from purport.pipeline.archive.vocabulary import statements
from purport.pipeline.job_folder import JobFolder, JobIdentity
from purport.pipeline.jobs.run_stream import run_stream
from purport.pipeline.notes import Notes
from purport.pipeline.session import spark_address, spark_pattern
from purport.pipeline.sources.source import Source
from purport.pipeline.tables import ARCHIVED_STATEMENTS
from purport.pipeline.tables_at_rest import at_rest


def _tell_nobody(_: ArchivedBatch) -> None:
    pass


@dataclass(frozen=True, slots=True)
class BuildArchive:
    """Reads a source to the end of what is there now; run again, it adds what has come since.

    A batch is in the archive whole or not at all, whatever happens. What grows with the events
    stays in Spark and on disk.
    """

    source: Source
    folder: Path

    def run(
        self, spark: SparkSession, on_batch: Callable[[ArchivedBatch], None] = _tell_nobody
    ) -> Archive:
        """Build the archive, or add to it; and open it."""
        require_place(self.folder)
        records = self.source.records(spark)
        job = JobFolder(state_folder(self.folder))
        identity = job.open(JobIdentity(self.source.place, "archive:"))  # it may be moved
        with job.alone():
            archive = Archive.claim(self.folder, identity, self.source.place)
            batches = _Batches(self, spark, archive, job, on_batch)
            run_stream(records, batches.take, job.checkpoint)
        return archive


class _Batches:
    """What is done with each batch of a running job."""

    def __init__(
        self,
        job: BuildArchive,
        spark: SparkSession,
        archive: Archive,
        folder: JobFolder,
        on_batch: Callable[[ArchivedBatch], None],
    ) -> None:
        self._reader, self._spark, self._archive = job.source.reader, spark, archive
        self._folder, self._on_batch = folder, on_batch

    def take(self, records: DataFrame, batch: int) -> None:
        """Add one batch, unless it was added before and Spark did not hear of it."""
        if self._archive.has(batch):
            return
        notes = self._folder.notes()
        try:
            added = self._added(records, batch, notes)
            shutil.rmtree(notes.folder, ignore_errors=True)
        except OSError as error:
            raise UnusablePath(self._archive.folder, error.strerror or str(error)) from None
        self._on_batch(added)

    def _added(self, records: DataFrame, batch: int, notes: Notes) -> ArchivedBatch:
        scratch, staged = notes.folder / "scratch", notes.folder / "archive"
        (scratch / "files").mkdir(parents=True)
        (staged / "events").mkdir(parents=True)
        spread = records.repartition(self._spark.sparkContext.defaultParallelism)
        filled = local_statements(spread, self._reader, notes, scratch / "files")
        local = at_rest(self._spark, filled, scratch / "local")

        batches = self._archive.batches()
        first_id = batches[-1].end_id if batches else 0
        known = statements(self._spark, self._archive)
        new_statements(local, known).write.parquet(spark_address(scratch / "new"))
        path = staged / "statements" / STATEMENTS_FILE
        count = write_numbered(scratch / "new", first_id, path)

        if count:
            known = known.union(
                self._spark.read.schema(ARCHIVED_STATEMENTS).parquet(spark_pattern(path))
            )
        written = events_with_ids(local, known, scratch / "files", staged / "events")
        sizes = [row.events for row in written.collect()]
        added = ArchivedBatch(
            batch, first_id, count, sum(sizes), len(sizes), notes.counts().dead_letters, time.time()
        )
        _move(notes.dead_letter_files(), staged / "dead_letters")
        self._archive.take(staged, added)
        return added


def _move(files: list[Path], folder: Path) -> None:
    if files:
        folder.mkdir()
    for path in files:
        path.rename(folder / path.name)
