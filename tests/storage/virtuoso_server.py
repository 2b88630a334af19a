"""A Virtuoso of our own, for the time of the tests."""

from __future__ import annotations

import configparser
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from purport.storage.sparql_endpoint import Endpoint

_SECONDS_TO_START = 120.0
_SETTINGS = "virtuoso.ini"


@dataclass(frozen=True, slots=True)
class Installation:
    """The programs of Virtuoso, and the settings that came with them."""

    server: str
    shell: str
    settings: Path


@dataclass(frozen=True, slots=True)
class VirtuosoServer:
    """A server that runs, with an endpoint that anybody may change."""

    url: str
    shell: str
    sql_port: int
    own_graphs: frozenset[str]  # which it came with

    def endpoint(self, default_graph: str) -> Endpoint:
        """How it is to be spoken to."""
        return Endpoint(
            self.url,
            default_graph=default_graph,
            hidden_graphs=self.own_graphs,
            most_facts_per_request=500,
        )

    def run(self, statement: str) -> None:
        """Run a statement of SQL, as who may do everything."""
        place = f"127.0.0.1:{self.sql_port}"
        done = subprocess.run(
            [self.shell, place, "dba", "dba", f"exec={statement}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode or "*** Error" in done.stdout + done.stderr:
            raise RuntimeError(f"{statement}: {done.stdout}{done.stderr}")

    def allow_updates(self) -> None:
        """Let those who come over HTTP change what is there."""
        self.run('GRANT SPARQL_UPDATE TO "SPARQL";')

    def refuse_updates(self) -> None:
        """Let them look only, which is how Virtuoso is installed."""
        self.run('REVOKE SPARQL_UPDATE FROM "SPARQL";')


def installation() -> Installation | None:
    """What is installed, if it is."""
    server = shutil.which("virtuoso-t")
    shell = shutil.which("isql-vt") or shutil.which("isql-v")
    folders = sorted(Path("/etc").glob("virtuoso-opensource*"), reverse=True)
    settings = [path for folder in folders if (path := folder / _SETTINGS).is_file()]
    if server is None or shell is None or not settings:
        return None
    return Installation(server, shell, settings[0])


@contextmanager
def running_virtuoso(installed: Installation) -> Iterator[VirtuosoServer]:
    """Start a server in a folder of its own, on free ports of this machine; stop it at the end."""
    folder = Path(tempfile.mkdtemp(prefix="purport-virtuoso-"))
    try:
        sql_port, http_port = _free_ports(2)
        _write_settings(installed.settings, folder, sql_port, http_port)
        with (folder / "output").open("wb") as output:
            process = subprocess.Popen(
                [installed.server, "+configfile", str(folder / _SETTINGS), "+foreground"],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        try:
            url = f"http://127.0.0.1:{http_port}/sparql"
            _wait_for(url, process, folder / "output")
            own = frozenset(graph.value for graph in Endpoint(url).build().named_graphs())
            server = VirtuosoServer(url, installed.shell, sql_port, own)
            server.allow_updates()
            yield server
        finally:
            process.send_signal(signal.SIGKILL)  # there is nothing to be kept
            process.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_settings(original: Path, folder: Path, sql_port: int, http_port: int) -> None:
    settings = configparser.ConfigParser(
        strict=False, interpolation=None, comment_prefixes=(";",), inline_comment_prefixes=(";",)
    )
    settings.optionxform = str  # type: ignore[assignment,method-assign]  # letters' case counts
    settings.read(original)
    for section in ("Database", "TempDatabase"):
        for name, value in settings[section].items():
            if value.startswith("/"):
                settings[section][name] = str(folder / Path(value).name)
    parameters, http = settings["Parameters"], settings["HTTPServer"]
    parameters["ServerPort"] = f"127.0.0.1:{sql_port}"
    parameters["DirsAllowed"] = str(folder)
    parameters.pop("VADInstallDir", None)
    http["ServerPort"] = f"127.0.0.1:{http_port}"
    http["ServerRoot"] = str(folder)
    settings.remove_section("Plugins")
    with (folder / _SETTINGS).open("w") as file:
        settings.write(file)


def _wait_for(url: str, process: subprocess.Popen[bytes], output: Path) -> None:
    deadline = time.monotonic() + _SECONDS_TO_START
    while not _answers(url):
        if process.poll() is not None or time.monotonic() > deadline:
            log = output.parent / "virtuoso.log"
            said = [path.read_text(errors="replace") for path in (output, log) if path.exists()]
            raise RuntimeError(f"Virtuoso does not start: {''.join(said)}")
        time.sleep(0.1)


def _answers(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}?query=ASK%7B%7D", timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def _free_ports(count: int) -> Sequence[int]:
    taken = [socket.socket() for _ in range(count)]
    try:
        for one in taken:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in taken]
    finally:
        for one in taken:
            one.close()
