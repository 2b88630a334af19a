"""Kills a service with a bridge, or the broker of MQTT, in mid-traffic, and counts events.

As a program it writes a report:
`python -m tests.mqtt.bridge_kills --kills 20 -o docs/reports/mqtt-bridge-kills.md`.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from purport.broker.records import Entry
from purport.mqtt.address import BrokerAddress
from purport.mqtt.connection import Connection
from purport.mqtt.message import Message
from purport.mqtt.packets import Publish
from purport.mqtt.waits import Waits
from tests.mqtt.bridged import BridgedService, bridged, settings_text
from tests.mqtt.eventually import eventually
from tests.mqtt.kills import sender_to, traffic_to
from tests.mqtt.mosquitto_server import FORGETS_LITTLE, Mosquitto, running_mosquitto

_IN = 'in = ["kills/{sensor}"]'
_OUT = """
[[mqtt.out]]
name = "all"
of = "{n >= 0}"
"""
_AT_LEAST = 50  # events between two kills
_QUIET_SECONDS = 1.0
_PAUSE_SECONDS = 0.01  # between ten messages and the next


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What became of messages at QoS 1 whose events have ids."""

    what: str
    kills: int
    published: int
    lost: int
    doubled: int
    repeated: int  # came again, and were known
    not_told: int  # matches that were never published
    told_again: int  # published more than once, under the same id
    forgotten: int = 0  # acknowledged by a broker that was killed before it had them on disk

    @property
    def is_as_promised(self) -> bool:
        """No event is lost or doubled, and every match was told at least once."""
        return not (self.lost or self.doubled or self.not_told)


class Told:
    """Keeps the ids of the matches that were published."""

    def __init__(self) -> None:
        self.ids: Counter[str] = Counter()

    def adopt(self, session: str) -> frozenset[int]:
        return frozenset()

    def keep(
        self, messages: Sequence[Message], *, opened: Collection[int], released: Collection[int]
    ) -> None:
        self.ids.update(json.loads(one.payload)["id"] for one in messages)


def written(number: int) -> bytes:
    """The event of a number."""
    return b'{"n": %d, "@id": "e%d"}' % (number, number)


def killed_services(folder: Path, kills: int, seed: int) -> Aftermath:
    """Kill the service; the broker stays."""
    drawn = random.Random(seed)
    with running_mosquitto() as broker, _listening(broker) as told:
        settings = settings_text(broker.address, _IN, _OUT)
        with bridged(folder, settings) as service:
            service.wait_until("ready")
            with traffic_to(broker.address, 1, written, _PAUSE_SECONDS) as sent:
                for _ in range(kills):
                    service.wait_for_events(drawn.randint(_AT_LEAST, 10 * _AT_LEAST))
                    time.sleep(drawn.random() / 20)
                    service.kill()
                    service.start()
                service.wait_for_events(_AT_LEAST)
            repeated = _settled(service)
            service.stop()
        return _counted("service", kills, sent.published, service.entries(), told, repeated)


def killed_brokers(folder: Path, kills: int, seed: int) -> Aftermath:
    """Kill the broker. What it has acknowledged and forgotten is published again."""
    drawn = random.Random(seed)
    with running_mosquitto(FORGETS_LITTLE) as broker:
        settings = settings_text(broker.address, _IN)
        with bridged(folder, settings) as service:
            service.wait_until("ready")
            with traffic_to(broker.address, 1, written, _PAUSE_SECONDS) as sent:
                for _ in range(kills):
                    wanted = service.status().incoming.published
                    service.wait_for_events(wanted + drawn.randint(_AT_LEAST, 5 * _AT_LEAST))
                    broker.kill()
                    broker.start()
                    service.wait_until("ready")
                service.wait_for_events(service.status().incoming.published + _AT_LEAST)
            repeated = _settled(service)
            service.stop()
            missing = set(range(sent.published)) - set(_numbers(service.entries()))
            service.start()
            with sender_to(broker.address) as sender:
                for number in sorted(missing):
                    sender.publish(Publish("kills/a", written(number), 1)).wait(20)
            service.wait_for_events(len(missing))
            repeated += _settled(service)
            service.stop()
        entries = service.entries()
        return _counted("broker", kills, sent.published, entries, None, repeated, len(missing))


@contextmanager
def _listening(broker: Mosquitto) -> Iterator[Told]:
    """Somebody who hears all matches that go out."""
    told = Told()
    read = BrokerAddress.read(f"{broker.address}/purport/matches/#?client_id=listener&qos=1")
    listener = Connection(read.place, read.session(), told, waits=Waits()).start()
    with closing(_Stopping(listener)):
        listener.wait_until_ready(20)
        yield told


@dataclass(frozen=True, slots=True)
class _Stopping:
    connection: Connection

    def close(self) -> None:
        self.connection.stop()


def _settled(service: BridgedService) -> int:
    """Wait until nothing comes any more; how many events came again."""
    seen, before = -1, -2
    while seen != before:
        time.sleep(_QUIET_SECONDS)
        eventually(lambda: not service.status().incoming.lag)
        eventually(lambda: not service.status().outgoing.waiting)
        before, seen = seen, service.status().incoming.received
    return service.status().incoming.repeated


def _numbers(entries: Sequence[Entry]) -> Counter[int]:
    events = (one.event for one in entries)
    return Counter(json.loads(one.to_json())["n"] for one in events if one is not None)


def _counted(
    what: str,
    kills: int,
    published: int,
    entries: Sequence[Entry],
    told: Told | None,
    repeated: int,
    forgotten: int = 0,
) -> Aftermath:
    numbers = _numbers(entries)
    not_told = told_again = 0
    if told is not None:
        due = {f"into-mqtt:city:all:{number}" for number in range(len(entries))}
        not_told = len(due - set(told.ids))
        told_again = sum(told.ids.values()) - len(told.ids)
    return Aftermath(
        what,
        kills,
        published,
        sum(number not in numbers for number in range(published)),
        sum(count - 1 for count in numbers.values()),
        repeated,
        not_told,
        told_again,
        forgotten,
    )


KINDS: dict[str, Callable[[Path, int, int], Aftermath]] = {
    "service": killed_services,
    "broker": killed_brokers,
}


def _report(kills: int) -> Iterator[str]:
    yield "# A bridge to MQTT through kills"
    yield ""
    yield f"Written by `python -m tests.mqtt.bridge_kills --kills {kills}`, with Mosquitto and"
    yield "`purport serve` on one machine, at QoS 1. Events have ids. What a broker that was killed"
    yield "has acknowledged and forgotten is published again; it is counted as forgotten. Repeated"
    yield "is what came again and was known, since the last start of the service."
    yield ""
    yield (
        "| killed | kills | published | lost | doubled | repeated | matches not told | "
        "told again | forgotten |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for run in KINDS.values():
        with tempfile.TemporaryDirectory() as folder:
            found = run(Path(folder), kills, 13)
        cells = (
            found.what, found.kills, f"{found.published:,}", found.lost, found.doubled,
            found.repeated, found.not_told, found.told_again, found.forgotten,
        )  # fmt: skip
        yield f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    lines = []
    for line in _report(arguments.kills):
        print(line, flush=True)  # noqa: T201
        lines.append(line)
    if arguments.output:
        arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
