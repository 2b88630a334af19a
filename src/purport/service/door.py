"""The door of a service: what is too large, too deep or too fast is refused before it is read.

It counts what passes, and when the service is about to stop it ends what would never end by itself.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from collections.abc import MutableMapping
from functools import partial
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from purport.errors import InvalidInput, PurportError
from purport.service.bodies import parsed
from purport.service.cors import Origins, RawHeaders
from purport.service.json_depth import require_shallow
from purport.service.metrics import Metrics
from purport.service.problems import ERROR_CODE, Refused, problem_message, problem_response
from purport.service.rates import Rates
from purport.service.service import Service
from purport.service.settings import RequestLimits, ServiceSettings

GOING_AWAY = 1001  # how a WebSocket is told that the service stops
NOT_ALLOWED = 1008
_SECURE = "/secure"
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
)
_KEEPS_HTTPS = (b"strict-transport-security", b"max-age=31536000")
_WATCHED = frozenset({"/health", "/ready", "/metrics"})  # by those that must not be kept out
_LOG = logging.getLogger("purport.service")


class Door:
    """An application behind limits."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._limits, self._metrics = app, service.settings.limits, service.metrics
        self._draining, self._who_of = service.draining, service.who_of
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
        if scope["type"] == "http":
            await self._answer(_without_secure(scope), receive, send)
        elif scope["type"] == "websocket":
            await self._talk(_without_secure(scope), receive, send)
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        more_headers = self._origins.told(scope)
        request = _Answering(scope, receive, send, self._draining, more_headers)
        began, self._metrics.requests = time.perf_counter(), self._metrics.requests + 1
        try:
            if scope["method"] == "OPTIONS":
                preflight = self._origins.preflight(Headers(scope=scope))
                await preflight(scope, receive, request.send)
                return
            try:
                self._origins.require(Headers(scope=scope))
                self._require_slow(scope)
                await request.take_body(self._limits)
            except (PurportError, TimeoutError) as error:
                await request.refuse(error)
            else:
                await self._pass_on(scope, request)
        finally:
            self._metrics.requests -= 1
            self._count(scope, request.status, time.perf_counter() - began)

    async def _pass_on(self, scope: Scope, request: _Answering) -> None:
        try:
            await self._app(scope, request.receive, request.send)
        except Exception:  # the application has logged it, and answered if that could be
            if not request.has_ended:
                raise
        else:
            await request.end()

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        metrics, path = self._metrics, scope["path"]
        metrics.answered[str(status)] += 1
        if ERROR_CODE in scope:
            metrics.errors[scope[ERROR_CODE]] += 1
        elif path == "/query" and status == 200:
            metrics.queries += 1
        elif path == "/events" and scope["method"] == "POST" and status < 300:
            metrics.publishing.add(seconds)

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
        return f"address {scope['client'][0] if scope.get('client') else 'unknown'}"

    async def _talk(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._origins.let_in(Headers(scope=scope)):
            await receive()
            await send({"type": "websocket.close", "code": NOT_ALLOWED})
            return
        socket = _Socket(receive, send, self._limits.json_depth, self._metrics)
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
            if message["type"] == "websocket.receive" and self._rates is not None:
                while (seconds := self._rates.wait(client)) > 0:
                    self._metrics.rate_limited += 1
                    await asyncio.sleep(seconds)
            return message

        return receive


class _Answering:
    """A request whose body is taken whole, and its answer."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        draining: asyncio.Event,
        more_headers: RawHeaders,
    ) -> None:
        self._scope, self._receive, self._send, self._draining = scope, receive, send, draining
        self._headers = [*_HEADERS, *more_headers]
        self._body: bytes | None = None
        self._is_stream = self.has_ended = False
        self.status = 500  # until something is answered

    async def take_body(self, limits: RequestLimits) -> None:
        """Read the body; `Refused` if it is too large, too slow or too deep."""
        headers = HTTPConnection(self._scope).headers
        length = headers.get("content-length")
        if length is not None and length.isdecimal() and int(length) > limits.body_bytes:
            raise _too_large(limits)
        if (coding := headers.get("content-encoding", "identity").lower()) != "identity":
            told = f"expected a body as it is, got one that is encoded: {coding!r:.100}"
            raise Refused(415, "unsupported_media_type", told)
        parts, size, more = [], 0, True
        try:
            async with asyncio.timeout(limits.body_seconds):
                while more:
                    message = await self._receive()
                    if message["type"] != "http.request":
                        raise Refused(400, "bad_request", "the body of the request broke off")
                    parts.append(message.get("body", b""))
                    size, more = size + len(parts[-1]), message.get("more_body", False)
                    if size > limits.body_bytes:
                        raise _too_large(limits)
        except TimeoutError:
            raise Refused(408, "too_slow", "the body of the request did not come in time") from None
        self._body = b"".join(parts)
        if "json" in headers.get("content-type", "") or self._body[:1] in (b"{", b"["):
            body = self._body
            await parsed(body, lambda: require_shallow(body, limits.json_depth))

    async def receive(self) -> Message:
        """The body, and then that nobody listens any more, or that a stream has to end."""
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        gone = asyncio.ensure_future(self._receive())
        stops = asyncio.ensure_future(self._draining.wait())
        try:
            await asyncio.wait((gone, stops), return_when=asyncio.FIRST_COMPLETED)
            if not gone.done() and self._is_stream:
                return {"type": "http.disconnect"}
            return await gone
        finally:
            gone.cancel()
            stops.cancel()

    async def send(self, message: Message) -> None:
        """Pass a part of the answer on, with headers that every answer has."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = [*message.get("headers", ()), *self._headers]
            if self._scope.get("scheme") == "https":
                headers.append(_KEEPS_HTTPS)
            message["headers"] = headers
            self._is_stream = any(
                name.lower() == b"content-type" and value.startswith(b"text/event-stream")
                for name, value in headers
            )
        elif message["type"] == "http.response.body":
            self.has_ended = not message.get("more_body", False)
        await self._send(message)

    async def end(self) -> None:
        """End a stream that the service has stopped."""
        if self._is_stream and not self.has_ended and self._draining.is_set():
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def refuse(self, error: Exception) -> None:
        """Answer what is wrong; if not all of the body was read, nothing can follow it."""
        answer = await problem_response(Request(self._scope), error)
        if self._body is None:
            answer.headers["Connection"] = "close"
        await answer(self._scope, self._receive, self.send)


class _Socket:
    """A WebSocket whose messages are not too deep, and which the service can close."""

    def __init__(self, receive: Receive, send: Send, depth: int, metrics: Metrics) -> None:
        self._receive, self._send, self._depth, self._metrics = receive, send, depth, metrics
        self._is_open = self._is_closed = False

    async def receive(self) -> Message:
        """The next message; one that is nested too deep is answered here."""
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                return message
            self._metrics.messages["received"] += 1
            text = _bytes_of(message)
            try:
                await parsed(text, partial(require_shallow, text, self._depth))
            except InvalidInput as error:
                self._metrics.errors["bad_request"] += 1
                told = json.dumps(problem_message(error))
                await self.send({"type": "websocket.send", "text": told})
            else:
                return message

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


def _too_large(limits: RequestLimits) -> Refused:
    return Refused(
        413, "too_large", f"the body is larger than {limits.body_bytes:,} bytes, which is the most"
    )
