"""`purport replay`: what subscriptions would have been told, had they been there before."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from purport.cli.journal import After, Place, Stretches, Through
from purport.cli.json_lines import print_json
from purport.cli.on_spark import on_spark
from purport.cli.ontology_files import IgnoreOption, OntologyOption, whole_paths
from purport.cli.options import LexiconOption, MeasureOption, ModeOption
from purport.errors import InvalidInput
from purport.model.interval import read_instant

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from purport.pipeline.jobs.replay import Replay, Replayed


def _time(text: str) -> datetime:
    try:
        return read_instant(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


Asked = Annotated[
    list[str] | None,
    typer.Option(
        "--subscriptions",
        "-s",
        metavar="FILE|TEXT",
        help="Subscriptions (in a file, or one in braces) or a SPARQL query (in a file .rq, or "
        "as it is); repeatable (those of the broker).",
    ),
]
Since = Annotated[
    datetime | None,
    typer.Option(parser=_time, metavar="TIME", help="What was published then or later."),
]
Until = Annotated[
    datetime | None,
    typer.Option(parser=_time, metavar="TIME", help="What was published before."),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FOLDER", help="Write the notifications as Parquet."),
]
Infers = Annotated[bool, typer.Option("--infers", help="Queries see what follows by the ontology.")]
PrintsJson = Annotated[bool, typer.Option("--json", help="Print the notifications as JSON lines.")]


def replay(
    place: Place,
    subscriptions: Asked = None,
    after: After = 0,
    through: Through = None,
    since: Since = None,
    until: Until = None,
    output: Output = None,
    measure: MeasureOption = None,
    mode: ModeOption = "default",
    lexicon: LexiconOption = None,
    ontology: OntologyOption = None,
    ignore_missing_imports: IgnoreOption = False,
    infers: Infers = False,
    stretches: Stretches = None,
    as_json: PrintsJson = False,
) -> None:
    """Say what subscriptions would have been told of a part of a journal, on Spark.

    Subscriptions are told of events as a broker tells: at most once per, on change, expires. To
    patterns in time all that the journal has of before counts, and its clock says what is missing.
    SPARQL queries are told their whole answer as it was before the part, then what each update
    added and removed. Rules are not replayed: what they did is in the journal. The broker may be
    running.

    \b
    Example: purport replay city-broker -s new.purport --since 2026-11-01 -o would-have-been-told
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.pipeline.jobs.replay import Replay
    from purport.pipeline.journal.replayable import replayable
    from purport.pipeline.journal.stretch_rows import Span
    from purport.pipeline.matcher_spec import MatcherSettings

    _require_journal(place, stretches)
    span = Span(after, through, since, until)
    span.require_some()
    settings = MatcherSettings(
        measure,
        mode,
        lexicon,
        ontology=whole_paths(ontology),
        ignores_missing_imports=ignore_missing_imports,
    )
    if infers and not ontology:
        raise InvalidInput("--infers is by an ontology: add --ontology FILE")
    job = Replay(
        place,
        replayable(subscriptions or [f"broker:{place}"], stretches),
        span,
        settings,
        stretches,
        ontology=settings.loaded_ontology() if infers else None,
    )
    with _folder(output) as folder:
        _show(_run(job, folder), folder, as_json)


@contextmanager
def _folder(output: Path | None) -> Iterator[Path]:
    """Where the notifications go: to a folder of the user's, or to one that does not last."""
    from purport.pipeline.new_folder import require_new

    if output is not None:
        require_new(output)
        yield output
        return
    with tempfile.TemporaryDirectory(prefix="purport-replay-") as scratch:
        yield Path(scratch) / "told"


def _require_journal(place: str, stretches: Path | None) -> None:
    from purport.assembly import journal_to_read

    journal_to_read(place, stretches=stretches).close()


def _run(job: Replay, output: Path) -> Replayed:
    def run(spark: SparkSession, tell: Callable[[str], None]) -> Replayed:
        return job.run(spark, output, tell)

    return on_spark("purport replay", run)


def _show(done: Replayed, output: Path, as_json: bool) -> None:
    if as_json:
        _print_notifications(output)
        return
    console = Console(highlight=False, markup=False, soft_wrap=True)
    if done.first > done.last:
        console.print("there are no entries in that part")
        return
    console.print(f"of entries {done.first:,} to {done.last:,}, there would have been told:")
    table = Table("subscription", "notifications", "first (UTC)", "last")
    for one in done.told:
        times = (f"{at:%Y-%m-%d %H:%M:%S}" if at else "" for at in (one.first_at, one.last_at))
        table.add_row(one.subscription, f"{one.notifications:,}", *times)
    console.print(table)


def _print_notifications(folder: Path) -> None:
    from purport.pipeline.tables_at_rest import written_batches

    for batch in written_batches(folder):
        for row in batch.to_pylist(maps_as_pydicts="strict"):
            print_json({name: value for name, value in row.items() if value is not None})
