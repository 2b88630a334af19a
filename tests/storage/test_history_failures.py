"""What a history in a database does when something goes wrong, and how it is brought up to date."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, text

from purport.errors import EventError, InvalidInput, UnusablePath
from purport.model.event import Statement
from purport.model.term import Text
from purport.storage import database
from purport.storage.history_rows import insertable
from purport.storage.opening import open_sql_journal
from purport.storage.opening_history import open_sql_history, open_sqlite_history
from purport.storage.sql_history import SqlHistory
from purport.temporal.history import HistoryError, HistoryTaken, MemoryHistory
from purport.temporal.occurrence import Occurrence
from tests.contracts.event_history import occurrence, require_like
from tests.storage.mariadb_server import MariadbServer
from tests.storage.postgres_server import PostgresServer

_VERSION_1 = (
    "CREATE TABLE history_meta (name VARCHAR(100) PRIMARY KEY, value {text} NOT NULL)",
    "CREATE TABLE history_events (number BIGINT PRIMARY KEY, {key} NOT NULL UNIQUE, "
    "sequence BIGINT NOT NULL, start BIGINT NOT NULL, {end} BIGINT, is_late BOOLEAN NOT NULL, "
    "is_in_parts BOOLEAN NOT NULL, document {bytes} NOT NULL)",
    "CREATE INDEX history_events_by_end ON history_events ({end})",
    "INSERT INTO history_meta VALUES ('schema', '1'), ('applied', '42'), ('owner', '')",
)
_WORDS = {
    "sqlite": {"text": "TEXT", "key": '"key" BLOB', "end": '"end"', "bytes": "BLOB"},
    "postgresql": {"text": "TEXT", "key": "key BYTEA", "end": '"end"', "bytes": "BYTEA"},
    "mariadb": {
        "text": "TEXT", "key": "`key` VARBINARY(255)", "end": "`end`", "bytes": "LONGBLOB",
    },
}  # fmt: skip
OLD = [
    occurrence("a", 1, 5, 1),
    occurrence("x" * 300, 2, None, 2),
    occurrence("late", 0, 3, 3, is_late=True),
]


@pytest.fixture(params=["sqlite", "postgresql", "mariadb"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a place in which there is nothing."""
    match request.param:
        case "sqlite":
            return f"sqlite:///{tmp_path / 'history.sqlite'}"
        case "postgresql":
            server: PostgresServer = request.getfixturevalue("postgres")
            return server.new_place()
        case _:
            running: MariadbServer = request.getfixturevalue("mariadb")
            return running.new_place()


def opened(place: str) -> SqlHistory:
    """The history at a place."""
    path = place.removeprefix("sqlite:///")
    return open_sql_history(place) if path == place else open_sqlite_history(Path(path))


def test_a_history_of_version_1_is_brought_to_this_version(place: str) -> None:
    _write_version_1(place)

    for _ in range(2):
        with closing(opened(place)) as history:
            assert history.applied == 42
            require_like(history, {one.id: one for one in OLD})
            assert history.late() == 1
    with closing(opened(place)) as history:
        history.keep([occurrence("new", 3, 4)], applied=43)
        assert [one.id for one in history.last_before(9)] == ["a", "new"]


def test_when_an_entry_was_made_is_not_known_if_an_older_purport_went_on(place: str) -> None:
    with closing(opened(place)) as history:
        history.keep([], applied=41, at=7)
    _execute(place, "UPDATE history_meta SET value = '42' WHERE name = 'applied'")

    with closing(opened(place)) as history:
        assert (history.applied, history.applied_at) == (42, None)


