"""`purport query`: a SPARQL query for a server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from purport.cli.connection import (
    BindOption,
    CaOption,
    ClientIdOption,
    ClientSecretOption,
    Connection,
    DefaultGraphOption,
    NamedGraphOption,
    ProfiledNameOption,
    ProfileOption,
    ServerOption,
    SubscribeUrlOption,
    TokenOption,
)
from purport.cli.json_lines import print_json
from purport.cli.options import AsJson

if TYPE_CHECKING:
    from purport.client.answers import Answer


def query(
    text: Annotated[
        str | None,
        typer.Argument(metavar="TEXT|FILE|-", help="The query, if not one of the profile."),
    ] = None,
    default_graph: DefaultGraphOption = None,
    named_graph: NamedGraphOption = None,
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
    """Ask a server a SPARQL query; bindings come as lines with tabs, triples as N-Triples.

    \b
    Example: purport query 'SELECT ?lamp ?dim WHERE { ?lamp <urn:dim> ?dim }'
    """
    connection = Connection(server, subscribe_url, token, client_id, client_secret, ca, profile)
    asked = connection.asked(text, "query", name, bind or ())
    graphs = asked.graphs
    with connection.client(asked.addresses) as client:
        answer = client.query(
            asked.text,
            default_graphs=default_graph or (graphs.default if graphs else ()),
            named_graphs=named_graph or (graphs.named if graphs else ()),
        )
    if as_json:
        _print_json(answer)
    else:
        _print_lines(answer)


def _print_json(answer: Answer) -> None:
    from purport.client.answers import Solutions
    from purport.embedded.message import term_message

    if isinstance(answer, bool):
        print_json({"boolean": answer})
    elif isinstance(answer, Solutions):
        for binding in answer:
            print_json({name: term_message(term) for name, term in binding.items()})
    else:
        for triple in answer:
            print_json(term_message(triple)["value"])


def _print_lines(answer: Answer) -> None:
    from purport.client.answers import Solutions

    if isinstance(answer, bool):
        lines = [str(answer).lower()]
    elif isinstance(answer, Solutions):
        names = answer.variables
        lines = ["\t".join(f"?{name}" for name in names)]
        lines += ["\t".join(str(one.get(name, "")) for name in names) for one in answer]
    else:
        lines = [f"{triple} ." for triple in answer]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
