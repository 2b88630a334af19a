"""Journals that are opened: new, old, damaged, taken, or no journals at all."""

import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, text

from purport.broker.encoding import checksum_of
from purport.broker.journal import JournalError, JournalTaken, Snapshot
from purport.broker.records import Answered, Entry, Published, Resumed, Subscribed, Told
from purport.broker.retention import Stretch
from purport.errors import InvalidInput, MissingExtra, UnusablePath
from purport.storage.kept_entries import KeptEntries
from purport.storage.opening import open_sql_journal, open_sqlite_journal
from purport.storage.told_index import ToldTail, _runs_after
from purport.storage.verification import verify
from tests.contracts.journal import Sample
from tests.storage.postgres_server import PostgresServer


@pytest.fixture
def sample() -> Sample:
    return Sample()


def test_a_second_process_is_refused_and_told_who_has_it(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path; from purport.storage.opening import open_sqlite_journal as o; "
        f"journal = o(Path({str(tmp_path)!r})); print('open', flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "open\n"

        with pytest.raises(JournalTaken) as refused:
            open_sqlite_journal(tmp_path)
        owner.communicate("\n")

    assert f"process {owner.pid} on {socket.gethostname()}" in str(refused.value)
    open_sqlite_journal(tmp_path).close()


def test_the_same_process_cannot_open_it_twice(tmp_path: Path) -> None:
    journal = open_sqlite_journal(tmp_path)

    with pytest.raises(JournalTaken, match=f"process {os.getpid()} on "):
        open_sqlite_journal(tmp_path)

    journal.close()
    open_sqlite_journal(tmp_path).close()


def test_it_can_be_looked_at_while_another_writes(tmp_path: Path, sample: Sample) -> None:
    with (
        closing(open_sqlite_journal(tmp_path, stretch_size=3)) as journal,
        closing(open_sqlite_journal(tmp_path, read_only=True)) as looking,
    ):
        for count in (2, 3, 4):
            journal.append(sample.publications(count, "a"))
            journal.seal()
            assert (looking.first, looking.last) == (journal.first, journal.last)
            assert list(looking.read()) == sample.entries
            assert list(looking.told("a", 0, 100)) == sample.entries[1:]
            assert looking.stretches() == journal.stretches()
        journal.drop(3)
        assert looking.first == 4
        assert looking.numbered_since("a", 0) == 3

        for act in (
            lambda: looking.append([sample.publish()]),
            lambda: looking.keep_snapshot(Snapshot(9, b"")),
            lambda: looking.seal(all_of_it=True),
            lambda: looking.drop(9),
        ):
            with pytest.raises(JournalError, match="open for reading only"):
                act()


def test_what_nobody_can_write_can_be_looked_at(tmp_path: Path, sample: Sample) -> None:
    folder = tmp_path / "journal"
    with closing(open_sqlite_journal(folder)) as journal:
        journal.append(sample.publications(3, "a"))

    with _nobody(tmp_path), closing(open_sqlite_journal(folder, read_only=True)) as journal:
        assert list(journal.read()) == sample.entries


def test_a_folder_that_nobody_may_write_is_refused(tmp_path: Path, sample: Sample) -> None:
    folder = tmp_path / "journal"
    with closing(open_sqlite_journal(folder)) as journal:
        journal.append(sample.publications(3, "a"))

    with _nobody(tmp_path), pytest.raises(UnusablePath, match=r"\.lock: Permission denied"):
        open_sqlite_journal(folder)
    with _nobody(tmp_path), pytest.raises(UnusablePath, match=r"new.*: Permission denied"):
        open_sqlite_journal(tmp_path / "new")


def test_a_path_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(UnusablePath, match="file"):
        open_sqlite_journal(tmp_path / "file")


def test_there_has_to_be_something_to_look_at(tmp_path: Path) -> None:
    with pytest.raises(UnusablePath, match=r"no journal here: expected a file journal\.sqlite"):
        open_sqlite_journal(tmp_path, read_only=True)
    with pytest.raises(UnusablePath, match="no journal here"):
        open_sqlite_journal(tmp_path / "nowhere", read_only=True)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, *, read_only: bool) -> None:
    (tmp_path / "journal.sqlite").write_text("a letter to a friend, and a long one " * 100)

    with pytest.raises(InvalidInput, match="found a file that is no database") as refused:
        open_sqlite_journal(tmp_path, read_only=read_only)

    assert str(tmp_path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_database_of_something_else_is_refused(tmp_path: Path) -> None:
    _execute(tmp_path, "CREATE TABLE entries (title TEXT)")

    with pytest.raises(InvalidInput, match="expected a journal of Purport, found other tables"):
        open_sqlite_journal(tmp_path)


def test_a_journal_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    open_sqlite_journal(tmp_path).close()
    _execute(tmp_path, "UPDATE meta SET value = '3' WHERE name = 'schema'")

    for read_only in (False, True):
        with pytest.raises(JournalError, match=r"of version 3; this Purport reads .* up to 2"):
            open_sqlite_journal(tmp_path, read_only=read_only)


@pytest.mark.parametrize("wrong", [{"durability": "none"}, {"stretch_size": 0}])
def test_settings_that_mean_nothing_are_refused(tmp_path: Path, wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        open_sqlite_journal(tmp_path, **wrong)  # type: ignore[arg-type]


def test_a_torn_last_entry_is_dropped_and_the_journal_says_so(
    tmp_path: Path, sample: Sample
) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(5, "a"))
        journal.keep_snapshot(Snapshot(3, b"three"))
        journal.keep_snapshot(Snapshot(5, b"five"))
        assert journal.mended is None
    _execute(tmp_path, "UPDATE entries SET record = substr(record, 1, 20) WHERE sequence = 5")

    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert journal.mended is not None
        assert "entry 5, the last one, was damaged and has been dropped" in journal.mended
        assert list(journal.read()) == sample.entries[:4]
        assert list(journal.told("a", -1, 9)) == sample.entries[:4]
        assert journal.snapshot() == Snapshot(3, b"three")
        del sample.entries[4]
        journal.append([sample.publish("b")])
        assert journal.snapshot() == Snapshot(3, b"three")
    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert journal.mended is None
        assert list(journal.read()) == sample.entries


def test_damage_elsewhere_is_an_error_when_it_is_read(tmp_path: Path, sample: Sample) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(5, "a"))
    _execute(tmp_path, "UPDATE entries SET at = at + 1 WHERE sequence = 3")

    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert journal.mended is None
        assert list(journal.read(after=3)) == sample.entries[3:]
        with pytest.raises(JournalError, match="entry 3 of the journal is damaged"):
            list(journal.read())
        with pytest.raises(JournalError, match="entry 3 of the journal is damaged"):
            journal.seal(all_of_it=True)
        journal.append([sample.publish()])


