"""Notifications over HTTP: what was told, why, and that it has arrived."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from purport.client.messages import AcknowledgeRequest, NotificationList, SubscriptionStatus
from purport.embedded.message import message_of
from purport.embedded.subscriber import Acknowledging, Subscriber
from purport.errors import InvalidInput
from purport.service.answers import json_answer
from purport.service.bodies import JSON, read_json, read_query
from purport.service.operation import NOT_THERE, PROBLEMS, Answer, Content, Operation, resources
from purport.service.registrations import RULES, SUBSCRIPTIONS, Mount, status_of
from purport.service.service import Service
from purport.service.subscriptions import Most, NoParameters
from purport.service.whole_number import MOST, whole_number

MOST_SECONDS = 30
_LOOK_SECONDS = 1.0  # whether the service is about to stop, or the subscription has ended
_FORMS = {"text": "text/plain", "json": JSON, "svg": "image/svg+xml"}
_JSON: dict[str, Any] = {JSON: dict[str, Any]}


class Arrived(AcknowledgeRequest, frozen=True, forbid_unknown_fields=True):
    """Says over HTTP that everything through this number has arrived."""


class NotificationParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which notifications are wanted, and how long to wait if there is none yet.

    Without `after`, those after the last that was acknowledged.
    """

    after: Annotated[int, msgspec.Meta(ge=-1, le=MOST)] | UnsetType = UNSET
    most: Most = 100
    wait: Annotated[float, msgspec.Meta(ge=0, le=MOST_SECONDS)] = 0.0  # seconds


class ExplanationParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a match is explained."""

    form: Literal["text", "json", "svg"] = "text"


class Operations:
    """What can be asked of the notifications of subscriptions, or of rules."""

    def __init__(self, mount: Mount) -> None:
        one, noun = f"{mount.path}/{{id}}", mount.noun
        name = noun.capitalize()
        self.list = Operation(
            "GET", f"{one}/notifications", f"list{name}Notifications",
            f"What a {noun} was told after a number, or else what waits; it goes on waiting",
            parameters=NotificationParameters,
            answers=(
                Answer(200, "Some, oldest first.", (Content(JSON, NotificationList),)),
                NOT_THERE, *PROBLEMS,
            ),
        )  # fmt: skip
        self.explain = Operation(
            "GET", f"{one}/notifications/{{number}}/explanation", f"explain{name}Match",
            "Why the event of a notification matches",
            parameters=ExplanationParameters,
            answers=(
                Answer(
                    200, "The explanation.",
                    tuple(Content(kind, _JSON.get(kind)) for kind in _FORMS.values()),
                ),
                NOT_THERE, *PROBLEMS,
            ),
        )  # fmt: skip
        self.acknowledge = Operation(
            "POST", f"{one}/acknowledge", f"acknowledge{name}",
            "Say that everything through a number has arrived",
            takes=(Content(JSON, Arrived),),
            answers=(
                Answer(200, "How far it is now.", (Content(JSON, SubscriptionStatus),)),
                NOT_THERE, *PROBLEMS,
            ),
        )  # fmt: skip


OPERATIONS = {mount.path: Operations(mount) for mount in (SUBSCRIPTIONS, RULES)}


def routes(service: Service) -> list[BaseRoute]:
    """Where notifications are."""
    return [
        route
        for mount in (SUBSCRIPTIONS, RULES)
        for route in _Notifications(service, mount).routes()
    ]


class _Notifications:
    """What is asked of those of one of both paths."""

    def __init__(self, service: Service, mount: Mount) -> None:
        self._service, self._mount = service, mount
        self._broker, self._desk = service.broker, service.desk

    def routes(self) -> list[BaseRoute]:
        known = OPERATIONS[self._mount.path]
        return resources(
            {
                known.list: self._list,
                known.explain: self._explain,
                known.acknowledge: self._acknowledge,
            }
        )

    async def _list(self, request: Request) -> Response:
        who = await self._service.who(request)
        asked = read_query(request, NotificationParameters)

        def listen() -> tuple[Subscriber, int]:
            one = self._mount.find(self._broker, request.path_params["id"], who)
            after = asked.after
            if isinstance(after, UnsetType):
                after = self._broker.status(one.id, who=who).acknowledged
            how = Acknowledging.BY_HAND
            return self._broker.subscriber(one.id, acknowledging=how, who=who), after

        subscriber, after = await self._desk.read(listen)
        try:
            token = request.headers.get("Authorization")
            found = await self._some(subscriber, after, asked, who, token)
        finally:
            await asyncio.shield(self._desk.clean_up(subscriber.close))
        body = b'{"notifications":[' + b",".join(found) + b"]}"
        return Response(body, media_type=JSON)

    async def _some(
        self,
        subscriber: Subscriber,
        after: int,
        asked: NotificationParameters,
        who: str | None,
        token: str | None,
    ) -> list[bytes]:
        """The next notifications, as JSON; if there is none, wait for some, or for the end."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + asked.wait

        def look() -> list[bytes]:
            self._mount.find(self._broker, subscriber.id, who)
            self._service.require_let_in(who, token)
            return [message_of(one) for one in islice(subscriber.replay(after=after), asked.most)]

        while True:
            subscriber.bell.still()
            found = await self._desk.read(look)
            left = deadline - loop.time()
            if found or left <= 0 or self._service.draining.is_set():
                return found
            await subscriber.bell.heard(min(left, _LOOK_SECONDS))

    async def _explain(self, request: Request) -> Response:
        who = await self._service.who(request)
        form = read_query(request, ExplanationParameters).form
        number = _number(request.path_params["number"])

        def explain() -> str:
            one = self._mount.find(self._broker, request.path_params["id"], who)
            return self._broker.notification(one.id, number, who=who).match.explain(form)

        return Response(await self._desk.read(explain), media_type=_FORMS[form])

    async def _acknowledge(self, request: Request) -> Response:
        who = await self._service.who(request)
        read_query(request, NoParameters)
        through = (await read_json(request, Arrived)).sequence

        def acknowledge() -> SubscriptionStatus:
            one = self._mount.find(self._broker, request.path_params["id"], who)
            self._broker.acknowledge(one.id, through, who=who)
            return status_of(self._broker, one.id, who)

        return json_answer(await self._desk.write(acknowledge))


def _number(told: str) -> int:
    number = whole_number(told)
    if number is None:
        raise InvalidInput(f"expected the number of a notification, got {told!r:.80}")
    return number
