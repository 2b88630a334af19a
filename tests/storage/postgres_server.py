"""A PostgreSQL of our own, for the time of the tests."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

_SECONDS_TO_START = 60.0


class PostgresServer:
    """A server that runs: it gives out empty places."""

    def __init__(self, port: int) -> None:
        self.url = f"postgresql://purport@127.0.0.1:{port}/postgres"

    def new_place(self) -> str:
        """The URL of a schema in which there is nothing."""
        name = f"purport_{uuid.uuid4().hex}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        return f"{self.url}?options=-csearch_path%3D{name}"

    def end_connections(self) -> None:
        """Break off all connections but this one."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE usename = 'purport' AND pid <> pg_backend_pid()"
            )

    def is_ready(self) -> bool:
        """Whether it answers."""
        try:
            psycopg.connect(self.url).close()
        except psycopg.OperationalError:
            return False
        return True


def programs() -> Path | None:
    """The folder of the server's programs, if it is installed."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    installed = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return max((path.parent for path in installed), default=None)


@contextmanager
def running_server(bin_folder: Path) -> Iterator[PostgresServer]:
    """Start a server in a folder of its own, on a free port of this machine; stop it at the end."""
    folder = Path(tempfile.mkdtemp(prefix="purport-postgres-"))
    user = _ordinary_user()
    try:
        if user is not None:
            os.chown(folder, user, -1)
        data, log = folder / "data", folder / "log"
        make: list[str | Path] = [bin_folder / "initdb", "-D", data, "-U", "purport", "-A", "trust"]
        subprocess.run(
            [*make, "-E", "UTF8"], user=user, cwd=folder, check=True, capture_output=True
        )
        port = free_port()
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": port,
            "unix_socket_directories": folder,
        }
        flags = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        with log.open("wb") as output:
            serve: list[str | Path] = [bin_folder / "postgres", "-D", data, *flags]
            process = subprocess.Popen(serve, user=user, cwd=folder, stdout=output, stderr=output)
        try:
            server = PostgresServer(port)
            deadline = time.monotonic() + _SECONDS_TO_START
            while not server.is_ready():
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"PostgreSQL does not start: {log.read_text()}")
                time.sleep(0.05)
            yield server
        finally:
            process.send_signal(signal.SIGINT)  # stop now, without waiting for clients
            process.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ordinary_user() -> int | None:
    """Somebody who may run it, if we may not: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return None
    known = {one.pw_name: one.pw_uid for one in pwd.getpwall()}
    return known.get("postgres", known.get("nobody", 65534))


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
