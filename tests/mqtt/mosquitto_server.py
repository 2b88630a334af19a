"""A Mosquitto of our own, for the time of a test: started, stopped, killed, started again."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.storage.postgres_server import free_port

_SECONDS_TO_START = 30.0
_PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"])
PROGRAM = shutil.which("mosquitto", path=_PATH)

BASIC: Mapping[str, str] = {
    "persistence": "true",
    "max_queued_messages": "0",
    "allow_anonymous": "true",
    "log_dest": "stderr",
    "set_tcp_nodelay": "true",
}

FORGETS_LITTLE = {"autosave_on_changes": "true", "autosave_interval": "1"}  # and is slow


class Mosquitto:
    """A broker on a port of this machine, which keeps its port and its memory over restarts."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.folder, self.port = folder, free_port()
        self._process: subprocess.Popen[bytes] | None = None
        said = {**BASIC, "persistence_location": f"{folder}/", **settings}
        lines = [f"{name} {value}" for name, value in said.items()]
        if os.geteuid() == 0:
            lines.insert(0, "user root")
        lines.insert(0, f"listener {self.port} 127.0.0.1")
        (folder / "mosquitto.conf").write_text("\n".join(lines) + "\n")

    @property
    def address(self) -> str:
        """Its address, without a topic."""
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Run, and listen."""
        assert PROGRAM is not None
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [PROGRAM, "-c", str(self.folder / "mosquitto.conf")], stdout=log, stderr=log
            )
        deadline = time.monotonic() + _SECONDS_TO_START
        while not self._listens():
            if self._process.poll() is not None or time.monotonic() > deadline:
                said = (self.folder / "log").read_text(errors="replace")
                raise RuntimeError(f"Mosquitto does not start: {said}")
            time.sleep(0.01)

    def stop(self) -> None:
        """End it in its own way: it writes down what it knows."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(30)
            self._process = None

    def _listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True


@contextmanager
def running_mosquitto(settings: Mapping[str, str] | None = None) -> Iterator[Mosquitto]:
    """Start a broker in a folder of its own; stop it at the end."""
    folder = Path(tempfile.mkdtemp(prefix="purport-mosquitto-"))
    broker = Mosquitto(folder, settings or {})
    try:
        broker.start()
        yield broker
    finally:
        broker.stop()
        shutil.rmtree(folder, ignore_errors=True)
