"""`purport stream`: events in, matches out, on Spark, for as long as it is left to run."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import get_console, reconfigure

from purport.cli.json_lines import print_json
from purport.cli.on_spark import quiet_py4j
from purport.cli.ontology_files import IgnoreOption, OntologyOption
from purport.cli.options import AsJson, LexiconOption, MeasureOption

if TYPE_CHECKING:
    from purport.cli.stream_display import Show
    from purport.pipeline.job_file import JobOptions
    from purport.pipeline.job_folder import BatchReport


From = Annotated[
    str | None,
    typer.Option("--from", metavar="URI", help="Where events come from: file:events/ ..."),
]
To = Annotated[
    str | None,
    typer.Option("--to", metavar="URI", help="Where matches go: parquet:matches/ ..."),
]
WatchedSubscriptions = Annotated[
    list[str] | None,
    typer.Option(
        "--subscriptions",
        "-s",
        metavar="FILE|TEXT|broker:FOLDER",
        help="A file of subscriptions or a broker, watched, or one in braces; repeatable.",
    ),
]
JobFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A TOML file with the same in it; flags count for more."),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Where the job remembers how far it came (with file sinks: inside).",
    ),
]
UntilEnd = Annotated[
    bool | None,
    typer.Option("--until-end", help="Stop when everything that is there now is matched."),
]
Since = Annotated[
    str | None, typer.Option(metavar="TIME|OFFSET", help="Where a new job begins to read.")
]
Every = Annotated[
    float | None,
    typer.Option("--every", metavar="SECONDS", help="How long between looks for new events."),
]
JobMode = Annotated[
    str | None, typer.Option(metavar="NAME", help="The matcher's mode: default or paper.")
]
Competition = Annotated[
    bool | None, typer.Option("--competition", help="Let the subscriptions' terms compete.")
]
MetricsPort = Annotated[
    int | None,
    typer.Option(
        min=0, max=65535, metavar="N", help="Serve metrics on this port of 127.0.0.1; 0: any."
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="A cluster to run on: spark://HOST:7077 (spark-submit's counts for more).",
    ),
]
Cores = Annotated[
    str | None,
    typer.Option(metavar="N|*", help="Cores of this machine, if no cluster is named."),
]
Scores = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Scores such as `archive tabulate` makes; if not given, its own."
    ),
]
Late = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="How late events may come, to count in time: 10s."),
]


def stream(
    reads: From = None,
    writes: To = None,
    subscriptions: WatchedSubscriptions = None,
    job: JobFile = None,
    checkpoint: Checkpoint = None,
    until_end: UntilEnd = None,
    since: Since = None,
    every_seconds: Every = None,
    measure: MeasureOption = None,
    mode: JobMode = None,
    lexicon: LexiconOption = None,
    ontology: OntologyOption = None,
    ignore_missing_imports: IgnoreOption = False,
    competition: Competition = None,
    metrics_port: MetricsPort = None,
    master: Master = None,
    cores: Cores = None,
    scores: Scores = None,
    late: Late = None,
    as_json: AsJson = False,
) -> None:
    """Match a stream of events on Spark, and write the matches.

    A record that is no event is set aside with the reason, and the stream goes on. Stopped, or
    killed, and started again, the job goes on where it was.

    \b
    Example: purport stream --from file:events/ --to parquet:matches/ -s city.purport --until-end
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.pipeline.job_file import read_job

    flags: dict[str, Any] = {
        "from": reads, "to": writes, "subscriptions": subscriptions, "checkpoint": checkpoint,
        "until_end": until_end, "since": since, "every_seconds": every_seconds, "measure": measure,
        "mode": mode, "lexicon": lexicon, "competition": competition, "scores": scores,
        "metrics_port": metrics_port, "master": master, "cores": cores,
        "ontology": ontology or None, "ignore_missing_imports": ignore_missing_imports or None,
        "late": late,
    }  # fmt: skip
    options = read_job(job, {name: value for name, value in flags.items() if value is not None})
    with quiet_py4j(), _terminated_as_interrupted():
        _run(options, as_json)


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Who asks the process to end is heard as Ctrl-C is."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(options: JobOptions, as_json: bool) -> None:
    """Run a job, and tell of it."""
    from purport.cli.stream_display import StreamDisplay
    from purport.pipeline.job_file import since
    from purport.pipeline.jobs.match_stream import Watchers
    from purport.pipeline.metrics.job_metrics import JobMetrics
    from purport.pipeline.metrics.server import metrics_server
    from purport.pipeline.session import job_session

    job = options.job()
    job.settings.matcher()  # what is wrong with the settings is told before Spark is started
    # The console of the process: what a sink prints on it goes above the display, not through it.
    reconfigure(stderr=as_json, highlight=False)
    console = get_console()
    display = StreamDisplay(console, job, _how(as_json))
    metrics = JobMetrics(job.folder, display.warn)

    def tell(report: BatchReport) -> None:
        metrics.add(report)
        display.show(report)
        if as_json:
            print_json(report)
            sys.stdout.flush()

    def warn(problem: str) -> None:
        metrics.add_problem(problem)
        display.warn(problem)

    with ExitStack() as stack:
        if options.metrics_port is not None:
            address = stack.enter_context(metrics_server(metrics.figures, options.metrics_port))
            display.say(f"metrics: {address} and {address}.json")
        if isinstance(begin := since(options.since), str):
            display.say(f"begins at {begin!r}, which is no time")
        with console.status("Starting Spark ..."):
            session = job_session("purport stream", master=options.master, cores=str(options.cores))
            spark = stack.enter_context(session)
        stack.enter_context(display)
        job.run(
            spark,
            Watchers(tell, warn, metrics.during),
            until_end=options.until_end,
            every_seconds=options.every_seconds,
        )


def _how(as_json: bool) -> Show | None:
    """JSON on a terminal shows how far a stream has come, and must not be drawn over."""
    from purport.cli.stream_display import Show

    return Show.AT_THE_END if as_json and sys.stdout.isatty() else None
