"""The batches of a job, counted up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from purport.pipeline.job_folder import BatchReport
from purport.pipeline.notes import Counts


@dataclass(slots=True)
class Tally:
    """What became of some batches of a job in all, told one after the other."""

    batches: int = 0
    seconds: float = 0.0
    core_seconds: float = 0.0
    counts: Counts = field(default_factory=Counts)
    last: BatchReport | None = None

    def add(self, report: BatchReport) -> None:
        """Count one more batch."""
        self.batches += 1
        self.seconds += report.seconds
        self.core_seconds += report.seconds * report.cores
        self.counts.add(report.counts)
        self.last = report

    @property
    def matches(self) -> Counter[str]:
        """The matches, by subscription; a copy."""
        return Counter(self.counts.matches)
