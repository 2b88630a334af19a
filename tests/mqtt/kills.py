"""Kills a receiver, a broker or the network between them in mid-traffic, and counts messages.

As a program it writes a report:
`python -m tests.mqtt.kills --kills 20 -o docs/reports/mqtt-kills.md`.
With `--receive FOLDER ADDRESS` it is the receiver that is killed.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from purport.mqtt.address import BrokerAddress
from purport.mqtt.connection import Connection
from purport.mqtt.errors import NotDelivered
from purport.mqtt.packets import Publish
from purport.mqtt.waits import Waits
from purport.spool.inlet import SpoolInlet
from purport.spool.reader import SpoolReader
from purport.spool.spool import Spool
from tests.mqtt.breaking_proxy import breaking_proxy
from tests.mqtt.eventually import eventually
from tests.mqtt.mosquitto_server import FORGETS_LITTLE, Mosquitto, running_mosquitto

_QUICK = Waits(first_seconds=0.02, longest_seconds=0.2)
_BURST = 10  # messages at once
_PAUSE = 0.001
_AT_LEAST = 50  # messages between two kills


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What became of the messages."""

    what: str
    qos: int
    kills: int
    published: int
    lost: int
    doubled: int
    forgotten: int = 0  # acknowledged by a broker that was killed before it had them on disk

    @property
    def is_as_promised(self) -> bool:
        """Nothing is lost, and at QoS 2 nothing is doubled."""
        return not self.lost and (self.qos < 2 or not self.doubled)


@dataclass(slots=True)
class Traffic:
    """Publishes numbers, one after the other, until it is told to stop."""

    sender: Connection
    qos: int
    published: int = 0
    written: Callable[[int], bytes] = b"%d".__mod__
    pause_seconds: float = _PAUSE
    _stopping: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        while not self._stopping.is_set():
            for _ in range(_BURST):
                self.sender.publish(Publish("kills/a", self.written(self.published), self.qos))
                self.published += 1
            while not self._stopping.is_set():
                with suppress(NotDelivered):
                    self.sender.settle(0.1)
                    break
            time.sleep(self.pause_seconds)

    def stop(self) -> None:
        self._stopping.set()


def killed_receivers(folder: Path, qos: int, kills: int, seed: int) -> Aftermath:
    """Kill the process that receives; the broker stays."""
    drawn, end = random.Random(seed), 0
    with running_mosquitto() as broker:
        address = f"{broker.address}/kills/#?client_id=killed&qos={qos}"
        with closing(Spool.open(folder)) as spool:
            _connected(address, spool).stop()
        with traffic_to(broker.address, qos) as traffic:
            for _ in range(kills):
                command = [sys.executable, "-m", "tests.mqtt.kills", "--receive"]
                with subprocess.Popen([*command, str(folder), address]) as process:
                    wanted, reader = (
                        end + drawn.randint(_AT_LEAST, 10 * _AT_LEAST),
                        SpoolReader(folder),
                    )
                    eventually(lambda reader=reader, wanted=wanted: reader.end >= wanted)  # type: ignore[misc]
                    process.send_signal(signal.SIGKILL)
                end = reader.end
        with closing(Spool.open(folder)) as spool:
            receiver = _connected(address, spool)
            eventually(lambda: len(_kept(spool)) >= traffic.published)
            receiver.stop()
            return _counted("receiver", qos, kills, traffic.published, spool)


def cut_networks(folder: Path, qos: int, kills: int, seed: int) -> Aftermath:
    """Break off all connections, those of the receiver and of the sender."""
    drawn = random.Random(seed)
    with (
        running_mosquitto() as broker,
        breaking_proxy(broker.port) as proxy,
        closing(Spool.open(folder)) as spool,
    ):
        receiver = _connected(f"{proxy.address}/kills/#?client_id=cut&qos={qos}", spool)
        with traffic_to(proxy.address, qos) as traffic:
            for _ in range(kills):
                _more(spool, drawn.randint(_AT_LEAST, 5 * _AT_LEAST))
                proxy.cut()
        eventually(lambda: len(_kept(spool)) >= traffic.published)
        receiver.stop()
        return _counted("network", qos, kills, traffic.published, spool)


