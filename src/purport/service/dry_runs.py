"""Dry runs over HTTP: what a subscription or rule would tell, had it been there."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from purport.client.messages import DryRunAnswer, DryRunRequest
from purport.embedded.message import message_of
from purport.embedded.trials import MOST_AT_ALL, MOST_LOOKED_AT, Trial
from purport.model.notification import Notification
from purport.service.answers import json_answer
from purport.service.bodies import JSON, json_as, read_json, read_query
from purport.service.deadline import Deadline, in_time
from purport.service.operation import PROBLEMS, Answer, Content, Operation, resources
from purport.service.registrations import dataset_named, text_of
from purport.service.service import Service
from purport.service.subscriptions import NoParameters

_MOST = 2**63 - 1
_OF_NOTIFICATIONS = ("id", "subscription", "sequence", "causes", "missed")
_Place = Annotated[int, msgspec.Meta(ge=0, le=_MOST)]


class DryRun(DryRunRequest, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Asks what a subscription would be told of an example event, or of a part of the journal."""

    event: dict[str, Any] | UnsetType = UNSET
    topic: str = ""  # of the event
    after: _Place | None = None
    through: _Place | None = None
    most: Annotated[int, msgspec.Meta(ge=1, le=MOST_AT_ALL)] | None = None


DRY_RUN = Operation(
    "POST",
    "/dry-run",
    "tryOut",
    "What a subscription or rule would tell of an example event, or of a part of the journal",
    takes=(Content(JSON, DryRun),),
    answers=(
        Answer(200, "What it would tell; nothing has changed.", (Content(JSON, DryRunAnswer),)),
        *PROBLEMS,
    ),
)


def routes(service: Service) -> list[BaseRoute]:
    """Where something is tried out."""

    async def try_out(request: Request) -> Response:
        who = await service.who(request)
        read_query(request, NoParameters)
        asked = await read_json(request, DryRun)

        def trials(deadline: Deadline) -> DryRunAnswer:
            found = service.broker.try_out(
                text_of(asked.purport, asked.sparql),
                None if isinstance(asked.event, UnsetType) else asked.event,
                topic=asked.topic,
                after=asked.after,
                through=asked.through,
                since=asked.since,
                most=asked.most or MOST_LOOKED_AT,
                dataset=dataset_named(asked.default_graph_uri, asked.named_graph_uri),
                who=who,
                go_on=deadline.require,
            )
            return DryRunAnswer(tuple(map(_message, found)))

        seconds = service.settings.limits.query_seconds
        return json_answer(await in_time(service.desk, trials, seconds))

    return resources({DRY_RUN: try_out})


def _message(trial: Trial) -> dict[str, Any]:
    """What would be told, as a notification is, and what a rule would have done then.

    `sequence` is that of the event in the journal.
    """
    told = message_of(Notification("", 0, trial.news, trial.at, topic=trial.topic))
    said: dict[str, Any] = {
        name: value
        for name, value in json_as(told, dict[str, Any]).items()
        if name not in _OF_NOTIFICATIONS
    }
    if trial.position is not None:
        said["sequence"] = trial.position
    if trial.published:
        said["published"] = [msgspec.Raw(event.to_json()) for event in trial.published]
    if trial.updates:
        said["updates"] = trial.updates
    if trial.failures:
        said["failures"] = trial.failures
    return said
