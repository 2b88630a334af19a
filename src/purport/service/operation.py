"""What can be asked over HTTP: the one table from which routes and their description are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.routing import BaseRoute

from purport.client.messages import ProblemMessage
from purport.service.bodies import JSON
from purport.service.resource import Handler, Resource


@dataclass(frozen=True, slots=True)
class Content:
    """A body: its media type, and what its JSON is; without that, it is text."""

    media_type: str
    type: Any = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What may be answered."""

    status: int
    description: str
    contents: tuple[Content, ...] = ()
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of a path, with what it takes and gives."""

    method: str
    path: str
    id: str
    summary: str
    parameters: type[msgspec.Struct] | None = None  # of its address
    headers: tuple[str, ...] = ()  # that it heeds
    takes: tuple[Content, ...] = ()
    answers: tuple[Answer, ...] = ()


_PROBLEM = (Content(JSON, ProblemMessage),)


def problem(status: int, description: str) -> Answer:
    """A refusal."""
    return Answer(status, description, _PROBLEM)


NOT_THERE = problem(404, "There is no such thing, or it is another's.")
PROBLEMS = (  # which anything may be answered with
    problem(400, "The request is not as it must be; the description says what, and where."),
    problem(401, "A token is missing, expired or wrong."),
    problem(403, "Whoever asks may not do this, or a page of its origin may not ask."),
    problem(408, "The request did not come in time."),
    problem(413, "The body is too large."),
    problem(415, "The body is of a media type that is not taken here."),
    problem(429, "Too much waits already: try again later."),
    problem(500, "Something went wrong here."),
    problem(503, "The service is shutting down, has too many connections, or would take too long."),
)


def resources(handlers: Mapping[Operation, Handler]) -> list[BaseRoute]:
    """The routes of operations, one for each path."""
    by_path: dict[str, dict[str, Handler]] = {}
    for operation, handler in handlers.items():
        by_path.setdefault(operation.path, {})[operation.method] = handler
    return [Resource(path, of_path) for path, of_path in by_path.items()]
