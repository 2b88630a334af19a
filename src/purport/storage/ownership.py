"""Who may write a journal: one process, and others learn which."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, text

from purport.broker.journal import JournalTaken
from purport.errors import UnusablePath
from purport.storage.database import process_name

_LOCK = 0x50555250  # "PURP": among all that lock something in the same database


class Claim(Protocol):
    """The right to write. It ends with the process, however that ends."""

    def hold(self, connection: Connection) -> None:
        """Make sure of it over a new connection; `JournalTaken` if another process has it."""

    def release(self) -> None:
        """Let others have it."""


class FileClaim:
    """A lock on a file beside the journal, in which the owner is named."""

    def __init__(self, folder: Path) -> None:
        path = folder / ".lock"
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
            raise JournalTaken(
                f"{folder}: the journal is open in {owner or 'another process'}"
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

    def __init__(self, place: str) -> None:
        self._place = place

    def hold(self, connection: Connection) -> None:
        """Take the lock, which goes when the connection does."""
        key = {"lock": _LOCK}
        if not connection.scalar(text(_TAKE), key):
            owner = connection.scalar(text(_OWNER), key) or "another process"
            raise JournalTaken(f"{self._place}: the journal is open in {owner}")

    def release(self) -> None:
        """The lock goes with the connection."""


_TAKE = "SELECT pg_try_advisory_lock(:lock, hashtext(current_schema()))"
_OWNER = """
SELECT regexp_replace(application_name, '^purport ', '') || ' (backend ' || pid || ')'
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND classid = CAST(:lock AS oid)
AND objid = CAST(CAST(hashtext(current_schema()) AS bigint) & 4294967295 AS oid)
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
LIMIT 1
"""
