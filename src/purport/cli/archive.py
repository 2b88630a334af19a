"""`purport archive`: keep events as Parquet with statement ids, and look at what is kept."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from purport.cli.json_lines import print_json
from purport.cli.on_spark import on_spark
from purport.cli.ontology_files import IgnoreOption, OntologyOption, whole_paths
from purport.cli.options import (
    AsJson,
    LexiconOption,
    MeasureOption,
    ModeOption,
    SubscriptionsOption,
)
from purport.matching.given import given_subscriptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from purport.pipeline.archive.folder import Archive, ArchivedBatch

_SPARK = "purport archive"

archive = typer.Typer(help="Keep events that are matched more than once.", rich_markup_mode=None)


@archive.command()
def build(
    reads: Annotated[
        str, typer.Option("--from", metavar="URI", help="Where events come from: file:events/ ...")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the archive is kept.")
    ],
    as_json: AsJson = False,
) -> None:
    """Keep the events of a source as Parquet with statement ids; run again, it adds new ones.

    Records that are no events are set aside in the archive, with the reason. Killed at any moment,
    it leaves the archive as it was. `purport stream --from archive:FOLDER` matches it.

    \b
    Example: purport archive build --from file:events/ -o city-archive
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.pipeline.archive.folder import require_place
    from purport.pipeline.jobs.build_archive import BuildArchive
    from purport.pipeline.sources.catalogue import source_at

    job = BuildArchive(source_at(reads), output)
    require_place(output)

    def built(spark: SparkSession, tell: Callable[[str], None]) -> Archive:
        events = 0

        def show(batch: ArchivedBatch) -> None:
            nonlocal events
            events += batch.events
            tell(f"reading events, {events:,} are in")

        tell("reading events")
        return job.run(spark, show)

    _show(on_spark(_SPARK, built), as_json)


@archive.command()
def tabulate(
    folder: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="The folder of an archive.")],
    subscriptions: SubscriptionsOption,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the scores are kept.")
    ],
    measure: MeasureOption = None,
    mode: ModeOption = "default",
    lexicon: LexiconOption = None,
    ontology: OntologyOption = None,
    ignore_missing_imports: IgnoreOption = False,
    competition: Annotated[
        bool, typer.Option("--competition", help="The subscriptions' terms will compete.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Score an archive's words with what subscriptions ask for, on Spark; run again, it adds.

    Matching the archive with these scores asks no measure any more:
    `purport stream --from archive:ARCHIVE --scores SCORES ...`.

    \b
    Example: purport archive tabulate city-archive -s city.purport -o scores
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.pipeline.archive.folder import Archive
    from purport.pipeline.jobs.tabulate_archive import TabulateArchive, require_scores
    from purport.pipeline.matcher_spec import MatcherSettings

    job = TabulateArchive(
        Archive.open(folder),
        given_subscriptions(subscriptions),
        MatcherSettings(
            measure,
            mode,
            lexicon,
            competition,
            output,
            whole_paths(ontology),
            ignore_missing_imports,
        ),
    )
    require_scores(output)
    done = on_spark(_SPARK, job.run)
    for table in done:
        if as_json:
            print_json(table)
            continue
        size = f"{table.asked:,} x {table.given:,} scores"
        sys.stdout.write(f"{table.folder}: {table.new:,} terms added; {size}\n")
    if not done and not as_json:
        sys.stdout.write("the subscriptions have no ~: there is nothing to score\n")


@archive.command()
def info(
    folder: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="The folder of an archive.")],
    as_json: AsJson = False,
) -> None:
    """Say what is in an archive.

    \b
    Example: purport archive info city-archive
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.pipeline.archive.folder import Archive

    _show(Archive.open(folder), as_json)


def _show(kept: Archive, as_json: bool) -> None:
    summary = kept.summary()
    if as_json:
        print_json(summary)
        return
    sys.stdout.write(
        f"{kept.folder}: {summary.events:,} events of {summary.source}\n"
        f"  {summary.statements:,} different statements, {summary.dead_letters:,} dead letters\n"
        f"  {summary.batches:,} batches, {summary.files:,} files, {summary.bytes / 1e6:.1f} MB\n"
    )
