"""Stretches: what is in their files, and what becomes of them when a process dies."""

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from purport.broker.encoding import EncodedEntry, encoded
from purport.broker.journal import JournalError
from purport.broker.records import Subscribed
from purport.errors import InvalidInput, MissingExtra
from purport.storage.opening import open_sql_journal, open_sqlite_journal
from purport.storage.sealing import Sealing
from purport.storage.stretches import StretchFolder, name_of
from purport.storage.verification import verify
from tests.contracts.journal import Sample
from tests.storage.postgres_server import PostgresServer

_NAMES = ["00000000000000000001-00000000000000000004.parquet"]


class Killed(BaseException):
    """Stands for the end of the process."""


def test_a_stretch_is_a_table_that_anything_reads(tmp_path: Path, sample: Sample) -> None:
    sample.record(Subscribed("a", "{room = kitchen}"))
    sample.publications(3, "a")
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.entries)
        stretch = journal.seal()

    assert stretch is not None
    path = tmp_path / "stretches" / stretch.name
    assert _files(tmp_path) == _NAMES == [stretch.name]
    assert (stretch.first, stretch.last, stretch.bytes) == (1, 4, path.stat().st_size)
    assert (stretch.first_at, stretch.last_at) == (sample.entries[0].at, sample.entries[3].at)
    table = pq.read_table(path, partitioning=None)
    assert [(field.name, field.type) for field in table.schema] == [
        ("sequence", pa.int64()),
        ("at", pa.timestamp("us", "UTC")),
        ("version", pa.int32()),
        ("kind", pa.string()),
        ("event", pa.string()),
        ("record", pa.string()),
        ("checksum", pa.int64()),
    ]
    rows = table.to_pylist()
    assert [row["kind"] for row in rows] == ["subscribed", *["published"] * 3]
    assert rows[0]["event"] is None
    assert rows[1]["event"] == encoded(sample.entries[1]).event.decode()  # type: ignore[union-attr]
    assert rows[1]["at"] == datetime(2023, 11, 14, 22, 13, 20, 1, tzinfo=UTC)
    assert pq.ParquetFile(path).metadata.row_group(0).column(4).compression == "ZSTD"


def test_a_stretch_needs_enough_entries_unless_all_is_asked_for(
    tmp_path: Path, sample: Sample
) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(3))
        assert journal.seal() is None
        journal.append(sample.publications(6))
        sealed = [journal.seal(), journal.seal(), journal.seal()]
        assert [(one.first, one.last) for one in sealed if one] == [(1, 4), (5, 8)]
        last = journal.seal(all_of_it=True)
        assert last is not None
        assert (last.first, last.last) == (9, 9)


def test_many_row_groups_are_read_as_one(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("purport.storage.sealing.ROWS_A_GROUP", 7)
    monkeypatch.setattr("purport.storage.stretches._ROWS_A_PART", 3)
    monkeypatch.setattr("purport.storage.kept_entries.ROWS_AT_ONCE", 5)
    with closing(open_sqlite_journal(tmp_path, stretch_size=20)) as journal:
        journal.append(sample.publications(50, "a"))
        while journal.seal():
            pass

        assert [one.last for one in journal.stretches()] == [20, 40]
        for after in range(0, 50, 6):
            assert list(journal.read(after)) == sample.entries[after:]
            assert list(journal.read(after, after + 9)) == sample.entries[after : after + 9]
        assert list(journal.told("a", 4, 40)) == sample.entries[5:45]
        assert verify(journal).problems == ()


@pytest.mark.parametrize("dies_in", ["register", "delete_entries"])
def test_a_process_that_dies_while_it_seals_loses_and_doubles_nothing(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch, dies_in: str
) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(6, "a"))
        _die(monkeypatch, dies_in, journal.seal)
        assert list(journal.read()) == sample.entries
    names = _files(tmp_path)

    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        assert _files(tmp_path) == names
        assert verify(journal).problems == ()
        assert list(journal.read()) == sample.entries
        assert list(journal.told("a", -1, 9)) == sample.entries
        journal.append(sample.publications(2, "a"))
        journal.seal()
        assert [one.name for one in journal.stretches()] == _files(tmp_path)
        assert list(journal.read()) == sample.entries


