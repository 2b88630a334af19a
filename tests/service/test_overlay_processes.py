"""Three brokers in three processes, one of them killed: over TLS, with tokens, as one would."""

import json
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
import trustme
from websockets.sync.client import connect

from purport.service.tokens import token_hash
from tests.service.secured import bearing, token_of
from tests.service.server_process import ServerProcess

_NAMES = ("north", "middle", "south")
_LATEST_SECONDS = 60.0


class Brokers:
    """A chain: north, which wants TLS and tokens, middle and south."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.ca = home / "ca.pem"
        authority = trustme.CA()
        authority.cert_pem.write_to_path(self.ca)
        certificate = authority.issue_cert("127.0.0.1")
        certificate.private_key_pem.write_to_path(home / "key.pem")
        for number, part in enumerate(certificate.cert_chain_pems):
            part.write_to_path(home / "chain.pem", append=number > 0)
        (home / "token").write_text(token_of("branch"))
        self.ports = dict(zip(_NAMES, free_ports(3), strict=True))
        self._write("north", _NORTH.format(home=home, **_HASHES))
        self._write("middle", _MIDDLE.format(home=home, **self.ports))
        self._write("south", _SOUTH.format(**self.ports))
        with ThreadPoolExecutor() as pool:
            self.processes = dict(zip(_NAMES, pool.map(self._started, _NAMES), strict=True))
        trusted = ssl.create_default_context(cafile=self.ca)
        self.clients = {
            name: httpx.Client(
                base_url=process.url, headers=bearing("operator"), verify=trusted, timeout=30
            )
            for name, process in self.processes.items()
        }

    def start(self, name: str) -> None:
        """Start one that was killed."""
        self.processes[name] = self._started(name)

    def overlay(self, name: str) -> Any:
        """What a broker says of its links."""
        return self.clients[name].get("/overlay").json()

    def publish(self, name: str, event: object) -> None:
        """Publish, as often as it takes."""
        until(lambda: self._is_published(name, event))

    def told(self, name: str, subscription: str) -> list[str]:
        """The events that a subscription was told of."""
        address = f"/subscriptions/{subscription}/notifications?most=1000"
        found = self.clients[name].get(address).json()["notifications"]
        return [one["event"]["@id"] for one in found]

    def settle(self) -> None:
        """Wait until all links are up, and all know what is wanted."""
        until(lambda: all(is_settled(self.overlay(name)) for name in _NAMES))
        until(lambda: all(is_settled(self.overlay(name)) for name in _NAMES))

    def close(self) -> None:
        """End all of them."""
        for client in self.clients.values():
            client.close()
        with ThreadPoolExecutor() as pool:
            assert set(pool.map(ServerProcess.stop, self.processes.values())) == {0}

    def _is_published(self, name: str, event: object) -> bool:
        try:
            return self.clients[name].post("/events", json=event).status_code == 200
        except httpx.TransportError:
            return False

    def _write(self, name: str, settings: str) -> None:
        (self.home / f"{name}.toml").write_text(settings)

    def _started(self, name: str) -> ServerProcess:
        port = str(self.ports[name])
        config = str(self.home / f"{name}.toml")
        return ServerProcess(
            self.home / name, "--config", config, "--port", port, "--subscribe-port", port
        )


_HASHES = {name: token_hash(token_of(name)) for name in ("branch", "operator")}
_NORTH = """
[listen]
tls = {{certificate = "{home}/chain.pem", key = "{home}/key.pem"}}
[[auth.tokens]]
name = "branch"
hash = "{branch}"
[[auth.tokens]]
name = "operator"
hash = "{operator}"
[overlay]
name = "north"
[[overlay.neighbours]]
name = "middle"
principal = "branch"
"""
_MIDDLE = """
[overlay]
name = "middle"
[[overlay.neighbours]]
name = "north"
url = "https://127.0.0.1:{north}"
ca = "{home}/ca.pem"
token_file = "{home}/token"
[[overlay.neighbours]]
name = "south"
url = "http://127.0.0.1:{south}"
"""
_SOUTH = """
[overlay]
name = "south"
[[overlay.neighbours]]
name = "middle"
url = "http://127.0.0.1:{middle}"
"""


def free_ports(count: int) -> list[int]:
    """Ports on which nobody listens."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def is_settled(overlay: Any) -> bool:
    return all(
        one["state"] == "up" and one["interests"]["settled"] for one in overlay["neighbours"]
    )


def until(holds: Callable[[], bool]) -> None:
    """Wait for what happens in other processes."""
    deadline = time.monotonic() + _LATEST_SECONDS
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brokers]:
    made = Brokers(tmp_path_factory.mktemp("brokers"))
    try:
        yield made
    finally:
        made.close()


def test_a_broker_that_is_killed_between_two_others_loses_nothing(brokers: Brokers) -> None:
    asked = {"purport": "{heat > 30} as hot"}
    assert brokers.clients["south"].post("/subscriptions", json=asked).status_code == 201
    brokers.settle()
    for number in range(60):
        brokers.publish("north", {"@id": f"e{number}", "heat": 31 + number, "room": ["a", "b"]})
        if number == 20:
            brokers.processes["middle"].kill()
        if number == 40:
            until(lambda: brokers.overlay("north")["neighbours"][0]["state"] == "down")
            assert brokers.overlay("north")["neighbours"][0]["events"]["waiting"] >= 20
            brokers.start("middle")
    expected = [f"e{number}" for number in range(60)]
    until(lambda: len(brokers.told("south", "hot")) >= len(expected))

    assert brokers.told("south", "hot") == expected
    brokers.settle()
    until(
        lambda: not any(one["events"]["waiting"] for one in brokers.overlay("north")["neighbours"])
    )
    metrics = brokers.clients["north"].get("/metrics").text
    assert 'purport_overlay_up{neighbour="middle"} 1' in metrics
    assert 'purport_overlay_events_dropped_total{neighbour="middle"} 0' in metrics


def test_who_speaks_another_version_or_has_no_token_is_refused_in_words(brokers: Brokers) -> None:
    north = brokers.processes["north"]
    address = f"wss://127.0.0.1:{north.port}/overlay"
    trusted = ssl.create_default_context(cafile=brokers.ca)
    said = {"name": "middle", "to": "north", "epoch": "x", "holds": ""}
    hello = {"overlay": 1, **said, "message_bytes": 1000, "longest": 1000}
    heard = []
    for first in ({**hello, "overlay": 2}, hello, {**hello, "name": "west"}):
        with connect(address, ssl=trusted) as wire:
            wire.send(json.dumps(first))
            heard.append(json.loads(wire.recv(timeout=30))["refused"])

    assert [one["code"] for one in heard] == ["version", "unauthorized", "unknown"]
    words = "north speaks version 1 of the overlay's protocol, middle speaks version 2"
    assert heard[0]["reason"] == words and words in north.log
    assert (
        brokers.clients["north"].get("/overlay", headers={"Authorization": ""}).status_code == 401
    )
    overlay = brokers.overlay("north")
    assert {one["code"] for one in overlay["refused"]} >= {"version", "unauthorized", "unknown"}
    assert overlay["neighbours"][0]["state"] == "up"
    assert token_of("branch") not in north.log + brokers.processes["middle"].log
