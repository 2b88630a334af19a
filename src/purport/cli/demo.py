"""`purport demo`: the main job on a simulated city."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from purport.cli.json_lines import print_json
from purport.cli.on_spark import quiet_py4j
from purport.cli.options import AsJson
from purport.errors import UnusablePath

if TYPE_CHECKING:
    from purport.demo.run import DemoResult


def demo(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Where events, matches and report go."
        ),
    ] = Path("demo-report"),
    events: Annotated[
        int, typer.Option(min=1, max=1_000_000, metavar="N", help="How many events.")
    ] = 12_000,
    seed: Annotated[int, typer.Option(metavar="N", help="Another seed is another city.")] = 2014,
    as_json: AsJson = False,
) -> None:
    """Stream a simulated city through Spark, match its events by meaning, and write a report.

    \b
    Example: purport demo --events 50000 -o my-city
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.cli.demo_display import DemoDisplay
    from purport.demo.city import City
    from purport.demo.report import write_report
    from purport.demo.run import run_demo
    from purport.pipeline.session import job_session

    data = output / "purport-demo"
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusablePath(output, error.strerror or str(error)) from None

    started = time.perf_counter()
    console = Console(stderr=as_json, highlight=False, soft_wrap=True)
    _tell_beginning(console)
    with ExitStack() as stack:
        stack.enter_context(quiet_py4j())
        with console.status("Starting Spark on this machine ..."):
            spark = stack.enter_context(job_session("purport demo"))
        display = stack.enter_context(DemoDisplay(console))
        result = run_demo(spark, City(events, seed), data, display.show)
    report = write_report(result, output)
    if as_json:
        _print_json(result)
    _tell_end(console, result)
    console.print(f"Report: {report}   ({time.perf_counter() - started:.0f} s in all)")


def _tell_beginning(console: Console) -> None:
    """Say what makers say, and what the subscriber asks."""
    from purport.demo.story import question, sayings

    console.print("[bold]Four makers of sensors report the same thing, in words of their own:[/]")
    for maker, statements in sayings():
        console.print(Text(f"  {maker:<12}{'   '.join(statements)}"))
    console.print("[bold]You ask once; a ~ means: or what means the same.[/]")
    console.print(Text(f"  {question()}\n"))


def _tell_end(console: Console, result: DemoResult) -> None:
    """Say who was heard, why, and what exact words would have missed."""
    from purport.demo.story import summary, why

    table = Table("subscription", "meant", "found", "exact words alone", "not meant")
    for heard in result.subscriptions:
        counts = (heard.meant.total(), heard.heard.total(), heard.exact.total(), heard.wrong)
        table.add_row(Text(heard.name), *(f"{count:,}" for count in counts))
    console.print(table)
    explained = why(result)
    if explained is not None and explained.example is not None:
        example = explained.example
        console.print(f"[bold]Why {example.event.maker} was heard ({example.probability:.2f}):[/]")
        console.print(Text(example.why + "\n"))
    for sentence in summary(result):
        console.print(sentence, markup=False)


def _print_json(result: DemoResult) -> None:
    for heard in result.subscriptions:
        row = {
            "subscription": heard.name, "meant": heard.meant, "heard": heard.heard,
            "exact": heard.exact, "wrong": heard.wrong,
        }  # fmt: skip
        print_json(row)
