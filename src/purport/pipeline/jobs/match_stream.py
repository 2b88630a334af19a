"""The job that matches a stream of events: source -> matches -> sink, batch after batch."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from pyspark.sql import DataFrame, SparkSession

from purport.errors import PurportError, StreamFailed
from purport.pipeline.job_folder import BatchReport, JobFolder, JobIdentity
from purport.pipeline.jobs.spark_errors import SPARK_ERRORS, reason_of
from purport.pipeline.matcher_spec import MatcherSettings, MatcherSpec
from purport.pipeline.session import spark_address
from purport.pipeline.sinks.sink import Sink
from purport.pipeline.sources.source import Source
from purport.pipeline.watched import Subscribed, Versions

EVERY_SECONDS = 0.2


def _tell_nobody(_: object) -> None:
    pass


def _nothing_beside(_: SparkSession, __: str) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Watchers:
    """Who is told of what happens while a job runs.

    `during` is entered, with the name of the query, before that starts, and left after its end.
    """

    on_batch: Callable[[BatchReport], None] = _tell_nobody
    on_problem: Callable[[str], None] = _tell_nobody
    during: Callable[[SparkSession, str], AbstractContextManager[None]] = _nothing_beside


@dataclass(frozen=True, slots=True)
class MatchStream:
    """Reads a source, matches, and writes to a sink; run again, it goes on where it stopped.

    Subscriptions that change are taken up with the next batch, and never in the middle of one.
    """

    source: Source
    sink: Sink
    subscribed: Subscribed
    folder: JobFolder
    settings: MatcherSettings = field(default_factory=MatcherSettings)
    since: str | None = None

    def run(
        self,
        spark: SparkSession,
        watchers: Watchers | None = None,
        *,
        until_end: bool = True,
        every_seconds: float = EVERY_SECONDS,
    ) -> None:
        """Run to the end of what is there now, or for ever."""
        watchers = watchers or Watchers()
        identity = JobIdentity(self.source.place, self.sink.place, self.since)
        job = self.folder.open(identity)
        name = f"purport {job}"
        with self.folder.alone(), watchers.during(spark, name):
            self.sink.claim(job)
            batches = _Batches(self, watchers)
            writer = (
                self.source.records(spark)
                .writeStream.queryName(name)
                .foreachBatch(batches.match)
                .option("checkpointLocation", spark_address(self.folder.checkpoint))
            )
            if until_end:
                writer = writer.trigger(availableNow=True)
            else:
                writer = writer.trigger(processingTime=f"{every_seconds} seconds")
            query = None
            try:
                query = writer.start()
                query.awaitTermination()
            except SPARK_ERRORS as error:
                stopped = StreamFailed(f"the stream stopped: {reason_of(error)}")
                raise batches.failure or stopped from error
            finally:
                if query is not None:
                    query.stop()


class _Batches:
    """What is done with each batch of a running job."""

    def __init__(self, job: MatchStream, watchers: Watchers) -> None:
        self._job, self._watchers = job, watchers
        self._versions = Versions(job.folder.subscriptions)
        self._last_done = max((one.batch for one in job.folder.reports()), default=-1)
        self.failure: PurportError | None = None
        self._spec: MatcherSpec | None = None
        self._current_spec()

    def match(self, records: DataFrame, batch: int) -> None:
        """Match one batch, unless it was done before and Spark did not hear of it."""
        if batch <= self._last_done:
            return
        began = time.time()
        job, home = self._job, self._job.sink.home
        notes = job.folder.notes([home] if home is not None else [])
        try:
            spec = self._current_spec()
            cores = _cores_now(records.sparkSession)
            spread = records.repartition(cores)
            job.sink.write(notes.taken(spread, job.source.reader, spec), batch, notes)
            finished = time.time()
            report = BatchReport(
                batch, spec.version, finished, finished - began, notes.counts(), cores
            )
            job.folder.keep(report, notes)
        except PurportError as error:
            self.failure = error
            raise
        self._last_done = batch
        self._watchers.on_batch(report)

    def _current_spec(self) -> MatcherSpec:
        """The subscriptions as they are now, if the matcher can run them, or those from before."""
        wanted = self._job.subscribed.current(self._watchers.on_problem)
        settings = replace(self._job.settings, scores=self._job.folder.scores.resolve())
        spec = MatcherSpec.of(wanted, settings)
        known = self._spec
        if known is not None and spec.key == known.key:
            return known
        try:
            spec.build()
        except PurportError as error:
            if known is None:
                raise
            self._watchers.on_problem(f"the subscriptions stay as they were: {error}")
            return known
        self._spec = replace(spec, version=self._versions.number_of(wanted, settings))
        return self._spec


def _cores_now(spark: SparkSession) -> int:
    """How many tasks run at once; in a cluster that changes, and is little at the beginning."""
    return spark.sparkContext.defaultParallelism
