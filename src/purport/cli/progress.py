"""How far long work is, as a bar on the error output."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar while the work lasts; it is told how much is done, and how much there is in all."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    console = Console(stderr=True, highlight=False)
    parts = *columns, TimeRemainingColumn()
    is_shown = console.is_terminal
    with Progress(*parts, console=console, transient=True, disable=not is_shown) as bar:
        task = bar.add_task(what, total=None)

        def tell(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield tell
