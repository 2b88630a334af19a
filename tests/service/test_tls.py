"""Connections with TLS: they count from the beginning, and have to begin with it in time."""

from __future__ import annotations

import json
import logging
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
import trustme
from websockets.sync.client import connect

from purport.service.settings import Listening, RequestLimits, Tls
from tests.service.raw_client import connected, read_to_end, status_and_body, wait_until
from tests.service.secured import Secured, secured


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def trusting(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@pytest.fixture(scope="module")
def listen(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Listening:
    folder = tmp_path_factory.mktemp("certificate")
    certificate = authority.issue_cert("127.0.0.1")
    certificate.private_key_pem.write_to_path(str(folder / "key.pem"))
    for part in certificate.cert_chain_pems:
        part.write_to_path(str(folder / "chain.pem"), append=True)
    tls = Tls(Path(folder / "chain.pem"), Path(folder / "key.pem"))
    return Listening(port=0, subscribe_port=0, tls=tls)


@contextmanager
def silent(service: Secured, count: int) -> Iterator[list[socket.socket]]:
    """Connections over which nothing is said."""
    with ExitStack() as at_end:
        yield [at_end.enter_context(connected(service.port)) for _ in range(count)]


def https(service: Secured, trusting: ssl.SSLContext) -> httpx.Client:
    return httpx.Client(base_url=f"https://127.0.0.1:{service.port}", verify=trusting, timeout=30)


def test_who_says_nothing_is_dropped_in_time(
    listen: Listening, caplog: pytest.LogCaptureFixture
) -> None:
    with secured(listen=listen, limits=RequestLimits(header_seconds=0.2)) as service:
        with silent(service, 5) as some, connected(service.port) as other:
            other.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")  # which is no TLS
            read_to_end(other)
            for one in some:
                assert read_to_end(one) == b""
        wait_until(lambda: service.connected.count == 0)

    assert not [one for one in caplog.records if one.levelno > logging.INFO]


def test_who_says_nothing_counts(listen: Listening, trusting: ssl.SSLContext) -> None:
    with secured(listen=listen, limits=RequestLimits(connections=3)) as service:
        with silent(service, 3):
            wait_until(lambda: service.connected.count == 3)
            with silent(service, 1) as [another]:
                assert read_to_end(another) == b""
        wait_until(lambda: service.connected.count == 0)

        with https(service, trusting) as client:
            assert client.get("/health").json() == {"status": "alive"}
            assert service.connected.count == 1


def test_who_has_begun_with_tls_has_to_ask_in_time(
    listen: Listening, trusting: ssl.SSLContext
) -> None:
    with (
        secured(listen=listen, limits=RequestLimits(header_seconds=0.2)) as service,
        connected(service.port) as plain,
        trusting.wrap_socket(plain, server_hostname="127.0.0.1") as made,
    ):
        assert status_and_body(read_to_end(made))[0] == 408


def test_requests_and_sockets_are_answered(listen: Listening, trusting: ssl.SSLContext) -> None:
    body = b'{"a": 1}'
    head = b"POST /secure/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    address = "wss://127.0.0.1:{}/secure/subscribe"
    with secured(listen=listen) as service:
        for _ in range(20):  # the request comes together with the end of the handshake
            with (
                connected(service.port) as plain,
                trusting.wrap_socket(plain, server_hostname="127.0.0.1") as made,
            ):
                made.sendall(head + b"Connection: close\r\nContent-Length: 8\r\n\r\n" + body)
                assert read_to_end(made).startswith(b"HTTP/1.1 200")
        with connect(address.format(service.port), ssl=trusting) as listening:
            listening.send(json.dumps({"subscribe": {"purport": "{a > 0}"}}))
            assert "subscribed" in json.loads(listening.recv(30))
            with https(service, trusting) as client:
                told = client.post("/events", json=[{"a": 2, "text": "x" * 1_000_000}])
            assert json.loads(listening.recv(30))["notification"]["event"]["a"] == 2
        wait_until(lambda: service.connected.count == 0)

    assert told.status_code == 200
    assert "strict-transport-security" in told.headers
