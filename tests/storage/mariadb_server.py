"""A MariaDB of our own, for the time of the tests."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from tests.storage.postgres_server import free_port

_SECONDS_TO_START = 60.0


@dataclass(frozen=True, slots=True)
class Installation:
    """The programs of the server."""

    server: str
    installer: str


class MariadbServer:
    """A server that runs: it gives out empty places."""

    def __init__(self, port: int) -> None:
        self._place = f"purport@127.0.0.1:{port}"

    def new_place(self) -> str:
        """The URL of a database in which there is nothing."""
        name = f"purport_{uuid.uuid4().hex}"
        self._execute(f"CREATE DATABASE {name}")
        return f"mariadb://{self._place}/{name}"

    def end_connections(self) -> None:
        """Break off all connections but this one."""
        with self._connected() as connection:
            others = text(
                "SELECT id FROM information_schema.processlist "
                "WHERE user = 'purport' AND id <> connection_id()"
            )
            for identifier in connection.scalars(others).all():
                with suppress(SQLAlchemyError):
                    connection.execute(text(f"KILL {identifier}"))

    def is_ready(self) -> bool:
        """Whether it answers."""
        try:
            self._execute("SELECT 1")
        except SQLAlchemyError:
            return False
        return True

    def _execute(self, statement: str) -> None:
        with self._connected() as connection:
            connection.execute(text(statement))

    def _connected(self) -> Connection:
        url = f"mariadb+pymysql://{self._place}/"
        engine: Engine = create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        return engine.connect()


def installation() -> Installation | None:
    """The server's programs, if they and the driver are installed."""
    if find_spec("pymysql") is None:
        return None
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"])
    server = shutil.which("mariadbd", path=path)
    installer = shutil.which("mariadb-install-db", path=path)
    return Installation(server, installer) if server and installer else None


@contextmanager
def running_mariadb(programs: Installation) -> Iterator[MariadbServer]:
    """Start a server in a folder of its own, on a free port of this machine; stop it at the end."""
    folder = Path(tempfile.mkdtemp(prefix="purport-mariadb-"))
    user = _ordinary_user()
    try:
        if user is not None:
            os.chown(folder, user, -1)
        data = folder / "data"
        _install(programs, data, folder, user)
        port = free_port()
        process = _started(programs, folder, port, user)
        try:
            server = MariadbServer(port)
            deadline = time.monotonic() + _SECONDS_TO_START
            while not server.is_ready():
                if process.poll() is not None or time.monotonic() > deadline:
                    log = (folder / "log").read_text()
                    raise RuntimeError(f"MariaDB does not start: {log}")
                time.sleep(0.05)
            yield server
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _install(programs: Installation, data: Path, folder: Path, user: int | None) -> None:
    init = folder / "init.sql"
    init.write_text(
        "CREATE USER IF NOT EXISTS 'purport'@'%';\nGRANT ALL ON *.* TO 'purport'@'%';\n"
    )
    init.chmod(0o644)
    make = [programs.installer, "--no-defaults", f"--datadir={data}", f"--tmpdir={folder}"]
    subprocess.run(
        [*make, "--skip-test-db", "--auth-root-authentication-method=normal"],
        user=user, cwd=folder, check=True, capture_output=True,
    )  # fmt: skip


def _started(
    programs: Installation, folder: Path, port: int, user: int | None
) -> subprocess.Popen[bytes]:
    settings = {
        "datadir": folder / "data",
        "tmpdir": folder,
        "bind-address": "127.0.0.1",
        "port": port,
        "socket": folder / "socket",
        "pid-file": folder / "pid",
        "init-file": folder / "init.sql",
        "innodb-buffer-pool-size": "64M",
    }
    flags = [f"--{name}={value}" for name, value in settings.items()]
    with (folder / "log").open("wb") as output:
        serve = [programs.server, "--no-defaults", *flags, "--skip-name-resolve"]
        return subprocess.Popen(serve, user=user, cwd=folder, stdout=output, stderr=output)


def _ordinary_user() -> int | None:
    """Somebody who may run it, if we may not: MariaDB does not like root."""
    if os.geteuid() != 0:
        return None
    known = {one.pw_name: one.pw_uid for one in pwd.getpwall()}
    return known.get("mysql", known.get("nobody", 65534))
