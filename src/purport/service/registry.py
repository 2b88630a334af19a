"""`/registry`: all that is subscribed to, as a text that can be kept and read again."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from purport.broker.registry import Registration
from purport.broker.registry_text import imported as imported_text
from purport.client.messages import SubscriptionList
from purport.model.subscription import Rule
from purport.service.answers import json_answer
from purport.service.bodies import JSON, read_query, read_text
from purport.service.deadline import require_answerable
from purport.service.operation import PROBLEMS, Answer, Content, Operation, resources
from purport.service.registrations import state_of
from purport.service.service import Service
from purport.service.subscriptions import NoParameters

LINES = "application/x-ndjson"
TEXT = "text/plain"

EXPORT = Operation(
    "GET",
    "/registry",
    "exportRegistry",
    "What is subscribed to, rules included, as lines of JSON",
    answers=(Answer(200, "The lines.", (Content(LINES),)), *PROBLEMS),
)
IMPORT = Operation(
    "POST",
    "/registry",
    "importRegistry",
    "Register, all or none, what was exported, or a text of subscriptions and rules",
    takes=(Content(LINES), Content(TEXT)),
    answers=(
        Answer(200, "What is registered now.", (Content(JSON, SubscriptionList),)),
        *PROBLEMS,
    ),
)


def routes(service: Service) -> list[BaseRoute]:
    """Where the registry is."""
    broker, desk = service.broker, service.desk

    async def exported(request: Request) -> Response:
        who = await service.who(request)
        read_query(request, NoParameters)
        text = await desk.read(lambda: broker.export_registry(who=who))
        return Response(text, media_type=LINES)

    async def imported(request: Request) -> Response:
        who = await service.who(request)
        read_query(request, NoParameters)
        text = await read_text(request, (LINES, TEXT))
        wanted = await desk.read(lambda: imported_text(text, owner=who))
        await require_answerable(service, who, *(asked for _, asked in wanted))
        found = await desk.write(lambda: broker.import_registry(text, owner=who, who=who))
        return json_answer(_listed(found))

    return resources({EXPORT: exported, IMPORT: imported})


def _listed(found: list[Registration]) -> SubscriptionList:
    """Subscriptions and rules, apart."""
    rules = [one for one in found if isinstance(one.subscription, Rule)]
    others = [one for one in found if not isinstance(one.subscription, Rule)]
    return SubscriptionList(tuple(map(state_of, others)), tuple(map(state_of, rules)))
