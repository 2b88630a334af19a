"""Verifying a journal finds what is wrong with it, and nothing else."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from purport.broker.encoding import RECORD_VERSION, Row, checksum_of
from purport.broker.journal import JournalError, Snapshot
from purport.broker.records import Subscribed
from purport.broker.retention import Stretch
from purport.storage.kept_entries import Bounds, KeptEntries
from purport.storage.opening import open_sqlite_journal
from purport.storage.sealing import Sealing
from purport.storage.stretches import kind_of
from purport.storage.verification import Verification, summary, verify
from tests.contracts.journal import Sample
from tests.storage.sqlite_files import execute


def test_a_whole_journal_has_no_problems(tmp_path: Path, sample: Sample) -> None:
    told: list[tuple[int, int]] = []
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        assert verify(journal) == Verification(0, 1, 0, ())
        journal.append(sample.publications(15, "a"))
        journal.seal()
        journal.seal()
        journal.drop(4)

        found = verify(journal, lambda done, total: told.append((done, total)))

    assert found == Verification(11, 5, 15, ())
    assert told == [(4, 11), (11, 11)]


def test_damaged_and_missing_entries_are_named(tmp_path: Path, sample: Sample) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(22, "a"))
    strange = b'{"type":"eaten"}'
    at = sample.entries[20].at
    execute(
        tmp_path,
        "UPDATE entries SET event = replace(event, 'room', 'moor') WHERE sequence = 17",
        "DELETE FROM entries WHERE sequence BETWEEN 18 AND 20 OR sequence = 3 OR sequence = 22",
        f"UPDATE entries SET record = x'{strange.hex()}', event = NULL, "
        f"checksum = {checksum_of(21, at, RECORD_VERSION, None, strange)} WHERE sequence = 21",
        f"UPDATE entries SET version = 9, record = x'{strange.hex()}', event = NULL, "
        f"checksum = {checksum_of(2, sample.entries[1].at, 9, None, strange)} WHERE sequence = 2",
    )

    with closing(open_sqlite_journal(tmp_path, read_only=True)) as journal:
        found = verify(journal)

    assert found.entries == 17
    assert found.problems[0].startswith("entry 2: cannot be read: ")
    assert found.problems[1:4] == (
        "entry 3 is missing",
        "entry 17: damaged, its checksum differs",
        "entries 18 to 20 are missing",
    )
    assert found.problems[4].startswith("entry 21: cannot be read: ")


def test_times_that_go_back_are_named(tmp_path: Path, sample: Sample) -> None:
    first, second = sample.publications(2)
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append([first])
        journal.append([type(second)(2, first.at - 5, second.record, second.event)])

        problems = verify(journal).problems

    assert problems == ("entry 2: its time is before that of the last one",)


def test_damage_inside_a_stretch_is_named(tmp_path: Path, sample: Sample) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        journal.append(sample.publications(8, "a"))
        journal.seal()
        journal.seal()
    damaged, short = sorted((tmp_path / "stretches").iterdir())
    table = pq.read_table(damaged, partitioning=None)
    column = pc.replace_substring(table["record"], "0.5", "0.6", max_replacements=1)
    changed = pa.chunked_array([column.combine_chunks()])
    pq.write_table(table.set_column(5, table.schema.field("record"), changed), damaged)
    pq.write_table(pq.read_table(short, partitioning=None).slice(0, 2), short)

    with closing(open_sqlite_journal(tmp_path)) as journal:
        problems = verify(journal).problems

    assert {f"entry {n}: damaged, its checksum differs" for n in range(1, 5)} <= set(problems)
    assert any("entries 7 to 8 cannot be read" in one for one in problems)
    assert any(one.startswith(f"stretch {short.name}: expected ") for one in problems)


def test_a_summary_says_what_is_there(tmp_path: Path, sample: Sample) -> None:
    with closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal:
        nothing = summary(journal)
        sample.record(Subscribed("a", "{}"))
        sample.publications(8, "a")
        journal.append(sample.entries)
        journal.seal()
        journal.keep_snapshot(Snapshot(7, b"seven"))

        found = summary(journal)

    assert (nothing.entries, nothing.first_time, nothing.last_time) == (0, None, None)
    assert (found.entries, found.first, found.last, found.snapshot) == (9, 1, 9, 7)
    assert (found.first_time, found.last_time) == (sample.entries[0].time, sample.entries[8].time)
    assert found.kinds == {"published": 8, "subscribed": 1}
    assert len(found.stretches) == 1
    assert found.bytes == found.database_bytes + found.stretches[0].bytes > 20_000


def test_values_of_other_types_are_damage(tmp_path: Path, sample: Sample) -> None:
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(7, "a"))
    execute(
        tmp_path,
        "UPDATE entries SET record = x'00ff' WHERE sequence = 1",
        "UPDATE entries SET record = 5 WHERE sequence = 3",
        "UPDATE entries SET at = at + 0.5 WHERE sequence = 4",
        "UPDATE entries SET version = 'x' WHERE sequence = 5",
        "UPDATE entries SET at = 'x' WHERE sequence = 7",
    )

    with closing(open_sqlite_journal(tmp_path, read_only=True)) as journal:
        problems, found = verify(journal).problems, summary(journal)

    assert problems == tuple(
        f"entry {sequence}: damaged, its checksum differs" for sequence in (1, 3, 4, 5, 7)
    )
    assert found.kinds == {"published": 5, "damaged": 2}
    assert (found.first_time, found.last_time) == (None, None)


def test_the_time_of_a_damaged_entry_says_nothing_of_the_next(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("purport.storage.kept_entries.ROWS_AT_ONCE", 2)
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.append(sample.publications(6, "a"))
    execute(tmp_path, "UPDATE entries SET at = at + 1000000 WHERE sequence = 2")

    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert verify(journal).problems == ("entry 2: damaged, its checksum differs",)


def test_bytes_that_are_no_record_have_no_kind() -> None:
    for wrong in (b"\x00\xff", b'{"type":1}', b'{"type":"\xff"}', b"[]"):
        with pytest.raises(JournalError, match="should be a record"):
            kind_of(wrong)


def test_what_is_dropped_and_sealed_meanwhile_is_no_problem(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal,
        closing(open_sqlite_journal(tmp_path, read_only=True)) as looking,
    ):
        journal.append(sample.publications(40, "a"))
        while journal.seal():
            pass
        look, bounds = KeptEntries.next_of, KeptEntries.bounds

        def then_drop(kept: KeptEntries, position: int, through: int) -> Sequence[Row]:
            journal.drop(position + 3)
            return look(kept, position, through)

        def too_early(kept: KeptEntries) -> Bounds:
            found = bounds(kept)
            journal.drop(found.first + 7)
            return found

        with monkeypatch.context() as patched:
            patched.setattr(KeptEntries, "next_of", then_drop)
            assert verify(looking).problems == ()
        journal.append(sample.publications(40, "a"))
        while journal.seal():
            pass
        with monkeypatch.context() as patched:
            patched.setattr(KeptEntries, "bounds", too_early)
            summary(looking)


def test_a_file_that_is_about_to_be_registered_is_no_problem(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Verification] = []
    register = Sealing.register

    def slowly(sealing: Sealing, stretch: Stretch) -> None:
        with ThreadPoolExecutor(1) as threads:
            verified = threads.submit(verify, looking)
            time.sleep(0.1)
            register(sealing, stretch)
            found.append(verified.result())

    monkeypatch.setattr(Sealing, "register", slowly)
    with (
        closing(open_sqlite_journal(tmp_path, stretch_size=4)) as journal,
        closing(open_sqlite_journal(tmp_path, read_only=True)) as looking,
    ):
        journal.append(sample.publications(6, "a"))
        journal.seal()

    assert found == [Verification(6, 1, 6, ())]
