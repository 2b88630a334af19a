"""`purport events`: the events in an RDF dump."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from purport.cli.dead_letters import show_dead_letters
from purport.cli.json_lines import print_json
from purport.cli.on_spark import on_spark
from purport.cli.options import AsJson
from purport.errors import InvalidInput
from purport.model.event import MOST_STATEMENTS
from purport.model.term import is_iri

if TYPE_CHECKING:
    from purport.pipeline.jobs.events_of_dump import DumpSummary


def events(
    dump: Annotated[
        Path, typer.Argument(metavar="DUMP", help="A file of N-Triples, or a folder of such files.")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where the events go, a new one."),
    ],
    kinds: Annotated[
        list[str] | None,
        typer.Option("--type", metavar="IRI", help="Only subjects of this class; repeatable."),
    ] = None,
    most_statements: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_STATEMENTS,
            metavar="N",
            help="Subjects with more statements are set aside.",
        ),
    ] = MOST_STATEMENTS,
    compress: Annotated[bool, typer.Option("--gz", help="Compress the events.")] = False,
    as_json: AsJson = False,
) -> None:
    """Turn an RDF dump, such as DBpedia's or Freebase's, into events in plain words, on Spark.

    A dump is N-Triples (.nt) or N-Quads (.nq), plain, .gz or .bz2. Each subject becomes an event,
    as a line of JSON in FOLDER/events. What is no triple is in FOLDER/dead_letters.

    \b
    Example: purport events dbpedia/ -o football --type http://dbpedia.org/ontology/FootballMatch
    """
    import purport.pipeline  # noqa: F401 - says that the extra is missing, if it is
    from purport.pipeline.dump.rdf_dump import RdfDump
    from purport.pipeline.jobs.events_of_dump import EventsOfDump
    from purport.pipeline.new_folder import require_new

    for kind in kinds or ():
        if not is_iri(kind):
            raise InvalidInput(f"--type: expected the IRI of a class, got {kind!r}")
    job = EventsOfDump(
        RdfDump.at(dump),
        output,
        kinds=frozenset(kinds or ()),
        most_statements=most_statements,
        is_compressed=compress,
    )
    require_new(output)
    partitions = {"spark.sql.shuffle.partitions": str(max(2, job.dump.parts))}
    summary = on_spark("purport events", job.run, partitions)
    if as_json:
        print_json(_row(summary, output))
    else:
        sys.stdout.write(_shown_as_text(summary, output) + "\n")
    show_dead_letters(summary.first_dead_letters, summary.dead_letters)


def _shown_as_text(summary: DumpSummary, output: Path) -> str:
    return (
        f"triples: {summary.triples:,}, events: {summary.events:,}, "
        f"statements in them: {summary.statements:,}, dead letters: {summary.dead_letters:,}\n"
        f"left out: statements in other languages ({summary.in_other_languages:,}), "
        f"statements that lead to ids without a name ({summary.unnamed:,})\n"
        f"events in {output / 'events'}"
    )


def _row(summary: DumpSummary, output: Path) -> dict[str, object]:
    row: dict[str, object] = msgspec.to_builtins(summary) | {"folder": str(output)}
    del row["first_dead_letters"]
    return row
