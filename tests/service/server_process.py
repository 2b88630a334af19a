"""`purport serve` in a process of its own, which can be killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit


class ServerProcess:
    """A server over the broker of a folder, on free ports of this machine."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "purport", "serve", "--folder", str(folder)),
                *("--port", "0", "--subscribe-port", "0", "--json", *arguments),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if "PURPORT_SHOW" not in os.environ else None,
            text=True,
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert said, self.process.stderr and self.process.stderr.read()
        addresses = json.loads(said)
        self.url, self.subscribe_url = addresses["url"], addresses["subscribe"]
        self.port = urlsplit(self.url).port or 0
        self.subscribe_port = urlsplit(self.subscribe_url).port or 0

    def resident_bytes(self) -> int:
        """How much memory it has."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        [line] = [one for one in status.splitlines() if one.startswith("VmRSS")]
        return int(line.split()[1]) * 1024

    def kill(self) -> None:
        """End it at once, in the middle of whatever it does."""
        self.process.send_signal(signal.SIGKILL)
        self._wait()

    def stop(self) -> int:
        """Ask it to end; what it ends with."""
        self.process.send_signal(signal.SIGTERM)
        return self._wait()

    def _wait(self) -> int:
        self.process.communicate(timeout=60)
        return self.process.returncode


@contextmanager
def running_server(folder: Path, *arguments: str) -> Iterator[ServerProcess]:
    """A server that is asked to end when it is no longer needed."""
    server = ServerProcess(folder, *arguments)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()
