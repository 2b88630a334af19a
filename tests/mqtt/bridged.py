"""A service with a bridge to a broker of MQTT, in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import msgspec

from purport import Broker
from purport.broker.records import Entry, Published
from purport.service.mqtt.status import BridgesStatus, BridgeStatus
from tests.mqtt.eventually import eventually
from tests.service.server_process import ServerProcess

IN = 'in = ["city/{zone}/{sensor}"]'


def settings_text(address: str, *lines: str, name: str = "city") -> str:
    """The settings of one bridge."""
    return "\n".join(["[[mqtt]]", f'name = "{name}"', f'url = "{address}"', *lines, ""])


class BridgedService:
    """A service that can be stopped, killed and started again over the same folder."""

    def __init__(self, folder: Path, settings: str) -> None:
        self.folder = folder
        self._config = folder / "service.toml"
        self._config.write_text(settings)
        self.start()

    def start(self) -> None:
        """Run, and answer; the broker of MQTT need not be there."""
        self.process = ServerProcess(self.folder / "kept", "--config", str(self._config))

    def stop(self) -> None:
        """Ask it to end."""
        self.process.stop()

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()

    def change(self, settings: str) -> None:
        """Have other settings from the next start on."""
        self._config.write_text(settings)

    def get(self, path: str) -> httpx.Response:
        """What it answers."""
        return httpx.get(f"{self.process.url}{path}", timeout=30)

    def status(self) -> BridgeStatus:
        """How the bridge is doing."""
        return msgspec.json.decode(self.get("/mqtt").content, type=BridgesStatus).bridges[0]

    def wait_until(self, state: str) -> None:
        """Return when the bridge is in a state."""
        eventually(lambda: self.status().state == state)

    def wait_for_events(self, count: int) -> None:
        """Return when so many messages have become events since the process began."""
        eventually(lambda: self.status().incoming.published >= count)

    def entries(self) -> list[Entry]:
        """The events in the journal, of a service that has ended."""
        with Broker.open(self.folder / "kept") as broker:
            found = list(broker.entries(0))
        return [one for one in found if isinstance(one.record, Published)]


@contextmanager
def bridged(folder: Path, settings: str) -> Iterator[BridgedService]:
    """A service that has ended when it is no longer needed."""
    service = BridgedService(folder, settings)
    try:
        yield service
    finally:
        if service.process.process.poll() is None:
            service.stop()
