"""`purport demo`: the main job on a simulated city."""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as ProgressBar
from rich.table import Table

from purport.errors import MissingExtra, UnreadableFile


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where events, matches and report go.")
    ] = Path("demo-report"),
    events: Annotated[int, typer.Option(min=1, max=10_000_000, help="How many events.")] = 12_000,
    seed: Annotated[int, typer.Option(help="Another seed is another city.")] = 2014,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Stream a simulated city through Spark, match its events, and write a report.

    Example: purport demo --events 50000 -o my-city
    """
    console = Console(stderr=as_json)
    try:
        from purport.demo.city import City
        from purport.demo.report import write_report
        from purport.demo.run import FILES, Progress, demo_subscriptions, run_demo
        from purport.matching.supported import label
        from purport.pipeline.session import local_session
    except ModuleNotFoundError as error:
        raise MissingExtra("spark") from error
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnreadableFile(output, error.strerror or str(error)) from None

    started = time.perf_counter()
    with console.status("Starting Spark on this machine ..."):
        spark = local_session("purport demo")
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    names = [label(subscription) for subscription in demo_subscriptions()]
    bar = ProgressBar(TextColumn("batches"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    batches = bar.add_task("batches", total=min(FILES, events))

    def table(progress: Progress) -> Table:
        shown = Table("subscription", "matches", title="A city reports, Purport matches")
        for name in names:
            shown.add_row(name, f"{progress.matches[name]:,}")
        shown.add_row("[dim]lines refused[/dim]", f"[dim]{progress.dead_letters:,}[/dim]")
        return shown

    with Live(Group(table(Progress()), bar), console=console, refresh_per_second=8) as live:

        def show(progress: Progress) -> None:
            bar.update(batches, completed=progress.batches)
            live.update(Group(table(progress), bar))

        result = run_demo(spark, City(events, seed), output, show)
    spark.stop()
    report = write_report(result, output)
    if as_json:
        for heard in result.subscriptions:
            row = {"subscription": heard.name, "meant": heard.meant, "heard": heard.heard}
            sys.stdout.write(msgspec.json.encode(row).decode() + "\n")
    console.print(
        f"\n{events:,} events from 4 makers streamed through Spark; "
        f"{result.matches:,} of {result.meant:,} that mean what a subscription asks were heard.\n"
        "Exact words hear the makers that share them; the others wait for '~'.\n"
        f"{len(result.dead_letters):,} broken lines were set aside with their reasons.\n"
        f"Report: {report}   ({time.perf_counter() - started:.0f} s in all)"
    )
