"""A request whose body is taken whole before anybody sees it, and its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from purport.service.bodies import parsed
from purport.service.json_depth import require_shallow
from purport.service.problems import Refused, problem_response
from purport.service.settings import RequestLimits

_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
)
_KEEPS_HTTPS = (b"strict-transport-security", b"max-age=31536000")


class BodyRoom:
    """How many bytes of bodies there may be at the same time."""

    def __init__(self, most: int) -> None:
        self._most, self._held = most, 0

    def take(self, size: int) -> None:
        """Hold so many more; `Refused` (429) if that is too much."""
        if self._held + size > self._most:
            told = f"bodies of {self._held:,} bytes are being read already: try again later"
            raise Refused(429, "too_many_requests", told)
        self._held += size

    def give_back(self, size: int) -> None:
        """Hold so many less."""
        self._held -= size


class Answering:
    """A request and its answer, whose headers are those that every answer has, and some more."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        limits: RequestLimits,
        draining: asyncio.Event,
        more_headers: Sequence[tuple[bytes, bytes]],
    ) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._limits, self._draining = limits, draining
        self._told = Headers(scope=scope)
        self._headers = (*_HEADERS, *more_headers)
        self._deadline: float | None = None
        self._read = 0  # bytes of the body
        self._comes_more, self._is_broken = True, False
        self._body: bytes | None = None
        self._is_stream = self.has_ended = False
        self.held = 0  # bytes, for which there was room
        self.status = 500  # until something is answered

    @property
    def has_body(self) -> bool:
        """Whether there is more than headers."""
        length = self._told.get("content-length", "0")
        return length != "0" or "transfer-encoding" in self._told

    async def take_body(self, room: BodyRoom, most: int) -> None:
        """Read the body; `Refused` if it is too large, too slow, too deep or too much at once."""
        length = self._told.get("content-length")
        if length is not None and length.isdecimal() and int(length) > most:
            self._is_broken = True
            raise _too_large(most)
        if (coding := self._told.get("content-encoding", "identity").lower()) != "identity":
            told = f"expected a body as it is, got one that is encoded: {coding!r:.100}"
            raise Refused(415, "unsupported_media_type", told)
        parts = []
        while self._comes_more:
            parts.append(await self._part(most))
            room.take(len(parts[-1]))
            self.held += len(parts[-1])
        body = b"".join(parts)
        if "json" in self._told.get("content-type", "") or body[:1] in (b"{", b"["):
            await parsed(body, lambda: require_shallow(body, self._limits.json_depth))
        self._body = body

    async def _part(self, most: int) -> bytes:
        """The next part of the body; if it is `Refused`, the rest can be read no more."""
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().time() + self._limits.body_seconds
        self._is_broken = True
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise Refused(408, "too_slow", "the body of the request did not come in time") from None
        if message["type"] != "http.request":
            raise Refused(400, "bad_request", "the body of the request broke off")
        part: bytes = message.get("body", b"")
        self._read += len(part)
        if self._read > most:
            raise _too_large(most)
        self._comes_more, self._is_broken = message.get("more_body", False), False
        return part

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
        await self._throw_rest_away()
        if self._comes_more:
            answer.headers["Connection"] = "close"
        await answer(self._scope, self._receive, self.send)

    async def _throw_rest_away(self) -> None:
        """Read on, and keep nothing: most clients hear no answer before they have sent all."""
        if "expect" in self._told:  # it hears the answer first, and sends nothing then
            return
        try:
            while self._comes_more and not self._is_broken:
                await self._part(self._limits.body_bytes)
        except Refused:
            return


def _too_large(most: int) -> Refused:
    return Refused(413, "too_large", f"the body is larger than {most:,} bytes, which is the most")
