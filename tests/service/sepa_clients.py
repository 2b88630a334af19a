"""Clients that others have made for SEPA, in processes of their own, told what to do line by line.

They are installed beside our own environment: see `.ci/run`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest

_HERE = Path(__file__).parent
_INSTALLED = Path(sys.prefix) / "sepa-clients"
_LATEST_SECONDS = 60.0


class SepaClient:
    """A client in a process of its own."""

    def __init__(self, command: Sequence[str], ca: Path | None) -> None:
        trusting = {} if ca is None else {"NODE_EXTRA_CA_CERTS": str(ca)}
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if "PURPORT_SHOW" not in os.environ else None,
            text=True,
            env={**os.environ, **trusting},
        )
        self._answers: Queue[dict[str, Any]] = Queue()
        self._told: Queue[dict[str, Any]] = Queue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def ask(self, do: str, **given: object) -> Any:
        """Have something done; what the client gives, or `Failed`."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, **given}) + "\n")
        self._process.stdin.flush()
        answer = self._answers.get(timeout=_LATEST_SECONDS)
        if "failed" in answer:
            raise Failed(answer["failed"])
        return answer["done"]

    def hear(self) -> dict[str, Any]:
        """What the client is told next: an event, the alias of a subscription, and what it says."""
        return self._told.get(timeout=_LATEST_SECONDS)

    def stop(self) -> None:
        """Let it go."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=_LATEST_SECONDS)
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said = json.loads(line)
            (self._told if "event" in said else self._answers).put(said)
        self._answers.put({"failed": {"body": "the client has ended"}})


class Failed(Exception):
    """A client says that it could not do what it was asked for."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(str(problem))
        self.status = problem.get("status")
        self.kind = problem.get("kind")
        self.body = problem["body"]


@contextmanager
def sepy(ca: Path | None = None) -> Iterator[SepaClient]:
    """sepy, the client for Python."""
    python = _INSTALLED / "sepy" / "bin" / "python"
    if not python.exists():
        _lacking("sepy")
    with _running([str(python), str(_HERE / "sepa_py" / "driver.py")], ca) as client:
        yield client


@contextmanager
def sepa_js(ca: Path | None = None) -> Iterator[SepaClient]:
    """sepa-js, the client for JavaScript."""
    node, module = shutil.which("node"), "node_modules/@arces-wot/sepa-js"
    package = _INSTALLED / "sepa-js" / module
    if node is None or not package.exists():
        _lacking("sepa-js, or node")
    with _running([str(node), str(_HERE / "sepa_js" / "driver.js"), str(package)], ca) as client:
        yield client


@contextmanager
def _running(command: Sequence[str], ca: Path | None) -> Iterator[SepaClient]:
    client = SepaClient(command, ca)
    try:
        yield client
    finally:
        client.stop()


def _lacking(name: str) -> None:
    """A client that is not there is skipped, but not where changes have to pass."""
    reason = f"{name} is not installed in {_INSTALLED}: .ci/run says how"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
