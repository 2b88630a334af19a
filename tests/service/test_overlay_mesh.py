"""Four brokers in four processes, in a circle: links are cut for good, brokers are killed."""

import json
import random
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from purport.embedded.broker import Broker
from tests.embedded.brokers import exact
from tests.service.server_process import ServerProcess
from tests.service.test_overlay_processes import free_ports, until

_LINKS = ((0, 1), (1, 2), (2, 3), (0, 3))
_SUBSCRIPTIONS, _EVENTS = 8, 40


class Door:
    """A port through which a broker is reached, until it is shut."""

    def __init__(self, port: int, to: int) -> None:
        self._to = to
        self._ends: set[socket.socket] = set()
        self.is_shut = False
        self._listening = socket.create_server(("127.0.0.1", port))
        self._threads: list[threading.Thread] = []
        self._run(self._listen)

    def shut(self) -> None:
        """Let nothing through any more."""
        self.is_shut = True
        for one in tuple(self._ends):
            _end(one)

    def close(self) -> None:
        """Be no more."""
        self.shut()
        _end(self._listening)
        for one in self._threads:
            one.join(10)
        self._listening.close()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                outer, _ = self._listening.accept()
                try:
                    inner = socket.create_connection(("127.0.0.1", self._to), timeout=600)
                except OSError:
                    outer.close()
                    continue
                self._ends |= {outer, inner}
                if self.is_shut:
                    self.shut()
                self._run(self._pass, outer, inner)
                self._run(self._pass, inner, outer)

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with one, suppress(OSError):
            while data := one.recv(65_536):
                other.sendall(data)
        _end(other)
        self._ends.discard(one)

    def _run(self, do: Callable[..., None], *ends: socket.socket) -> None:
        thread = threading.Thread(target=do, args=ends, daemon=True)
        self._threads.append(thread)
        thread.start()


def _end(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


class Circle:
    """Four brokers, of which each can be killed, and a door in each link."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self.ports = free_ports(4)
        doors = dict(zip(_LINKS, free_ports(len(_LINKS)), strict=True))
        self.doors = {link: Door(port, self.ports[link[1]]) for link, port in doors.items()}
        for broker in range(4):
            lines = [f'[overlay]\nname = "b{broker}"\nlinger_seconds = 0.3']
            for link in _LINKS:
                if broker in link:
                    lines.append(f'[[overlay.neighbours]]\nname = "b{sum(link) - broker}"')
                if broker == link[0]:
                    lines.append(f'url = "http://127.0.0.1:{doors[link]}"')
            (home / f"{broker}.toml").write_text("\n".join(lines))
        with ThreadPoolExecutor() as pool:
            self.processes = list(pool.map(self._started, range(4)))
        self.clients = [httpx.Client(base_url=one.url, timeout=30) for one in self.processes]

    def start(self, broker: int) -> None:
        """Start one that was killed."""
        self.processes[broker] = self._started(broker)

    def publish(self, broker: int, event: object) -> None:
        """Publish at a broker that runs."""
        assert self.clients[broker].post("/events", json=event).status_code == 200

    def numbers(self, broker: int, subscription: str) -> Counter[int]:
        """The events that a subscription was told of, and how often each."""
        address = f"/subscriptions/{subscription}/notifications?most=1000"
        found = self.clients[broker].get(address).json()["notifications"]
        return Counter(one["event"]["number"] for one in found)

    def settle(self) -> None:
        """Wait until what can be linked is, and all know what is wanted, and nothing waits."""
        for _ in range(2):
            until(lambda: all(map(self._is_calm, range(4))))

    def close(self) -> None:
        """End all of them."""
        for client in self.clients:
            client.close()
        with ThreadPoolExecutor() as pool:
            assert set(pool.map(ServerProcess.stop, self.processes)) == {0}
        for door in self.doors.values():
            door.close()

    def _is_calm(self, broker: int) -> bool:
        overlay = self.clients[broker].get("/overlay").json()
        return len(overlay["brokers"]) == 4 and all(
            self._is_right(broker, one) for one in overlay["neighbours"]
        )

    def _is_right(self, broker: int, link: Any) -> bool:
        one, other = sorted((broker, int(link["name"][1:])))
        if self.doors[one, other].is_shut:
            return link["state"] == "down" and not link["used"]
        waits = link["events"]["waiting"] or not link["interests"]["settled"]
        return link["state"] == "up" and not waits

    def _started(self, broker: int) -> ServerProcess:
        port, config = str(self.ports[broker]), str(self._home / f"{broker}.toml")
        return ServerProcess(
            self._home / str(broker), "--config", config, "--port", port, "--subscribe-port", port
        )


@pytest.fixture(scope="module")
def circle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Circle]:
    made = Circle(tmp_path_factory.mktemp("circle"))
    try:
        yield made
    finally:
        made.close()


def asked(drawn: random.Random) -> str:
    """A subscription that many others cover, or are covered by."""
    place = drawn.choice(("", ", room = hall", ", room in (hall, loft)"))
    return f"{{heat {drawn.choice(('>', '>='))} {drawn.randrange(4)}{place}}}"


def test_all_are_told_as_by_one_central_broker_though_a_link_is_cut_and_a_broker_killed(
    circle: Circle,
) -> None:
    drawn = random.Random(12)
    central = Broker.in_memory(matcher=exact)
    where = {f"s{number}": drawn.randrange(4) for number in range(_SUBSCRIPTIONS)}
    for name, broker in where.items():
        text = f"{asked(drawn)} as {name}"
        central.subscribe(text)
        assert circle.clients[broker].post("/subscriptions", json={"purport": text}).is_success
    for broker in range(4):  # what nobody wants any more does not keep others from being told
        gone = {"purport": "{heat >= 0} as gone"}
        assert circle.clients[broker].post("/subscriptions", json=gone).is_success
    circle.settle()
    for broker in range(4):
        assert circle.clients[broker].delete("/subscriptions/gone").is_success

    killed = 1
    for number in range(_EVENTS):
        if number == 10:
            circle.doors[0, 3].shut()
        if number == 20:
            circle.processes[killed].kill()
        if number == 30:
            circle.start(killed)
        broker = drawn.choice([one for one in range(4) if one != killed or not 20 <= number < 30])
        event = {
            "number": number,
            "heat": drawn.randrange(5),
            "room": drawn.choice(("hall", "loft", "yard")),
        }
        circle.publish(broker, event)
        central.publish(event)
    circle.settle()

    for name, broker in where.items():
        owed = Counter(
            json.loads(one.match.event.to_json())["number"]
            for one in central.subscriber(name).replay()
        )
        assert circle.numbers(broker, name) == owed, name
    assert sum(map(len, (circle.numbers(broker, name) for name, broker in where.items()))) > 50


def test_what_was_published_as_a_broker_died_goes_another_way_while_it_is_dead(
    circle: Circle,
) -> None:
    for door in circle.doors.values():
        door.is_shut = False
    circle.settle()
    asked = {"purport": "{alarm = yes} as alarms"}
    assert circle.clients[2].post("/subscriptions", json=asked).is_success
    circle.settle()
    circle.processes[1].kill()
    for number in range(10):
        circle.publish(0, {"number": number, "alarm": "yes"})
    until(lambda: len(circle.numbers(2, "alarms")) == 10)
    circle.start(1)
    circle.settle()

    assert circle.numbers(2, "alarms") == dict.fromkeys(range(10), 1)
