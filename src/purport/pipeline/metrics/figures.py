"""The figures of a job: what it did so far, how quick it is, how far behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

import msgspec

import purport
from purport.pipeline.job_folder import BatchReport
from purport.prometheus import (
    Family,
    Kind,
    Sample,
    counter,
    counters,
    exposition,
    gauge,
    gauges,
)

_WHOLE_TRIGGER = "triggerExecution"


class QueryState(StrEnum):
    """What has become of a job."""

    RUNNING = "running"
    STOPPED = "stopped"
    FAILED = "failed"


class Figures(msgspec.Struct):
    """The figures of a job, over all its runs but for `problems` and what Spark's triggers took.

    Times are seconds since 1970, durations are in seconds; those of work are seconds of one core.
    """

    purport_version: str = purport.__version__
    source: str = ""
    sink: str = ""
    state: QueryState = QueryState.STOPPED
    started: float | None = None
    last_progress: float | None = None
    subscriptions_version: int | None = None
    batches: int = 0
    events: int = 0
    matches: int = 0
    dead_letters: int = 0
    late: int = 0
    without_time: int = 0
    problems: int = 0
    lag_seconds: float | None = None
    events_per_second: dict[str, float] = msgspec.field(default_factory=dict)
    batch_seconds: float = 0.0
    last_batch_seconds: float | None = None
    work_seconds: dict[str, float] = msgspec.field(default_factory=dict)
    triggers: int = 0
    trigger_seconds: dict[str, float] = msgspec.field(default_factory=dict)  # by Spark's names
    last_trigger_seconds: dict[str, float] = msgspec.field(default_factory=dict)
    matches_by_subscription: dict[str, int] = msgspec.field(default_factory=dict)

    def add(self, report: BatchReport) -> None:
        """Count a batch, but for its matches by subscription."""
        counts = report.counts
        self.batches += 1
        self.events += counts.events
        self.matches += sum(counts.matches.values())
        self.dead_letters += counts.dead_letters
        self.late += counts.late
        self.without_time += counts.without_time
        self.batch_seconds += report.seconds
        self.subscriptions_version = report.version
        for part, took in counts.work.items():
            self.work_seconds[part] = self.work_seconds.get(part, 0.0) + took

    def add_last(self, report: BatchReport) -> None:
        """Tell of the batch that was done last."""
        self.lag_seconds = report.lag_seconds
        self.last_batch_seconds = report.seconds
        rates = {
            "last_batch": (report.counts.events, report.seconds),
            "all_batches": (self.events, self.batch_seconds),
        }
        self.events_per_second = {
            over: events / seconds for over, (events, seconds) in rates.items() if seconds
        }

    def add_trigger(self, seconds: Mapping[str, float]) -> None:
        """Count one of Spark's triggers, by what its parts took."""
        self.triggers += 1
        self.last_trigger_seconds = dict(seconds)
        for part, took in seconds.items():
            self.trigger_seconds[part] = self.trigger_seconds.get(part, 0.0) + took

    def json(self) -> bytes:
        """For programs."""
        return msgspec.json.format(msgspec.json.encode(self)) + b"\n"

    def text(self) -> str:
        """For Prometheus."""
        return exposition(_families(self))


def _families(figures: Figures) -> list[Family]:
    """The figures under Prometheus' kind of names."""
    return [*_of_job(figures), *_of_work(figures), *_of_triggers(figures)]


def _of_job(figures: Figures) -> Iterator[Family]:
    job = {"version": figures.purport_version, "source": figures.source, "sink": figures.sink}
    info = (Sample(1, job),)
    yield Family("purport_job_info", Kind.GAUGE, "What the job reads and writes.", info)
    states = {str(state): int(state == figures.state) for state in QueryState}
    yield gauges("purport_job_state", "1 for what has become of the job.", "state", states)
    yield gauge("purport_run_start_time_seconds", "When this run began.", figures.started)
    yield gauge(
        "purport_last_progress_timestamp_seconds",
        "When the query last gave a sign of life.",
        figures.last_progress,
    )
    yield gauge(
        "purport_subscriptions_version",
        "The version of the subscriptions in the last batch.",
        figures.subscriptions_version,
    )
    yield counter("purport_problems", "Problems met in this run.", figures.problems)


def _of_work(figures: Figures) -> Iterator[Family]:
    yield counter("purport_batches", "Batches done.", figures.batches)
    yield counter("purport_events", "Events matched against subscriptions.", figures.events)
    found = figures.matches_by_subscription
    yield counters("purport_matches", "Matches found, by subscription.", "subscription", found)
    yield counter("purport_dead_letters", "Records set aside.", figures.dead_letters)
    yield counter("purport_late_events", "Events too late to count in time.", figures.late)
    yield counter(
        "purport_timeless_events", "Events asked for in time, without one.", figures.without_time
    )
    yield gauges(
        "purport_events_per_second",
        "How many events a second of work on batches took in.",
        "over",
        figures.events_per_second,
    )
    yield gauge(
        "purport_lag_seconds",
        "How old the oldest source of the last batch was when its matches were written.",
        figures.lag_seconds,
    )
    yield counter("purport_batch_seconds", "Time spent on batches.", figures.batch_seconds)
    last = figures.last_batch_seconds
    yield gauge("purport_last_batch_seconds", "Time spent on the last batch.", last)
    yield counters("purport_work_seconds", "Time of cores.", "part", figures.work_seconds)


def _of_triggers(figures: Figures) -> Iterator[Family]:
    whole, parts = _trigger_parts(figures.trigger_seconds)
    yield counter("purport_triggers", "Spark's triggers in this run.", figures.triggers)
    yield counter("purport_trigger_seconds", "Time that they took.", whole)
    yield counters(
        "purport_trigger_part_seconds",
        "Time that their parts took, by Spark's names.",
        "part",
        parts,
    )
    whole, parts = _trigger_parts(figures.last_trigger_seconds)
    yield gauge("purport_last_trigger_seconds", "Time that the last trigger took.", whole)
    yield gauges(
        "purport_last_trigger_part_seconds",
        "Time that its parts took, by Spark's names.",
        "part",
        parts,
    )


def _trigger_parts(seconds: Mapping[str, float]) -> tuple[float | None, dict[str, float]]:
    """What a trigger took in all, and its parts."""
    parts = {part: took for part, took in seconds.items() if part != _WHOLE_TRIGGER}
    return seconds.get(_WHOLE_TRIGGER), parts
