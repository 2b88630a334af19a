"""A WebSocket between two brokers, whoever of them has opened it."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Protocol

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.frames import CloseCode

from purport.errors import PurportError, UnusablePath
from purport.service.overlay.address import overlay_address

_OPEN_SECONDS = 10.0
_LONGEST_REASON = 40  # letters, which may be of three bytes each: a frame has room for 123 bytes


class WireBroken(PurportError):
    """The other end is not there, or not any more."""


class Wire(Protocol):
    """Takes texts to the other end, which is at an address, and brings those from there."""

    address: str

    async def send(self, text: str) -> None:
        """Send a message; `WireBroken` if it cannot be."""

    async def receive(self) -> str | bytes:
        """The next message; `WireBroken` if none comes any more."""

    async def close(self, code: int, reason: str) -> None:
        """Send nothing any more, and say why."""


class Dial(Protocol):
    """Opens a WebSocket to a neighbour; `WireBroken` says why there is none."""

    async def __call__(
        self,
        url: str,
        *,
        token: str | None,
        ca: Path | None,
        message_bytes: int,
        ping_seconds: float,
    ) -> Wire: ...


class ServerWire:
    """A WebSocket that a neighbour has opened."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket
        client = websocket.client
        self.address = "unknown" if client is None else f"{client.host}:{client.port}"

    async def send(self, text: str) -> None:
        try:
            await self._websocket.send_text(text)
        except (OSError, RuntimeError, WebSocketDisconnect) as error:
            raise WireBroken(f"{self.address} has gone") from error

    async def receive(self) -> str | bytes:
        try:
            told = await self._websocket.receive()
        except (OSError, RuntimeError) as error:
            raise WireBroken(f"{self.address} has gone") from error
        if told["type"] == "websocket.disconnect":
            raise WireBroken(told.get("reason") or f"{self.address} has closed the connection")
        text: str | bytes = told.get("text") or told.get("bytes") or b""
        return text

    async def close(self, code: int, reason: str) -> None:
        if self._websocket.application_state is not WebSocketState.DISCONNECTED:
            try:
                await self._websocket.close(code, reason[:_LONGEST_REASON])
            except (OSError, RuntimeError, WebSocketDisconnect):
                return


class ClientWire:
    """A WebSocket that was opened here."""

    def __init__(self, connection: ClientConnection, address: str) -> None:
        self._connection, self.address = connection, address

    async def send(self, text: str) -> None:
        try:
            await self._connection.send(text)
        except (OSError, WebSocketException) as error:
            raise WireBroken(_why(error, self.address)) from None

    async def receive(self) -> str | bytes:
        try:
            return await self._connection.recv()
        except (OSError, WebSocketException) as error:
            raise WireBroken(_why(error, self.address)) from None

    async def close(self, code: int, reason: str) -> None:
        await self._connection.close(code, reason[:_LONGEST_REASON])


async def dialled(
    url: str, *, token: str | None, ca: Path | None, message_bytes: int, ping_seconds: float
) -> ClientWire:
    """A WebSocket to a neighbour; `WireBroken` says why there is none."""
    address = overlay_address(url)
    try:
        connection = await connect(
            address,
            additional_headers={} if token is None else {"Authorization": f"Bearer {token}"},
            ssl=trusted(ca) if address.startswith("wss:") else None,
            proxy=None,
            compression=None,
            open_timeout=_OPEN_SECONDS,
            close_timeout=1.0,
            ping_interval=ping_seconds,
            ping_timeout=ping_seconds,
            max_size=message_bytes,
        )
    except (OSError, WebSocketException) as error:
        raise WireBroken(_why(error, address)) from None
    return ClientWire(connection, address)


def trusted(ca: Path | None) -> ssl.SSLContext:
    """Whom TLS trusts; `UnusablePath` if a file has no certificates."""
    try:
        return ssl.create_default_context(cafile=ca)
    except ssl.SSLError:
        raise UnusablePath(str(ca), "no certificates in PEM form in it") from None
    except OSError as error:
        raise UnusablePath(str(ca), error.strerror or str(error)) from None


def _why(error: Exception, address: str) -> str:
    """What went wrong with a connection, in our words."""
    if isinstance(error, InvalidStatus):
        return f"{address} gives no socket: it answers {error.response.status_code}"
    if isinstance(error, TimeoutError):
        return f"{address}: nothing came in time"
    if isinstance(error, ConnectionClosed):
        sent = error.sent
        if sent is not None and sent.code == CloseCode.MESSAGE_TOO_BIG and not error.rcvd_then_sent:
            return f"{address} says too much at once: {sent.reason}"
        said = error.rcvd.reason if error.rcvd is not None else ""
        return f"{address} has closed the connection{': ' if said else ''}{said}"
    return f"{address}: {str(error) or type(error).__name__}"
