"""Opening a journal: in a folder with SQLite, or in a database by its URL."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from purport.broker.journal import JournalError
from purport.errors import InvalidInput, UnusablePath
from purport.storage.database import Database, Durability, postgres_database, sqlite_database
from purport.storage.ownership import AdvisoryClaim, Claim, FileClaim
from purport.storage.sql_journal import STRETCH_SIZE, SqlJournal
from purport.storage.stretches import StretchFolder

_FILE = "journal.sqlite"
_STRETCHES = "stretches"


def open_sqlite_journal(
    folder: Path,
    *,
    durability: str = Durability.FULL,
    stretch_size: int = STRETCH_SIZE,
    read_only: bool = False,
) -> SqlJournal:
    """The journal in a folder, a new one if there is none; `JournalTaken` if another has it open.

    With `durability` "relaxed" a power cut may cost what was appended in the last moments. With
    `read_only` it can be looked at while another process writes.
    """
    cost = Durability.of(durability)
    if read_only and not (folder / _FILE).is_file():
        raise UnusablePath(folder, f"there is no journal here: expected a file {_FILE} in it")
    with ExitStack() as on_failure:
        claim = None
        if not read_only:
            _make(folder / _STRETCHES)
            claim = FileClaim(folder)
            on_failure.callback(claim.release)
            _require_no_orphans(folder)
        database = sqlite_database(folder / _FILE, durability=cost, read_only=read_only)
        return _opened(on_failure, database, folder / _STRETCHES, claim, stretch_size)


def open_sql_journal(
    url: str,
    *,
    stretches: Path | None = None,
    stretch_size: int = STRETCH_SIZE,
    read_only: bool = False,
) -> SqlJournal:
    """The journal in a PostgreSQL database; without a folder for stretches it seals none."""
    with ExitStack() as on_failure:
        database = postgres_database(url)
        if stretches is not None and not read_only:
            _make(stretches)
        claim = None if read_only else AdvisoryClaim(database.place)
        return _opened(on_failure, database, stretches, claim, stretch_size)


def _opened(
    on_failure: ExitStack,
    database: Database,
    stretches: Path | None,
    claim: Claim | None,
    stretch_size: int,
) -> SqlJournal:
    if stretch_size < 1:
        raise InvalidInput(f"a stretch has at least one entry, got {stretch_size}")
    on_failure.callback(database.engine.dispose)
    folder = None if stretches is None else StretchFolder(stretches)
    journal = SqlJournal(database, folder, claim=claim, stretch_size=stretch_size)
    on_failure.pop_all()
    return journal


def _require_no_orphans(folder: Path) -> None:
    """Raise `JournalError` where stretches are left of a journal whose database is gone."""
    path = folder / _FILE
    is_new = not path.exists() or path.stat().st_size == 0
    if is_new and any((folder / _STRETCHES).glob("*.parquet")):
        raise JournalError(
            f"{folder}: there are sealed stretches here, but {_FILE} is gone or empty: "
            "put it back, or begin in another folder"
        )


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusablePath(folder, error.strerror or str(error)) from None
