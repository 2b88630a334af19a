"""`GET /failures`: what rules, callbacks, webhooks and delayed updates could not do."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from purport.embedded.receipts import Failure
from purport.service.answers import json_answer
from purport.service.bodies import JSON, read_query
from purport.service.operation import PROBLEMS, Answer, Content, Operation, resources
from purport.service.service import Service
from purport.service.subscriptions import Most


class FailureParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which part of the journal is looked at."""

    after: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] = 0  # the sequence of the last one
    most: Most = 100


class FailureMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What could not be done, and where the journal says so."""

    sequence: int
    at: datetime
    reason: str
    subscription: str = ""
    event: str = ""
    update: int | None = None  # the number of a delayed update


class FailureList(msgspec.Struct, frozen=True):
    """The answer to GET /failures, oldest first."""

    failures: tuple[FailureMessage, ...]


FAILURES = Operation(
    "GET",
    "/failures",
    "listFailures",
    "What rules, webhooks and delayed updates could not do",
    parameters=FailureParameters,
    answers=(Answer(200, "Some, oldest first.", (Content(JSON, FailureList),)), *PROBLEMS),
)


def routes(service: Service) -> list[BaseRoute]:
    """Where failures are."""

    async def failures(request: Request) -> Response:
        who = await service.who(request)
        asked = read_query(request, FailureParameters)
        found = await service.desk.read(
            lambda: service.broker.failures(asked.after, who=who, most=asked.most)
        )
        return json_answer(FailureList(tuple(map(_message, found))))

    return resources({FAILURES: failures})


def _message(one: Failure) -> FailureMessage:
    return FailureMessage(
        one.sequence, one.at, one.reason, one.subscription_id, one.event_id, one.update
    )
