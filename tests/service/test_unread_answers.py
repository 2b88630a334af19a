"""Clients that ask and do not read, or open sockets and say nothing: they are dropped."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from purport.service.settings import RequestLimits
from tests.service.raw_client import Besieged, besieged, wait_until
from tests.service.secured import Secured, secured
from tests.service.server_process import ServerProcess

QUERY = "/query?query=SELECT+*+%7B+?a+?b+?c+.+?d+?e+?f+%7D"  # answered with more than lies
STREAM = "/subscriptions/heard/events"  # between two ends of a connection


def fill(url: str) -> None:
    """Have a server keep much to answer, and much to tell."""
    with httpx.Client(base_url=url, timeout=30) as client:
        values = ", ".join(map(str, range(170)))
        client.post("/update", data={"update": f"INSERT DATA {{ <urn:a> <urn:b> {values} }}"})
        client.post("/subscriptions", json={"purport": "{a > 0} as heard"})
        events = [{"a": number, "text": "x" * 100_000} for number in range(1, 80)]
        client.post("/events", json=events).raise_for_status()


def asked(port: int, *paths: str) -> socket.socket:
    """A connection over which something was asked, and nothing is read."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.settimeout(30)
    made.connect(("127.0.0.1", port))
    made.sendall(b"".join(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() for path in paths))
    return made


def open_requests(url: str) -> int:
    """How many requests are being answered, but for this one."""
    lines = httpx.get(f"{url}/metrics", timeout=30).text.splitlines()
    [line] = [one for one in lines if one.startswith("purport_open_requests ")]
    return int(float(line.split()[1])) - 1


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Besieged]:
    limits = "[limits]\nwrite_seconds = 0.3\n"
    with besieged(tmp_path_factory.mktemp("unread"), limits) as made:
        fill(made.server.url)
        yield made


@pytest.mark.parametrize("paths", [(QUERY,), (STREAM,), ("/health", QUERY), (QUERY, QUERY)])
def test_who_takes_nothing_is_dropped(server: Besieged, paths: tuple[str, ...]) -> None:
    with asked(server.server.port, *paths):
        wait_until(lambda: open_requests(server.server.url) == 1)
        wait_until(lambda: open_requests(server.server.url) == 0)
    server.require_well()


def test_who_takes_something_from_time_to_time_is_told_everything(server: Besieged) -> None:
    whole = len(httpx.get(server.server.url + QUERY, timeout=30).content)
    assert whole > 8_000_000
    with asked(server.server.port, QUERY) as made:
        found, began = 0, time.monotonic()
        while found < whole:
            part = made.recv(200_000)
            assert part, found
            found += len(part)
            time.sleep(0.0002)

    assert time.monotonic() - began > 0.3  # than in which something has to be taken


@contextmanager
def unread(folder: Path, *paths: str) -> Iterator[ServerProcess]:
    """A server that may take half a second to stop, and has answers that nobody reads."""
    (folder / "service.toml").write_text("[listen]\ndrain_seconds = 0.5\n")
    server = ServerProcess(folder / "kept", "--config", str(folder / "service.toml"))
    with ExitStack() as at_end:
        at_end.callback(server.stop)
        fill(server.url)
        for path in paths:
            at_end.enter_context(asked(server.port, path))
        wait_until(lambda: open_requests(server.url) == len(paths))
        yield server


def test_a_service_that_stops_drops_who_does_not_read_and_says_nothing_more(
    tmp_path: Path,
) -> None:
    with unread(tmp_path, QUERY, STREAM) as server:
        server.process.send_signal(signal.SIGTERM)
        ended_with = server.process.wait(30)
        log = server.log

    assert (ended_with, "Traceback" in log) == (0, False), log


@pytest.fixture
def impatient() -> Iterator[Secured]:
    with secured(limits=RequestLimits(silent_seconds=0.2)) as made:
        yield made


def test_a_socket_that_never_says_anything_is_closed(impatient: Secured) -> None:
    with (
        connect(f"ws://127.0.0.1:{impatient.port}/subscribe") as made,
        pytest.raises(ConnectionClosed) as closed,
    ):
        made.recv(30)

    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008


def test_a_socket_that_has_said_something_may_be_silent(impatient: Secured) -> None:
    talking = impatient.socket()
    talking.ask({"subscribe": {"purport": "{a > 0}"}})

    with pytest.raises(TimeoutError):
        talking.connection.recv(0.4)
    impatient.broker.publish({"a": 1})

    assert "notification" in talking.hear()