def test_a_missing_entry_is_an_error_when_it_is_read(tmp_path: Path, sample: Sample) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(5, "a"))
    _execute(tmp_path, "DELETE FROM entries WHERE sequence IN (1, 3)")

    with closing(open_sqlite_journal(tmp_path)) as journal:
        for after, missing in ((0, 1), (1, 3)):
            with pytest.raises(JournalError, match=f"entry {missing} of the journal is missing"):
                list(journal.read(after=after))


def test_a_snapshot_that_is_damaged_gives_way_to_the_one_before(
    tmp_path: Path, sample: Sample
) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(5))
        for sequence in (2, 3, 5):
            journal.keep_snapshot(Snapshot(sequence, b"state" * sequence))
    _execute(tmp_path, "UPDATE snapshots SET state = x'00' WHERE sequence = 5")

    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert journal.snapshot() == Snapshot(3, b"state" * 3)


def test_a_damaged_page_is_an_error_of_one_line(tmp_path: Path, sample: Sample) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(500, "a"))
    path = tmp_path / "journal.sqlite"
    whole = path.read_bytes()
    half = len(whole) // 8192 * 4096
    path.write_bytes(whole[:half] + bytes([0xA5]) * 8192 + whole[half + 8192 :])

    with (
        pytest.raises(JournalError) as raised,
        closing(open_sqlite_journal(tmp_path)) as journal,
    ):
        list(journal.read())
    with closing(open_sqlite_journal(tmp_path, read_only=True)) as journal:
        found = verify(journal)

    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)
    assert found.problems


def test_a_full_disk_leaves_nothing_of_what_was_to_be_appended(
    tmp_path: Path, sample: Sample
) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(5, "a"))
        sample.publications(2000, "a")

        def fill(connection: Connection) -> None:
            connection.exec_driver_sql("PRAGMA max_page_count = 20")

        event.listen(journal.database.engine, "begin", fill)
        for _ in range(2):
            with pytest.raises(JournalError, match=r"journal\.sqlite: database or disk is full"):
                journal.append(sample.entries[5:])
        assert list(journal.read()) == sample.entries[:5]
        assert journal.last == 5
        journal.append(sample.entries[5:8])

        event.remove(journal.database.engine, "begin", fill)
        with journal.database.reading() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 100000")
        assert list(journal.read()) == sample.entries[:8]
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.entries[8:])
        assert list(journal.read()) == sample.entries
        assert list(journal.told("a", 0, 3000)) == sample.entries[1:]


