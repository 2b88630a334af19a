"""The databases that a journal or history can be in: how to connect, how to say what went wrong."""

from __future__ import annotations

import os
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from purport.errors import InvalidInput, MissingExtra, PurportError
from purport.storage.subjects import JOURNAL, Subject

_BYTES = {
    "sqlite": "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
    "postgresql": "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' "
    "AND relnamespace = CAST(current_schema() AS regnamespace)",
}
_SYNCHRONOUS = {"full": "FULL", "relaxed": "NORMAL"}
_SYNCED_AT_COMMIT = 2  # FULL, as SQLite counts
_INCREMENTAL = 2
_BUSY_SECONDS = 10.0
_PAGES_AT_ONCE = 500  # that are given back to the file system
_WAL_BYTES = 64 << 20  # what the write-ahead log may keep after it was taken over


class Durability(StrEnum):
    """What a power cut may cost: nothing that was acknowledged, or the last moments of it.

    A process that dies costs nothing either way.
    """

    FULL = "full"
    RELAXED = "relaxed"

    @classmethod
    def of(cls, name: str) -> Durability:
        """The one of this name; `InvalidInput` if there is none."""
        if name not in tuple(cls):
            raise InvalidInput(f"durability is {' or '.join(cls)}, got {name!r}")
        return cls(name)


@dataclass(frozen=True, slots=True)
class Database:
    """A database, and how messages call it."""

    engine: Engine
    place: str
    subject: Subject = JOURNAL

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file."""
        return self.engine.dialect.name == "sqlite"

    @property
    def parameter(self) -> str:
        """What stands for a value in a statement that goes to the driver as it is."""
        return "?" if self.is_sqlite else "%s"

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Errors of the database as errors of ours, in one line."""
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, OSError) as error:
            raise _said(error, self.place, self.subject) from None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection beside the one that writes."""
        with self.speaking(), self.engine.connect() as connection:
            yield connection

    def bytes(self) -> int:
        """How much room the tables take."""
        with self.reading() as connection:
            return int(connection.scalar(text(_BYTES[self.engine.dialect.name])) or 0)

    def checkpoint(self) -> bool:
        """Have SQLite sync its write-ahead log and take it over; whether it took all of it."""
        if not self.is_sqlite:
            return True
        with self.speaking(), closing(self.engine.raw_connection()) as connection:
            cursor = connection.cursor()
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
            [(is_busy, logged, taken)] = cursor.fetchall()
            return not is_busy and bool(logged == taken)

    def is_on_disk(self) -> bool:
        """Whether a power cut can no longer undo what was committed; it is synced if need be.

        PostgreSQL syncs when it commits, if it is told to.
        """
        if not self.is_sqlite:
            return True
        with self.speaking(), closing(self.engine.raw_connection()) as connection:
            is_synced = _pragma(connection.cursor(), "synchronous") >= _SYNCED_AT_COMMIT
        return is_synced or self.checkpoint()

    def shrink(self) -> bool:
        """Have SQLite give back some pages that it does not need; whether there are more.

        A file that cannot give back some, since it was restored from a dump, is written anew once.
        PostgreSQL does so by itself.
        """
        if not self.is_sqlite:
            return False
        with self.speaking(), closing(self.engine.raw_connection()) as connection:
            cursor = connection.cursor()
            if _pragma(cursor, "auto_vacuum") != _INCREMENTAL:
                cursor.executescript("VACUUM")
            before = _pragma(cursor, "freelist_count")
            cursor.executescript(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})")
            return 0 < _pragma(cursor, "freelist_count") < before


def sqlite_database(
    path: Path,
    *,
    durability: Durability = Durability.FULL,
    read_only: bool = False,
    subject: Subject = JOURNAL,
) -> Database:
    """The SQLite file at a path."""
    uri = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
    if read_only and not _can_share(path):
        uri += "&immutable=1"

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(
            uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        if not read_only:
            connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute(f"PRAGMA journal_size_limit={_WAL_BYTES}")
            connection.execute(f"PRAGMA synchronous={_SYNCHRONOUS[durability]}")
        return connection

    engine = create_engine("sqlite+pysqlite://", creator=connect, poolclass=QueuePool)
    event.listen(engine, "begin", _begin)
    return Database(engine, str(path), subject)


def postgres_database(url: str | URL, *, subject: Subject = JOURNAL) -> Database:
    """The PostgreSQL database at a URL such as `postgresql://user@host/name`."""
    parsed = _parsed(url, ("postgresql",))
    try:
        engine = create_engine(
            parsed.set(drivername="postgresql+psycopg"),
            connect_args={"application_name": f"purport {process_name()}"[:63]},
        )
    except ModuleNotFoundError:
        raise MissingExtra("postgres") from None
    return Database(engine, parsed.render_as_string(hide_password=True), subject)


def mariadb_database(url: str | URL, *, subject: Subject) -> Database:
    """The MariaDB database at a URL such as `mariadb://user@host/name`."""
    parsed = _parsed(url, ("mariadb", "mysql"))
    try:
        engine = create_engine(
            parsed.set(drivername="mariadb+pymysql").update_query_dict({"charset": "utf8mb4"}),
            isolation_level="READ COMMITTED",
        )
    except ModuleNotFoundError:
        raise MissingExtra("mariadb") from None
    return Database(engine, parsed.render_as_string(hide_password=True), subject)


def process_name() -> str:
    """This process, as others should call it."""
    return f"process {os.getpid()} on {socket.gethostname()}"


def _parsed(url: str | URL, backends: tuple[str, ...]) -> URL:
    expected = f"expected a URL such as {backends[0]}://user@host/name"
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise InvalidInput(f"{url}: {expected}") from None
    if parsed.get_backend_name() not in backends:
        raise InvalidInput(f"{parsed.render_as_string(hide_password=True)}: {expected}")
    return parsed


def _pragma(cursor: DBAPICursor, name: str) -> int:
    cursor.execute(f"PRAGMA {name}")
    [(value,)] = cursor.fetchall()
    return int(value)


def _begin(connection: Connection) -> None:
    """Begin in so many words: the driver would begin before some statements only."""
    connection.exec_driver_sql("BEGIN")


def _can_share(path: Path) -> bool:
    """Whether a reader can say that it reads; on a medium that nobody can write, it need not."""
    log = path.with_name(f"{path.name}-wal")
    return log.exists() or os.access(path.parent, os.W_OK, effective_ids=True)


def _said(error: Exception, place: str, subject: Subject) -> PurportError:
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, OSError):
        return subject.error(f"{place}: {cause.strerror or cause}")
    reason = (str(cause).strip() or type(cause).__name__).partition("\n")[0]
    if "file is not a database" in reason:
        return InvalidInput(
            f"{place}: expected a {subject.noun} of Purport, found a file that is no database"
        )
    if "malformed" in reason:
        return subject.error(f"{place}: the {subject.noun} is damaged: {reason}")
    return subject.error(f"{place}: {reason}")
