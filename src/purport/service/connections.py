"""Connections that are not held open for nothing: how many there may be, and how slow."""

from __future__ import annotations

import asyncio
import ssl
from collections import Counter
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from purport.service.settings import Listening, RequestLimits, Tls

_TOO_MANY = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n"
_TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\n"
_NO_MORE = b"content-length: 0\r\nconnection: close\r\n\r\n"


class Connected:
    """How many connections there are, and from where."""

    def __init__(self, limits: RequestLimits) -> None:
        self._most, self._most_each = limits.connections, limits.connections_per_address
        self._count = 0
        self._by_address: Counter[str] = Counter()

    def enter(self, address: str) -> bool:
        """Count one more, unless there are too many."""
        if self._count >= self._most or self._by_address[address] >= self._most_each:
            return False
        self._count += 1
        self._by_address[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Count one less."""
        self._count -= 1
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]


class GuardedConfig(uvicorn.Config):
    """How a server of a service is set, with its limits and its connections."""

    def __init__(self, app: ASGIApp, listening: Listening, limits: RequestLimits) -> None:
        self.limits, self.connected = limits, Connected(limits)
        super().__init__(
            app,
            http=_GuardedHttp,
            ws=_GuardedSocket,
            ws_max_size=limits.message_bytes,
            ws_ping_interval=limits.ping_seconds,
            ws_ping_timeout=limits.ping_seconds,
            ws_per_message_deflate=False,  # it costs some 100 KB for each socket
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            interface="asgi3",
            proxy_headers=bool(listening.trusted_proxies),
            forwarded_allow_ips=list(listening.trusted_proxies),
            timeout_keep_alive=limits.keep_alive_seconds,
            timeout_graceful_shutdown=max(1, round(listening.drain_seconds)),
            ssl_context_factory=None if listening.tls is None else _context_of(listening.tls),
        )


def tls_context(tls: Tls) -> ssl.SSLContext:
    """What TLS needs; `OSError` or `ssl.SSLError` if a file cannot be used."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(tls.certificate, tls.key)
    context.set_alpn_protocols(["http/1.1"])
    return context


def _context_of(tls: Tls) -> Any:
    return lambda *_: tls_context(tls)


class _Guest:
    """A connection that is counted until it ends, over HTTP first and then as a WebSocket."""

    def __init__(self, connected: Connected, address: str) -> None:
        self._connected, self._address = connected, address
        self._is_here = connected.enter(address)

    @property
    def is_let_in(self) -> bool:
        """Whether there was room."""
        return self._is_here

    def leave(self) -> None:
        """It has ended; nothing happens if it has before."""
        if self._is_here:
            self._is_here = False
            self._connected.leave(self._address)


class _GuardedSocket(WebSocketsSansIOProtocol):
    """A WebSocket, whose end frees the place of its connection."""

    guest: _Guest | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take over the place that the connection had over HTTP."""
        before = transport.get_protocol() if isinstance(transport, asyncio.Transport) else None
        self.guest = getattr(before, "guest", None)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Free the place."""
        if self.guest is not None:
            self.guest.leave()
        super().connection_lost(exc)


class _GuardedHttp(HttpToolsProtocol):
    """HTTP whose requests have to begin, and to tell their headers, in time and in few bytes."""

    guest: _Guest | None = None

    def __init__(
        self,
        config: GuardedConfig,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._limits, self._connected = config.limits, config.connected
        self._timer: asyncio.TimerHandle | None = None
        self._header_bytes = 0
        self._has_headers = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Let a connection in if there is room, and begin to wait for its first request."""
        super().connection_made(transport)
        self.guest = _Guest(self._connected, self.client[0] if self.client else "unknown")
        if not self.guest.is_let_in:
            self._refuse(_TOO_MANY)
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        """Read what came; refuse headers that do not end."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if not self._has_headers and not self.transport.is_closing():
            self._header_bytes += len(data)
            if self._header_bytes > self._limits.header_bytes:
                self._refuse(_TOO_LONG)

    def on_message_begin(self) -> None:
        """A further request has as much time as the first."""
        super().on_message_begin()
        self._has_headers, self._header_bytes = False, 0
        if self._timer is None:
            self._wait_for_headers()

    def on_headers_complete(self) -> None:
        """The headers came in time."""
        self._has_headers = True
        self._stop_waiting()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Free the place."""
        self._stop_waiting()
        if self.guest is not None:
            self.guest.leave()
        super().connection_lost(exc)

    def _wait_for_headers(self) -> None:
        self._timer = self.loop.call_later(self._limits.header_seconds, self._refuse, _TOO_SLOW)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, status: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(status + _NO_MORE)
            self.transport.close()
