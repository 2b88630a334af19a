"""Pages of other origins: which may ask, and what browsers are told of it."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from purport.service.problems import Refused
from purport.service.settings import ANY_ORIGIN, CrossOrigin

METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
_ASKED_HEADERS = "Authorization, Content-Type, Accept, If-Match, Last-Event-ID"
_SHOWN_HEADERS = b"Location, Retry-After, WWW-Authenticate, Allow, ETag, Content-Length"
_ANY_PORT = ":*"

RawHeaders = list[tuple[bytes, bytes]]


class Origins:
    """Knows whose pages may ask; whoever sends no `Origin` is no page.

    Browsers ask first (a preflight) whether a page may ask, but not before a form is sent or a
    WebSocket is opened: pages that may not ask are therefore refused, whatever they ask for.
    """

    def __init__(self, settings: CrossOrigin) -> None:
        named = [one.rstrip("/").lower() for one in settings.origins or ()]
        self._max_age = settings.max_age_seconds
        self._is_for_any = ANY_ORIGIN in named
        self._named = frozenset(named)
        self._of_any_port = tuple(one.removesuffix("*") for one in named if one.endswith(_ANY_PORT))

    def let_in(self, headers: Headers) -> bool:
        """Whether this is no page, or one that may ask: our own, or one that is named."""
        origin = headers.get("origin")
        return origin is None or self._may_ask(origin) or _is_own(origin, headers.get("host"))

    def require(self, headers: Headers) -> None:
        """`Refused` (403) if a page asks that may not."""
        if not self.let_in(headers):
            told = f"pages of {headers['origin']!r:.100} may not ask this service (cors.origins)"
            raise Refused(403, "origin_not_allowed", told)

    def preflight(self, headers: Headers) -> Response:
        """What a browser is answered that asks first; without permissions it asks no further."""
        told = {"Allow": METHODS, "Vary": "Access-Control-Request-Headers"}
        if self.let_in(headers):
            told |= {
                "Access-Control-Allow-Methods": METHODS,
                "Access-Control-Allow-Headers": headers.get(
                    "access-control-request-headers", _ASKED_HEADERS
                ),
                "Access-Control-Max-Age": str(self._max_age),
            }
        return Response(status_code=204, headers=told)

    def told(self, scope: Scope) -> RawHeaders:
        """The headers of an answer by which a browser knows whether its page may read it."""
        told = [] if self._is_for_any else [(b"vary", b"Origin")]
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is not None and self.let_in(headers):
            allowed = b"*" if self._is_for_any else origin.encode("latin-1")
            told += [
                (b"access-control-allow-origin", allowed),
                (b"access-control-expose-headers", _SHOWN_HEADERS),
            ]
        return told

    def _may_ask(self, origin: str) -> bool:
        origin = origin.lower()
        if self._is_for_any or origin in self._named:
            return True
        scheme_and_host, _, port = origin.rpartition(":")
        without_port = origin if not port.isdecimal() else scheme_and_host
        return f"{without_port}:" in self._of_any_port


def _is_own(origin: str, host: str | None) -> bool:
    """Whether a page is at the address that it asks; some clients that are no browsers say so."""
    try:
        return urlsplit(origin).netloc == host
    except ValueError:
        return False
