"""The job that matches a stream of events: source -> matches -> sink, batch after batch."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta

from pyspark.sql import DataFrame, SparkSession

from purport.errors import PurportError
from purport.pipeline.found_matches import found_matches
from purport.pipeline.job_folder import BatchReport, JobFolder, JobIdentity
from purport.pipeline.jobs.run_stream import EVERY_SECONDS, run_stream
from purport.pipeline.matcher_spec import MatcherSettings, MatcherSpec
from purport.pipeline.notes import Notes
from purport.pipeline.sinks.sink import Sink
from purport.pipeline.sources.source import Source, Spread
from purport.pipeline.timed.asked import split
from purport.pipeline.timed.batches import matches_in_time
from purport.pipeline.timed.engines import EnginesSpec, packed, since
from purport.pipeline.timed.kept import TimedFolder
from purport.pipeline.versions import Versions
from purport.pipeline.watched import Subscribed
from purport.writable import require_room_in


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
    allowance: timedelta = timedelta(0)  # how late events may come, to count in time

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
        records = self.source.records(spark)  # which says what is wrong before anything is claimed
        identity = JobIdentity(self.source.place, self.sink.place, self.since)
        job = self.folder.open(identity)
        name = f"purport {job}"
        with self.folder.alone(), watchers.during(spark, name):
            self.sink.claim(job)
            batches = _Batches(self, watchers)
            run_stream(
                records,
                batches.match,
                self.folder.checkpoint,
                name=name,
                until_end=until_end,
                every_seconds=every_seconds,
            )


class _Batches:
    """What is done with each batch of a running job."""

    def __init__(self, job: MatchStream, watchers: Watchers) -> None:
        self._job, self._watchers = job, watchers
        self._versions = Versions(job.folder.subscriptions)
        self._last_done = max((one.batch for one in job.folder.reports()), default=-1)
        self._told: set[str] = set()
        self._run = uuid.uuid4().hex
        self._settings = _settled(job)
        self._spec: MatcherSpec | None = None
        self._refused = ""  # the key of a spec that cannot be run
        self._current_spec()

    def match(self, records: DataFrame, batch: int) -> None:
        """Match one batch, unless it was done before and Spark did not hear of it."""
        if batch <= self._last_done:
            return
        began = time.time()
        job, home = self._job, self._job.sink.home
        notes = job.folder.notes([home] if home is not None else [])
        spec = self._current_spec()
        cores = _cores_now(records.sparkSession)
        is_spread = isinstance(job.source, Spread)
        spread = records if is_spread else records.repartition(cores)
        if spec.asked().has_time:
            engines = self._engines(spec, batch, notes, cores)
            found = matches_in_time(spread, job.source.reader, spec, engines, notes)
        else:
            found = found_matches(spread, job.source.reader, spec, notes)
        job.sink.write(found, batch, notes)
        finished = time.time()
        counts = notes.counts()
        report = BatchReport(batch, spec.version, finished, finished - began, counts, cores)
        job.folder.keep(report, notes)
        self._last_done = batch
        self._watchers.on_batch(report)
        for problem in report.counts.problems:
            if problem not in self._told:
                self._told.add(problem)
                self._watchers.on_problem(problem)

    def _engines(self, spec: MatcherSpec, batch: int, notes: Notes, cores: int) -> EnginesSpec:
        """The engines for what is subscribed to in time."""
        _, asked = split(spec.subscriptions())
        kept = TimedFolder(self._job.folder.timed.folder.resolve())
        return EnginesSpec(
            self._run,
            batch,
            spec.version,
            packed(asked),
            since(asked, kept.mark(batch)),
            self._settings,
            self._job.allowance,
            min(cores, len(asked)),
            kept,
            notes.timed,
        )

    def _current_spec(self) -> MatcherSpec:
        """The subscriptions as they are now, if the matcher can run them, or those from before."""
        wanted = self._job.subscribed.current(self._watchers.on_problem)
        spec = MatcherSpec.of(wanted, self._settings)
        known = self._spec
        if known is not None and spec.key in (known.key, self._refused):
            return known
        try:
            spec.build()
        except PurportError as error:
            if known is None:
                raise
            self._refused = spec.key
            self._watchers.on_problem(f"the subscriptions stay as they were: {error}")
            return known
        self._spec = replace(spec, version=self._versions.number_of(wanted, self._settings))
        return self._spec


def _settled(job: MatchStream) -> MatcherSettings:
    """The settings of a job with places that are its own, where nobody changes what is there."""
    scores = (job.settings.scores or job.folder.scores).resolve()
    require_room_in(scores)
    lexicon = job.settings.lexicon
    kept = None if lexicon is None else job.folder.keep_lexicon(lexicon)
    ontology = job.folder.keep_ontology(
        job.settings.ontology, ignores_missing_imports=job.settings.ignores_missing_imports
    )
    return replace(
        job.settings,
        scores=scores,
        lexicon=kept,
        ontology=ontology,
        ignores_missing_imports=bool(ontology),  # what was found is among the copies
    )


def _cores_now(spark: SparkSession) -> int:
    """How many tasks run at once; in a cluster that changes, and is little at the beginning."""
    return spark.sparkContext.defaultParallelism
