"""Where a server is: an address for each thing that it can be asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import SplitResult, urlsplit, urlunsplit

from purport.errors import InvalidInput

_SUBSCRIBE_PORTS = {8000: 9000, 8443: 9443}  # of the defaults; elsewhere there is one port for both
_SOCKET_SCHEMES = {"http": "ws", "https": "wss"}


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of one server; what is asked by REST stands below `base`."""

    base: str
    query: str
    update: str
    subscribe: str
    register: str
    token: str

    @classmethod
    def of(cls, server: str, subscribe: str | None = None) -> Addresses:
        """Those of a Purport server, from the address of one, such as http://127.0.0.1:8000.

        >>> Addresses.of("http://127.0.0.1:8000").subscribe
        'ws://127.0.0.1:9000/subscribe'
        """
        parts = _parts(server, ("http", "https"))
        base = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        if subscribe is None:
            subscribe = _subscribe_address(parts)
        else:
            _parts(subscribe, ("ws", "wss"))
        return cls(
            base,
            f"{base}/query",
            f"{base}/update",
            subscribe,
            f"{base}/oauth/register",
            f"{base}/oauth/token",
        )

    @classmethod
    def at(cls, server: str | Addresses, subscribe: str | None = None) -> Addresses:
        """Those that are given, or those of a server."""
        if isinstance(server, str):
            return cls.of(server, subscribe)
        return server if subscribe is None else server.with_subscribe(subscribe)

    def with_subscribe(self, subscribe: str) -> Addresses:
        """The same, but subscriptions are asked for at another address."""
        _parts(subscribe, ("ws", "wss"))
        return replace(self, subscribe=subscribe)


def _subscribe_address(parts: SplitResult) -> str:
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = _SUBSCRIBE_PORTS.get(parts.port or 0, parts.port)
    place = host if port is None else f"{host}:{port}"
    return f"{_SOCKET_SCHEMES[parts.scheme]}://{place}{parts.path.rstrip('/')}/subscribe"


def _parts(url: str, schemes: tuple[str, ...]) -> SplitResult:
    """The parts of an address; `InvalidInput` if it is none, or holds what is secret."""
    expected = f"expected an address with {schemes[0]}:// or {schemes[1]}://"
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - a port that is no number is an error
    except ValueError as error:
        raise InvalidInput(f"{expected}, got {url!r}: {error}") from None
    if parts.scheme not in schemes or not parts.hostname:
        raise InvalidInput(f"{expected}, got {url!r}")
    if "@" in parts.netloc:
        raise InvalidInput(f"an address at {parts.hostname!r} names a user: give a token instead")
    if parts.query or parts.fragment or not url.isprintable() or " " in url:
        raise InvalidInput(f"{expected} and nothing after the path, got {url!r}")
    return parts