def test_a_disk_that_fails_leaves_nothing_of_what_was_to_be_appended(tmp_path: Path) -> None:
    program = """
import resource, sys
from pathlib import Path
from purport.broker.journal import JournalError
from purport.storage.opening import open_sqlite_journal
from tests.contracts.journal import Sample

sample = Sample()
journal = open_sqlite_journal(Path(sys.argv[1]))
journal.append(sample.publications(5, "a"))
sample.publications(2000, "a")
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, most))
for _ in range(2):
    try:
        journal.append(sample.entries[5:])
    except JournalError as error:
        print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
assert list(journal.read()) == sample.entries[:5]
journal.append(sample.entries[5:])
assert list(journal.read()) == sample.entries
assert list(journal.told("a", 0, 3000)) == sample.entries[1:]
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{tmp_path}/journal.sqlite: disk I/O error\n" * 2


def test_a_closed_journal_says_so(tmp_path: Path, sample: Sample) -> None:
    journal = open_sqlite_journal(tmp_path)
    journal.close()

    for act in (
        lambda: journal.append([sample.publish()]),
        journal.read,
        journal.snapshot,
        lambda: journal.told("a", 0, 1),
        lambda: journal.seal(all_of_it=True),
        lambda: journal.drop(1),
    ):
        with pytest.raises(JournalError, match="the journal is closed"):
            act()


def test_a_journal_of_version_1_is_brought_up_to_date(tmp_path: Path) -> None:
    entries = _write_version_1(tmp_path)
    with pytest.raises(JournalError, match="of version 1; open it once for writing"):
        open_sqlite_journal(tmp_path, read_only=True)

    with closing(open_sqlite_journal(tmp_path, stretch_size=2)) as journal:
        assert (journal.first, journal.last) == (1, entries)
        first, *published = journal.read()
        assert first.record == Subscribed("a", "{room = kitchen}")
        records = [entry.record for entry in published]
        assert [one.told[0].best for one in records if isinstance(one, Published)] == [
            Answered(0.5, (0,), (0.25,)) for _ in published
        ]
        assert list(journal.told("a", 0, 9)) == published[1:]
        assert journal.snapshot() == Snapshot(2, b"state")
        assert journal.seal() is not None
        assert list(journal.told("a", -1, 9)) == published
    with closing(open_sqlite_journal(tmp_path, read_only=True)) as journal:
        assert verify(journal).problems == ()
        assert list(journal.read(after=1)) == published


def test_an_upgrade_that_breaks_off_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_version_1(tmp_path)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("purport.storage.tables._note_first", _interrupt)
        open_sqlite_journal(tmp_path)

    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert journal.snapshot() == Snapshot(2, b"state")


def test_a_url_of_another_kind_is_refused() -> None:
    for url in ("sqlite:///journal.sqlite", "no url", "mysql://host/name"):
        with pytest.raises(InvalidInput, match="expected a URL such as postgresql://"):
            open_sql_journal(url)


def test_postgres_needs_its_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(MissingExtra, match=r"purport\[postgres\]"):
        open_sql_journal("postgresql://127.0.0.1/nothing")


def test_a_server_that_does_not_answer_is_an_error_without_the_password() -> None:
    with pytest.raises(JournalError) as raised:
        open_sql_journal("postgresql://ada:secret@127.0.0.1:1/nothing")

    assert "ada:***@127.0.0.1" in str(raised.value)
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_second_owner_of_a_postgres_journal_is_refused(postgres: PostgresServer) -> None:
    url = postgres.new_place()
    with closing(open_sql_journal(url)):
        with pytest.raises(JournalTaken, match=f"process {os.getpid()} on {socket.gethostname()}"):
            open_sql_journal(url)
        open_sql_journal(url, read_only=True).close()
        open_sql_journal(postgres.new_place()).close()
    open_sql_journal(url).close()


def test_there_has_to_be_something_to_look_at_in_postgres(postgres: PostgresServer) -> None:
    with pytest.raises(InvalidInput, match="there is no journal here"):
        open_sql_journal(postgres.new_place(), read_only=True)


def test_a_lost_connection_costs_nothing_that_was_acknowledged(
    postgres: PostgresServer, sample: Sample
) -> None:
    with closing(open_sql_journal(postgres.new_place())) as journal:
        journal.append(sample.publications(5, "a"))
        sample.publications(3, "a")
        postgres.end_connections()

        with pytest.raises(JournalError):
            journal.append(sample.entries[5:])
        journal.append(sample.entries[5:])

        assert list(journal.read()) == sample.entries
        assert list(journal.told("a", -1, 10)) == sample.entries


def test_who_lost_a_postgres_journal_to_another_cannot_go_on(
    postgres: PostgresServer, sample: Sample
) -> None:
    url = postgres.new_place()
    with closing(open_sql_journal(url)) as loser:
        loser.append(sample.publications(2))
        postgres.end_connections()
        with closing(open_sql_journal(url)) as winner:
            winner.append([sample.publish()])
            with pytest.raises(JournalError):
                loser.append([sample.entries[2]])
            with pytest.raises(JournalTaken, match=f"open in process {os.getpid()}"):
                loser.append([sample.entries[2]])
        with pytest.raises(JournalTaken, match="another process opened the journal"):
            loser.append([sample.entries[2]])


def test_a_connection_lost_while_the_writer_makes_sure_does_not_lose_the_claim(
    postgres: PostgresServer, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.new_place()
    with closing(open_sql_journal(url)) as journal:
        journal.append(sample.publications(2, "a"))
        following = [sample.publish("a")]
        make_sure = journal._writer._make_sure

        def broken(connection: Connection) -> None:
            postgres.end_connections()
            make_sure(connection)

        postgres.end_connections()
        with pytest.raises(JournalError):
            journal.append(following)
        with monkeypatch.context() as patched, pytest.raises(JournalError):
            patched.setattr(journal._writer, "_make_sure", broken)
            journal.append(following)
        journal.append(following)

        with pytest.raises(JournalTaken, match=f"open in process {os.getpid()}"):
            open_sql_journal(url)
        assert list(journal.read()) == sample.entries


def test_who_is_no_longer_the_owner_deletes_nothing(
    postgres: PostgresServer, sample: Sample
) -> None:
    with closing(open_sql_journal(postgres.new_place())) as journal:
        journal.append(sample.publications(2))
        with journal.database.engine.begin() as connection:
            connection.execute(text("UPDATE meta SET value = 'another' WHERE name = 'owner'"))
            connection.execute(
                text(
                    "INSERT INTO entries SELECT 3, at, version, event, record, 0 FROM entries "
                    "WHERE sequence = 2"
                )
            )
        journal._writer.is_sure = False

        with pytest.raises(JournalTaken, match="another process opened the journal"):
            journal.append([sample.publish()])

        assert journal.kept.bounds().last == 3


def test_numbers_that_come_again_do_not_stop_a_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("purport.storage.sql_journal._MOST_IN_TAIL", 4)
    numbers = [0, 1, 2, 0, 1, 2**70, -1, 0, 2, 1, 1]
    told = [Published((Told("a", number, Answered(0.5)),)) for number in numbers]
    entries = [Entry(sequence, sequence, one) for sequence, one in enumerate(told, 1)]

    for _ in range(2):
        with closing(open_sqlite_journal(tmp_path)) as journal:
            last = journal.last
            for entry in entries:
                journal.append([Entry(last + entry.sequence, entry.at, entry.record)])
            found = [one.sequence - last for one in journal.told("a", -1, 99)]
    assert found[:2] == [8, 11]
    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert journal.last == 2 * len(entries)
        assert list(journal.told("a", 2**70, 9)) == []


def test_any_id_can_be_told(postgres: PostgresServer, sample: Sample) -> None:
    long = "".join(map(chr, range(0x4E00, 0x4E00 + 5_000)))
    with closing(open_sql_journal(postgres.new_place())) as journal:
        for name in (long, "a\0b", "sha256:1"):
            journal.append([sample.publish(name)])
        journal.seal()
        journal._keep_tail()

        for name, entry in zip((long, "a\0b", "sha256:1"), sample.entries, strict=True):
            assert list(journal.told(name, -1, 9)) == [entry]


def test_the_runs_before_a_number_are_passed_over(tmp_path: Path) -> None:
    with (
        closing(open_sqlite_journal(tmp_path)) as journal,
        journal.database.reading() as connection,
    ):
        query = _runs_after("a", 500, 1).compile(connection, compile_kwargs={"literal_binds": True})
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}").all()

    assert "(subscription=? AND first>?)" in plan[0][-1]


def test_damage_in_what_was_not_indexed_stops_neither_opening_nor_appending(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(5, "a"))
        monkeypatch.setattr(journal, "_tail", ToldTail(0))
    _execute(tmp_path, "UPDATE entries SET record = x'00' WHERE sequence = 3")

    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append([sample.publish("a")])
        assert list(journal.told("a", 2, 9)) == sample.entries[3:]
        with pytest.raises(JournalError, match="entry 3 of the journal is damaged"):
            list(journal.read())


def test_a_time_is_found_while_a_stretch_is_sealed(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=10)) as journal:
        journal.append(sample.publications(20, "a"))
        look, at = KeptEntries.stretches, sample.entries[2].at
        expected = journal.kept.since(at)

        def then_seal(kept: KeptEntries) -> tuple[Stretch, ...]:
            found = look(kept)
            monkeypatch.undo()
            journal.seal()
            return found

        monkeypatch.setattr(KeptEntries, "stretches", then_seal)
        assert journal.kept.since(at) == expected == 2


def test_a_time_is_not_found_where_entries_are_missing(tmp_path: Path, sample: Sample) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(5, "a"))
    for damage in ("UPDATE entries SET at = 'x'", "DELETE FROM entries"):
        _execute(tmp_path, f"{damage} WHERE sequence = 3")

        with (
            closing(open_sqlite_journal(tmp_path)) as journal,
            pytest.raises(JournalError, match="entry 3 of the journal is missing or damaged"),
        ):
            journal.numbered_since("a", sample.entries[2].at)


@pytest.mark.parametrize("seals", [False, True])
def test_a_journal_says_through_where_it_can_drop_by_age(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch, *, seals: bool
) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(10, "a"))
        journal.seal()
    if not seals:
        monkeypatch.setattr("purport.storage.stretches.find_spec", lambda name: None)
        monkeypatch.setitem(sys.modules, "pyarrow", None)

    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        times = [entry.at for entry in sample.entries]
        found = [journal.droppable_before(at) for at in (0, times[3], times[4] + 1, times[9] + 1)]
        assert found == ([0, 0, 4, 4] if seals else [0, 0, 5, 10])
        assert journal.drop(found[-1]) == found[-1]


def _write_version_1(folder: Path) -> int:
    """A journal as the first version wrote it; gives how many entries it has."""
    records = [b'{"type":"subscribed","id":"a","text":"{room = kitchen}"}']
    records += [
        b'{"type":"published","told":[["a",%d,0.5,[0],[0.25]]]}' % number for number in range(3)
    ]
    _execute(
        folder,
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
        "CREATE TABLE entries (sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, "
        "version INTEGER NOT NULL, event BLOB, record BLOB NOT NULL, checksum INTEGER NOT NULL)",
        "CREATE TABLE told (subscription TEXT, number INTEGER, sequence INTEGER NOT NULL, "
        "PRIMARY KEY (subscription, number))",
        "CREATE TABLE snapshots (sequence INTEGER PRIMARY KEY, state BLOB NOT NULL)",
        "INSERT INTO meta VALUES ('schema', '1')",
        "INSERT INTO snapshots VALUES (2, CAST('state' AS BLOB))",
        "INSERT INTO told VALUES ('a', 0, 2), ('a', 1, 3), ('a', 2, 4)",
    )
    with closing(sqlite3.connect(folder / "journal.sqlite")) as connection, connection:
        for sequence, record in enumerate(records, 1):
            heat = None if sequence == 1 else b'{"@id":"event-%d","heat":30}' % sequence
            checksum = checksum_of(sequence, sequence, 1, heat, record)
            row = (sequence, sequence, 1, heat, record, checksum)
            connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", row)
    return len(records)


def _execute(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "journal.sqlite")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@contextmanager
def _nobody(folder: Path) -> Iterator[None]:
    """As somebody who may read what is in a folder, and no more."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    for parent in (folder, *folder.parents[:-1]):
        parent.chmod(0o755)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("is_there", [False, True])
def test_stretches_without_their_database_are_no_journal(tmp_path: Path, is_there: bool) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=2)) as journal:
        journal.append([Entry(1, 0, Resumed("x")), Entry(2, 0, Resumed("x"))])
        assert journal.seal() is not None
    for path in tmp_path.glob("journal.sqlite*"):
        path.unlink()
    if is_there:
        (tmp_path / "journal.sqlite").touch()

    with pytest.raises(JournalError, match="there are sealed stretches here"):
        open_sqlite_journal(tmp_path)

    assert len(list((tmp_path / "stretches").glob("*.parquet"))) == 1
