"""Clients that cost so little that a thousand of them do not slow down what they measure.

They speak just as much HTTP/1.1 and WebSocket as a load needs: text frames without extensions.
"""

from __future__ import annotations

import asyncio
import base64
import os
import struct
from collections import deque
from collections.abc import Callable

_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10
_SHORT, _MEDIUM = 126, 65_536


class LightSocket(asyncio.Protocol):
    """A WebSocket of which each text is given to a function."""

    def __init__(self, path: str, heard: Callable[[bytes], None]) -> None:
        self._path, self._heard = path, heard
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self.opened.done():
            head, end, _ = self._buffer.partition(b"\r\n\r\n")
            if not end:
                return
            assert head.startswith(b"HTTP/1.1 101"), head
            del self._buffer[: len(head) + 4]
            self.opened.set_result(None)
        self._read_frames()

    def connection_lost(self, error: Exception | None) -> None:
        for future in (self.opened, self.closed):
            if not future.done():
                future.set_result(None)

    def say(self, text: bytes, kind: int = _TEXT) -> None:
        """Send a text."""
        assert self._transport is not None
        size = len(text)
        if size < _SHORT:
            head = struct.pack("!BB", 0x80 | kind, 0x80 | size)
        elif size < _MEDIUM:
            head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 0x80 | 127, size)
        self._transport.write(head + b"\0\0\0\0" + text)  # masked with nothing

    def stop_reading(self) -> None:
        """Be a client that hangs."""
        assert self._transport is not None
        self._transport.pause_reading()

    def abort(self) -> None:
        """Go without a word."""
        assert self._transport is not None
        self._transport.abort()

    def _read_frames(self) -> None:
        buffer, begin = self._buffer, 0
        while len(buffer) - begin >= 2:
            size, place = buffer[begin + 1] & 0x7F, begin + 2
            if size == 126:
                if len(buffer) < place + 2:
                    break
                size, place = int.from_bytes(buffer[place : place + 2]), place + 2
            elif size == 127:
                if len(buffer) < place + 8:
                    break
                size, place = int.from_bytes(buffer[place : place + 8]), place + 8
            if len(buffer) < place + size:
                break
            kind, text = buffer[begin] & 0x0F, bytes(buffer[place : place + size])
            begin = place + size
            if kind == _TEXT:
                self._heard(text)
            elif kind == _PING:
                self.say(text, _PONG)
            elif kind == _CLOSE and self._transport is not None:
                self._transport.close()
        del buffer[:begin]


class LightPoster(asyncio.Protocol):
    """A connection that stays open, over which requests are posted one after the other."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._answers: deque[asyncio.Future[tuple[int, bytes]]] = deque()
        self.is_lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        self.is_lost = True
        for future in self._answers:
            if not future.done():
                future.set_exception(ConnectionResetError())

    def abort(self) -> None:
        """Go without a word."""
        assert self._transport is not None
        self._transport.abort()

    async def post(self, path: str, kind: str, body: bytes) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        assert self._transport is not None
        if self.is_lost:
            raise ConnectionResetError
        answer: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()
        self._answers.append(answer)
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._transport.write(head.encode() + body)
        return await answer

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while True:
            head, end, rest = bytes(self._buffer).partition(b"\r\n\r\n")
            if not end:
                return
            lines = head.decode("latin-1").lower().split("\r\n")
            sizes = [line.split(":")[1] for line in lines if line.startswith("content-length:")]
            size = int(sizes[0]) if sizes else 0
            if len(rest) < size:
                return
            self._buffer[:] = rest[size:]
            self._answers.popleft().set_result((int(lines[0].split()[1]), rest[:size]))
