"""Who may write a journal or a history: one process, and others learn which."""

from __future__ import annotations

import fcntl
import time
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, text

from purport.errors import UnusablePath
from purport.storage.database import process_name
from purport.storage.subjects import HISTORY, JOURNAL, Subject

_TRIES, _SECONDS = 25, 0.02
_LOCKS = {JOURNAL: 0x50555250, HISTORY: 0x50555248}  # "PURP", "PURH": among all in a database


class Claim(Protocol):
    """The right to write. It ends with the process, however that ends."""

    def hold(self, connection: Connection) -> None:
        """Make sure of it over a new connection; an error if another process has it."""

    def release(self) -> None:
        """Let others have it."""


class FileClaim:
    """A lock on a file beside what is written, in which the owner is named."""

    def __init__(self, folder: Path, name: str = ".lock", *, subject: Subject = JOURNAL) -> None:
        path = folder / name
        try:
            self._file = path.open("a+b")
        except OSError as error:
            raise UnusablePath(path, error.strerror or str(error)) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.seek(0)
            owner = self._file.read(200).decode(errors="replace").strip()
            self._file.close()
            raise subject.taken(
                f"{folder}: the {subject.noun} is open in {owner or 'another process'}"
            ) from None
        self._file.truncate(0)
        self._file.write(process_name().encode())
        self._file.flush()

    def hold(self, connection: Connection) -> None:
        """It is held as long as the file is open."""

    def release(self) -> None:
        """Let others have it."""
        self._file.close()


class AdvisoryClaim:
    """An advisory lock of PostgreSQL on the connection that writes, for one schema."""

    def __init__(self, place: str, *, subject: Subject = JOURNAL) -> None:
        self._place, self._subject = place, subject

    def hold(self, connection: Connection) -> None:
        """Take the lock, which goes when the connection does."""
        key = {"lock": _LOCKS[self._subject]}
        for _ in range(_TRIES):
            if connection.scalar(text(_TAKE), key):
                return
            owner = connection.scalar(text(_OWNER), key) or "another process"
            if not owner.startswith(process_name()):
                break
            time.sleep(_SECONDS)  # a connection that was closed just now is gone only soon
        raise self._subject.taken(f"{self._place}: the {self._subject.noun} is open in {owner}")

    def release(self) -> None:
        """The lock goes with the connection."""


class NamedClaim:
    """A named lock of MariaDB on the connection that writes, for one database."""

    def __init__(self, place: str, *, subject: Subject) -> None:
        self._place, self._subject = place, subject

    def hold(self, connection: Connection) -> None:
        """Take the lock, which goes when the connection does."""
        name = {"lock": f"purport {self._subject.noun}"}
        if not connection.scalar(text(_TAKE_NAMED), name):
            owner = connection.scalar(text(_NAMED_OWNER), name)
            raise self._subject.taken(
                f"{self._place}: the {self._subject.noun} is open in connection {owner}"
            )

    def release(self) -> None:
        """The lock goes with the connection."""


_NAMED = "concat(:lock, ' ', left(sha2(database(), 256), 32))"
_TAKE_NAMED = f"SELECT get_lock({_NAMED}, 0)"
_NAMED_OWNER = f"SELECT is_used_lock({_NAMED})"
_TAKE = "SELECT pg_try_advisory_lock(:lock, hashtext(current_schema()))"
_OWNER = """
SELECT regexp_replace(application_name, '^purport ', '') || ' (backend ' || pid || ')'
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND classid = CAST(:lock AS oid)
AND objid = CAST(CAST(hashtext(current_schema()) AS bigint) & 4294967295 AS oid)
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
LIMIT 1
"""
