"""How quickly do messages come from Mosquitto into a spool, and what takes the time?

A process of its own publishes at QoS 1; each message is on disk before it is acknowledged. Rounds
are those of the receiver: all that has arrived is read, kept with one sync, acknowledged with one
write. The spool is read as Spark would read it, messages as values.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.finding import Finding, at_least, quickest_seconds
from purport.mqtt.address import BrokerAddress
from purport.mqtt.connection import Connection
from purport.mqtt.packets import Publish, Version
from purport.mqtt.reading import read_packets
from purport.mqtt.writing import write_packets
from purport.spool.inlet import SpoolInlet
from purport.spool.spool import Spool
from tests.mqtt.mosquitto_server import PROGRAM, Mosquitto, running_mosquitto

MESSAGES = 40_000
LEAST = 5_000
LEAST_READ = 50_000
PAYLOAD = b'{"zone": "north", "temperature": 21.5, "unit": "degree celsius", "sensor": "t-%06d"}'


def findings() -> Iterator[Finding]:
    if PROGRAM is None:
        yield Finding("Mosquitto is not installed", "skipped")
        return
    yield from _read_packets()
    for version in ("5", "3.1.1"):
        with running_mosquitto() as broker:
            yield from _received(broker, version, f"MQTT {version}, QoS 1, into a spool")


def _received(broker: Mosquitto, version: str, what: str) -> Iterator[Finding]:
    with (
        tempfile.TemporaryDirectory(prefix="purport-bench-") as folder,
        closing(Spool.open(Path(folder))) as spool,
    ):
        address = f"{broker.address}/city/+/temperature?client_id=bench&version={version}"
        read = BrokerAddress.read(address)
        receiver = Connection(read.place, read.session(), SpoolInlet(spool)).start()
        receiver.wait_until_ready(10)
        sender = [sys.executable, "-m", "benchmarks.mqtt", broker.address, version]
        with subprocess.Popen(sender) as process:
            while not spool.end:
                time.sleep(0.001)
            begun, first = time.perf_counter(), spool.end
            while spool.end < MESSAGES:
                time.sleep(0.001)
            seconds = time.perf_counter() - begun
            process.wait()
        figures = receiver.figures()
        receiver.stop()
        yield at_least(f"messages a second, {what}", (MESSAGES - first) / seconds, LEAST)
        yield Finding("  messages a round", f"{figures.received / figures.rounds:,.0f}")
        busy = figures.reading_seconds, figures.keeping_seconds, figures.sending_seconds
        for doing, taken in zip(("reading", "keeping (a sync each)", "sending"), busy, strict=True):
            yield Finding(f"  share of the time that is spent {doing}", f"{taken / seconds:.0%}")
        taken = quickest_seconds(lambda: _read_all(spool), runs=3)
        yield at_least("  messages a second, read from the spool", MESSAGES / taken, LEAST_READ)


def _read_packets() -> Iterator[Finding]:
    """Packets of one MiB, without a broker."""
    packets = [
        Publish("city/north/temperature", PAYLOAD % number, 1, packet_id=number + 1)
        for number in range(8_000)
    ]
    for version in Version:
        written = write_packets(packets, version)
        taken = quickest_seconds(lambda: read_packets(written, version))  # noqa: B023
        yield Finding(
            f"a packet read, version {version.name.lower()}", f"{1e6 * taken / len(packets):.2f} µs"
        )


def _read_all(spool: Spool) -> None:
    count = sum(len(messages) for messages in spool.read(0, spool.end))
    if count != MESSAGES:
        raise AssertionError(f"{count:,} of {MESSAGES:,} messages were read")


def _publish(address: str, version: str) -> None:
    read = BrokerAddress.read(f"{address}/?version={version}")
    sender = Connection(read.place, read.session(is_receiver=False)).start()
    for number in range(MESSAGES):
        sender.publish(Publish("city/north/temperature", PAYLOAD % number, 1))
    sender.settle(120)
    sender.stop()


if __name__ == "__main__":
    _publish(*sys.argv[1:])
