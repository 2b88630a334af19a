"""Subscriptions and rules over HTTP: the same for both, below a path of their own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated
from urllib.parse import quote, urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from purport.broker.access import Forbidden
from purport.broker.asked import Asked, dataset_of
from purport.broker.records import MOST_WAITING, Delivery
from purport.broker.registry import Registration
from purport.client.messages import SubscriptionList, SubscriptionState
from purport.embedded.changing import asked_anew
from purport.errors import InvalidInput, NotFound
from purport.model.subscription import Rule, Subscription
from purport.service.answers import json_answer
from purport.service.bodies import JSON, MERGE_PATCH, read_json, read_query
from purport.service.deadline import require_answerable
from purport.service.operation import (
    NOT_THERE,
    PROBLEMS,
    Answer,
    Content,
    Operation,
    problem,
    resources,
)
from purport.service.problems import Refused
from purport.service.registrations import (
    OVERFLOWS,
    RULES,
    SUBSCRIPTIONS,
    Mount,
    Patch,
    Wanted,
    asked_by,
    patched,
    replaced,
    state_of,
    status_of,
)
from purport.service.service import Service
from purport.service.versions import is_known, require_version, tag_of

MOST_LISTED = 1_000
Most = Annotated[int, msgspec.Meta(ge=1, le=MOST_LISTED)]


class ListParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which part of a list is wanted."""

    after: str = ""  # the id of the last one before it
    most: Most = 100


class NoParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """There are none."""


_STATE = (Content(JSON, SubscriptionState),)
_LIST = (Content(JSON, SubscriptionList),)
_TAKEN = problem(409, "Something of this name is there already.")
_OTHER_VERSION = problem(412, "It is another version than the one that is expected.")
_ONE = (NOT_THERE, _OTHER_VERSION, *PROBLEMS)


class Operations:
    """What can be asked of subscriptions, or of rules."""

    def __init__(self, mount: Mount) -> None:
        path, noun = mount.path, mount.noun
        one, name = f"{path}/{{id}}", noun.capitalize()
        of_one = (Answer(200, "As it is now.", _STATE, ("ETag",)), *_ONE)
        self.create = Operation(
            "POST", path, f"create{name}", f"Create a {noun}",
            takes=(Content(JSON, Wanted),),
            answers=(
                Answer(201, "It is there.", _STATE, ("Location", "ETag")), _TAKEN, *PROBLEMS
            ),
        )  # fmt: skip
        self.list = Operation(
            "GET", path, f"list{name}s", f"The {noun}s that one may see, by their ids",
            parameters=ListParameters,
            answers=(Answer(200, "Some of them.", _LIST, ("Link",)), *PROBLEMS),
        )  # fmt: skip
        self.get = Operation(
            "GET", one, f"get{name}", f"A {noun}, and how it is doing", answers=of_one
        )
        self.patch = Operation(
            "PATCH", one, f"change{name}", f"Change some of a {noun}",
            headers=("If-Match",),
            takes=(Content(MERGE_PATCH, Patch), Content(JSON, Patch)),
            answers=of_one,
        )  # fmt: skip
        self.put = Operation(
            "PUT", one, f"put{name}", f"Have a {noun} of this id be so, new or not",
            headers=("If-Match", "If-None-Match"),
            takes=(Content(JSON, Wanted),),
            answers=(
                Answer(200, "It was there.", _STATE, ("ETag",)),
                Answer(201, "It is new.", _STATE, ("Location", "ETag")),
                _TAKEN, _OTHER_VERSION, *PROBLEMS,
            ),
        )  # fmt: skip
        self.delete = Operation(
            "DELETE", one, f"delete{name}", f"End a {noun}",
            headers=("If-Match",),
            answers=(Answer(204, "It is gone."), *_ONE),
        )  # fmt: skip
        self.pause = Operation(
            "POST", f"{one}/pause", f"pause{name}", f"Let a {noun} hear nothing until resumed",
            answers=of_one,
        )  # fmt: skip
        self.resume = Operation(
            "POST", f"{one}/resume", f"resume{name}", f"Let a paused {noun} hear again",
            answers=of_one,
        )  # fmt: skip
        self.versions = Operation(
            "GET", f"{one}/versions", f"listVersionsOf{name}",
            f"All versions of a {noun}, oldest first",
            answers=(Answer(200, "The versions.", _LIST), NOT_THERE, *PROBLEMS),
        )  # fmt: skip


