"""The application: every route of a service, under one table of errors."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from purport.errors import PurportError
from purport.service import (
    delayed_updates,
    dry_runs,
    events,
    failures,
    notifications,
    openapi,
    registry,
    server_sent_events,
    sparql_protocol,
    subscribe_socket,
    subscriptions,
    watching,
)
from purport.service.mqtt import routes as mqtt_routes
from purport.service.overlay import routes as overlay_routes
from purport.service.problems import Refused, problem_response
from purport.service.service import Service

_CODES = {404: "not_found", 405: "method_not_allowed"}


def application(service: Service) -> Starlette:
    """What answers requests and sockets."""
    routes: list[BaseRoute] = [
        route
        for part in (
            events,
            subscriptions,
            notifications,
            dry_runs,
            failures,
            registry,
            sparql_protocol,
            delayed_updates,
            server_sent_events,
            subscribe_socket,
            openapi,
            watching,
            overlay_routes,
            mqtt_routes,
        )
        for route in part.routes(service)
    ] + [*service.more_routes]
    return Starlette(
        routes=routes,
        exception_handlers={
            PurportError: problem_response,
            HTTPException: _not_routed,
            Exception: problem_response,
        },
    )


async def _not_routed(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, "refused")
    answer = await problem_response(request, Refused(error.status_code, code, error.detail))
    answer.headers.update(error.headers or {})
    return answer
