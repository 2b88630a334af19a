"""`purport demo`: the main job on a simulated city."""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from purport.errors import UnusablePath


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where events, matches and report go.")
    ] = Path("demo-report"),
    events: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many events.")] = 12_000,
    seed: Annotated[int, typer.Option(help="Another seed is another city.")] = 2014,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Stream a simulated city through Spark, match its events, and write a report.

    Example: purport demo --events 50000 -o my-city
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.cli.demo_display import DemoDisplay
    from purport.demo.city import City
    from purport.demo.report import write_report
    from purport.demo.run import run_demo
    from purport.demo.vocabulary import MAKERS
    from purport.pipeline.session import local_session

    data = output / "purport-demo"
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusablePath(output, error.strerror or str(error)) from None

    # Interrupted, py4j logs the loss of its connection with a traceback; a user who pressed Ctrl-C
    # knows.
    logging.disable(logging.CRITICAL)
    started = time.perf_counter()
    console = Console(stderr=as_json, highlight=False, soft_wrap=True)
    with console.status("Starting Spark on this machine ..."):
        spark = local_session("purport demo")
    try:
        with DemoDisplay(console) as display:
            result = run_demo(spark, City(events, seed), data, display.show)
    finally:
        spark.stop()
    report = write_report(result, output)
    if as_json:
        for heard in result.subscriptions:
            row = {"subscription": heard.name, "meant": heard.meant, "heard": heard.heard}
            sys.stdout.write(msgspec.json.encode(row).decode() + "\n")
    console.print(
        f"{events:,} events of {len(MAKERS)} makers streamed through Spark: "
        f"{result.heard:,} of the {result.meant:,} matches that were meant were found.\n"
        "Without '~', exact means exact: only the maker that shares the words is heard.\n"
        f"{len(result.dead_letters):,} broken lines were set aside with their reasons.\n"
        f"Report: {report}   ({time.perf_counter() - started:.0f} s in all)"
    )
