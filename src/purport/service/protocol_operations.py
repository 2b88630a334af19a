"""What is asked over HTTP by protocols that others have made: SPARQL 1.1, OAuth, and watching."""

from __future__ import annotations

from typing import Any

import msgspec

from purport.client.messages import DelayedUpdates, DelayedUpdateState, RegisterRequest
from purport.service.bodies import JSON
from purport.service.operation import NOT_THERE, PROBLEMS, Answer, Content, Operation, problem
from purport.service.protocol_request import FORM, QUERY, UPDATE
from purport.service.sparql_protocol import UpdateAnswer


class Graphs(msgspec.Struct, frozen=True, rename="kebab"):
    """The graphs that a query sees."""

    default_graph_uri: list[str] = []
    named_graph_uri: list[str] = []


class QueryParameters(Graphs, frozen=True, rename="kebab"):
    """A query, and the graphs that it sees."""

    query: str = ""


class UpdateParameters(msgspec.Struct, frozen=True, rename="kebab"):
    """An update, the graphs that its patterns see, and when it is to run."""

    update: str = ""
    using_graph_uri: list[str] = []
    using_named_graph_uri: list[str] = []
    at: str = ""  # a time with its zone
    delay: str = ""  # such as PT10S, or 10 s


_SOLUTIONS = (
    Content("application/sparql-results+json", dict[str, Any]),
    Content(JSON, dict[str, Any] | list[Any]),
    *map(
        Content,
        (
            "application/sparql-results+xml", "application/xml", "text/xml", "text/csv",
            "text/tab-separated-values", "text/turtle", "application/n-triples",
            "application/rdf+xml", "application/n-quads", "application/trig", "text/n3",
        ),
    ),
    Content("application/ld+json", list[Any] | dict[str, Any]),
)  # fmt: skip
_ANSWERED = (
    Answer(200, "The answer, in a form that is accepted.", _SOLUTIONS),
    problem(406, "The answer has no form that is accepted."),
    *PROBLEMS,
)
_UPDATED = (
    Answer(200, "It has run.", (Content(JSON, UpdateAnswer),)),
    Answer(202, "It waits for its time.", (Content(JSON, UpdateAnswer),), ("Location",)),
    *PROBLEMS,
)
_TEXT = (Content("text/plain"),)
_STATUS = (Content(JSON, dict[str, str]),)
_GIVEN = (Content(JSON, dict[str, Any]),)

_QUERYING = tuple(
    operation
    for path in ("/query", "/sparql")
    for operation in (
        Operation(
            "GET", path, f"ask{path[1:].capitalize()}", "The answer to a SPARQL query",
            parameters=QueryParameters, answers=_ANSWERED,
        ),
        Operation(
            "POST", path, f"send{path[1:].capitalize()}", "The answer to a SPARQL query",
            parameters=Graphs, takes=(Content(QUERY), Content(FORM, QueryParameters)),
            answers=_ANSWERED,
        ),
    )
)  # fmt: skip
SPARQL = (
    *_QUERYING,
    Operation(
        "POST", "/update", "update", "Run a SPARQL update, at once or later",
        parameters=UpdateParameters, takes=(Content(UPDATE), Content(FORM, UpdateParameters)),
        answers=_UPDATED,
    ),
    Operation(
        "GET", "/updates", "listUpdates", "The updates that wait for their time",
        answers=(Answer(200, "All of them.", (Content(JSON, DelayedUpdates),)), *PROBLEMS),
    ),
    Operation(
        "GET", "/updates/{number}", "getUpdate", "An update that waits for its time",
        answers=(
            Answer(200, "It waits.", (Content(JSON, DelayedUpdateState),)), NOT_THERE, *PROBLEMS,
        ),
    ),
    Operation(
        "DELETE", "/updates/{number}", "cancelUpdate", "Let a delayed update go",
        answers=(Answer(204, "It will not run."), NOT_THERE, *PROBLEMS),
    ),
)  # fmt: skip

WATCHING = (
    Operation(
        "GET", "/metrics", "showFigures", "Figures, in the format of Prometheus",
        answers=(Answer(200, "The figures.", _TEXT), *PROBLEMS),
    ),
    Operation(
        "GET", "/health", "showHealth", "Whether the process is alive",
        answers=(Answer(200, "It is.", _STATUS), *PROBLEMS),
    ),
    Operation(
        "GET", "/ready", "showReadiness", "Whether requests are taken",
        answers=(Answer(200, "They are.", _STATUS), *PROBLEMS),
    ),
)  # fmt: skip

OAUTH = (
    Operation(
        "POST", "/oauth/register", "registerClient", "Register as a client of an identity",
        takes=(Content(JSON, RegisterRequest),),
        answers=(Answer(201, "Its credentials.", _GIVEN), *PROBLEMS),
    ),
    Operation(
        "POST", "/oauth/token", "fetchToken", "A token, for the credentials of a client",
        headers=("Authorization",),
        answers=(Answer(201, "The token.", _GIVEN), *PROBLEMS),
    ),
)  # fmt: skip
