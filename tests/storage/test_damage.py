"""Journals that are damaged, and disks that are full or fail."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, event

from purport.broker.journal import JournalError, Snapshot
from purport.broker.records import Entry, Resumed
from purport.storage.opening import open_sqlite_journal
from purport.storage.told_index import ToldTail
from purport.storage.verification import verify
from tests.contracts.journal import Sample
from tests.storage.sqlite_files import execute


def test_a_torn_last_entry_is_dropped_and_the_journal_says_so(
    tmp_path: Path, sample: Sample
) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(5, "a"))
        journal.keep_snapshot(Snapshot(3, b"three"))
        journal.keep_snapshot(Snapshot(5, b"five"))
        assert journal.mended is None
    execute(tmp_path, "UPDATE entries SET record = substr(record, 1, 20) WHERE sequence = 5")

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
    execute(tmp_path, "UPDATE entries SET at = at + 1 WHERE sequence = 3")

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
    execute(tmp_path, "DELETE FROM entries WHERE sequence IN (1, 3)")

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
    execute(tmp_path, "UPDATE snapshots SET state = x'00' WHERE sequence = 5")

    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert journal.snapshot() == Snapshot(3, b"state" * 3)


def test_a_snapshot_of_what_is_gone_gives_way_to_the_one_before(
    tmp_path: Path, sample: Sample
) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(5))
        for sequence in (3, 5):
            journal.keep_snapshot(Snapshot(sequence, b"state"))
    execute(tmp_path, "DELETE FROM entries WHERE sequence = 5")

    for read_only in (True, False):
        with closing(open_sqlite_journal(tmp_path, read_only=read_only)) as journal:
            assert journal.snapshot() == Snapshot(3, b"state")


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


def test_damage_in_what_was_not_indexed_stops_neither_opening_nor_appending(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(5, "a"))
        monkeypatch.setattr(journal, "_tail", ToldTail(0))
    execute(tmp_path, "UPDATE entries SET record = x'00' WHERE sequence = 3")

    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append([sample.publish("a")])
        assert list(journal.told("a", 2, 9)) == sample.entries[3:]
        with pytest.raises(JournalError, match="entry 3 of the journal is damaged"):
            list(journal.read())


def test_a_time_is_not_found_where_entries_are_missing(tmp_path: Path, sample: Sample) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(5, "a"))
    for damage in ("UPDATE entries SET at = 'x'", "DELETE FROM entries"):
        execute(tmp_path, f"{damage} WHERE sequence = 3")

        with (
            closing(open_sqlite_journal(tmp_path)) as journal,
            pytest.raises(JournalError, match="entry 3 of the journal is missing or damaged"),
        ):
            journal.numbered_since("a", sample.entries[2].at)


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
