"""`/updates`: the updates that wait for their time, to be listed and cancelled."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from purport.broker.schedule import DelayedUpdate
from purport.client.messages import DelayedUpdates, DelayedUpdateState
from purport.errors import InvalidInput
from purport.service.answers import json_answer
from purport.service.problems import NotThere
from purport.service.service import Service
from purport.service.whole_number import whole_number


def routes(service: Service) -> list[BaseRoute]:
    """Where updates wait."""

    async def waiting(request: Request) -> Response:
        who = await service.who(request)
        found = await service.desk.read(lambda: service.broker.delayed(who=who))
        return json_answer(DelayedUpdates(tuple(map(_message, found))))

    async def one(request: Request) -> Response:
        who = await service.who(request)
        number = _number(request)
        if request.method == "DELETE":
            await service.desk.write(lambda: _cancel(service, number, who))
            return Response(status_code=204)
        return json_answer(_message(await service.desk.read(lambda: _found(service, number, who))))

    return [
        Route("/updates", waiting, methods=["GET"]),
        Route("/updates/{number}", one, methods=["GET", "DELETE"]),
    ]


def _number(request: Request) -> int:
    told: str = request.path_params["number"]
    number = whole_number(told)
    if number is None:
        raise NotThere(f"no update {told!r:.40} waits: they have numbers")
    return number


def _found(service: Service, number: int, who: str | None) -> DelayedUpdate:
    """An update that waits and is not hidden from somebody."""
    found = (one for one in service.broker.delayed(who=who) if one.number == number)
    update = next(found, None)
    if update is None:
        raise NotThere(f"no update {number} waits")
    return update


def _cancel(service: Service, number: int, who: str | None) -> None:
    _found(service, number, who)
    try:
        service.broker.cancel_update(number, who=who)
    except InvalidInput:  # it has run meanwhile
        raise NotThere(f"no update {number} waits") from None


def _message(update: DelayedUpdate) -> DelayedUpdateState:
    return DelayedUpdateState(update.number, update.text, update.due, update.publisher)
