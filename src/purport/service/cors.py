"""Pages of other origins: which may ask, and what browsers are told of it."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from purport.service.problems import Refused, problem_response

ANY = "*"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_ASKED_HEADERS = "Authorization, Content-Type, Accept, If-Match, Last-Event-ID, Idempotency-Key"
_SHOWN_HEADERS = "Location, Retry-After, WWW-Authenticate, Allow, ETag, Content-Length"
_CHANGES_NOTHING = ("GET", "HEAD", "OPTIONS")


class CrossOrigin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The origins whose pages may ask, such as `https://city.example`; `*` is any.

    Credentials that a browser has by itself (cookies) are never asked for: who asks is known by a
    token that the page has.
    """

    origins: tuple[str, ...] = (ANY,)
    max_age_seconds: int = 86_400  # for which a browser may remember the answer

    def allows(self, origin: str) -> bool:
        """Whether pages of an origin may ask."""
        return ANY in self.origins or origin.rstrip("/") in (
            one.rstrip("/") for one in self.origins
        )


class CrossOriginGate:
    """Answers preflights, tells browsers who may read answers, and lets no other page in.

    A request without `Origin` goes through as it is. A page that may not ask can still send forms,
    and open sockets, that its browser does not ask about: those are refused.
    """

    def __init__(self, app: ASGIApp, settings: CrossOrigin) -> None:
        self._app, self._settings = app, settings
        self._is_for_any = ANY in settings.origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        origin = _header(scope["headers"], b"origin")
        if scope["type"] == "websocket":
            await self._socket(origin, scope, receive, send)
        elif scope["method"] == "OPTIONS":
            await self._preflight(origin, scope)(scope, receive, send)
        elif origin is None and self._is_for_any:
            await self._app(scope, receive, send)
        elif self._is_let_in(origin, scope) or scope["method"] in _CHANGES_NOTHING:
            await self._app(scope, receive, self._telling(origin, send))
        else:
            answer = await problem_response(Request(scope), _not_allowed(origin))
            answer.headers["Vary"] = "Origin"
            await answer(scope, receive, send)

    async def _socket(self, origin: str | None, scope: Scope, receive: Receive, send: Send) -> None:
        if self._is_let_in(origin, scope):
            await self._app(scope, receive, send)
            return
        await receive()
        await send({"type": "websocket.close", "code": 1008})

    def _is_let_in(self, origin: str | None, scope: Scope) -> bool:
        """Whether whoever asks is no page of others: none, our own, or one that may ask."""
        if origin is None or self._settings.allows(origin):
            return True
        return urlsplit(origin).netloc == Headers(scope=scope).get("host")

    def _preflight(self, origin: str | None, scope: Scope) -> Response:
        asked = _header(scope["headers"], b"access-control-request-headers")
        headers = {"Allow": ", ".join(METHODS), "Vary": "Origin, Access-Control-Request-Headers"}
        if origin is None or self._settings.allows(origin):
            headers |= self._allowed(origin)
            headers |= {
                "Access-Control-Allow-Methods": ", ".join(METHODS),
                "Access-Control-Allow-Headers": asked or _ASKED_HEADERS,
                "Access-Control-Max-Age": str(self._settings.max_age_seconds),
            }
        return Response(status_code=204, headers=headers)

    def _allowed(self, origin: str | None) -> dict[str, str]:
        if self._is_for_any:
            return {"Access-Control-Allow-Origin": ANY}
        return {} if origin is None else {"Access-Control-Allow-Origin": origin}

    def _telling(self, origin: str | None, send: Send) -> Send:
        """Sends what is answered, with what a browser has to know."""
        headers: dict[str, str] = {}
        if origin is not None and self._settings.allows(origin):
            headers = self._allowed(origin) | {"Access-Control-Expose-Headers": _SHOWN_HEADERS}

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                answered = MutableHeaders(scope=message)
                answered.update(headers)
                if not self._is_for_any:
                    answered.add_vary_header("Origin")
            await send(message)

        return told


def _not_allowed(origin: str | None) -> Refused:
    return Refused(403, "origin_not_allowed", f"pages of {origin!r:.100} may not ask this service")


def _header(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str | None:
    return next((value.decode("latin-1") for one, value in headers if one == name), None)
