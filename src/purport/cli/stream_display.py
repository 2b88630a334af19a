"""What a running stream shows: rates, lag, matches by subscription, and what went wrong."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from enum import Enum, auto
from itertools import islice
from types import TracebackType
from typing import Self

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from purport.errors import PurportError
from purport.model.event_lines import DeadLetter
from purport.model.term import printable
from purport.pipeline.job_folder import BatchReport
from purport.pipeline.jobs.match_stream import MatchStream
from purport.pipeline.stored.letters import StoredLetters, kind_of
from purport.pipeline.tally import Tally

_MOST_ROWS, _FEWEST_ROWS, _OTHER_LINES = 12, 3, 14
_REASONS_SHOWN = 3
_LETTERS_LOOKED_AT = 200
_SECONDS_BETWEEN_LINES = 1.0


class Show(Enum):
    """How progress is shown: drawn anew in one place, line by line, or not before the end."""

    LIVE = auto()
    LINES = auto()
    AT_THE_END = auto()


class StreamDisplay:
    """Shows how far a stream has come, and says at its end what it did; a context manager."""

    def __init__(
        self,
        console: Console,
        job: MatchStream,
        show: Show | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._console, self._job, self._clock = console, job, clock
        self._how = show or (Show.LIVE if console.is_terminal else Show.LINES)
        self._tally = Tally()
        self._reasons: dict[str, DeadLetter] = {}  # the first of each kind
        self._problems: list[float] = []  # when they were met
        self._lock = threading.Lock()  # the picture is drawn by a thread of its own
        self._began, self._last_line = clock(), 0.0
        self._live = Live(
            console=console,
            get_renderable=self._drawn,
            refresh_per_second=1,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=sys.stderr.isatty(),
        )

    def __enter__(self) -> Self:
        self._began = self._clock()
        if self._how is Show.LIVE:
            self._live.start(refresh=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._how is Show.LIVE:
            self._live.stop()
        if self._tally.batches or error is None:
            self._console.print(self._drawn(is_end=True))

    def show(self, report: BatchReport) -> None:
        """Tell how far the stream has come."""
        with self._lock:
            self._tally.add(report)
        for letter in self._new_reasons(report):
            if self._how is Show.LINES:
                self._say(f"set aside: {_told(letter)}", self._clock())
        if self._how is Show.LIVE:
            self._live.refresh()
        elif self._how is Show.LINES and self._is_time_for_a_line(report):
            self._last_line = report.finished
            self._say(_line(self._tally, report), report.finished)

    def warn(self, problem: str) -> None:
        """Say what went wrong while the stream goes on."""
        now = self._clock()
        with self._lock:
            self._problems.append(now)
        self._say(f"problem: {problem}", now, "yellow")

    def say(self, text: str) -> None:
        """Say something on a line of its own."""
        self._console.print(Text(text), soft_wrap=True)

    def _say(self, text: str, now: float, style: str = "") -> None:
        self._console.print(Text(f"{_time_of_day(now)}  {text}", style), soft_wrap=True)

    def _is_time_for_a_line(self, report: BatchReport) -> bool:
        return report.finished - self._last_line >= _SECONDS_BETWEEN_LINES

    def _new_reasons(self, report: BatchReport) -> list[DeadLetter]:
        """The first dead letters of kinds that are not known, while there is room for more."""
        known = self._reasons
        if not report.counts.dead_letters or len(known) >= _REASONS_SHOWN:
            return []
        try:
            stored = StoredLetters(self._job.folder.dead_letters)
            letters = stored.of_batch(report.batch, _LETTERS_LOOKED_AT)
        except PurportError:
            return []
        found: dict[str, DeadLetter] = {}
        for letter in letters:
            if (kind := kind_of(letter.reason)) not in known:
                found.setdefault(kind, letter)
        new = dict(islice(found.items(), _REASONS_SHOWN - len(known)))
        with self._lock:
            known.update(new)
        return list(new.values())

    def _drawn(self, *, is_end: bool = False) -> RenderableType:
        with self._lock:
            return self._picture(is_end=is_end)

    def _picture(self, *, is_end: bool) -> RenderableType:
        tally = self._tally
        figures = Table.grid(padding=(0, 2, 0, 0))
        figures.add_column(style="bold", no_wrap=True)
        figures.add_column(justify="right", no_wrap=True)
        figures.add_column(overflow="fold")
        for name, value, note in self._figures(is_end=is_end):
            figures.add_row(name, value, Text(note))
        parts: list[RenderableType] = [figures]
        parts += [Text(f"  {_told(letter)}", "dim") for letter in self._reasons.values()]
        if tally.counts.matches:
            parts.append(self._subscriptions(is_end=is_end))
        return Group(*parts)

    def _figures(self, *, is_end: bool) -> Iterator[tuple[str, str, str]]:
        """Rows of a name, a figure, and what else is to be said of it."""
        tally, last, now = self._tally, self._tally.last, self._clock()
        counts = tally.counts
        spent = timedelta(seconds=int(now - self._began))
        if last is None:
            yield "events", "0", f"{'none came' if is_end else 'none yet'}, {spent}"
        else:
            mean = f"{_rate(counts.events, tally.seconds)} on average"
            quick = f"{_rate(last.counts.events, last.seconds)} now, {mean}"
            yield "events", f"{counts.events:,}", mean if is_end else quick
            yield "matches", f"{tally.matches.total():,}", _found_by(tally, last)
            if last.lag_seconds is not None:
                yield "behind", f"{last.lag_seconds:,.1f} s", "since the oldest source changed"
            done = f"the last at {_time_of_day(last.finished)}, {spent} in all"
            yield "batches", f"{tally.batches:,}", done
        if counts.dead_letters:
            folder = self._job.folder
            kept = f"in {folder.dead_letters}"
            where = "not kept without a checkpoint" if folder.is_temporary else kept
            yield "dead letters", f"{counts.dead_letters:,}", where
        if counts.undelivered:
            yield "undelivered", f"{counts.undelivered:,}", "matches, which are dead letters now"
        if counts.late:
            yield "late", f"{counts.late:,}", "events that came too late to count in time"
        if counts.without_time:
            yield "without a time", f"{counts.without_time:,}", "events that count nowhere in time"
        if self._problems:
            when = _time_of_day(self._problems[-1])
            yield "problems", f"{len(self._problems):,}", f"told above, the last at {when}"

    def _subscriptions(self, *, is_end: bool) -> Table:
        matches, last = self._tally.matches, self._tally.last
        room = _MOST_ROWS if is_end else self._console.height - _OTHER_LINES
        shown = matches.most_common(max(_FEWEST_ROWS, min(_MOST_ROWS, room)))
        table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
        table.add_column("subscription", overflow="fold")
        table.add_column("matches", justify="right", no_wrap=True)
        if not is_end:
            table.add_column("now", justify="right", no_wrap=True)
        for name, count in shown:
            new = last.counts.matches.get(name, 0) if last is not None else 0
            row: list[RenderableType] = [Text(printable(name)), f"{count:,}"]
            if not is_end:
                row.append(f"+{new:,}" if new else "")
            table.add_row(*row)
        more = len(matches) - len(shown)
        if more:
            rest = matches.total() - sum(count for _, count in shown)
            table.add_row(Text(f"{more:,} more", "dim"), f"{rest:,}")
        return table


def _line(tally: Tally, report: BatchReport) -> str:
    """How far a stream has come, in one line."""
    counts, total = report.counts, tally.counts
    told = [
        f"batch {report.batch}: {counts.events:,} events",
        _rate(counts.events, report.seconds),
        f"{sum(counts.matches.values()):,} matches",
    ]
    if report.lag_seconds is not None:
        told.append(f"{report.lag_seconds:.1f} s behind")
    in_all = [
        f"in all {total.events:,} events",
        _rate(total.events, tally.seconds),
        f"{sum(total.matches.values()):,} matches",
        f"{total.dead_letters:,} dead letters",
    ]
    if total.undelivered:
        in_all.append(f"{total.undelivered:,} matches not delivered")
    return f"{', '.join(told)}; {', '.join(in_all)}"


def _found_by(tally: Tally, last: BatchReport) -> str:
    count = len(tally.counts.matches)
    asked = "no subscription" if not count else f"{count:,} subscription{'s'[: count != 1]}"
    return f"by {asked}, version {last.version}"


def _rate(events: int, seconds: float) -> str:
    return f"{events / seconds if seconds else 0.0:,.0f}/s"


def _told(letter: DeadLetter) -> str:
    return printable(f"{letter.source}:{letter.line}: {letter.reason}")


def _time_of_day(seconds: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(seconds))
