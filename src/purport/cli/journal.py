"""`purport journal`: look at the journal of a broker, and keep it in order."""

from __future__ import annotations

import re
import sys
import uuid
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from purport.cli.progress import progress
from purport.errors import UnusablePath
from purport.model.interval import read_duration

if TYPE_CHECKING:
    from purport.storage.sql_journal import SqlJournal

_SIZES = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)")


def _age(text: str) -> timedelta:
    try:
        return read_duration(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _bytes(text: str) -> int:
    size = _SIZE.fullmatch(text.lower())
    if size is None or size[2] not in _SIZES:
        raise typer.BadParameter(f"expected a size such as 500 MB, got {text!r}")
    return int(float(size[1]) * _SIZES[size[2]])


Place = Annotated[
    str,
    typer.Argument(metavar="FOLDER", help="The folder of a broker, or postgresql://HOST/DATABASE."),
]
Stretches = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Where a journal in a database has its sealed stretches."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON lines.")]
After = Annotated[int, typer.Option(min=0, metavar="N", help="Begin after this entry.")]
Through = Annotated[int | None, typer.Option(min=0, metavar="N", help="End with this entry.")]

journal = typer.Typer(
    help="Look at the journal of a broker, and keep it in order.", rich_markup_mode=None
)


@journal.command()
def info(place: Place, stretches: Stretches = None, as_json: AsJson = False) -> None:
    """Say what is in a journal, and what is subscribed to; the broker may be running.

    Example: purport journal info city-broker
    """
    from purport.cli.journal_report import JournalReport, show_report

    with closing(_to_read(place, stretches)) as opened:
        report = JournalReport.of(opened)
    if as_json:
        sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
    else:
        show_report(report)


@journal.command()
def verify(place: Place, stretches: Stretches = None, as_json: AsJson = False) -> None:
    """Read all of a journal, and say what is damaged or missing; then the exit code is 1.

    Example: purport journal verify city-broker
    """
    from purport.storage.verification import verify as verified

    with closing(_to_read(place, stretches)) as opened, progress("reading entries") as tell:
        found = verified(opened, tell)
    if as_json:
        sys.stdout.write(msgspec.json.encode(found).decode() + "\n")
    else:
        for problem in found.problems:
            sys.stdout.write(f"{problem}\n")
        state = f"{len(found.problems):,} problems" if found.problems else "whole"
        sys.stdout.write(f"{place}: {found.entries:,} entries were read: {state}\n")
    if found.problems:
        raise typer.Exit(1)


@journal.command()
def export(
    place: Place,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to: a file, - for here.")
    ],
    after: After = 0,
    through: Through = None,
    kind: Annotated[
        list[str] | None, typer.Option(metavar="KIND", help="Only these, e.g. published.")
    ] = None,
    stretches: Stretches = None,
) -> None:
    """Write the entries of a journal as JSON lines; the broker may be running.

    Example: purport journal export city-broker -o city.jsonl --kind published --after 1000
    """
    from purport.cli.journal_export import EntriesWanted

    wanted = EntriesWanted(after, through, frozenset(kind or ()))
    if output == "-":
        with closing(_to_read(place, stretches)) as opened:
            wanted.write(opened, sys.stdout.buffer)
        return
    path = Path(output)
    hidden = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
    try:
        with (
            closing(_to_read(place, stretches)) as opened,
            hidden.open("xb") as file,
            progress("writing entries") as tell,
        ):
            written = wanted.write(opened, file, tell)
        hidden.rename(path)
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    finally:
        hidden.unlink(missing_ok=True)
    sys.stdout.write(f"{output}: {written:,} entries\n")


@journal.command()
def compact(
    place: Place,
    most_age: Annotated[
        timedelta | None,
        typer.Option(parser=_age, metavar="TIME", help="Drop what is older, e.g. 30d."),
    ] = None,
    most_bytes: Annotated[
        int | None,
        typer.Option(parser=_bytes, metavar="SIZE", help="Drop the oldest beyond this, e.g. 5GB."),
    ] = None,
    stretches: Stretches = None,
    as_json: AsJson = False,
) -> None:
    """Seal everything as Parquet, drop what is too old or too much, and give back the room.

    Nothing is dropped that a durable subscriber still waits for. While a broker has the journal
    open, it is refused: a broker does this by itself.

    Example: purport journal compact city-broker --most-age 30d
    """
    from purport.broker.retention import Retention
    from purport.cli.journal_compaction import compacted

    _to_read(place, stretches).close()  # which says if there is no journal; none is to be made
    with progress("sealing entries") as tell:
        done = compacted(place, Retention(most_age, most_bytes), stretches, tell)
    if as_json:
        sys.stdout.write(msgspec.json.encode(done).decode() + "\n")
        return
    sys.stdout.write(
        f"{place}: {done.sealed:,} entries sealed, {done.dropped:,} dropped\n"
        f"  {done.bytes_before / 1e6:,.1f} MB before, {done.bytes_after / 1e6:,.1f} MB now\n"
    )


def _to_read(place: str, stretches: Path | None) -> SqlJournal:
    from purport.assembly import journal_to_read

    return journal_to_read(place, stretches=stretches)
