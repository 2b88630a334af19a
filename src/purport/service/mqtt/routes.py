"""Where one sees how bridges to brokers of MQTT are."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from purport.service.answers import json_answer
from purport.service.bodies import JSON
from purport.service.mqtt.status import BridgesStatus
from purport.service.operation import NOT_THERE, PROBLEMS, Answer, Content, Operation, resources
from purport.service.problems import Refused
from purport.service.service import Service

MQTT = Operation(
    "GET",
    "/mqtt",
    "showMqtt",
    "The bridges to brokers of MQTT, how they are, and what they could not take",
    answers=(Answer(200, "All of them.", (Content(JSON, BridgesStatus),)), NOT_THERE, *PROBLEMS),
)


def routes(service: Service) -> list[BaseRoute]:
    """The route of their status."""

    async def status(request: Request) -> Response:
        await service.who(request)
        if service.bridges is None:
            raise Refused(404, "not_found", "there are no bridges: there is no [[mqtt]]")
        return json_answer(await service.bridges.status())

    return resources({MQTT: status})
