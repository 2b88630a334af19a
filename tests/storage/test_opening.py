"""Journals that are opened: new, old, taken, or no journals at all."""

import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from purport.broker.encoding import checksum_of
from purport.broker.journal import JournalError, JournalTaken, Snapshot
from purport.broker.records import Answered, Published, Subscribed
from purport.errors import InvalidInput, UnusablePath
from purport.storage.opening import open_sqlite_journal
from purport.storage.verification import verify
from tests.contracts.journal import Sample
from tests.storage.sqlite_files import execute


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
    execute(tmp_path, "CREATE TABLE entries (title TEXT)")

    with pytest.raises(InvalidInput, match="expected a journal of Purport, found other tables"):
        open_sqlite_journal(tmp_path)


def test_a_journal_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    open_sqlite_journal(tmp_path).close()
    execute(tmp_path, "UPDATE meta SET value = '3' WHERE name = 'schema'")

    for read_only in (False, True):
        with pytest.raises(JournalError, match=r"of version 3; this Purport reads .* up to 2"):
            open_sqlite_journal(tmp_path, read_only=read_only)


@pytest.mark.parametrize("wrong", [{"durability": "none"}, {"stretch_size": 0}])
def test_settings_that_mean_nothing_are_refused(tmp_path: Path, wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        open_sqlite_journal(tmp_path, **wrong)  # type: ignore[arg-type]


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


def _write_version_1(folder: Path) -> int:
    """A journal as the first version wrote it; gives how many entries it has."""
    records = [b'{"type":"subscribed","id":"a","text":"{room = kitchen}"}']
    records += [
        b'{"type":"published","told":[["a",%d,0.5,[0],[0.25]]]}' % number for number in range(3)
    ]
    execute(
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