def test_an_upgrade_that_broke_off_is_done_again(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_version_1(place)
    _break("purport.storage.history_tables.insert_occurrences", monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        opened(place)
    monkeypatch.undo()

    with closing(opened(place)) as history:
        require_like(history, {one.id: one for one in OLD})


def test_a_history_of_a_later_version_is_refused(place: str) -> None:
    opened(place).close()
    _execute(place, "UPDATE history_meta SET value = '99' WHERE name = 'schema'")

    with pytest.raises(HistoryError, match="a history of version 99"):
        opened(place)


def test_nothing_is_kept_of_what_breaks_off(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(opened(place)) as history:
        history.keep([occurrence("a", 1, None), occurrence("b", 1, 2)], applied=1)
        _break("purport.storage.sql_history.set_value", monkeypatch)
        with pytest.raises(KeyboardInterrupt):
            history.keep([occurrence("a", 1, 9), occurrence("c", 1, 2)], applied=2)
        monkeypatch.undo()

        assert history.applied == 1
        require_like(history, {"a": occurrence("a", 1, None), "b": occurrence("b", 1, 2)})
        history.keep([occurrence("c", 1, 2)], applied=2)
        assert history.find("c") == occurrence("c", 1, 2)


@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_a_database_that_went_away_is_asked_again(
    kind: str, request: pytest.FixtureRequest
) -> None:
    server: PostgresServer | MariadbServer = request.getfixturevalue(kind)
    with closing(open_sql_history(server.new_place())) as history:
        history.keep([occurrence("a", 1, 2)], applied=1)
        assert list(history.last_before(5)) == [occurrence("a", 1, 2)]

        server.end_connections()
        assert list(history.last_before(5)) == [occurrence("a", 1, 2)]
        server.end_connections()
        with pytest.raises(HistoryError):
            history.keep([occurrence("b", 1, 2)], applied=2)

        assert history.applied == 1
        history.keep([occurrence("b", 1, 2)], applied=2)
        assert [one.id for one in history.last_before(5)] == ["b", "a"]


def test_one_process_has_a_history_open(place: str) -> None:
    with closing(opened(place)), pytest.raises(HistoryTaken, match="the history is open in"):
        opened(place)
    opened(place).close()


def test_a_closed_history_says_so(place: str) -> None:
    history = opened(place)
    history.close()

    acts: list[Callable[[], object]] = [
        lambda: history.keep([], applied=1),
        lambda: history.find("a"),
        lambda: list(history.all()),
        lambda: history.drop(before=3),
    ]
    for act in acts:
        with pytest.raises(HistoryError, match="the history is closed"):
            act()


def test_a_full_disk_is_said_and_costs_nothing_that_was_kept(tmp_path: Path) -> None:
    with closing(open_sqlite_history(tmp_path / "history.sqlite")) as history:
        history.keep([occurrence("a", 1, 2)], applied=1)
        history.close()
    limited = open_sqlite_history(tmp_path / "history.sqlite")
    pages = len((tmp_path / "history.sqlite").read_bytes()) // 4096
    with limited._writer.transaction() as connection:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")
    large = Occurrence("b", 1, 2, (Statement(Text("said"), Text("x" * 100_000)),))

    with closing(limited) as history:
        with pytest.raises(HistoryError, match="database or disk is full"):
            history.keep([large], applied=2)

        assert history.applied == 1
        require_like(history, {"a": occurrence("a", 1, 2)})
        history.keep([occurrence("c", 1, 2)], applied=2)


def test_a_locked_file_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_BUSY_SECONDS", 0.1)
    path = tmp_path / "history.sqlite"
    with closing(open_sqlite_history(path)) as history:
        assert history.find("a") is None
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(HistoryError, match="database is locked"):
                history.keep([occurrence("a", 1, 2)], applied=1)
            assert list(history.all()) == []
            other.execute("ROLLBACK")

        history.keep([occurrence("a", 1, 2)], applied=1)
        assert history.applied == 1


def test_what_is_no_history_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database at all, but a text of some length" * 50)
    with pytest.raises(InvalidInput, match="expected a history of Purport"):
        open_sqlite_history(tmp_path / "text")
    (tmp_path / "file").touch()
    with pytest.raises(UnusablePath):
        open_sqlite_history(tmp_path / "file" / "history.sqlite")
    with pytest.raises(InvalidInput, match="durability is full or relaxed"):
        open_sqlite_history(tmp_path / "history.sqlite", durability="none")
    with pytest.raises(InvalidInput, match="expected a URL such as postgresql"):
        open_sql_history("redis://somewhere")


def test_what_cannot_be_written_is_refused_as_a_whole(tmp_path: Path) -> None:
    wrong = Occurrence("b", 1, 2, (Statement(Text("said"), Text("\ud800")),))
    with closing(open_sqlite_history(tmp_path / "history.sqlite")) as history:
        with pytest.raises(EventError, match="cannot be written as JSON"):
            history.keep([occurrence("a", 1, 2), wrong], applied=1)

        assert (history.applied, list(history.all())) == (0, [])


def test_a_history_and_a_journal_may_share_a_database(postgres: PostgresServer) -> None:
    url = postgres.new_place()
    with closing(open_sql_journal(url)) as journal, closing(open_sql_history(url)) as history:
        history.keep([occurrence("a", 1, 2)], applied=1)
        assert journal.last == 0
    with closing(open_sql_journal(url)), closing(open_sql_history(url)) as history:
        assert history.applied == 1


def test_what_is_remembered_is_bounded(tmp_path: Path) -> None:
    many = [occurrence(f"{n:03}", n, n) for n in range(300)]
    in_memory = MemoryHistory()
    in_memory.keep(many, applied=1)
    with closing(open_sqlite_history(tmp_path / "history.sqlite", remembered=10)) as history:
        history.keep(many, applied=1)

        assert list(history.last_before(250)) == list(in_memory.last_before(250))
        assert len(history._remembered) <= 10


def _break(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(what, interrupt)


def _write_version_1(place: str) -> None:
    """A history as the first version wrote it."""
    dialect = place.partition(":")[0]
    words = _WORDS[dialect]
    _execute(place, *(one.format(**words) for one in _VERSION_1))
    rows, _ = insertable(1, OLD)
    columns = ("number", "key", "sequence", "start", "end", "is_late", "is_in_parts", "document")
    values = ", ".join(f":{column}" for column in columns)
    engine = _engine(place)
    with engine.begin() as connection:
        for row in rows:
            named = {column: row[column] for column in columns}
            connection.execute(text(f"INSERT INTO history_events VALUES ({values})"), named)
    engine.dispose()


def _execute(place: str, *statements: str) -> None:
    engine = _engine(place)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def _engine(place: str) -> Engine:
    url = place.replace("postgresql:", "postgresql+psycopg:").replace(
        "mariadb:", "mariadb+pymysql:"
    )
    return create_engine(url)
