"""Opening a history of events: in a file with SQLite, or in a database by its URL."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from sqlalchemy import event
from sqlalchemy.engine.interfaces import DBAPIConnection

from purport.errors import UnusablePath
from purport.storage.database import (
    Database,
    Durability,
    mariadb_database,
    postgres_database,
    sqlite_database,
)
from purport.storage.ownership import AdvisoryClaim, Claim, FileClaim, NamedClaim
from purport.storage.sql_history import REMEMBERED, SqlHistory
from purport.storage.subjects import HISTORY


def open_sqlite_history(
    path: Path, *, durability: str = Durability.FULL, remembered: int = REMEMBERED
) -> SqlHistory:
    """The history in a file, a new one if there is none; `HistoryTaken` if another has it open.

    With `durability` "relaxed" a power cut may cost what was kept in the last moments: the journal
    has it, if it is kept with more care. `remembered` occurrences need not be read again.
    """
    cost = Durability.of(durability)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusablePath(path.parent, error.strerror or str(error)) from None
    with ExitStack() as on_failure:
        claim = FileClaim(path.parent, f".{path.name}.lock", subject=HISTORY)
        on_failure.callback(claim.release)
        database = sqlite_database(path, durability=cost, subject=HISTORY)
        return _opened(on_failure, database, claim, remembered)


def open_sql_history(url: str, *, remembered: int = REMEMBERED) -> SqlHistory:
    """The history in a PostgreSQL or MariaDB database, a new one if there is none."""
    with ExitStack() as on_failure:
        claim: AdvisoryClaim | NamedClaim
        if url.startswith(("mariadb", "mysql")):
            database = mariadb_database(url, subject=HISTORY)
            event.listen(database.engine, "connect", _go_by_indexes_in_mariadb)
            claim = NamedClaim(database.place, subject=HISTORY)
        else:
            database = postgres_database(url, subject=HISTORY)
            event.listen(database.engine, "connect", _go_by_indexes_in_postgres)
            claim = AdvisoryClaim(database.place, subject=HISTORY)
        return _opened(on_failure, database, claim, remembered)


def _go_by_indexes_in_postgres(connection: DBAPIConnection, _: object) -> None:
    """Have PostgreSQL go by indexes, which there are for every question, whatever it estimates.

    Of a table that has grown lately it believes that it is small, and sorts all of it.
    """
    ways = ("sort", "seqscan", "bitmapscan", "hashjoin", "mergejoin", "material", "memoize")
    _tell(connection, "; ".join(f"SET SESSION enable_{way} = off" for way in ways))


def _go_by_indexes_in_mariadb(connection: DBAPIConnection, _: object) -> None:
    """Have MariaDB look at the statements of one event after the other, not at all of them."""
    _tell(connection, "SET SESSION optimizer_switch = 'semijoin=off,materialization=off'")


def _tell(connection: DBAPIConnection, setting: str) -> None:
    cursor = connection.cursor()
    cursor.execute(setting)
    cursor.close()
    connection.commit()


def _opened(on_failure: ExitStack, database: Database, claim: Claim, remembered: int) -> SqlHistory:
    on_failure.callback(database.engine.dispose)
    history = SqlHistory(database, claim, remembered=remembered)
    on_failure.pop_all()
    return history
