"""What is found in a journal by a number, an id or a time."""

import sys
from contextlib import closing
from pathlib import Path

import pytest

from purport.broker.records import Answered, Entry, Published, Told
from purport.broker.retention import Stretch
from purport.storage.kept_entries import KeptEntries
from purport.storage.opening import open_sql_journal, open_sqlite_journal
from purport.storage.told_index import _runs_after
from tests.contracts.journal import Sample
from tests.storage.postgres_server import PostgresServer


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


def test_nothing_is_left_of_numbers_whose_entries_are_dropped(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("purport.storage.stretches.find_spec", lambda name: None)
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append([*sample.publications(5, "a"), *sample.publications(5, "b")])
        assert journal.drop(5) == 5
    with (
        closing(open_sqlite_journal(tmp_path)) as journal,
        journal.database.reading() as connection,
    ):
        names = connection.exec_driver_sql("SELECT DISTINCT subscription FROM told").scalars()
        assert list(names) == ["b"]


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
