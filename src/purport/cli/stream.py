"""`purport stream`: events in, matches out, on Spark, for as long as it is left to run."""

from __future__ import annotations

import logging
import signal
import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich import get_console, reconfigure


def stream(
    reads: Annotated[
        str | None,
        typer.Option("--from", metavar="URI", help="Where events come from: file:events/ ..."),
    ] = None,
    writes: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="URI", help="Where matches go: parquet:matches/, console: ..."
        ),
    ] = None,
    subscriptions: Annotated[
        list[str] | None,
        typer.Option(
            "--subscriptions",
            "-s",
            metavar="FILE|TEXT",
            help="A file of subscriptions, watched for changes, or one in braces; repeatable.",
        ),
    ] = None,
    job: Annotated[
        Path | None, typer.Option(help="A TOML file with the same in it; flags count for more.")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Where the job remembers how far it came (else in a file sink, or nowhere)."
        ),
    ] = None,
    until_end: Annotated[
        bool | None,
        typer.Option("--until-end", help="Stop when everything that is there now is matched."),
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME|OFFSET", help="Where a new job begins to read.")
    ] = None,
    every_seconds: Annotated[
        float | None, typer.Option("--every", help="Seconds between looks for new events.")
    ] = None,
    measure: Annotated[
        str | None, typer.Option(help="The measure for every ~ that names none.")
    ] = None,
    mode: Annotated[str | None, typer.Option(help="The matcher's mode: default or paper.")] = None,
    lexicon: Annotated[Path | None, typer.Option(help="A lexicon above the measures.")] = None,
    competition: Annotated[
        bool | None, typer.Option("--competition", help="Let the subscriptions' terms compete.")
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(help="A folder of scores, such as `archive tabulate` makes (its own)."),
    ] = None,
    cores: Annotated[str, typer.Option(help="Cores of this machine to use; * means all.")] = "*",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """Match a stream of events on Spark, and write the matches.

    A record that is no event is set aside with the reason, and the stream goes on. Stopped, or
    killed, and started again, the job goes on where it was.

    Example: purport stream --from file:events/ --to parquet:matches/ -s city.purport --until-end
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.cli.stream_display import StreamDisplay
    from purport.pipeline.job_file import read_job
    from purport.pipeline.jobs.match_stream import Watchers
    from purport.pipeline.session import local_session

    flags: dict[str, Any] = {
        "from": reads, "to": writes, "subscriptions": subscriptions, "checkpoint": checkpoint,
        "until_end": until_end, "since": since, "every_seconds": every_seconds, "measure": measure,
        "mode": mode, "lexicon": lexicon, "competition": competition, "scores": scores,
    }  # fmt: skip
    options = read_job(job, {name: value for name, value in flags.items() if value is not None})
    asked = options.job()
    # The console of the process: what a sink prints on it goes above the display, not through it.
    reconfigure(stderr=as_json, highlight=False, soft_wrap=True)
    console = get_console()
    # Interrupted, py4j logs the loss of its connection with a traceback; a user who pressed Ctrl-C
    # knows.
    logging.disable(logging.CRITICAL)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with console.status("Starting Spark ..."):
        spark = local_session("purport stream", cores=cores)
    try:
        with StreamDisplay(console, asked) as display:

            def tell(report: Any) -> None:
                display.show(report)
                if as_json:
                    sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
                    sys.stdout.flush()

            asked.run(
                spark,
                Watchers(tell, display.warn),
                until_end=options.until_end,
                every_seconds=options.every_seconds,
            )
    finally:
        spark.stop()
