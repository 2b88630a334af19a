"""Where neighbours open links, and where one sees how they are."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket

from purport.service.answers import json_answer
from purport.service.bodies import JSON
from purport.service.operation import NOT_THERE, PROBLEMS, Answer, Content, Operation, resources
from purport.service.overlay.overlay import Overlay
from purport.service.overlay.status import OverlayStatus
from purport.service.overlay.wire import ServerWire
from purport.service.problems import Refused
from purport.service.service import Service

OVERLAY = Operation(
    "GET",
    "/overlay",
    "showOverlay",
    "The neighbours of this broker, and how the links to them are",
    answers=(Answer(200, "All of them.", (Content(JSON, OverlayStatus),)), NOT_THERE, *PROBLEMS),
)


def routes(service: Service) -> list[BaseRoute]:
    """The route of links, and that of their status."""

    async def link(websocket: WebSocket) -> None:
        await websocket.accept()
        wire = ServerWire(websocket)
        if service.overlay is None:
            await wire.close(1008, "this broker has no neighbours")
            return
        await service.overlay.accept(wire, websocket.headers.get("Authorization"))

    async def status(request: Request) -> Response:
        await service.who(request)
        return json_answer(await _overlay(service).status())

    return [WebSocketRoute(OVERLAY.path, link), *resources({OVERLAY: status})]


def _overlay(service: Service) -> Overlay:
    if service.overlay is None:
        raise Refused(404, "not_found", "this broker has no neighbours: there is no [overlay]")
    return service.overlay
