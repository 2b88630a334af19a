"""How far simulations are: a bar of runs, and what is going on, on the error output."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from purport.evaluation.semps.processes import Tell


@contextmanager
def simulation_progress(what: str) -> Iterator[Tell]:
    """A bar while the work lasts, and beside it the last thing that was told."""
    console = Console(stderr=True, highlight=False)
    columns = TextColumn("{task.description}"), BarColumn(bar_width=20), MofNCompleteColumn()
    now = TextColumn("{task.fields[now]}", style="dim")
    is_shown = console.is_terminal
    with Progress(
        *columns, TimeElapsedColumn(), now, console=console, transient=True, disable=not is_shown
    ) as bar:
        task = bar.add_task(what, total=None, now="")

        def tell(done: int, total: int, said: str) -> None:
            bar.update(task, completed=done, total=total, now=said)

        yield tell
