"""`purport publish`: events for a server."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import Annotated

import typer

from purport.cli.connection import (
    CaOption,
    ClientIdOption,
    ClientSecretOption,
    Connection,
    ProfileOption,
    ServerOption,
    SubscribeUrlOption,
    TokenOption,
)
from purport.cli.given_text import is_file
from purport.cli.json_lines import print_json
from purport.cli.options import AsJson
from purport.errors import EventError, InvalidInput, UnusablePath
from purport.model.event import Event

_AT_ONCE = 65_536  # bytes


def publish(
    events: Annotated[
        str,
        typer.Argument(
            metavar="EVENT|FILE|-", help="An event in JSON, or JSON lines in a file or the input."
        ),
    ],
    topic: Annotated[
        str, typer.Option(metavar="TOPIC", help="Where they are published, such as city/heat.")
    ] = "",
    batch: Annotated[
        int, typer.Option(min=1, metavar="N", help="As many events go in one request at most.")
    ] = 500,
    server: ServerOption = None,
    subscribe_url: SubscribeUrlOption = None,
    token: TokenOption = None,
    client_id: ClientIdOption = None,
    client_secret: ClientSecretOption = None,
    ca: CaOption = None,
    profile: ProfileOption = None,
    as_json: AsJson = False,
) -> None:
    """Publish events to a server; what it has acknowledged, it does not lose.

    What comes from the input is published as it comes. A line that is no event ends it; those
    before it are published.

    \b
    Example: purport publish '{"device": "laptop", "floor": "ground floor"}' --topic building/7
    """
    connection = Connection(server, subscribe_url, token, client_id, client_secret, ca, profile)
    published = notified = repeated = 0
    with connection.client(connection.profiled_addresses()) as client:
        for some in _batches(_portions(events), batch):
            for receipt in client.publish_all(some, topic=topic):
                published += 1
                notified += receipt.notified
                repeated += receipt.repeated
                if as_json:
                    print_json(receipt)
            sys.stdout.flush()
    if not as_json:
        again = f", {repeated:,} were there before" if repeated else ""
        sys.stdout.write(f"{published:,} published, {notified:,} notifications{again}\n")


def _batches(portions: Iterator[list[bytes]], most: int) -> Iterator[list[bytes]]:
    """Events in their order, as many at once as are there and may be.

    `EventError` names the line of one that is none, when those before it are published.
    """
    number = 0
    for lines in portions:
        batch: list[bytes] = []
        for line in lines:
            number += 1
            if not line.strip():
                continue
            try:
                Event.from_json(line)
            except EventError as error:
                yield from [batch] if batch else []
                raise EventError(f"line {number}: {error}") from None
            batch.append(line)
            if len(batch) == most:
                yield batch
                batch = []
        yield from [batch] if batch else []


def _portions(given: str) -> Iterator[list[bytes]]:
    """Lines, as they come."""
    if given == "-":
        assert isinstance(sys.stdin.buffer, BufferedIOBase)
        yield from _whole_lines(sys.stdin.buffer)
    elif is_file(given):
        try:
            with Path(given).open("rb") as file:
                yield from _whole_lines(file)
        except OSError as error:
            raise UnusablePath(given, error.strerror or str(error)) from None
    elif given.lstrip().startswith("{"):
        line = given.replace("\r", " ").replace("\n", " ")  # between the parts of JSON, if at all
        yield [line.encode(errors="replace")]
    else:
        raise InvalidInput(f"{given!r:.80} is neither an event in JSON nor a file")


def _whole_lines(source: BufferedIOBase) -> Iterator[list[bytes]]:
    rest = b""
    while portion := source.read1(_AT_ONCE):  # what is there by now
        *lines, rest = (rest + portion).split(b"\n")
        yield lines
    yield [rest]
