"""What a running stream shows: rates, lag, matches by subscription, and what went wrong."""

from __future__ import annotations

from collections import Counter
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from purport.pipeline.job_folder import BatchReport
from purport.pipeline.jobs.match_stream import MatchStream

_SHOWN = 12


class StreamDisplay:
    """A table that is drawn anew with each batch; a context manager."""

    def __init__(self, console: Console, job: MatchStream) -> None:
        self._console, self._job = console, job
        self._batches = self._events = self._dead_letters = 0
        self._seconds = 0.0
        self._matches: Counter[str] = Counter()
        self._last: BatchReport | None = None
        self._live = Live(self._drawn(), console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()
        if self._last is not None or error is None:
            self._console.print(self._drawn())

    def show(self, report: BatchReport) -> None:
        """Draw how far the stream has come."""
        counts = report.counts
        self._batches += 1
        self._events += counts.events
        self._dead_letters += counts.dead_letters
        self._matches.update(counts.matches)
        self._seconds += report.seconds
        self._last = report
        self._live.update(self._drawn(), refresh=True)

    def warn(self, problem: str) -> None:
        """Say what went wrong while the stream goes on."""
        self._console.print(Text(problem, "yellow"))

    def _drawn(self) -> Group:
        table = Table("subscription", "matches")
        for name, count in self._matches.most_common(_SHOWN):
            table.add_row(Text(name), f"{count:,}")
        if len(self._matches) > _SHOWN:
            rest = self._matches.total() - sum(n for _, n in self._matches.most_common(_SHOWN))
            table.add_row(f"[dim]{len(self._matches) - _SHOWN} more[/dim]", f"{rest:,}")
        return Group(*([table] if self._matches else []), Text(self._summary()))

    def _summary(self) -> str:
        last = self._last
        if last is None:
            return "no events yet" if self._batches == 0 else ""
        rate = self._events / self._seconds if self._seconds else 0.0
        lag = last.lag_seconds
        told = [
            f"{self._events:,} events in {self._batches:,} batches",
            f"{rate:,.0f} events/s",
            f"{sum(self._matches.values()):,} matches",
            f"{self._dead_letters:,} dead letters",
        ]
        if lag is not None:
            told.append(f"{lag:.1f} s behind")
        if self._dead_letters:
            folder = self._job.folder
            kept = f"see {folder.dead_letters}"
            told.append("not kept without a checkpoint" if folder.is_temporary else kept)
        return ", ".join(told)
