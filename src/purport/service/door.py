"""The door of a service: what is too large, too deep or too fast is refused before it is read.

It counts what passes, and when the service is about to stop it ends what would never end by itself.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import MutableMapping
from functools import partial
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from purport.errors import InvalidInput, PurportError
from purport.service.answering import Answering, BodyRoom
from purport.service.bodies import parsed
from purport.service.cors import Origins
from purport.service.json_depth import require_shallow
from purport.service.metrics import Metrics
from purport.service.places import place_of
from purport.service.problems import ERROR_CODE, Refused, problem_message
from purport.service.rates import Rates
from purport.service.service import Service
from purport.service.settings import RequestLimits, ServiceSettings

GOING_AWAY = 1001  # how a WebSocket is told that the service stops
NOT_ALLOWED = 1008
_SECURE = "/secure"
_WATCHED = frozenset({"/health", "/ready", "/metrics"})  # by those that must not be kept out
_OF_STRANGERS, _MOST_OF_STRANGERS = "/oauth/", 64 * 1024


class Door:
    """An application behind limits."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._limits, self._metrics = app, service.settings.limits, service.metrics
        self._draining, self._who_of = service.draining, service.who_of
        self._body_room = BodyRoom(self._limits.all_bodies_bytes)
        self._sockets: set[_Socket] = set()
        self._per_second: int | None = None
        self._rates: Rates | None = None
        self.take(service.settings)

    def take(self, settings: ServiceSettings) -> None:
        """Have other settings hold: whose pages may ask, and how much each client."""
        self._origins = Origins(settings.cross_origin())
        per_second = settings.limits.requests_per_second
        if per_second != self._per_second:
            self._per_second = per_second
            self._rates = None if per_second is None else Rates(per_second)

    async def close_sockets(self) -> None:
        """Tell all who have a WebSocket that the service stops."""
        closings = (one.close(GOING_AWAY, "the service stops") for one in tuple(self._sockets))
        await asyncio.gather(*closings, return_exceptions=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            if scope["type"] == "http":
                await self._answer(_without_secure(scope), receive, send)
            elif scope["type"] == "websocket":
                await self._talk(_without_secure(scope), receive, send)
            else:
                await self._app(scope, receive, send)
        except asyncio.CancelledError:  # it was not done when the service had to stop
            if not self._draining.is_set():
                raise

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        more_headers = self._origins.told(scope)
        request = Answering(scope, receive, send, self._limits, self._draining, more_headers)
        self._metrics.requests += 1
        try:
            if scope["method"] == "OPTIONS":
                preflight = self._origins.preflight(Headers(scope=scope))
                await preflight(scope, receive, request.send)
                return
            try:
                self._origins.require(Headers(scope=scope))
                self._require_slow(scope)
                await self._take_body(scope, request)
            except (PurportError, TimeoutError) as error:
                await request.refuse(error)
            else:
                await self._pass_on(scope, request)
        finally:
            self._body_room.give_back(request.held)
            self._metrics.requests -= 1
            self._count(scope, request.status)

    async def _take_body(self, scope: Scope, request: Answering) -> None:
        """Have the body read, as soon as it is known who sends it; of strangers, a short one."""
        most = self._limits.body_bytes
        if scope["path"].startswith(_OF_STRANGERS):
            most = min(most, _MOST_OF_STRANGERS)
        elif request.has_body:
            self._who_of(Headers(scope=scope).get("authorization"))
        await request.take_body(self._body_room, most)

    async def _pass_on(self, scope: Scope, request: Answering) -> None:
        try:
            await self._app(scope, request.receive, request.send)
        except Exception:  # the application has logged it, and answered if that could be
            if not request.has_ended:
                raise
        else:
            await request.end()

    def _count(self, scope: Scope, status: int) -> None:
        self._metrics.answered[str(status)] += 1
        if ERROR_CODE in scope:
            self._metrics.errors[scope[ERROR_CODE]] += 1

    def _require_slow(self, scope: Scope) -> None:
        if self._rates is None or scope["path"] in _WATCHED:
            return
        seconds = self._rates.wait(self._client(scope))
        if seconds > 0:
            self._metrics.rate_limited += 1
            raise Refused(
                429, "too_many_requests", "more than this client may ask for in a second",
                retry_seconds=math.ceil(seconds),
            )  # fmt: skip

    def _client(self, scope: Scope) -> str:
        """Who a client is by its token, or by its address."""
        header = HTTPConnection(scope).headers.get("authorization")
        if header is not None:
            try:
                who = self._who_of(header)
            except PurportError:
                who = None
            if who is not None:
                return f"name {who}"
        client = scope.get("client")
        return f"address {place_of(client and client[0])}"

    async def _talk(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._origins.let_in(Headers(scope=scope)):
            await receive()
            await send({"type": "websocket.close", "code": NOT_ALLOWED})
            return
        socket = _Socket(receive, send, self._limits, self._metrics)
        client = self._client(scope)
        self._metrics.sockets += 1
        self._sockets.add(socket)
        try:
            await self._app(scope, self._slowly(socket, client), socket.send)
        finally:
            self._sockets.discard(socket)
            self._metrics.sockets -= 1

    def _slowly(self, socket: _Socket, client: str) -> Receive:
        """Messages that come too fast are read later; the sender has to wait."""

        async def receive() -> Message:
            message = await socket.receive()
            if message["type"] == "websocket.receive":
                while self._rates is not None and (seconds := self._rates.wait(client)) > 0:
                    self._metrics.rate_limited += 1
                    await asyncio.sleep(seconds)
            return message

        return receive


class _Socket:
    """A WebSocket whose messages are not too deep, and which the service can close."""

    def __init__(
        self, receive: Receive, send: Send, limits: RequestLimits, metrics: Metrics
    ) -> None:
        self._receive, self._send, self._limits, self._metrics = receive, send, limits, metrics
        self._is_open = self._is_closed = self._has_spoken = False

    async def receive(self) -> Message:
        """The next message; one that is nested too deep is answered here."""
        while True:
            message = await self._first() if self._is_silent else await self._receive()
            if message["type"] != "websocket.receive":
                return message
            self._has_spoken = True
            self._metrics.messages["received"] += 1
            text = _bytes_of(message)
            try:
                await parsed(text, partial(require_shallow, text, self._limits.json_depth))
            except InvalidInput as error:
                self._metrics.errors["bad_request"] += 1
                told = json.dumps(problem_message(error))
                await self.send({"type": "websocket.send", "text": told})
            else:
                return message

    @property
    def _is_silent(self) -> bool:
        """Whether it is open, and has said nothing so far."""
        return self._is_open and not self._has_spoken

    async def _first(self) -> Message:
        """The first message; who says nothing for too long is not waited for any more."""
        try:
            async with asyncio.timeout(self._limits.silent_seconds):
                return await self._receive()
        except TimeoutError:
            await self.close(NOT_ALLOWED, "nothing was asked for: open it when there is something")
            return {"type": "websocket.disconnect", "code": NOT_ALLOWED}

    async def send(self, message: Message) -> None:
        """Send something; to a socket that the service has closed nothing is sent any more."""
        if self._is_closed:
            raise OSError("the WebSocket is closed")
        match message["type"]:
            case "websocket.accept":
                self._is_open = True
            case "websocket.close":
                self._is_closed = True
                self._metrics.closed[str(message.get("code", 1000))] += 1
            case "websocket.send":
                self._metrics.messages["sent"] += 1
        await self._send(message)

    async def close(self, code: int, reason: str) -> None:
        """Close it from this side."""
        if self._is_open and not self._is_closed:
            self._is_closed = True
            await self._send({"type": "websocket.close", "code": code, "reason": reason})


def _without_secure(scope: Scope) -> Scope:
    """With TLS, paths may begin with `/secure`."""
    path: str = scope["path"]
    if scope.get("scheme") not in ("https", "wss") or not path.startswith(f"{_SECURE}/"):
        return scope
    changed: MutableMapping[str, Any] = {**scope, "path": path.removeprefix(_SECURE)}
    if scope.get("raw_path") is not None:
        changed["raw_path"] = scope["raw_path"].removeprefix(_SECURE.encode())
    return changed


def _bytes_of(message: Message) -> bytes:
    text: str | None = message.get("text")
    return (message.get("bytes") or b"") if text is None else text.encode(errors="replace")
