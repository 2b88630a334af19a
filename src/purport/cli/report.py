"""`purport report`: a page that says what a streaming job did."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from purport.cli.json_lines import print_json
from purport.errors import UnusablePath


def report(
    folder: Annotated[
        Path, typer.Argument(metavar="MATCHES", help="A folder of matches, or a job's checkpoint.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the page goes.")
    ] = Path("purport-report.html"),
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the totals as JSON instead of a page.")
    ] = False,
) -> None:
    """Write a page about a job of `purport stream`, which may still run: no Spark is started.

    \b
    Example: purport report matches/ -o report.html
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.pipeline.report import pictures_missing
    from purport.pipeline.report import report as page_of
    from purport.pipeline.stored.job import StoredJob
    from purport.pipeline.stored.summary import JobSummary

    summary = JobSummary.of(StoredJob.at(folder))
    if as_json:
        print_json(summary.totals())
        return
    try:
        output.write_text(page_of(summary), encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UnusablePath(output, error.strerror or str(error)) from None
    missing = pictures_missing()
    if missing is not None:
        sys.stderr.write(f"no pictures: {missing}\n")
    sys.stdout.write(f"{output}\n")
