"""What a job did so far: totals, how it went over its batches, and what is worth a look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import msgspec

from purport.errors import InvalidInput, UnusablePath
from purport.model.event import Event
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.metrics.figures import Figures
from purport.pipeline.metrics.job_metrics import JSON_FILE
from purport.pipeline.stored.catalogue import source_events
from purport.pipeline.stored.job import StoredJob
from purport.pipeline.stored.letters import Refused, StoredLetters
from purport.pipeline.stored.matches import StoredMatch
from purport.pipeline.stored.seen import SeenMatches
from purport.pipeline.stored.source_events import EventGone
from purport.pipeline.tally import Tally
from purport.pipeline.versions import Versions

EXAMPLES = 6
_MOST_POINTS = 200


@dataclass(frozen=True, slots=True)
class Course:
    """One batch, or some that follow each other: from the first, how quick and how late."""

    batch: int
    events: int
    seconds: float
    lag_seconds: float | None

    @property
    def events_per_second(self) -> float:
        """How many events a second of work took in."""
        return self.events / self.seconds if self.seconds else 0.0


@dataclass(slots=True)
class JobSummary:
    """What a job did so far."""

    job: StoredJob
    tally: Tally = field(default_factory=Tally)
    versions: dict[int, Tally] = field(default_factory=dict)  # by their numbers
    courses: list[Course] = field(default_factory=list)
    figures: Figures | None = None  # as the job last told them
    seen: SeenMatches | None = None
    refused: list[Refused] = field(default_factory=list)
    events_seen: dict[StoredMatch, Event | EventGone] = field(default_factory=dict)

    @classmethod
    def of(cls, job: StoredJob) -> JobSummary:
        """What there is to be said of a job now, which may still run."""
        summary = cls(job, figures=_figures(job.folder))
        for report in job.folder.reports():
            summary._add(report)
        summary.courses = list(_thinned(summary.courses))
        summary.refused = StoredLetters(job.folder.dead_letters).by_reason()
        if job.matches is not None:
            kept = -(-EXAMPLES // max(1, len(summary.tally.matches)))
            summary.seen = SeenMatches.of(job.matches, kept)
            examples = {*summary.seen.most_sure(EXAMPLES), *summary.seen.least(EXAMPLES)}
            summary.events_seen = _events(job, examples)
        return summary

    @property
    def waiting(self) -> float:
        """Seconds of cores that went neither into reading nor into matches."""
        return max(0.0, self.tally.core_seconds - sum(self.tally.counts.work.values()))

    def asked(self) -> int | None:
        """How many subscriptions there are now; None if nobody knows."""
        return _count(self.job.versions, max(self.versions)) if self.versions else None

    def totals(self) -> dict[str, object]:
        """The totals, for programs."""
        tally, matches = self.tally, self.tally.matches
        return {
            "source": self.job.identity.source,
            "sink": self.job.identity.sink,
            "state": None if self.figures is None else self.figures.state,
            "batches": tally.batches,
            "events": tally.counts.events,
            "matches": matches.total(),
            "dead_letters": tally.counts.dead_letters,
            "batch_seconds": tally.seconds,
            "lag_seconds": None if tally.last is None else tally.last.lag_seconds,
            "matches_by_version": {
                number: one.matches.total() for number, one in self.versions.items()
            },
            "matches_by_subscription": dict(matches.most_common()),
            "dead_letters_by_reason": {one.kind: one.count for one in self.refused},
        }

    def _add(self, report: BatchReport) -> None:
        self.tally.add(report)
        self.versions.setdefault(report.version, Tally()).add(report)
        counts = report.counts
        self.courses.append(Course(report.batch, counts.events, report.seconds, report.lag_seconds))


def _thinned(courses: Sequence[Course]) -> Iterator[Course]:
    """So many points as can be seen: several batches become one."""
    step = -(-len(courses) // _MOST_POINTS) or 1
    batches = iter(courses)
    while some := list(islice(batches, step)):
        lags = [one.lag_seconds for one in some if one.lag_seconds is not None]
        yield Course(
            some[0].batch,
            sum(one.events for one in some),
            sum(one.seconds for one in some),
            max(lags, default=None),
        )


def _figures(folder: JobFolder) -> Figures | None:
    try:
        return msgspec.json.decode((folder.folder / JSON_FILE).read_bytes(), type=Figures)
    except (OSError, msgspec.MsgspecError):
        return None


def _events(job: StoredJob, matches: Iterable[StoredMatch]) -> dict[StoredMatch, Event | EventGone]:
    try:
        return source_events(job.identity.source).events(matches)
    except InvalidInput as error:
        gone = EventGone(str(error))
        return dict.fromkeys(matches, gone)


def _count(versions: Versions, number: int) -> int | None:
    try:
        return len(versions.lines(number))
    except UnusablePath:
        return None
