"""The command `purport`: its subcommands, and how a mistake is told."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

import purport
from purport.__main__ import INTERRUPTED
from purport.cli.archive import archive
from purport.cli.concepts import concepts
from purport.cli.covers import covers
from purport.cli.demo import demo
from purport.cli.evaluate import evaluate
from purport.cli.events import events
from purport.cli.explain import explain
from purport.cli.journal import journal
from purport.cli.match import match
from purport.cli.ontology import ontology
from purport.cli.publish import publish
from purport.cli.query import query
from purport.cli.relate import relate
from purport.cli.replay import replay
from purport.cli.report import report
from purport.cli.serve import serve
from purport.cli.simulate import simulate
from purport.cli.stream import stream
from purport.cli.subscribe import subscribe
from purport.cli.update import update
from purport.errors import InvalidInput, NotSupportedYet, PurportError

FAILED = 1
BAD_INPUT = 2

app = typer.Typer(
    name="purport",
    help="Publish/subscribe by meaning.",
    epilog="Try: purport demo",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(demo)
app.command()(match)
app.command()(covers)
app.command()(events)
app.command()(relate)
app.command()(stream)
app.command()(serve)
app.command()(simulate)
app.command()(report)
app.command()(explain)
app.command()(replay)
app.command()(publish)
app.command()(subscribe)
app.command()(update)
app.command()(query)
app.add_typer(archive, name="archive")
app.add_typer(concepts, name="concepts")
app.add_typer(evaluate, name="evaluate")
app.add_typer(journal, name="journal")
app.add_typer(ontology, name="ontology")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"purport {purport.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Publish/subscribe by meaning."""


def main() -> None:
    """Run the command; whatever is wrong with the input ends in one clear line and exit code 2."""
    for output in (sys.stdout, sys.stderr):
        if isinstance(output, io.TextIOWrapper):
            output.reconfigure(errors="backslashreplace")
    try:
        status = app(sys.argv[1:] or ["--help"], prog_name="purport", standalone_mode=False)
    except typer.TyperException as error:
        _fail(_usage(error))
    except (InvalidInput, NotSupportedYet) as error:
        _fail(str(error))
    except PurportError as error:
        _fail(str(error), FAILED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # where Python still wants to write its rest
        sys.exit(FAILED)
    except OSError as error:
        _fail(f"{error.filename or 'the output'}: {error.strerror or error}", FAILED)
    except typer.Abort:
        sys.exit(INTERRUPTED)
    sys.exit(status if isinstance(status, int) else 0)


def _usage(error: typer.TyperException) -> str:
    """What was typed wrongly, and where it says what can be typed."""
    message = error.format_message().replace("Value error, ", "")  # what pydantic says before
    context = getattr(error, "ctx", None)
    return message if context is None else f"{message} (see {context.command_path} --help)"


def _fail(message: str, status: int = BAD_INPUT) -> None:
    sys.stderr.write(f"purport: {message}\n")
    sys.exit(status)
