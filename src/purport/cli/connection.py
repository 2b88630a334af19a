"""How commands reach a server: the options that all of them take, and a client made of these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from purport.cli.given_text import given_text
from purport.errors import InvalidInput

if TYPE_CHECKING:
    from purport.client.addresses import Addresses
    from purport.client.application_profile import ApplicationProfile, Graphs
    from purport.client.client import Client

DEFAULT_SERVER = "http://127.0.0.1:8000"
_BAD_INPUT = (400, 404, 405, 409, 412, 413, 414, 415, 422)  # mended by asking for something else

ServerOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL", envvar="PURPORT_SERVER", help=f"The server, if not {DEFAULT_SERVER}."
    ),
]
SubscribeUrlOption = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Where the server takes subscriptions (ws:// or wss://)."),
]
TokenOption = Annotated[
    str | None, typer.Option(metavar="TOKEN", envvar="PURPORT_TOKEN", help="A token to show.")
]
ClientIdOption = Annotated[
    str | None,
    typer.Option(
        metavar="ID", envvar="PURPORT_CLIENT_ID", help="Credentials, to fetch tokens with."
    ),
]
ClientSecretOption = Annotated[
    str | None,
    typer.Option(
        metavar="SECRET",
        envvar="PURPORT_CLIENT_SECRET",
        help="The secret of the credentials; better told by the environment.",
    ),
]
CaOption = Annotated[
    Path | None,
    typer.Option(
        "--ca", metavar="FILE", help="Certificates to trust over TLS, instead of the usual ones."
    ),
]
ProfileOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="An application profile of SEPA (JSAP or YSAP)."),
]
BindOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE", help="A variable of the profile's query or update; repeatable."
    ),
]
ProfiledNameOption = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="Which query or update of the profile."),
]
DefaultGraphOption = Annotated[
    list[str] | None,
    typer.Option(metavar="IRI", help="A graph of the query's default graph; repeatable."),
]
NamedGraphOption = Annotated[
    list[str] | None,
    typer.Option(metavar="IRI", help="A graph that the query can name; repeatable."),
]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be sent, and for which graphs, if the profile names some."""

    text: str
    graphs: Graphs | None = None
    addresses: Addresses | None = None  # where the profile wants it to be sent


@dataclass(frozen=True, slots=True)
class Connection:
    """What was said of the server, and of who asks."""

    server: str | None
    subscribe_url: str | None
    token: str | None
    client_id: str | None
    client_secret: str | None
    ca: Path | None
    profile: Path | None = None

    @contextmanager
    def client(self, addresses: Addresses | None = None) -> Iterator[Client]:
        """A client; what the server cannot use is `InvalidInput`, as if found out here."""
        from purport.client.client import Client
        from purport.client.errors import ServerRefused

        try:
            with Client(
                self.server or addresses or DEFAULT_SERVER,
                subscribe_url=self.subscribe_url,
                token=self.token,
                client_id=self.client_id,
                client_secret=self.client_secret,
                ca=self.ca,
            ) as client:
                yield client
        except ServerRefused as error:
            if error.status in _BAD_INPUT:
                raise InvalidInput(str(error)) from None
            raise

    def asked(
        self,
        text: str | None,
        kind: Literal["query", "update"],
        name: str | None = None,
        bindings: Sequence[str] = (),
    ) -> Asked:
        """A text that is given, or that of the profile."""
        if text is not None:
            if bindings:
                raise InvalidInput("--bind: only what a --profile names has variables to bind")
            return Asked(given_text(text), addresses=self.profiled_addresses())
        if self.profile is None or name is None:
            raise InvalidInput(
                f"what is the {kind}? Give it as a text, or by --profile FILE --name NAME"
            )
        profile = self._read_profile(self.profile)
        found = (profile.query if kind == "query" else profile.update)(name, _bound(bindings))
        return Asked(found.text, found.graphs, found.addresses)

    def profiled_addresses(self) -> Addresses | None:
        """Where the profile says that the server is, if there is a profile."""
        return None if self.profile is None else self._read_profile(self.profile).addresses

    def _read_profile(self, path: Path) -> ApplicationProfile:
        from purport.client.application_profile import ApplicationProfile

        return ApplicationProfile.read(path)


def _bound(bindings: Sequence[str]) -> Mapping[str, str]:
    found = {}
    for one in bindings:
        name, sign, value = one.partition("=")
        if not sign or not name:
            raise InvalidInput(f"--bind: expected NAME=VALUE, got {one!r}")
        found[name.lstrip("?$")] = value
    return found
