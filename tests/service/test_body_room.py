"""Bodies are read when it is known who sends them, and not too many at the same time."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from purport.service.settings import RequestLimits
from tests.service.raw_client import connected, wait_until
from tests.service.secured import Secured, bearing, known, secured

SIZE = 60_000
EVENT = b'{"a": "' + b"x" * (SIZE - 9) + b'"}'
SMALL = RequestLimits(body_bytes=100_000, all_bodies_bytes=100_000)


@pytest.fixture
def service() -> Iterator[Secured]:
    with secured(auth=known("ann"), limits=SMALL) as made:
        yield made


@contextmanager
def half_sent(service: Secured, name: str | None) -> Iterator[socket.socket]:
    """A publication of which all but the last byte was sent."""
    headers = {"Host": "x", "Content-Type": "application/json", "Content-Length": str(SIZE)}
    lines = [f"{key}: {value}\r\n" for key, value in (headers | bearing(name)).items()]
    with connected(service.port) as made:
        made.sendall("".join(["POST /events HTTP/1.1\r\n", *lines, "\r\n"]).encode() + EVENT[:-1])
        yield made


def status(made: socket.socket) -> int:
    return int(made.recv(65_536).split()[1])


def test_of_a_body_without_a_token_nothing_is_kept(service: Secured) -> None:
    with half_sent(service, None) as stranger, half_sent(service, "ann") as ann:
        wait_until(lambda: service.body_bytes == SIZE - 1)  # those of one
        stranger.sendall(EVENT[-1:])
        ann.sendall(EVENT[-1:])

        assert [status(stranger), status(ann)] == [401, 200]
        assert service.body_bytes == 0


def test_who_has_no_token_hears_so_after_a_long_body_and_can_go_on(service: Secured) -> None:
    client = service.client()

    refused = client.post("/events", content=b" " * 99_000)
    let_in = client.post("/events", json={"a": 1}, headers=bearing("ann"))

    assert (refused.status_code, refused.json()["error"]) == (401, "unauthorized")
    assert "connection" not in refused.headers
    assert let_in.status_code == 200
    assert client.post("/events", content=b" " * 100_001).status_code in (401, 413)


def test_there_is_room_for_so_many_bodies_and_again_when_they_are_answered(
    service: Secured,
) -> None:
    client = service.client("ann")
    with half_sent(service, "ann") as ann:
        wait_until(lambda: service.body_bytes == SIZE - 1)
        refused = client.post("/events", content=EVENT)
        ann.sendall(EVENT[-1:])
        taken = status(ann)
    with half_sent(service, "ann"):
        wait_until(lambda: service.body_bytes == SIZE - 1)
    wait_until(lambda: service.body_bytes == 0)  # it went in the middle

    assert (refused.status_code, refused.json()["error"]) == (429, "too_many_requests")
    assert refused.headers["retry-after"] == "1"
    assert taken == 200
    assert client.post("/events", content=EVENT).status_code == 200


@pytest.mark.parametrize("path", ["/oauth/register", "/oauth/token"])
def test_who_registers_says_little(service: Secured, path: str) -> None:
    answers = [service.client().post(path, content=b" " * size) for size in (60_000, 70_000)]

    assert [one.status_code == 413 for one in answers] == [False, True]
