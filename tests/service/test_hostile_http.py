"""Whatever is sent instead of requests: it is refused in the promised form, and harms nobody."""

import gzip
import json
import socket
from collections.abc import Iterator

import pytest

from tests.service.raw_client import (
    Besieged,
    besieged,
    connected,
    exchanged,
    read_to_end,
    status_and_body,
)

GET = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
POST = (
    b"POST /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
)
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Besieged]:
    with besieged(tmp_path_factory.mktemp("besieged")) as made:
        yield made


REFUSED: dict[str, tuple[list[bytes], int]] = {
    "no HTTP": ([b"\x16\x03\x01\x02\x00\x01\xfc\r\n\r\n"], 400),
    "HTTP/2": ([b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], 400),
    "a path that is not ASCII": (["GET /é HTTP/1.1\r\nHost: x\r\n\r\n".encode()], 400),
    "a header with a zero": ([GET + b"X: a\0b\r\n\r\n"], 400),
    "a header without a colon": ([GET + b"X\r\n\r\n"], 400),
    "an address that is too long, at once": (
        [b"GET /" + b"a" * 25_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n"],
        431,
    ),
    "a header that is too long, at once": ([GET + b"X: " + b"a" * 25_000 + b"\r\n\r\n"], 431),
    "many headers, at once": ([GET + b"X: aaaaaaaa\r\n" * 2_500 + b"\r\n"], 431),
    "a header that does not end": ([GET + b"X: ", *[b"a" * 10_000] * 2], 431),
    "headers that do not come": ([b"GET /health HTTP/1.1\r\nHo"], 408),
    "nothing": ([], 408),
    "a length and pieces": (
        [POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
        400,
    ),
    "two lengths": ([POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} "], 400),
    "a negative length": ([POST + b"Content-Length: -2\r\n\r\n{}"], 400),
    "a length without end": ([POST + b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n{}"], 400),
    "an unknown encoding": ([POST + b"Transfer-Encoding: gzip\r\n\r\n{}"], 400),
    "pieces that are none": ([CHUNKED + b"zz\r\n{}\r\n0\r\n\r\n"], 400),
    "a piece without its end": ([CHUNKED + b"2\r\n{}xx0\r\n\r\n"], 400),
    "a body that is said to be too large": ([POST + b"Content-Length: 100001\r\n\r\n"], 413),
    "pieces that are too large": (
        [CHUNKED, b"ea60\r\n" + b" " * 60_000 + b"\r\n", b"9c41\r\n" + b" " * 40_001],
        413,
    ),
    "a body that does not come": ([POST + b"Content-Length: 20\r\n\r\n{"], 408),
    "pieces that do not come": ([CHUNKED + b"1\r\n{\r\n"], 408),
    "JSON nested too deep": (
        [POST + b"Content-Length: 200\r\n\r\n" + b"[" * 100 + b"]" * 100],
        400,
    ),
    "an id that leads elsewhere": ([b"GET /subscriptions/../../etc/passwd HTTP/1.0\r\n\r\n"], 404),
    "the same, encoded": ([b"GET /subscriptions/%2e%2e%2f%2e%2e%2fetc HTTP/1.0\r\n\r\n"], 404),
    "an id that is not UTF-8": ([b"GET /subscriptions/%ff HTTP/1.0\r\n\r\n"], 404),
    "a lone surrogate": ([b"GET /subscriptions/%ed%a0%80 HTTP/1.0\r\n\r\n"], 404),
    "a zero as an id": ([b"GET /subscriptions/%00 HTTP/1.0\r\n\r\n"], 404),
    "half an escape": ([b"GET /subscriptions/%2 HTTP/1.0\r\n\r\n"], 404),
    "a parameter that is there twice": ([b"GET /failures?most=1&most=2 HTTP/1.0\r\n\r\n"], 400),
    "a huge number": ([b"GET /failures?after=" + b"9" * 400 + b" HTTP/1.0\r\n\r\n"], 400),
    "an unknown media type": (
        [POST.replace(b"application/json", b"image/\xff") + b"Content-Length: 2\r\n\r\n{}"],
        415,
    ),
    "an unknown method": ([b"DELETE /events HTTP/1.0\r\n\r\n"], 405),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_refused_in_the_promised_form(server: Besieged, name: str) -> None:
    parts, status = REFUSED[name]

    answer = exchanged(server.server.port, parts)

    assert status_and_body(answer)[0] == status
    server.require_well()


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "gzip, gzip"])
def test_bodies_that_are_compressed_are_not_taken(server: Besieged, coding: str) -> None:
    bomb = gzip.compress(b"{" + b" " * 10_000_000 + b"}")
    head = f"Content-Encoding: {coding}\r\nContent-Length: {len(bomb)}\r\n\r\n".encode()

    status, told = status_and_body(exchanged(server.server.port, [POST + head + bomb]))

    assert (status, told["error"]) == (415, "unsupported_media_type")
    assert coding in told["error_description"]
    server.require_well()


def test_an_empty_line_after_an_answer_holds_no_connection(server: Besieged) -> None:
    with connected(server.server.port) as made:
        answer_alive(made)
        made.sendall(b"\r\n")
        rest = read_to_end(made)

    assert status_and_body(rest)[0] == 408


def answer_alive(made: socket.socket) -> None:
    """Ask over a connection that stays open, and read the answer."""
    made.sendall(GET.replace(b"close", b"keep-alive") + b"\r\n")
    answer = b""
    while not answer.endswith(b'{"status": "alive"}'):
        part = made.recv(65_536)
        assert part, answer
        answer += part


def test_trailers_have_an_end(server: Besieged) -> None:
    body = CHUNKED + b"2\r\n{}\r\n0\r\n"
    for _ in range(3):
        exchanged(server.server.port, [body, *[b"X: " + b"a" * 8_000 + b"\r\n"] * 50])

    server.require_unchanged()


def test_an_invalid_request_after_a_valid_one_is_refused_after_its_answer(
    server: Besieged,
) -> None:
    with connected(server.server.port) as made:
        answer_alive(made)
        made.sendall(b"\x00\x01\r\n\r\n")
        second = read_to_end(made)

    assert status_and_body(second)[0] == 400


def test_more_connections_than_may_be_are_refused_and_there_is_room_again(
    server: Besieged,
) -> None:
    hung = [connected(server.server.port) for _ in range(70)]
    answers = [read_to_end(one) for one in hung]
    for one in hung:
        one.close()

    statuses = [status_and_body(one)[0] for one in answers]
    assert set(statuses) == {503, 408}  # there was no room, or nothing was asked
    assert statuses.count(408) < 60  # the test has some connections already
    server.require_unchanged()


def test_clients_that_go_in_the_middle_leave_nothing_behind(server: Besieged) -> None:
    event = json.dumps({"a": 1}).encode()
    head = POST + f"Content-Length: {len(event)}\r\n\r\n".encode()
    whole = head + event
    for cut in range(0, len(whole) + 1, 3):
        with connected(server.server.port) as made:
            made.sendall(whole[:cut])
            made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    server.require_unchanged()


def test_many_rounds_of_it_leave_nothing_behind(server: Besieged) -> None:
    quick = [parts for parts, status in REFUSED.values() if status != 408]
    for _ in range(5):
        for parts in quick:
            exchanged(server.server.port, parts)

    server.require_unchanged()
