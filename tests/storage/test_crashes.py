"""What is acknowledged is there after a crash, wherever it came."""

import shutil
from bisect import bisect_right
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.broker.records import Entry
from purport.storage.opening import open_sqlite_journal
from purport.storage.sealing import Sealing
from purport.storage.told_index import ToldTail
from purport.storage.verification import verify
from tests.contracts.journal import Sample
from tests.storage.journal_kills import killed_journal

_BATCHES = (1, 5, 2, 40, 1, 1, 12)


@dataclass(frozen=True)
class Interrupted:
    """The files of a journal that was never closed."""

    folder: Path
    entries: list[Entry]
    lengths: list[int]  # of the write-ahead log, after each batch was acknowledged
    log: bytes

    def with_log(self, log: bytes, folder: Path) -> list[Entry]:
        """What is read with another write-ahead log."""
        shutil.copytree(self.folder, folder)
        (folder / "journal.sqlite-wal").write_bytes(log)
        with closing(open_sqlite_journal(folder)) as journal:
            assert verify(journal).problems == ()
            kept = list(journal.read())
            assert list(journal.told("a", -1, 1000)) == kept
            if len(kept) < len(self.entries):
                journal.append(self.entries[len(kept) :])
            assert list(journal.read()) == self.entries
        shutil.rmtree(folder)
        return kept

    def acknowledged(self, length: int) -> int:
        """How many entries were acknowledged when the log had this length."""
        return sum(_BATCHES[: bisect_right(self.lengths, length)])


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> Interrupted:
    folder, copy = tmp_path_factory.mktemp("open"), tmp_path_factory.mktemp("copies") / "copy"
    sample, lengths = Sample(), []
    log = folder / "journal.sqlite-wal"
    with closing(open_sqlite_journal(folder)) as journal:
        for count in _BATCHES:
            journal.append(sample.publications(count, "a"))
            lengths.append(log.stat().st_size)
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*-shm"))
        return Interrupted(copy, sample.entries, lengths, log.read_bytes())


def test_a_copy_of_an_open_journal_has_everything(interrupted: Interrupted, tmp_path: Path) -> None:
    assert interrupted.with_log(interrupted.log, tmp_path / "copy") == interrupted.entries


@given(data=st.data())
def test_a_log_that_was_cut_loses_nothing_that_was_acknowledged_before(
    data: st.DataObject, interrupted: Interrupted, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ends = [length + step for length in interrupted.lengths for step in (-1, 0, 1)]
    lengths = st.integers(interrupted.lengths[0], len(interrupted.log)) | st.sampled_from(ends)
    length = min(data.draw(lengths), len(interrupted.log))
    garbage = data.draw(st.binary(max_size=50))
    log = interrupted.log[:length] + garbage

    kept = interrupted.with_log(log, tmp_path_factory.mktemp("cut") / "copy")

    assert len(kept) >= interrupted.acknowledged(length)
    assert kept == interrupted.entries[: len(kept)]


@pytest.mark.parametrize("point", ["add", "keep"])
def test_an_append_that_is_interrupted_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    sample = Sample()
    monkeypatch.setattr("purport.storage.sql_journal._MOST_IN_TAIL", 4)
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(5, "a"))
        sample.publications(5, "a")

        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(ToldTail, point, _interrupt)
            journal.append(sample.entries[5:])
        assert list(journal.read()) == sample.entries[:5]
        journal.append(sample.entries[5:])

        assert list(journal.read()) == sample.entries
        assert list(journal.told("a", -1, 99)) == sample.entries


def test_what_was_interrupted_is_not_told_and_does_not_outlast_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = Sample()
    add = ToldTail.add

    def interrupted(tail: ToldTail, entries: list[Entry]) -> None:
        add(tail, entries)
        raise KeyboardInterrupt

    with closing(open_sqlite_journal(tmp_path)) as journal:
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(ToldTail, "add", interrupted)
            journal.append(sample.publications(5, "a"))
        assert journal.last == 0
        assert list(journal.told("a", -1, 9)) == []
        journal._tail = ToldTail(0)

    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert journal.last == 0


def test_a_drop_that_is_interrupted_is_known_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = Sample()
    unregister = Sealing.unregister

    def interrupted(sealing: Sealing, through: int) -> None:
        unregister(sealing, through)
        raise KeyboardInterrupt

    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(9, "a"))
        journal.seal()
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(Sealing, "unregister", interrupted)
            journal.drop(4)
        journal.append(sample.publications(1, "a"))

        assert journal.first == 5
        assert list(journal.told("a", -1, 99)) == sample.entries[4:]
        journal.seal()
        assert [one.name for one in journal.stretches()] == [
            path.name for path in (tmp_path / "stretches").iterdir()
        ]


def test_a_power_cut_after_a_drop_costs_nothing_else(tmp_path: Path) -> None:
    sample = Sample()
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(10, "a"))
        journal.seal()
        journal.seal()
    before = (tmp_path / "journal.sqlite").read_bytes()
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.drop(4)
    (tmp_path / "journal.sqlite").write_bytes(before)

    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert journal.first == 5
        assert journal.mended is not None
        assert "through 4" in journal.mended
        assert list(journal.read()) == sample.entries[4:]
        assert verify(journal).problems == ()


def test_a_folder_without_any_stretch_is_not_taken_for_dropped(tmp_path: Path) -> None:
    sample = Sample()
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(10, "a"))
        journal.seal()
        journal.seal()
    (tmp_path / "stretches").rename(tmp_path / "elsewhere")

    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert journal.first == 1
        assert len(journal.stretches()) == 2


def test_files_stay_until_it_is_on_disk_that_they_were_dropped(tmp_path: Path) -> None:
    sample = Sample()
    stretches = tmp_path / "stretches"
    with closing(open_sqlite_journal(tmp_path, stretch_size=4, durability="relaxed")) as journal:
        journal.append(sample.publications(8, "a"))
        journal.seal()
        with journal.database.reading() as reader:
            reader.exec_driver_sql("SELECT * FROM entries").all()
            journal.append(sample.publications(2, "a"))
            assert journal.drop(4) == 4
            assert len(list(stretches.iterdir())) == 1
            assert verify(journal).problems == ()

        journal.seal()
        assert [one.name for one in journal.stretches()] == [p.name for p in stretches.iterdir()]


def test_a_process_that_is_killed_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    found = killed_journal(tmp_path, kills=3, seed=6)

    assert found.is_as_promised, found
    assert found.acknowledged > 0


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
