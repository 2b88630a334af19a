"""`purport journal`: look at the journal of a broker, and keep it in order."""

from __future__ import annotations

import re
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from purport.cli.json_lines import print_json
from purport.cli.options import AsJson
from purport.cli.progress import progress
from purport.errors import InvalidInput, UnusablePath
from purport.model.clock import SystemClock
from purport.model.interval import read_duration
from purport.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from purport.cli.journal_export import EntriesWanted
    from purport.storage.sql_journal import SqlJournal

_SIZES = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)")


def _age(text: str) -> timedelta:
    try:
        age = read_duration(text)
        _ = SystemClock().now() - age
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    except OverflowError:
        raise typer.BadParameter(f"the calendar does not go back as far as {text!r}") from None
    return age


def _bytes(text: str) -> int:
    size = _SIZE.fullmatch(text.lower())
    if size is None or size[2] not in _SIZES:
        raise typer.BadParameter(f"expected a size such as 500 MB, got {text!r}")
    found = float(size[1]) * _SIZES[size[2]]
    if found > sys.maxsize:
        raise typer.BadParameter("the size is larger than any disk")
    return int(found)


Place = Annotated[
    str,
    typer.Argument(metavar="FOLDER", help="The folder of a broker, or postgresql://HOST/DATABASE."),
]
Stretches = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Where a journal in a database has its sealed stretches."),
]
After = Annotated[int, typer.Option(min=0, metavar="N", help="Begin after this entry.")]
Through = Annotated[int | None, typer.Option(min=0, metavar="N", help="End with this entry.")]

journal = typer.Typer(
    help="Look at the journal of a broker, and keep it in order.", rich_markup_mode=None
)


@journal.command()
def info(place: Place, stretches: Stretches = None, as_json: AsJson = False) -> None:
    """Say what is in a journal, and what is subscribed to; the broker may be running.

    \b
    Example: purport journal info city-broker
    """
    from purport.cli.journal_report import JournalReport, show_report

    with closing(_to_read(place, stretches)) as opened:
        report = JournalReport.of(opened)
    if as_json:
        print_json(report)
    else:
        show_report(report)


@journal.command()
def verify(place: Place, stretches: Stretches = None, as_json: AsJson = False) -> None:
    """Read all of a journal, and say what is damaged or missing; then the exit code is 1.

    \b
    Example: purport journal verify city-broker
    """
    from purport.storage.verification import verify as verified

    with closing(_to_read(place, stretches)) as opened, progress("reading entries") as tell:
        found = verified(opened, tell)
    if as_json:
        print_json(found)
    else:
        for problem in found.problems:
            sys.stdout.write(f"{problem}\n")
        count = len(found.problems)
        state = f"{count:,} problem{'s' * (count > 1)}" if count else "whole"
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

    \b
    Example: purport journal export city-broker -o city.jsonl --kind published --after 1000
    """
    from purport.cli.journal_export import EntriesWanted

    wanted = EntriesWanted(after, through, frozenset(kind or ()))
    if output == "-":
        with closing(_to_read(place, stretches)) as opened:
            wanted.write(opened, sys.stdout.buffer)
        return
    path = _file_to_write(output, place)
    with closing(_to_read(place, stretches)) as opened, progress("writing entries") as tell:
        if path.exists() and not path.is_file():  # a pipe or a device, which takes what it is given
            with path.open("wb") as file:
                written = wanted.write(opened, file, tell)
        else:
            written = _write_file(wanted, opened, path, tell)
    sys.stdout.write(f"{output}: {written:,} entries\n")


def _write_file(
    wanted: EntriesWanted, opened: SqlJournal, path: Path, tell: Callable[[int, int], None]
) -> int:
    try:
        with whole_file(path, is_lasting=False) as hidden, hidden.open("xb") as file:
            return wanted.write(opened, file, tell)
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None


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

    \b
    Example: purport journal compact city-broker --most-age 30d
    """
    from purport.broker.retention import Retention
    from purport.cli.journal_compaction import compacted

    _to_read(place, stretches).close()  # which says if there is no journal; none is to be made
    with progress("sealing entries") as tell:
        done = compacted(place, Retention(most_age, most_bytes), stretches, tell)
    if as_json:
        print_json(done)
        return
    sys.stdout.write(
        f"{place}: {done.sealed:,} entries sealed, {done.dropped:,} dropped\n"
        f"  {done.bytes_before / 1e6:,.2f} MB before, {done.bytes_after / 1e6:,.2f} MB now\n"
    )


def _file_to_write(output: str, place: str) -> Path:
    """Where to write; a link leads to its file, and nothing of the journal is written over."""
    path = Path(output)
    try:
        if not path.name or path.is_dir():
            raise InvalidInput(f"expected the name of a file to write, got {output!r}")
        path = path if path.exists() and not path.is_file() else path.resolve()
        if "://" not in place and path.is_relative_to(Path(place).resolve()):
            raise InvalidInput(f"{output} lies in the folder of the journal: name another place")
    except OSError as error:
        raise UnusablePath(path, error.strerror or str(error)) from None
    return path


def _to_read(place: str, stretches: Path | None) -> SqlJournal:
    from purport.assembly import journal_to_read

    return journal_to_read(place, stretches=stretches)