def killed_brokers(folder: Path, qos: int, kills: int, seed: int) -> Aftermath:
    """Kill the broker. What it has acknowledged and forgotten is published again."""
    drawn = random.Random(seed)
    with running_mosquitto(FORGETS_LITTLE) as broker, closing(Spool.open(folder)) as spool:
        receiver = _connected(f"{broker.address}/kills/#?client_id=left&qos={qos}", spool)
        with traffic_to(broker.address, qos) as traffic:
            for _ in range(kills):
                _more(spool, drawn.randint(_AT_LEAST, 5 * _AT_LEAST))
                broker.kill()
                broker.start()
                receiver.wait_until_ready(20)
            _more(spool, _AT_LEAST)
        forgotten = _published_again(broker, traffic, spool, qos)
        receiver.stop()
        return _counted("broker", qos, kills, traffic.published, spool, forgotten)


def _published_again(broker: Mosquitto, traffic: Traffic, spool: Spool, qos: int) -> int:
    """Publish what is missing when nothing comes any more; how many that were."""
    end = -1
    while end != spool.end:
        end = spool.end
        time.sleep(0.5)
    missing = set(range(traffic.published)) - set(_kept(spool))
    with sender_to(broker.address) as sender:
        for number in sorted(missing):
            sender.publish(Publish("kills/a", b"%d" % number, qos)).wait(20)
    eventually(lambda: len(_kept(spool)) >= traffic.published)
    return len(missing)


@contextmanager
def traffic_to(
    address: str,
    qos: int,
    written: Callable[[int], bytes] = b"%d".__mod__,
    pause_seconds: float = _PAUSE,
) -> Iterator[Traffic]:
    """Somebody who publishes; when it ends, the broker has acknowledged all of it."""
    with sender_to(address) as sender:
        traffic = Traffic(sender, qos, written=written, pause_seconds=pause_seconds)
        thread = threading.Thread(target=traffic.run)
        thread.start()
        try:
            yield traffic
        finally:
            traffic.stop()
            thread.join()
            sender.settle(30)


@contextmanager
def sender_to(address: str) -> Iterator[Connection]:
    """A connection that publishes."""
    read = BrokerAddress.read(f"{address}/?client_id=sender")
    sender = Connection(read.place, read.session(is_receiver=False), waits=_QUICK).start()
    try:
        yield sender
    finally:
        sender.stop()


def _connected(address: str, spool: Spool) -> Connection:
    read = BrokerAddress.read(address)
    made = Connection(read.place, read.session(), SpoolInlet(spool), waits=_QUICK).start()
    made.wait_until_ready(30)
    return made


def _more(spool: Spool, count: int) -> None:
    wanted = spool.end + count
    eventually(lambda: spool.end >= wanted)


def _kept(spool: Spool) -> Counter[int]:
    messages = chain.from_iterable(spool.read(0, spool.end))
    return Counter(int(message.payload) for message in messages)


def _counted(
    what: str, qos: int, kills: int, published: int, spool: Spool, forgotten: int = 0
) -> Aftermath:
    kept = _kept(spool)
    lost = sum(number not in kept for number in range(published))
    doubled = sum(count - 1 for count in kept.values())
    return Aftermath(what, qos, kills, published, lost, doubled, forgotten)


def _receive(folder: str, address: str) -> None:
    """Receive until somebody kills us."""
    _connected(address, Spool.open(Path(folder)))
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.1)


KINDS: dict[str, Callable[[Path, int, int, int], Aftermath]] = {
    "receiver": killed_receivers,
    "network": cut_networks,
    "broker": killed_brokers,
}


def _report(kills: int) -> Iterator[str]:
    yield "# MQTT through kills"
    yield ""
    yield f"Written by `python -m tests.mqtt.kills --kills {kills}`, with Mosquitto on one machine."
    yield "What a broker that was killed has acknowledged and forgotten is published again; it is"
    yield "counted as forgotten."
    yield ""
    yield "| killed | QoS | kills | published | lost | doubled | forgotten |"
    yield "|---|---|---|---|---|---|---|"
    for run in KINDS.values():
        for qos in (1, 2):
            with tempfile.TemporaryDirectory() as folder:
                found = run(Path(folder) / "spool", qos, kills, 13 + qos)
            cells = (
                found.what, found.qos, found.kills, f"{found.published:,}", found.lost,
                found.doubled, found.forgotten,
            )  # fmt: skip
            yield f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--receive", nargs=2, metavar=("FOLDER", "ADDRESS"))
    arguments = parser.parse_args()
    if arguments.receive:
        _receive(*arguments.receive)
        return
    lines = []
    for line in _report(arguments.kills):
        print(line, flush=True)  # noqa: T201
        lines.append(line)
    if arguments.output:
        arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