@pytest.mark.parametrize("is_parquet", [False, True])
def test_a_stretch_that_was_written_but_differs_is_written_again(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch, *, is_parquet: bool
) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(6, "a"))
        _die(monkeypatch, "register", journal.seal)
    path = tmp_path / "stretches" / _NAMES[0]
    path.write_bytes(b"PAR1")
    if is_parquet:
        pq.write_table(pa.table({"other": [1, 2, 3, 4]}), path)

    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        assert _files(tmp_path) == []
        assert list(journal.read()) == sample.entries
        assert journal.seal() is not None


@pytest.mark.parametrize("dies_in", ["remove", "delete_entries", "forget_told"])
def test_a_process_that_dies_while_it_drops_leaves_no_halves(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch, dies_in: str
) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(10, "a"))
        journal.seal()
        journal.seal()
        _die(monkeypatch, dies_in, lambda: journal.drop(5))
        assert list(journal.read()) == sample.entries[4:]

    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        assert (journal.first, journal.last) == (5, 10)
        assert [one.name for one in journal.stretches()] == _files(tmp_path)
        assert list(journal.read()) == sample.entries[4:]
        assert list(journal.told("a", -1, 99)) == sample.entries[4:]
        assert journal.drop(8) == 4
        assert verify(journal).problems == ()


def test_files_that_were_not_finished_go_and_files_of_others_stay(
    tmp_path: Path, sample: Sample
) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(6))
        journal.seal()
    folder = tmp_path / "stretches"
    (folder / f".{_NAMES[0]}-{'0' * 32}").write_text("half")
    others = ["00000000000000000100-00000000000000000200.parquet", "mine.parquet", "notes.txt"]
    for name in others:
        (folder / name).write_text("something else")

    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert _files(tmp_path) == sorted(_NAMES + others)
        assert verify(journal).problems == (f"file {others[0]}: it is no stretch of this journal",)


def test_without_pyarrow_nothing_is_sealed_and_entries_are_dropped(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(6, "a"))
        journal.seal()

    monkeypatch.setattr("purport.storage.stretches.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(6, "a"))
        assert journal.seal(all_of_it=True) is None
        assert list(journal.read(after=4)) == sample.entries[4:]
        with pytest.raises(MissingExtra, match=r"purport\[spark\]"):
            list(journal.read())
        assert journal.drop(7) == 7
        assert list(journal.read()) == sample.entries[7:]
        assert list(journal.told("a", -1, 99)) == sample.entries[7:]


def test_a_stretch_that_is_gone_or_damaged_is_an_error_when_it_is_read(
    tmp_path: Path, sample: Sample
) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(9))
        journal.seal()
        journal.seal()
    first, second = sorted((tmp_path / "stretches").iterdir())
    first.unlink()
    second.write_bytes(second.read_bytes()[:-100])

    with closing(open_sqlite_journal(tmp_path, read_only=True)) as journal:
        for after, path in ((0, first), (5, second)):
            with pytest.raises(
                JournalError, match=f"stretch {path.name}: cannot be read"
            ) as raised:
                list(journal.read(after))
            assert "\n" not in str(raised.value)
        found = verify(journal)

    assert found.entries == 1
    assert f"stretch {first.name}: its file is missing" in found.problems
    assert any(one.startswith("entries 5 to 8 cannot be read: ") for one in found.problems)


def test_a_folder_that_cannot_be_written_keeps_the_entries_where_they_are(
    tmp_path: Path, sample: Sample
) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(6))
        (tmp_path / "stretches").rmdir()
        with pytest.raises(JournalError, match=r"stretches/.*\.parquet"):
            journal.seal()

        assert list(journal.read()) == sample.entries
        (tmp_path / "stretches").mkdir()
        assert journal.seal() is not None


def test_stretches_need_their_folder(
    tmp_path: Path, postgres: PostgresServer, sample: Sample
) -> None:
    url = postgres.new_place()
    with closing(open_sql_journal(url, stretches=tmp_path, stretch_size=3)) as journal:
        journal.append(sample.publications(5))
        journal.seal()

    with closing(open_sql_journal(url)) as journal:
        assert list(journal.read(after=3)) == sample.entries[3:]
        with pytest.raises(InvalidInput, match="name the folder they are in"):
            list(journal.read())


