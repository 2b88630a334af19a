"""How a server is reached: where, for how long it is waited for, and whom TLS trusts."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from purport.client.addresses import Addresses
from purport.client.errors import ServerRefused, ServerUnreachable
from purport.client.request import Answered, Request
from purport.errors import InvalidInput, MissingExtra, UnusablePath
from purport.posting import is_loopback

try:
    import httpx
    from websockets.asyncio.client import ClientConnection as AsyncClientConnection
    from websockets.asyncio.client import connect as async_connect
    from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
    from websockets.sync.client import ClientConnection, connect
except ModuleNotFoundError:
    raise MissingExtra("client") from None

Http = httpx.Client
AsyncHttp = httpx.AsyncClient
Socket = ClientConnection
AsyncSocket = AsyncClientConnection

HTTP_FAILURES = (httpx.HTTPError, httpx.InvalidURL)
SOCKET_FAILURES = (OSError, WebSocketException)  # a TimeoutError is an OSError

TIMEOUT_SECONDS = 30.0
LONGEST_MESSAGE = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Reach:
    """Where a server is, and what is needed to get there."""

    addresses: Addresses
    timeout_seconds: float = TIMEOUT_SECONDS
    ca: Path | None = None  # a file of certificates to trust instead of the usual ones

    def __post_init__(self) -> None:
        if self.timeout_seconds <= 0:
            raise InvalidInput(f"a timeout is longer than 0 s, got {self.timeout_seconds}")
        self.trusted()

    def trusted(self) -> ssl.SSLContext:
        """Whom TLS trusts; `UnusablePath` if the file has no certificates."""
        try:
            return ssl.create_default_context(cafile=self.ca)
        except ssl.SSLError:
            raise UnusablePath(str(self.ca), "no certificates in PEM form in it") from None
        except OSError as error:
            raise UnusablePath(str(self.ca), error.strerror or str(error)) from None

    def http(self) -> Http:
        """A client of HTTP, for threads."""
        return Http(**self._http_options())

    def async_http(self) -> AsyncHttp:
        """The same, for event loops."""
        return AsyncHttp(**self._http_options())

    def socket(self, token: str | None) -> Socket:
        """An open socket, for threads; `ServerUnreachable` or `ServerRefused` if there is none."""
        try:
            opening = connect(self.addresses.subscribe, **self._socket_options(token))
            opened: Socket = opening.__enter__()  # as websockets wants it; `close` is what leaves
        except SOCKET_FAILURES as error:
            raise self.no_socket(error) from None
        return opened

    async def async_socket(self, token: str | None) -> AsyncSocket:
        """The same, for event loops."""
        try:
            return await async_connect(self.addresses.subscribe, **self._socket_options(token))
        except SOCKET_FAILURES as error:
            raise self.no_socket(error) from None

    def no_socket(self, error: Exception) -> Exception:
        """What went wrong with a socket, in our words."""
        return unreachable(self.addresses.subscribe, error)

    def _http_options(self) -> dict[str, Any]:
        """No proxy reaches this machine; a POST must not become a GET elsewhere."""
        return {
            "timeout": self.timeout_seconds,
            "verify": self.trusted(),
            "trust_env": not _is_here(self.addresses.base),
            "follow_redirects": False,
        }

    def _socket_options(self, token: str | None) -> dict[str, Any]:
        address = self.addresses.subscribe
        return {
            "additional_headers": {} if token is None else {"Authorization": f"Bearer {token}"},
            "ssl": self.trusted() if address.startswith("wss:") else None,
            "proxy": None if _is_here(address) else True,
            "open_timeout": self.timeout_seconds,
            "close_timeout": 1.0,
            "max_size": LONGEST_MESSAGE,
        }


def _is_here(address: str) -> bool:
    return is_loopback(urlsplit(address).hostname or "")


def http_request(request: Request[Any]) -> dict[str, Any]:
    """A request as httpx takes it."""
    return {
        "method": request.method,
        "url": request.url,
        "params": list(request.parameters),
        "content": request.content,
        "headers": request.all_headers(),
    }


def answered(response: httpx.Response) -> Answered:
    """What came back."""
    headers = response.headers
    return Answered(
        response.status_code,
        response.content,
        headers.get("Content-Type", ""),
        headers.get("Retry-After"),
        "next" in response.links,
    )


def unreachable(address: str, error: Exception) -> Exception:
    """What went wrong on the way to a server, in our words."""
    if isinstance(error, InvalidStatus):
        status = error.response.status_code
        return ServerRefused(status, "no_socket", f"{address} gives no socket")
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return ServerUnreachable(address, "nothing came in time")
    if isinstance(error, ConnectionClosed):
        return ServerUnreachable(address, "the connection was closed")
    return ServerUnreachable(address, str(error) or type(error).__name__)
