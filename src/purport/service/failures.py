"""`GET /failures`: what rules, callbacks, webhooks and delayed updates could not do."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from urllib.parse import urlencode

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

_LOOKED_AT = 20_000  # entries of the journal, for one answer


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
    """The answer to GET /failures, oldest first: those of a part of the journal."""

    failures: tuple[FailureMessage, ...]
    through: int  # the sequence of the last entry that was looked at: go on after it


FAILURES = Operation(
    "GET",
    "/failures",
    "listFailures",
    "What rules, webhooks and delayed updates could not do",
    parameters=FailureParameters,
    answers=(
        Answer(200, "Some, oldest first.", (Content(JSON, FailureList),), ("Link",)),
        *PROBLEMS,
    ),
)


def routes(service: Service) -> list[BaseRoute]:
    """Where failures are."""

    async def failures(request: Request) -> Response:
        who = await service.who(request)
        asked = read_query(request, FailureParameters)
        found, through = await service.desk.read(
            lambda: service.broker.failures_among(_LOOKED_AT, asked.after, who=who, most=asked.most)
        )
        headers = {}
        if through < service.broker.sequence:
            after = urlencode({"after": through, "most": asked.most})
            headers["Link"] = f'</failures?{after}>; rel="next"'
        return json_answer(FailureList(tuple(map(_message, found)), through), 200, headers)

    return resources({FAILURES: failures})


def _message(one: Failure) -> FailureMessage:
    return FailureMessage(
        one.sequence, one.at, one.reason, one.subscription_id, one.event_id, one.update
    )
