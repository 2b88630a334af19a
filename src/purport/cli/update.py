"""`purport update`: a SPARQL update for a server."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from typing import Annotated

import typer

from purport.cli.connection import (
    BindOption,
    CaOption,
    ClientIdOption,
    ClientSecretOption,
    Connection,
    ProfiledNameOption,
    ProfileOption,
    ServerOption,
    SubscribeUrlOption,
    TokenOption,
)
from purport.cli.json_lines import print_json
from purport.cli.options import AsJson
from purport.model.interval import read_duration, read_instant


def update(
    text: Annotated[
        str | None,
        typer.Argument(metavar="TEXT|FILE|-", help="The update, if not one of the profile."),
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="TIME", help="Run it then, such as 2027-01-01T12:00Z.")
    ] = None,
    delay: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Run it after a while, such as 10 s.")
    ] = None,
    server: ServerOption = None,
    subscribe_url: SubscribeUrlOption = None,
    token: TokenOption = None,
    client_id: ClientIdOption = None,
    client_secret: ClientSecretOption = None,
    ca: CaOption = None,
    profile: ProfileOption = None,
    name: ProfiledNameOption = None,
    bind: BindOption = None,
    as_json: AsJson = False,
) -> None:
    """Run a SPARQL update on a server, at once or later, and say what came of it.

    \b
    Example: purport update 'INSERT DATA { <urn:lamp1> <urn:dim> 5 }'
    """
    connection = Connection(server, subscribe_url, token, client_id, client_secret, ca, profile)
    asked = connection.asked(text, "update", name, bind or ())
    graphs = asked.graphs
    with connection.client(asked.addresses) as client:
        done = client.update(
            asked.text,
            at=_time(at),
            delay=_duration(delay),
            using=graphs.using if graphs else (),
            using_named=graphs.using_named if graphs else (),
        )
    if as_json:
        print_json(done)
    elif done.number is not None:
        due = f" until {done.due.isoformat()}" if done.due is not None else ""
        sys.stdout.write(f"waits{due} as number {done.number}\n")
    else:
        sys.stdout.write(
            f"{done.added:,} added, {done.removed:,} removed, {done.notified:,} notifications\n"
        )


def _time(text: str | None) -> datetime | None:
    try:
        return None if text is None else read_instant(text)
    except ValueError as error:
        raise typer.BadParameter(f"--at: {error}") from None


def _duration(text: str | None) -> timedelta | None:
    try:
        return None if text is None else read_duration(text)
    except ValueError as error:
        raise typer.BadParameter(f"--delay: {error}") from None
