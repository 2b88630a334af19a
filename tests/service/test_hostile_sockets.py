"""Whatever is sent instead of WebSockets: it ends with its code, and nothing is left behind."""

import json
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.service.raw_client import (
    LIMITS,
    Besieged,
    besieged,
    connected,
    exchanged,
    frame,
    handshake,
    opened,
    read_to_end,
    status_and_body,
)

TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Besieged]:
    limits = LIMITS.replace("ping_seconds = 1\n", "ping_seconds = 30\n")
    with besieged(tmp_path_factory.mktemp("besieged"), limits) as made:
        yield made


HANDSHAKES = {
    "a token that is too long": handshake(f"Authorization: Bearer {'x' * 9_000}"),
    "too many headers": handshake(*(f"A{number}: b" for number in range(200))),
    "a body": handshake("Content-Length: 5") + b"hello",
    "a body in pieces": handshake("Transfer-Encoding: chunked") + b"0\r\n\r\n",
}


@pytest.mark.parametrize("name", HANDSHAKES)
def test_a_handshake_that_cannot_be_read_is_refused_at_once(server: Besieged, name: str) -> None:
    answer = exchanged(server.server.subscribe_port, [HANDSHAKES[name]])

    assert status_and_body(answer)[0] == 400
    server.require_unchanged()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (handshake(version="12"), 400),
        (handshake(path="/nowhere"), 403),
        (handshake(path="/subscribe%ff"), 403),
        (handshake().replace(b"Sec-WebSocket-Key: ", b"Sec-WebSocket-Key: !"), 400),
        (handshake().replace(b"GET", b"POST"), 405),
    ],
)
def test_what_opens_no_socket_is_refused(server: Besieged, sent: bytes, status: int) -> None:
    answer = exchanged(server.server.subscribe_port, [sent])

    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    server.require_unchanged()


BROKEN = {
    "not masked": (frame(TEXT, b"{}", mask=False), 1002),
    "reserved bits": (frame(TEXT, b"{}", bits=4), 1002),
    "an unknown kind": (frame(3, b"{}"), 1002),
    "an unknown kind of control": (frame(11), 1002),
    "a ping that is too long": (frame(PING, b"a" * 126), 1002),
    "a ping in pieces": (frame(PING, b"a", fin=False), 1002),
    "a piece of nothing": (frame(0, b"a"), 1002),
    "a text within a text": (frame(TEXT, b"a", fin=False) + frame(TEXT, b"b"), 1002),
    "a closing code that is none": (frame(CLOSE, struct.pack("!H", 999)), 1002),
    "half a closing code": (frame(CLOSE, b"a"), 1002),
    "a closing that is not UTF-8": (frame(CLOSE, struct.pack("!H", 1000) + b"\xff"), 1007),
    "a text that is not UTF-8": (frame(TEXT, b'{"a": "\xff"}'), 1007),
    "the same, in pieces": (frame(TEXT, b"\xc3", fin=False) + frame(0, b"("), 1007),
    "a message that is too large": (frame(TEXT, b"a" * 20_001), 1009),
    "one that is said to be huge": (b"\x81\xff" + b"\xff" * 8, 1009),
    "pieces that are too large": (
        frame(TEXT, b"a" * 15_000, fin=False) + frame(0, b"a" * 5_001),
        1009,
    ),
    "pieces without end": (frame(TEXT, fin=False) + frame(0, fin=False) * 10_000, 1009),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_frame_that_is_none_ends_the_socket_with_its_code(server: Besieged, name: str) -> None:
    sent, code = BROKEN[name]

    with opened(server.server.subscribe_port) as made:
        made.sendall(sent)
        end = read_to_end(made)

    assert end[0] == 0x80 | CLOSE
    assert struct.unpack("!H", end[2:4])[0] == code
    server.require_well()


def test_a_socket_that_ends_frees_its_place(server: Besieged) -> None:
    for _ in range(70):  # of which 60 may be open at the same time
        with opened(server.server.subscribe_port) as made:
            made.sendall(frame(CLOSE, struct.pack("!H", 1000)))
            read_to_end(made)

    server.require_unchanged()


def test_many_broken_sockets_leave_nothing_behind(server: Besieged) -> None:
    asked = json.dumps({"subscribe": {"purport": "{a > 0}"}}).encode()
    for _ in range(3):
        for sent, _ in BROKEN.values():
            with opened(server.server.subscribe_port) as made:
                made.sendall(frame(TEXT, asked) + sent)
                read_to_end(made)

    server.require_unchanged()


def test_clients_that_go_without_a_word_leave_nothing_behind(server: Besieged) -> None:
    asked = json.dumps({"subscribe": {"purport": "{a > 0}"}}).encode()
    whole = handshake() + frame(TEXT, asked) * 5
    for cut in range(0, len(whole) + 1, 7):
        with connected(server.server.subscribe_port) as made:
            made.sendall(whole[:cut])
            made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    server.require_unchanged()


def test_who_asks_on_and_does_not_read_the_answers_has_to_wait(server: Besieged) -> None:
    many = frame(TEXT, b"{}") * 10_000
    with opened(server.server.subscribe_port) as made:
        made.settimeout(1)  # without a limit, the server would go on reading
        before = server.server.resident_bytes()
        with pytest.raises(TimeoutError):
            for _ in range(400):  # which would be answered with 500 MB
                made.sendall(many)

        server.require_well()
        assert server.server.resident_bytes() - before < 100_000_000
    server.require_unchanged()


def test_who_does_not_answer_pings_is_dropped_though_much_waits(tmp_path_factory: Any) -> None:
    with (
        besieged(tmp_path_factory.mktemp("pinged")) as server,
        opened(server.server.subscribe_port) as made,
    ):
        asked = json.dumps({"subscribe": {"purport": "{a > 0}"}}).encode()
        made.sendall(frame(TEXT, asked) + frame(TEXT, b"{}") * 100_000)  # and nothing is read

        server.require_unchanged()


def test_a_socket_may_follow_a_request_on_the_same_connection(tmp_path_factory: Any) -> None:
    with (
        besieged(tmp_path_factory.mktemp("followed")) as server,
        connected(server.server.subscribe_port) as made,
    ):
        made.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        read_until(made, b'{"status": "alive"}')
        made.sendall(handshake())
        assert read_until(made, b"\r\n\r\n").startswith(b"HTTP/1.1 101")
        first = made.recv(1)  # a ping, after longer than a request may take to begin

    assert first[0] == 0x80 | PING


def read_until(made: socket.socket, end: bytes) -> bytes:
    """What comes, up to some bytes."""
    found = b""
    while not found.endswith(end):
        part = made.recv(65_536)
        assert part, found[-1000:]
        found += part
    return found


def test_pings_of_who_does_not_read_are_not_answered_without_bound(server: Besieged) -> None:
    many = frame(PING, b"a" * 125) * 10_000
    with opened(server.server.subscribe_port) as made:
        made.settimeout(1)
        before = server.server.resident_bytes()
        with suppress(TimeoutError):
            for _ in range(60):  # which would be answered with 76 MB
                made.sendall(many)

        server.require_well()
        assert server.server.resident_bytes() - before < 30_000_000
    server.require_unchanged()


def test_who_reads_again_is_answered_the_last_of_its_pings(server: Besieged) -> None:
    with opened(server.server.subscribe_port) as made:
        for _ in range(100):
            made.sendall(frame(PING, b"a" * 125) * 1000)
        made.sendall(frame(PING, b"the last"))
        read_until(made, b"the last")
