"""`purport serve`: a broker that others reach over HTTP and WebSockets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from purport.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from purport.service.listening import Addresses
    from purport.service.settings import ServiceSettings

Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="A TOML file; flags count for more."),
]
Folder = Annotated[
    Path | None,
    typer.Option("--folder", metavar="DIR", help="What is kept is here; else in purport-data."),
]
Host = Annotated[
    str | None, typer.Option("--host", metavar="NAME", help="Where to listen; else 127.0.0.1.")
]
Port = Annotated[
    int | None,
    typer.Option("--port", metavar="N", help="For HTTP; else 8000, or 8443 with TLS. 0: any."),
]
SubscribePort = Annotated[
    int | None,
    typer.Option(
        "--subscribe-port", metavar="N", help="For subscriptions; else 9000, or 9443 with TLS."
    ),
]
InMemory = Annotated[bool, typer.Option("--in-memory", help="Nothing outlives the process.")]
Insecure = Annotated[
    bool,
    typer.Option("--insecure", help="Let other machines in without TLS and tokens, if need be."),
]
ReadyFile = Annotated[
    Path | None,
    typer.Option(
        "--ready-file", metavar="FILE", help="Is there, with the addresses, while it serves."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Tell the addresses as a line of JSON.")]
Check = Annotated[bool, typer.Option("--check", help="Only say what is wrong, or what would hold.")]
HashToken = Annotated[
    bool,
    typer.Option("--hash-token", help="Make a token, or take one from the input, and hash it."),
]


def serve(
    config: Config = None,
    folder: Folder = None,
    in_memory: InMemory = False,
    host: Host = None,
    port: Port = None,
    subscribe_port: SubscribePort = None,
    insecure: Insecure = False,
    ready_file: ReadyFile = None,
    json: Json = False,
    check: Check = False,
    hash_token: HashToken = False,
) -> None:
    """Serve a broker: events, subscriptions, SPARQL, over HTTP and WebSockets.

    Without more it keeps what it has to in the folder purport-data and listens on this machine
    only. Every setting of the file can be given as a variable too: PURPORT_LISTEN__PORT is `port`
    under [listen]. SIGHUP, or a change of the file, has access rules, tokens and rules read again;
    SIGTERM lets what has begun come to its end.

    \b
    Example: purport serve --folder broker --port 8000
    """
    try:
        from purport.service.serving import require_usable, serve
        from purport.service.settings import read_settings
    except ModuleNotFoundError as error:
        raise MissingExtra("service") from error
    from purport.service.logs import begin_logging

    if hash_token:
        _hash_token()
        return
    flags = _flags(folder, in_memory, host, port, subscribe_port, insecure)

    def reread() -> ServiceSettings:
        return read_settings(config, flags)

    if check:
        settings = reread()
        require_usable(settings)
        typer.echo(settings.shown(), nl=False)
        return
    begin_logging(reread().listen.log)

    def announce(found: Addresses) -> None:
        import msgspec

        typer.echo(msgspec.json.encode(found).decode() if json else found.text())
        sys.stdout.flush()

    serve(reread, file=config, ready_file=ready_file, announce=announce)


def _flags(
    folder: Path | None,
    in_memory: bool,
    host: str | None,
    port: int | None,
    subscribe_port: int | None,
    insecure: bool,
) -> dict[str, Any]:
    """What was typed, as the file would say it."""
    if in_memory and folder is not None:
        raise InvalidInput("either --folder or --in-memory")
    kept = {"folder": folder, "in_memory": in_memory or None}
    listens = {
        "host": host, "port": port, "subscribe_port": subscribe_port, "insecure": insecure or None
    }  # fmt: skip
    groups: dict[str, dict[str, Any]] = {"broker": kept, "listen": listens}
    typed = {
        group: {name: value for name, value in given.items() if value is not None}
        for group, given in groups.items()
    }
    return {group: given for group, given in typed.items() if given}


def _hash_token() -> None:
    """Tell a token, if it is new, and what the settings keep of it."""
    from purport.service.tokens import is_long_enough, new_token, token_hash

    given = "" if sys.stdin.isatty() else sys.stdin.read().strip()
    if given and not is_long_enough(given):
        raise InvalidInput("a token has 32 ASCII letters and digits or more: make a random one")
    token = given or new_token()
    if not given:
        typer.echo(f"# the token, which is told only now: {token}")
    typer.echo(f'[[auth.tokens]]\nname = "..."\nhash = "{token_hash(token)}"')