def test_the_file_shrinks_when_all_of_it_is_sealed(tmp_path: Path, sample: Sample) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(3000, "a"))
    path = tmp_path / "journal.sqlite"
    before = path.stat().st_size

    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.seal(all_of_it=True)

    assert path.stat().st_size < before / 5


def test_a_file_restored_from_a_dump_shrinks_too(tmp_path: Path, sample: Sample) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(3000, "a"))
    path = tmp_path / "journal.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        dump = "\n".join(connection.iterdump())
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(dump)
    before = path.stat().st_size

    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.seal(all_of_it=True)
        assert not journal.database.shrink()

    assert path.stat().st_size < before / 5
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA auto_vacuum").fetchall() == [(2,)]


def test_shrinking_ends_when_nothing_is_given_back(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(3000, "a"))
        monkeypatch.setattr("purport.storage.database._pragma", lambda cursor, name: 2)
        assert not journal.database.shrink()


def test_a_stretch_that_was_not_registered_is_before_the_next_is_written(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(4, "a"))
        _die(monkeypatch, "register", lambda: journal.seal(all_of_it=True))
        journal.append(sample.publications(3, "a"))

        journal.seal(all_of_it=True)

        assert [(one.first, one.last) for one in journal.stretches()] == [(1, 4), (5, 7)]
        assert [one.name for one in journal.stretches()] == _files(tmp_path)
        assert list(journal.read()) == sample.entries
        assert verify(journal).problems == ()


def test_files_that_lie_across_our_entries_get_out_of_the_way(
    tmp_path: Path, sample: Sample
) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(12, "a"))
        journal.seal()
        inside, across, beyond = name_of(7, 9), name_of(2, 6), name_of(6, 20)
        for name in (inside, across, beyond):
            (tmp_path / "stretches" / name).write_text("something else")

        journal.seal()

        names = [one.name for one in journal.stretches()]
        assert names == [name_of(1, 4), name_of(5, 8)]
        assert _files(tmp_path) == [f".{beyond}.aside", *names]
        assert list(journal.read()) == sample.entries


def test_what_cannot_be_looked_at_without_pyarrow_stays(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(6, "a"))
        _die(monkeypatch, "register", journal.seal)

    with monkeypatch.context() as patched:
        patched.setattr("purport.storage.stretches.find_spec", lambda name: None)
        patched.setitem(sys.modules, "pyarrow", None)
        with closing(open_sqlite_journal(tmp_path)) as journal:
            assert list(journal.read()) == sample.entries
        assert _files(tmp_path) == _NAMES

    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert [one.name for one in journal.stretches()] == _NAMES


@pytest.mark.parametrize("error", [Killed(), ValueError("no"), OSError(28, "full")])
def test_a_stretch_that_breaks_off_leaves_no_file(
    tmp_path: Path, sample: Sample, error: BaseException
) -> None:
    def groups() -> Iterator[list[EncodedEntry]]:
        yield [encoded(sample.publish())]
        raise error

    expected = JournalError if isinstance(error, OSError) else type(error)
    with pytest.raises(expected):
        StretchFolder(tmp_path).write(1, 2, groups())

    assert list(tmp_path.iterdir()) == []


def test_what_parquet_cannot_have_is_an_error_of_a_journal(tmp_path: Path, sample: Sample) -> None:
    wrong = encoded(sample.publish())._replace(event=b"\xff")

    with pytest.raises(JournalError, match=r"\.parquet: "):
        StretchFolder(tmp_path).write(1, 1, [[wrong]])

    assert list(tmp_path.iterdir()) == []


def test_large_entries_are_held_a_few_at_a_time(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("purport.storage.sealing._BYTES_A_GROUP", 400)
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(10, "a"))
        size = max(journal.kept.sizes(1, 10))
        stretch = journal.seal(all_of_it=True)
        assert list(journal.read()) == sample.entries

    assert stretch is not None
    metadata = pq.read_metadata(tmp_path / "stretches" / stretch.name)
    rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    assert sum(rows) == 10
    assert max(rows) == 400 // size


def _files(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "stretches").iterdir())


def _die(monkeypatch: pytest.MonkeyPatch, place: str, act: Callable[[], object]) -> None:
    """Do something, and end in a step of sealing or dropping."""

    def end(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Sealing, place, end)
        with pytest.raises(Killed):
            act()
