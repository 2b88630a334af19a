"""Clients that send whatever bytes they like, and read what comes until the other side ends."""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.service.server_process import ServerProcess, running_server

LATEST_SECONDS = 30.0
_POOLED = 8  # threads that a server begins when they are needed first
LIMITS = """
[limits]
header_seconds = 0.5
body_seconds = 0.5
keep_alive_seconds = 1
ping_seconds = 1
body_bytes = 100_000
message_bytes = 20_000
header_bytes = 20_000
connections_per_address = 60
"""


def wait_until(holds: Callable[[], object]) -> None:
    """Wait for what another process does."""
    deadline = time.monotonic() + LATEST_SECONDS
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def connected(port: int) -> socket.socket:
    """A connection over which nothing was sent yet."""
    return socket.create_connection(("127.0.0.1", port), timeout=LATEST_SECONDS)


def exchanged(port: int, parts: Sequence[bytes]) -> bytes:
    """All that is answered to some bytes, until the server closes the connection."""
    with connected(port) as made:
        try:
            for part in parts:
                made.sendall(part)
            return read_to_end(made)
        except ConnectionError:  # it was closed while more was on its way
            return b""


def read_to_end(made: socket.socket) -> bytes:
    """What comes until the server closes a connection; it is an error if that takes too long."""
    found = b""
    try:
        while part := made.recv(65_536):
            found += part
    except ConnectionResetError:
        pass
    return found


def status_and_body(answer: bytes) -> tuple[int, Any]:
    """The status of an answer and its JSON; bodies have the form that is promised of errors."""
    head, _, body = answer.partition(b"\r\n\r\n")
    status, told = int(head.split()[1]), json.loads(body)
    assert set(told) == {"error", "status_code", "error_description"}, told
    assert told["status_code"] == status
    assert b"content-type: application/json" in head.lower()
    return status, told


def handshake(*more: str, path: str = "/subscribe", version: str = "13") -> bytes:
    """What opens a WebSocket."""
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [
        f"GET {path} HTTP/1.1",
        "Host: localhost",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        f"Sec-WebSocket-Version: {version}",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def frame(
    kind: int, data: bytes = b"", *, fin: bool = True, bits: int = 0, mask: bool = True
) -> bytes:
    """A frame of a WebSocket, masked with nothing."""
    first, masked, size = fin << 7 | bits << 4 | kind, mask << 7, len(data)
    if size < 126:
        head = struct.pack("!BB", first, masked | size)
    else:
        head = struct.pack("!BBH", first, masked | 126, size)
    return head + (b"\0\0\0\0" if mask else b"") + data


def opened(port: int) -> socket.socket:
    """A WebSocket whose handshake is done."""
    made = connected(port)
    made.sendall(handshake())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += made.recv(1)
    assert head.startswith(b"HTTP/1.1 101"), head
    return made


class Besieged:
    """A server with short limits, and whether it is as it was."""

    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        reused = httpx.Limits(keepalive_expiry=0.5)  # sooner than the server closes them
        self._client = httpx.Client(base_url=server.url, timeout=LATEST_SECONDS, limits=reused)
        self.require_well()
        threads, *others = self.held()
        self._most = (threads + _POOLED, *others)

    def require_well(self) -> None:
        """It answers others, and has met nothing that it did not expect."""
        answer = self._client.post("/events", json={"a": 1})
        assert answer.status_code == 200, answer.text
        assert "Traceback" not in self.server.log, self.server.log

    def require_unchanged(self) -> None:
        """It holds no more threads, descriptors and subscriptions than in the beginning."""
        self.require_well()
        deadline = time.monotonic() + LATEST_SECONDS
        while any(now > most for now, most in zip(self.held(), self._most, strict=True)):
            assert time.monotonic() < deadline, (self.held(), self._most)
            time.sleep(0.05)

    def close(self) -> None:
        self._client.close()

    def held(self) -> tuple[int, int, int]:
        """Its threads, its descriptors, and the subscriptions that there are."""
        listed = self._client.get("/subscriptions", params={"most": 1000}).json()
        subscriptions = listed.get("subscriptions", [])
        return self.server.threads, self.server.descriptors, len(subscriptions)


@contextmanager
def besieged(folder: Path, limits: str = LIMITS) -> Iterator[Besieged]:
    """A server with short limits."""
    settings = folder / "service.toml"
    settings.write_text(limits)
    with running_server(folder / "kept", "--config", str(settings)) as server:
        found = Besieged(server)
        try:
            yield found
        finally:
            found.close()
