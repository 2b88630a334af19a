"""The live table of the demo: matches by subscription, and how far the stream has come."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as ProgressBar
from rich.table import Table
from rich.text import Text

from purport.demo.run import FILES, Progress, demo_subscriptions
from purport.model.language.label import label


class DemoDisplay:
    """A table that is drawn anew with each batch, on a terminal; a context manager."""

    def __init__(self, console: Console) -> None:
        self._names = [label(subscription) for subscription in demo_subscriptions()]
        self._bar = ProgressBar(
            TextColumn("batches"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        )
        self._task = self._bar.add_task("batches", total=FILES)
        self._live = Live(
            self._drawn(Progress()), console=console, refresh_per_second=8, transient=True
        )

    def __enter__(self) -> Self:
        if self._live.console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()

    def show(self, progress: Progress) -> None:
        """Draw how far the demo has come."""
        self._bar.update(self._task, completed=progress.batches)
        self._live.update(self._drawn(progress))

    def _drawn(self, progress: Progress) -> Group:
        table = Table("subscription", "matches", title="A city reports, Purport matches")
        for name in self._names:
            table.add_row(Text(name), f"{progress.matches[name]:,}")
        table.add_row("[dim]lines refused[/dim]", f"[dim]{progress.dead_letters:,}[/dim]")
        return Group(table, self._bar)
