"""Connections that are not held open for nothing: how many there may be, and how slow."""

from __future__ import annotations

import asyncio
import json
import math
import ssl
from http import HTTPStatus
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import Frame

from purport.service.guests import Connected, Guest, Taking
from purport.service.problems import Refused, problem_message
from purport.service.settings import Listening, RequestLimits, Tls

_MOST_PIECES = 10_000  # of a message of a WebSocket: empty ones would count for nothing else
_NOT_UTF_8, _TOO_LARGE = 1007, 1009


def _refusal(status: int, code: str, words: str, *more: str) -> bytes:
    """The whole answer to what cannot become a request."""
    body = json.dumps(problem_message(Refused(status, code, words)))
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        "connection: close",
        *more,
    ]
    return "\r\n".join([*lines, "", body]).encode()


_MALFORMED = _refusal(400, "bad_request", "this is no request of HTTP/1.1")
_NO_HANDSHAKE = _refusal(400, "bad_request", "no WebSocket can be opened with these headers")
_TOO_SLOW = _refusal(408, "too_slow", "no request, or not all of its headers, came in time")
_TOO_LONG = _refusal(431, "too_large", "the address and the headers are longer than they may be")
_TOO_MANY = _refusal(503, "too_many_connections", "there are as many as may be", "retry-after: 1")


class GuardedConfig(uvicorn.Config):
    """How a server of a service is set, with its limits and its connections."""

    def __init__(self, app: ASGIApp, listening: Listening, limits: RequestLimits) -> None:
        self.limits, self.connected = limits, Connected(limits)
        self.tls = None if listening.tls is None else tls_context(listening.tls)
        super().__init__(
            app,
            http=GuardedHttp,
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
            timeout_graceful_shutdown=math.ceil(listening.drain_seconds) + 1,
        )


def tls_context(tls: Tls) -> ssl.SSLContext:
    """What TLS needs; `OSError` or `ssl.SSLError` if a file cannot be used."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(tls.certificate, tls.key)
    context.set_alpn_protocols(["http/1.1"])
    return context


class _GuardedSocket(WebSocketsSansIOProtocol):
    """A WebSocket that ends when it is broken, and frees the place of its connection then."""

    guest: Guest | None = None
    _late_pong = b""  # for who asked while it did not read

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take over the place that the connection had over HTTP."""
        before: object = transport.get_protocol()  # that of uvloop is no asyncio.Transport
        self.guest = getattr(before, "guest", None)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Free the place."""
        if self.guest is not None:
            self.guest.leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what came; a handshake that cannot be read is answered, or it would wait on."""
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self.transport.write(_NO_HANDSHAKE)
            self.transport.close()

    def handle_ping(self) -> None:
        """Answer; of pings of a client that does not read, only the last one, when it reads."""
        answers = self.conn.data_to_send()  # to all pings that came together
        if self.writable.is_set() or self.conn.close_sent is not None:
            self.transport.write(b"".join(answers))
        elif answers:
            self._late_pong = answers[-1]

    def resume_writing(self) -> None:
        """Write on."""
        super().resume_writing()
        if self._late_pong and not self.close_sent:
            self.transport.write(self._late_pong)
        self._late_pong = b""

    def handle_cont(self, event: Frame) -> None:
        """A message comes in so many pieces and no more."""
        if self.close_sent:
            return
        if len(self.frames) >= _MOST_PIECES:
            self._fail(_TOO_LARGE, "a message in too many pieces")
        else:
            super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        """Pass a message on; what is no text ends the socket, as the protocol asks."""
        if self.curr_msg_data_type == "text" and not self.close_sent:
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self._fail(_NOT_UTF_8, "a text that is not UTF-8")
                return
        super().send_receive_event_to_app()

    def keepalive_timeout(self) -> None:
        """Drop a client that is gone, or does not read: it would not take what is left for it."""
        super().keepalive_timeout()
        self.transport.abort()

    def _fail(self, code: int, reason: str) -> None:
        self.frames = []
        self.conn.fail(code, reason)
        self.handle_parser_exception()


class GuardedHttp(HttpToolsProtocol):
    """HTTP whose requests have to begin, and to tell their headers, in time and in few bytes."""

    guest: Guest | None = None

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
        self._header_bytes = 0  # of a request whose headers have not ended
        self._told_bytes = 0  # of its address and headers, as far as they are read
        self._has_headers = False
        self._answered: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Let a connection in, if there is room or it was before, and wait for a request."""
        super().connection_made(transport)
        self._taking = Taking(transport, self._limits.write_seconds)
        if self.guest is None:
            self.guest = Guest(self._connected, self.client and self.client[0])
        if not self.guest.is_let_in:
            self._refuse(_TOO_MANY)
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        """Read what came; refuse headers that do not end."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return  # it has ended, or it is a WebSocket now
        if not self._has_headers:
            self._header_bytes += len(data)
            if self._header_bytes > self._limits.header_bytes:
                self._refuse(_TOO_LONG)
        elif self.cycle is not None and self.cycle.response_complete and self._timer is None:
            self._wait_for_headers()  # nobody else waits since an empty line has come

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request, in the form of all errors."""
        is_long = self._told_bytes > self._limits.header_bytes
        self._refuse(_TOO_LONG if is_long else _MALFORMED)

    def on_message_begin(self) -> None:
        """A further request has as much time as the first."""
        super().on_message_begin()
        self._has_headers, self._header_bytes, self._told_bytes = False, 0, 0
        if self._timer is None:
            self._wait_for_headers()

    def on_url(self, url: bytes) -> None:
        """A part of the address."""
        self._count(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header, or what stands behind a body in pieces."""
        self._count(name, value)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The headers came in time."""
        if not self.flow.write_paused:  # what is left of the answer before is watched with the next
            self._taking.stop()
        self._has_headers = True
        self._stop_waiting()
        super().on_headers_complete()

    def pause_writing(self) -> None:
        """Write no more until the client has taken something."""
        super().pause_writing()
        self._taking.watch()

    def resume_writing(self) -> None:
        """Write on."""
        super().resume_writing()
        self._taking.stop()

    def on_response_complete(self) -> None:
        """Something of the answer may be left to be taken."""
        super().on_response_complete()
        self._taking.watch()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        """Begin to answer a request; others may have come after it."""
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    def connection_lost(self, exc: Exception | None) -> None:
        """Free the place; nothing more is written, though more was asked than is answered."""
        self._stop_waiting()
        self._taking.stop()
        if self._answered is not None and not self._answered.response_complete:
            self._answered.disconnected = True
            self._answered.message_event.set()
        if self.guest is not None:
            self.guest.leave()
        super().connection_lost(exc)

    def _count(self, *parts: bytes) -> None:
        """Raise what ends the reading, if all of it is too long: it may have come at once."""
        self._told_bytes += sum(map(len, parts))
        if self._told_bytes > self._limits.header_bytes:
            raise ValueError("too long")

    def _wait_for_headers(self) -> None:
        self._timer = self.loop.call_later(self._limits.header_seconds, self._refuse, _TOO_SLOW)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, answer: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(answer)
            self._taking.watch()
            self.transport.close()
