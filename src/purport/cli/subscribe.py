"""`purport subscribe`: notifications of a server, as they come."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, get_args

import msgspec
import typer

from purport.cli.connection import (
    BindOption,
    CaOption,
    ClientIdOption,
    ClientSecretOption,
    Connection,
    DefaultGraphOption,
    NamedGraphOption,
    ProfileOption,
    ServerOption,
    SubscribeUrlOption,
    TokenOption,
)
from purport.cli.json_lines import print_json
from purport.cli.options import AsJson
from purport.client.messages import OverflowName
from purport.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from purport.client.messages import NotificationMessage
    from purport.client.notifications import Notifications

_QUIET_SECONDS = 1.0
_OVERFLOWS = get_args(OverflowName)


Text = Annotated[
    str | None,
    typer.Argument(metavar="TEXT|FILE|-", help="A subscription in braces, or a SPARQL query."),
]
Name = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="What it is called; without a text, which query of the profile."
    ),
]
Durable = Annotated[
    bool, typer.Option("--durable", help="It outlives this command, and is gone on with.")
]
After = Annotated[
    int | None,
    typer.Option(min=-1, metavar="N", help="Go on after this notification (-1: the first)."),
]
MostWaiting = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="As many wait at the server at most.")
]
OverflowOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help=f"What if more would: {', '.join(_OVERFLOWS)}."),
]
Count = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="End after so many notifications.")
]
UntilEnd = Annotated[
    bool, typer.Option("--until-end", help="End when nothing has come for a second.")
]


def subscribe(
    text: Text = None,
    name: Name = None,
    durable: Durable = False,
    after: After = None,
    most_waiting: MostWaiting = None,
    overflow: OverflowOption = None,
    count: Count = None,
    until_end: UntilEnd = False,
    default_graph: DefaultGraphOption = None,
    named_graph: NamedGraphOption = None,
    server: ServerOption = None,
    subscribe_url: SubscribeUrlOption = None,
    token: TokenOption = None,
    client_id: ClientIdOption = None,
    client_secret: ClientSecretOption = None,
    ca: CaOption = None,
    profile: ProfileOption = None,
    bind: BindOption = None,
    as_json: AsJson = False,
) -> None:
    """Print what a subscription is told, until Ctrl-C; a broken connection is opened again.

    A durable one goes on where it was: what was printed is acknowledged.

    \b
    Example: purport subscribe '{device~ = laptop~} threshold 0.6' --name laptops --durable
    """
    connection = Connection(server, subscribe_url, token, client_id, client_secret, ca, profile)
    asked = connection.asked(text, "query", name, bind or ())
    graphs = asked.graphs
    with (
        connection.client(asked.addresses) as client,
        client.subscribe(
            asked.text,
            name=name if text is not None or durable else None,
            durable=durable,
            after=after,
            most_waiting=most_waiting,
            overflow=_overflow(overflow),
            acknowledging="by hand",
            default_graphs=default_graph or (graphs.default if graphs else ()),
            named_graphs=named_graph or (graphs.named if graphs else ()),
        ) as notifications,
    ):
        for notification in _taken(notifications, count, until_end=until_end):
            if as_json:
                print_json(notification)
            else:
                sys.stdout.write("".join(f"{line}\n" for line in _lines(notification)))
            sys.stdout.flush()
            if durable:
                notifications.acknowledge(notification)


def _taken(
    notifications: Notifications, count: int | None, *, until_end: bool
) -> Iterator[NotificationMessage]:
    taken = 0
    while count is None or taken < count:
        notification = notifications.take(_QUIET_SECONDS if until_end else None)
        if notification is None:
            return
        taken += 1
        yield notification


def _lines(notification: NotificationMessage) -> Iterator[str]:
    """A match with its event; of an answer, a line for each binding that came or went."""
    from purport.client.answers import bindings_of

    if notification.missed:
        yield f"{notification.missed:,} missed"
    if notification.event is not msgspec.UNSET:
        event = msgspec.json.encode(notification.event).decode()
        probability = notification.probability
        likely = "" if probability is None else f"  {probability:.2f}"
        yield f"{notification.sequence}{likely}  {event}"
        return
    whole = "  the whole answer" if notification.whole else ""
    yield f"{notification.sequence}{whole}"
    for sign, answer in (("-", notification.removed), ("+", notification.added)):
        for binding in bindings_of(answer):
            yield "  ".join((sign, *(f"?{name} = {term}" for name, term in binding.items())))


def _overflow(name: str | None) -> OverflowName | None:
    if name is None:
        return None
    try:
        chosen: OverflowName = msgspec.convert(name, OverflowName)
    except msgspec.ValidationError:
        there = ", ".join(_OVERFLOWS)
        raise InvalidInput(f"--overflow: expected one of {there}, got {name!r}") from None
    return chosen