OPERATIONS = {mount.path: Operations(mount) for mount in (SUBSCRIPTIONS, RULES)}


def routes(service: Service) -> list[BaseRoute]:
    """Where subscriptions and rules are."""
    return [
        route
        for mount in (SUBSCRIPTIONS, RULES)
        for route in _Registrations(service, mount).routes()
    ]


class _Registrations:
    """What is asked of one of both paths."""

    def __init__(self, service: Service, mount: Mount) -> None:
        self._service, self._mount = service, mount
        self._broker, self._desk = service.broker, service.desk

    def routes(self) -> list[BaseRoute]:
        known = OPERATIONS[self._mount.path]
        return resources(
            {
                known.create: self._create,
                known.list: self._list,
                known.get: self._get,
                known.patch: self._patch,
                known.put: self._put,
                known.delete: self._delete,
                known.pause: self._pause,
                known.resume: self._resume,
                known.versions: self._versions,
            }
        )

    async def _create(self, request: Request) -> Response:
        who = await self._service.who(request)
        read_query(request, NoParameters)
        wanted = await read_json(request, Wanted)
        await self._require_answerable(who, lambda: asked_by(wanted, wanted.name))

        def create() -> SubscriptionState:
            asked = asked_by(wanted, wanted.name)
            self._mount.require(asked)
            name = asked.name if isinstance(asked, Subscription) else wanted.name
            if name is not None:
                self._require_free(name, who)
            return self._subscribe(wanted, name, who)

        return self._told(await self._desk.write(create), 201)

    async def _put(self, request: Request) -> Response:
        who = await self._service.who(request)
        read_query(request, NoParameters)
        wanted = await read_json(request, Wanted)
        identifier: str = request.path_params["id"]
        await self._require_answerable(who, lambda: asked_by(wanted, None))

        def put() -> tuple[SubscriptionState, int]:
            asked = asked_by(wanted, None)
            self._mount.require(asked)
            if wanted.name not in (None, identifier):
                raise InvalidInput(f"it is {identifier!r} in the path, and {wanted.name!r} below")
            before = self._seen(identifier, who)
            require_version(request, None if before is None else before.version)
            if before is None:
                return self._subscribe(wanted, identifier, who), 201
            self._mount.require(before.subscription)
            if wanted.durable != before.is_durable:
                raise InvalidInput("whether it is durable cannot change")
            self._broker.change(identifier, **replaced(wanted), who=who)
            return self._state(identifier, who), 200

        return self._told(*await self._desk.write(put))

    async def _list(self, request: Request) -> Response:
        who = await self._service.who(request)
        asked = read_query(request, ListParameters)
        has_rules = self._mount.has_rules

        def find() -> list[Registration]:
            found = [
                one
                for one in self._broker.registrations(who=who)
                if one.id > asked.after and isinstance(one.subscription, Rule) == has_rules
            ]
            return sorted(found, key=lambda one: one.id)

        found = await self._desk.read(find)
        listed, headers = found[: asked.most], {}
        if len(found) > asked.most:
            after = urlencode({"after": listed[-1].id, "most": asked.most})
            headers["Link"] = f'<{self._mount.path}?{after}>; rel="next"'
        return self._listed([state_of(one) for one in listed], headers)

    async def _get(self, request: Request) -> Response:
        answer = await self._with_one(request, self._desk.read, lambda one, who: None)
        tag = answer.headers["ETag"]
        return (
            Response(status_code=304, headers={"ETag": tag}) if is_known(request, tag) else answer
        )

    async def _patch(self, request: Request) -> Response:
        patch = await read_json(request, Patch, (MERGE_PATCH, JSON))
        who = await self._service.who(request)
        identifier: str = request.path_params["id"]

        def wanted() -> Asked:
            one = self._mount.find(self._broker, identifier, who)
            given = patched(patch, one)
            return asked_anew(one, given.get("text"), given.get("dataset"))

        await self._require_answerable(who, wanted)

        def change(one: Registration, who: str | None) -> None:
            self._broker.change(one.id, **patched(patch, one), who=who)

        return await self._with_one(request, self._desk.write, change)

    async def _pause(self, request: Request) -> Response:
        def pause(one: Registration, who: str | None) -> None:
            self._broker.pause(one.id, who=who)

        return await self._with_one(request, self._desk.write, pause)

    async def _resume(self, request: Request) -> Response:
        who = await self._service.who(request)
        identifier: str = request.path_params["id"]

        def paused() -> Asked:
            return self._mount.find(self._broker, identifier, who).subscription

        await self._require_answerable(who, paused)

        def resume(one: Registration, who: str | None) -> None:
            self._broker.resume(one.id, who=who)

        return await self._with_one(request, self._desk.write, resume)

    async def _delete(self, request: Request) -> Response:
        who = await self._service.who(request)
        read_query(request, NoParameters)

        def delete() -> None:
            one = self._mount.find(self._broker, request.path_params["id"], who)
            require_version(request, one.version)
            self._broker.unsubscribe(one.id, who=who)

        await self._desk.write(delete)
        return Response(status_code=204)

    async def _versions(self, request: Request) -> Response:
        who = await self._service.who(request)
        read_query(request, NoParameters)

        def find() -> list[SubscriptionState]:
            one = self._mount.find(self._broker, request.path_params["id"], who)
            return [state_of(version) for version in self._broker.versions(one.id, who=who)]

        return self._listed(await self._desk.read(find), {})

    async def _with_one(
        self,
        request: Request,
        at_desk: Callable[[Callable[[], SubscriptionState]], Awaitable[SubscriptionState]],
        do: Callable[[Registration, str | None], object],
    ) -> Response:
        """Do something to what is asked for, and tell how it is then."""
        who = await self._service.who(request)
        read_query(request, NoParameters)

        def find_and_do() -> SubscriptionState:
            one = self._mount.find(self._broker, request.path_params["id"], who)
            require_version(request, one.version)
            do(one, who)
            return self._state(one.id, who)

        return self._told(await at_desk(find_and_do), 200)

    def _subscribe(self, wanted: Wanted, name: str | None, who: str | None) -> SubscriptionState:
        asked = asked_by(wanted, name)
        self._broker.require_keeper(who)
        made = self._broker.subscribe(
            asked if isinstance(asked, Subscription) else asked.text,
            name=name,
            dataset=dataset_of(asked),
            owner=who,
            durable=wanted.durable,
            delivery=wanted.delivery or Delivery.AT_LEAST_ONCE,
            most_waiting=wanted.most_waiting or MOST_WAITING,
            overflow=OVERFLOWS[wanted.overflow or "drop oldest"],
            webhook=wanted.webhook or "",
        )
        made.close()
        return self._state(made.id, who)

    async def _require_answerable(self, who: str | None, wanted: Callable[[], Asked]) -> None:
        await require_answerable(self._service, who, await self._service.desk.read(wanted))

    def _require_free(self, name: str, who: str | None) -> None:
        if self._seen(name, who) is not None:
            raise Refused(409, "exists", f"{name!r} is there already")

    def _seen(self, identifier: str, who: str | None) -> Registration | None:
        """What has an id; refused if it is another's, since nobody else can have the id then."""
        try:
            return self._broker.registration(identifier, who=who)
        except Forbidden:
            raise Refused(409, "exists", f"{identifier!r} is taken") from None
        except NotFound:
            return None

    def _state(self, identifier: str, who: str | None) -> SubscriptionState:
        one = self._broker.registration(identifier, who=who)
        return state_of(one, status_of(self._broker, identifier, who))

    def _told(self, state: SubscriptionState, status: int) -> Response:
        answer = json_answer(state, status)
        answer.headers["ETag"] = tag_of(state.version, bytes(answer.body))
        if status == 201:
            answer.headers["Location"] = f"{self._mount.path}/{quote(state.id, safe='')}"
        return answer

    def _listed(self, states: list[SubscriptionState], headers: dict[str, str]) -> Response:
        found = tuple(states)
        answer = (
            SubscriptionList(rules=found)
            if self._mount.has_rules
            else SubscriptionList(subscriptions=found)
        )
        return json_answer(answer, 200, headers)
