"""The figures of a running job, for whoever watches it: as JSON, and for Prometheus."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import msgspec
from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener

from purport.pipeline.job_folder import BatchReport, JobFolder, JobIdentity
from purport.pipeline.jobs.match_stream import Watchers
from purport.pipeline.metrics.figures import Figures, QueryState
from purport.pipeline.spark_errors import SPARK_ERRORS
from purport.whole_file import write_whole

MOST_SUBSCRIPTIONS = 1000
OTHER = "other"
TEXT_FILE, JSON_FILE = "metrics.prom", "metrics.json"
_LAST_WORDS_SECONDS = 2.0  # that Spark has to tell of a query's end


class JobMetrics:
    """Keeps the figures of a job, and writes them to its folder after each batch.

    Of subscriptions, a thousand are told apart; the matches of the rest are counted together. Who
    is told apart stays so: a counter that went down would be taken for one that began anew.
    """

    def __init__(
        self,
        folder: JobFolder,
        tell: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._folder, self._tell, self._clock = folder, tell, clock
        self._lock = threading.RLock()
        self._figures = Figures()
        self._has_trouble = False

    @property
    def watchers(self) -> Watchers:
        """What a job has to be run with."""
        return Watchers(self.add, self.add_problem, self.during)

    def figures(self) -> Figures:
        """The figures as they are now; a copy."""
        with self._lock:
            return msgspec.convert(msgspec.to_builtins(self._figures), Figures)

    @contextmanager
    def during(self, spark: SparkSession, query: str) -> Iterator[None]:
        """Listens to a query of this name while a job runs, and notes how it ends."""
        self.begin(self._folder.identity(), self._folder.reports())
        listener = _Listener(self, query)
        spark.streams.addListener(listener)
        state = QueryState.STOPPED
        try:
            yield
        except Exception:
            state = QueryState.FAILED
            raise
        finally:
            listener.hear_last_words()
            with suppress(*SPARK_ERRORS, OSError):  # there may be no Spark any more
                spark.streams.removeListener(listener)
            self.end(state)

    def begin(self, identity: JobIdentity, reports: Iterable[BatchReport]) -> None:
        """Begin a run, with what former runs have counted."""
        matches: Counter[str] = Counter()
        with self._lock:
            self._figures = Figures(
                source=identity.source,
                sink=identity.sink,
                state=QueryState.RUNNING,
                started=self._clock(),
            )
            for report in reports:
                self._figures.add(report)
                matches.update(report.counts.matches)
            self._count(dict(matches.most_common()))
            self._write()

    def add(self, report: BatchReport) -> None:
        """Count one more batch."""
        with self._lock:
            self._figures.add(report)
            self._figures.add_last(report)
            self._count(report.counts.matches)
            self._figures.last_progress = self._clock()
            self._write()

    def add_problem(self, _: str) -> None:
        """Count what went wrong while the stream goes on."""
        with self._lock:
            self._figures.problems += 1

    def add_progress(self, seconds: Mapping[str, float]) -> None:
        """Count one of Spark's triggers; one that did nothing is only a sign of life."""
        with self._lock:
            self._figures.last_progress = self._clock()
            if seconds:
                self._figures.add_trigger(seconds)
            self._write()

    def end(self, state: QueryState) -> None:
        """Note how a run ended."""
        with self._lock:
            self._figures.state = state
            self._write()

    def _count(self, found: Mapping[str, int]) -> None:
        told_apart = self._figures.matches_by_subscription
        for name, count in found.items():
            most = MOST_SUBSCRIPTIONS + (OTHER in told_apart)
            key = name if name in told_apart or len(told_apart) < most else OTHER
            told_apart[key] = told_apart.get(key, 0) + count

    def _write(self) -> None:
        """Write the figures down; what keeps them from it does not stop the stream."""
        forms = {TEXT_FILE: self._figures.text().encode("utf-8", "backslashreplace")}
        forms[JSON_FILE] = self._figures.json()
        try:
            for name, text in forms.items():
                write_whole(self._folder.folder / name, text, is_lasting=False)
        except OSError as error:
            self._figures.problems += 1
            if not self._has_trouble and self._tell is not None:
                self._tell(f"the metrics are not written: {error}")
            self._has_trouble = True
        else:
            self._has_trouble = False


class _Listener(StreamingQueryListener):
    """Hears what Spark tells of one query, by its name; other queries may run beside it."""

    def __init__(self, metrics: JobMetrics, query: str) -> None:
        self._metrics, self._query = metrics, query
        self._run: object = None
        self._ended = threading.Event()

    def hear_last_words(self) -> None:
        """Wait until Spark has told of the end, which it does a moment later."""
        if self._run is not None:
            self._ended.wait(_LAST_WORDS_SECONDS)

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        """Know the query by its run from now on."""
        if event.name == self._query:
            self._run = event.runId

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """Pass on what the parts of a trigger took."""
        if event.progress.runId == self._run:
            took = event.progress.durationMs
            self._metrics.add_progress({part: took[part] / 1000 for part in sorted(took)})

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """Pass on that there is nothing to do."""
        if event.runId == self._run:
            self._metrics.add_progress({})

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """There is nothing more to come."""
        if event.runId == self._run:
            self._ended.set()
