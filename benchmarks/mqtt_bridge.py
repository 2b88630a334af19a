"""How quickly do messages of MQTT become events in the journal of a service?

`purport serve` and Mosquitto are processes of their own, and so is the one that publishes, at
QoS 1. Each message is synced in the spool before it is acknowledged, and again in the journal. The
subscriptions that are there match some of the events; matches of one go out again.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec

from benchmarks.finding import Finding, at_least
from benchmarks.mqtt import MESSAGES
from purport.service.mqtt.status import BridgesStatus, BridgeStatus
from tests.mqtt.mosquitto_server import PROGRAM, Mosquitto, running_mosquitto
from tests.service.server_process import running_server

LEAST = 5_000
_SETTINGS = """
[[mqtt]]
name = "city"
url = "{address}?client_id=bridge"
in = ["city/{{zone}}/{{kind}}"]
{out}
"""
_OUT = """
[[mqtt.out]]
name = "some"
of = '{sensor in ["t-000001", "t-000002"]}'
"""


def findings() -> Iterator[Finding]:
    if PROGRAM is None:
        yield Finding("Mosquitto is not installed", "skipped")
        return
    with running_mosquitto() as broker:
        yield from _bridged(broker, "")
    with running_mosquitto() as broker:
        yield from _bridged(broker, _OUT)


def _bridged(broker: Mosquitto, out: str) -> Iterator[Finding]:
    """What is published comes into the journal."""
    with tempfile.TemporaryDirectory(prefix="purport-bench-") as name:
        folder = Path(name)
        config = folder / "service.toml"
        config.write_text(_SETTINGS.format(address=broker.address, out=out))
        with running_server(folder / "kept", "--config", str(config)) as server:
            while _status(server.url).state != "ready":
                time.sleep(0.05)
            sender = [sys.executable, "-m", "benchmarks.mqtt", broker.address, "5"]
            with subprocess.Popen(sender) as process:
                first = _published(server.url, 1)
                begun, most_lag, count = time.perf_counter(), 0, first
                while count < MESSAGES:
                    time.sleep(0.05)
                    incoming = _status(server.url).incoming
                    count, most_lag = incoming.published, max(most_lag, incoming.lag)
                seconds = time.perf_counter() - begun
                process.wait()
        what = "with a subscription that goes out" if out else "nobody subscribes"
        yield at_least(
            f"messages a second into the journal, QoS 1, {what}",
            (MESSAGES - first) / seconds,
            LEAST,
        )
        yield Finding("  most messages that waited in the spool", f"{most_lag:,}")


def _status(url: str) -> BridgeStatus:
    answer = httpx.get(f"{url}/mqtt").content
    return msgspec.json.decode(answer, type=BridgesStatus).bridges[0]


def _published(url: str, least: int) -> int:
    """How many messages are events, as soon as there are so many."""
    while True:
        count = _status(url).incoming.published
        if count >= least:
            return count
        time.sleep(0.01)
