"""`purport serve` in a process of its own, which can be killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit


class ServerProcess:
    """A server over the broker of a folder, on free ports of this machine."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed when the server ends
        self._whole_log: str | None = None
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "purport", "serve", "--folder", str(folder)),
                *("--port", "0", "--subscribe-port", "0", "--json", *arguments),
            ],
            stdout=subprocess.PIPE,
            stderr=self._log if "PURPORT_SHOW" not in os.environ else None,
            text=True,
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        if not said:
            self._wait()
        assert said, self.log
        addresses = json.loads(said)
        self.url, self.subscribe_url = addresses["url"], addresses["subscribe"]
        self.port = urlsplit(self.url).port or 0
        self.subscribe_port = urlsplit(self.subscribe_url).port or 0

    @property
    def log(self) -> str:
        """What it has said on standard error so far."""
        if self._whole_log is not None:
            return self._whole_log
        handle = self._log.fileno()
        return os.pread(handle, os.fstat(handle).st_size, 0).decode(errors="replace")

    @property
    def threads(self) -> int:
        """How many threads it has."""
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))

    @property
    def descriptors(self) -> int:
        """How many files and sockets it has open."""
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

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
        if self._whole_log is None:
            self.process.communicate(timeout=60)
            self._whole_log = self.log
            self._log.close()
        return self.process.returncode


@contextmanager
def running_server(folder: Path, *arguments: str) -> Iterator[ServerProcess]:
    """A server that is asked to end when it is no longer needed."""
    server = ServerProcess(folder, *arguments)
    try:
        yield server
    finally:
        server.stop()
