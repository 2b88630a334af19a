"""What a job did so far: totals, how it went over its batches, and what is worth a look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import msgspec

from purport.errors import InvalidInput, UnusablePath
from purport.model.event import Event
from purport.pipeline.figures import Figures
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.metrics import JSON_FILE
from purport.pipeline.stored.events import EventGone
from purport.pipeline.stored.job import StoredJob
from purport.pipeline.stored.letters import Refused, StoredLetters
from purport.pipeline.stored.matches import StoredMatch
from purport.pipeline.stored.seen import SeenMatches
from purport.pipeline.stored.source_events import source_events
from purport.pipeline.watched import Versions

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
class VersionSummary:
    """What was matched with a version of the subscriptions."""

    number: int
    batches: int = 0
    events: int = 0
    matches: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class JobSummary:
    """What a job did so far."""

    job: StoredJob
    batches: int = 0
    events: int = 0
    dead_letters: int = 0
    seconds: float = 0.0
    core_seconds: float = 0.0
    work: dict[str, float] = field(default_factory=dict)  # seconds of cores, by what they did
    matches: Counter[str] = field(default_factory=Counter)
    versions: dict[int, VersionSummary] = field(default_factory=dict)
    courses: list[Course] = field(default_factory=list)
    last: BatchReport | None = None
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
            kept = -(-EXAMPLES // max(1, len(summary.matches)))
            summary.seen = SeenMatches.of(job.matches, kept)
            examples = {*summary.seen.most_sure(EXAMPLES), *summary.seen.least(EXAMPLES)}
            summary.events_seen = _events(job, examples)
        return summary

    @property
    def waiting(self) -> float:
        """Seconds of cores that went neither into reading nor into matches."""
        return max(0.0, self.core_seconds - sum(self.work.values()))

    def asked(self) -> int | None:
        """How many subscriptions there are now; None if nobody knows."""
        return _count(self.job.versions, max(self.versions)) if self.versions else None

    def totals(self) -> dict[str, object]:
        """The totals, for programs."""
        return {
            "source": self.job.identity.source,
            "sink": self.job.identity.sink,
            "state": None if self.figures is None else self.figures.state,
            "batches": self.batches,
            "events": self.events,
            "matches": self.matches.total(),
            "dead_letters": self.dead_letters,
            "batch_seconds": self.seconds,
            "lag_seconds": None if self.last is None else self.last.lag_seconds,
            "matches_by_version": {
                one.number: one.matches.total() for one in self.versions.values()
            },
            "matches_by_subscription": dict(self.matches.most_common()),
            "dead_letters_by_reason": {one.kind: one.count for one in self.refused},
        }

    def _add(self, report: BatchReport) -> None:
        counts = report.counts
        self.batches += 1
        self.events += counts.events
        self.dead_letters += counts.dead_letters
        self.seconds += report.seconds
        self.core_seconds += report.seconds * report.cores
        for part in ("reading", "matching", "handing_over"):
            self.work[part] = self.work.get(part, 0.0) + getattr(counts, part)
        self.matches.update(counts.matches)
        version = self.versions.setdefault(report.version, VersionSummary(report.version))
        version.batches += 1
        version.events += counts.events
        version.matches.update(counts.matches)
        self.courses.append(Course(report.batch, counts.events, report.seconds, report.lag_seconds))
        self.last = report


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
