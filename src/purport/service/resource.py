"""Routes by the parts of a path, each decoded by itself: so an id may have slashes in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import quote, unquote_to_bytes

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

Handler = Callable[[Request], Awaitable[Response]]


class Resource(BaseRoute):
    """What is at a path such as `/subscriptions/{id}/pause`, by method.

    `/subscriptions/sepa%3A%2F%2Fsubscription%2F1/pause` has the id `sepa://subscription/1`.
    """

    def __init__(self, path: str, handlers: Mapping[str, Handler]) -> None:
        self.path = path
        self.handlers = dict(handlers)
        self._parts = path.split("/")

    def __repr__(self) -> str:
        return f"<resource {', '.join(self.methods)} {self.path}>"

    @property
    def methods(self) -> list[str]:
        """The methods that it has, but for HEAD, which is as GET."""
        return sorted(self.handlers)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http":
            return Match.NONE, {}
        found = self._parameters(_path_of(scope))
        if found is None:
            return Match.NONE, {}
        known = {"path_params": {**scope.get("path_params", {}), **found}, "endpoint": self}
        return (Match.FULL if _method(scope) in self.handlers else Match.PARTIAL), known

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        handler = self.handlers.get(_method(scope))
        if handler is None:
            raise HTTPException(405, headers={"Allow": ", ".join(self.methods)})
        response = await handler(Request(scope, receive, send))
        await response(scope, receive, send)

    def _parameters(self, path: str) -> dict[str, str] | None:
        """The values of the parts in braces; None if it is another path."""
        parts = path.split("/")
        if len(parts) != len(self._parts):
            return None
        found = {}
        for wanted, part in zip(self._parts, parts, strict=True):
            if wanted[:1] == "{":
                value = _decoded(part)
                if not value:
                    return None
                found[wanted[1:-1]] = value
            elif wanted != part:
                return None
        return found


def _method(scope: Scope) -> str:
    method: str = scope["method"]
    return "GET" if method == "HEAD" else method


def _path_of(scope: Scope) -> str:
    """The path as it was asked for, still encoded, below where the application is mounted."""
    raw = scope.get("raw_path")
    path = quote(scope["path"]) if raw is None else raw.decode("ascii", "replace")
    return str(path).removeprefix(quote(scope.get("root_path", "")))


def _decoded(part: str) -> str | None:
    try:
        return unquote_to_bytes(part).decode()
    except UnicodeDecodeError:
        return None
