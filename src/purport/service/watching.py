"""What those ask who watch over a service: its figures, whether it is alive, and ready."""

from __future__ import annotations

import json
import logging

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from purport.errors import PurportError
from purport.prometheus import CONTENT_TYPE, exposition
from purport.service.problems import Refused
from purport.service.service import Service

_LOG = logging.getLogger("purport.service")


def routes(service: Service) -> list[BaseRoute]:
    """What those ask who watch over a service."""

    async def metrics(request: Request) -> Response:
        await service.who(request)
        tally = await service.desk.watch(service.broker.tally)
        families = list(service.metrics.families(tally))
        if service.overlay is not None:
            families += await service.overlay.families()
        if service.bridges is not None:
            families += await service.bridges.families()
        return Response(exposition(families), media_type=CONTENT_TYPE)

    async def health(request: Request) -> Response:
        return _told({"status": "alive"})

    async def ready(request: Request) -> Response:
        if service.draining.is_set():
            raise Refused(503, "shutting_down", "the service is about to stop")
        try:
            await service.desk.watch(service.broker.require_writable)
        except PurportError as error:
            _LOG.warning("not ready: %s", error)
            told = "the journal cannot be written: see the log of the service"
            raise Refused(503, "not_ready", told) from None
        missing = [] if service.bridges is None else service.bridges.missing()
        if missing:
            told = f"no connection to a broker of MQTT: {', '.join(missing)}"
            raise Refused(503, "not_ready", told)
        return _told({"status": "ready"})

    return [
        Route("/metrics", metrics),
        Route("/health", health),
        Route("/ready", ready),
    ]


def _told(what: dict[str, str]) -> Response:
    return Response(json.dumps(what), media_type="application/json")
