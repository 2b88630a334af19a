"""`purport journal`, as it is typed."""

import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import psycopg
import pytest

from purport.broker.encoding import Row, checksum_of
from purport.broker.journal import Snapshot
from purport.broker.retention import Stretch
from purport.cli.journal_export import EntriesWanted
from purport.embedded.broker import Broker
from purport.model.clock import ManualClock
from purport.storage.opening import open_sqlite_journal
from purport.storage.stretches import StretchFolder
from tests.commands import Run
from tests.storage.postgres_server import PostgresServer

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A broker that was closed: 2 subscriptions, a rule, and 12 publications."""
    clock = ManualClock(NOON)
    with Broker.open(tmp_path / "broker", clock=clock) as broker:
        broker.subscribe("{heat > 25} as hot", owner="ann")
        broker.subscribe("{heat > 90} as boiling")
        broker.subscribe("when {heat > 30} as rule publish {type = alert}")
        clock.advance(timedelta(minutes=1))
        broker.publish_all([{"heat": heat, "name": "ä"} for heat in range(22, 32)])
        broker.pause("boiling")
        broker.publish({"heat": 99})
    return tmp_path / "broker"


def seal(folder: Path, sizes: Sequence[int]) -> None:
    for size in sizes:
        with closing(open_sqlite_journal(folder, stretch_size=size)) as journal:
            assert journal.seal() is not None


def damage(folder: Path, change: str, sequence: int) -> None:
    with closing(sqlite3.connect(folder / "journal.sqlite")) as database, database:
        database.execute(f"UPDATE entries SET {change} WHERE sequence = {sequence}")


def test_people_are_told_what_is_in_a_journal(folder: Path, run: Run) -> None:
    seal(folder, [5])

    done = run("journal", "info", folder)

    assert (done.status, done.errors) == (0, "")
    first, kinds, size, snapshot, *_ = done.output.splitlines()
    assert "17 entries, 1 to 17, from 2026-01-01 12:00:00 to 2026-01-01 12:01:00 UTC" in first
    assert kinds == "  13 published, 3 subscribed, 1 paused"
    assert size.endswith("MB: 5 entries in 1 sealed stretch, 12 not sealed yet")
    assert snapshot == "  a snapshot after 17"
    assert "│ boiling │       │ 1       │ 0    │ 0       │ paused │ {heat > 90}" in done.output


def test_programs_are_told_the_same_while_the_broker_runs(folder: Path, run: Run) -> None:
    with Broker.open(folder) as broker:
        broker.subscribe("{heat > 26} as hot", owner="ann")
        broker.publish({"heat": 27})
        done = run("journal", "info", folder, "--json")

    report = json.loads(done.output)
    hot, _, rule = report["registered"]
    assert report["entries"] == report["last"] == 19
    assert report["kinds"]["subscribed"] == 4
    assert (hot["id"], hot["owner"], hot["version"], hot["waiting"]) == ("hot", "ann", 2, 8)
    assert (rule["kind"], rule["told"], rule["waiting"]) == ("rule", 2, 0)


def test_a_whole_journal_is_said_to_be(folder: Path, run: Run) -> None:
    seal(folder, [5])

    done = run("journal", "verify", folder)

    assert done == (0, f"{folder}: 17 entries were read: whole\n", "")
    found = json.loads(run("journal", "verify", folder, "--json").output)
    assert found == {"entries": 17, "first": 1, "last": 17, "problems": []}


def test_damage_is_listed_and_fails(folder: Path, run: Run) -> None:
    seal(folder, [5, 5])
    [first, _] = sorted((folder / "stretches").glob("*.parquet"))
    first.unlink()
    damage(folder, "event = '{}'", 12)

    done = run("journal", "verify", folder)

    assert done.status == 1
    assert f"stretch {first.name}: its file is missing\n" in done.output
    assert "entry 12: damaged, its checksum differs\n" in done.output
    assert "problems\n" in done.output
    assert run("journal", "verify", folder, "--json").status == 1


def test_one_problem_is_told_as_one(folder: Path, run: Run) -> None:
    damage(folder, "event = '{}'", 12)

    done = run("journal", "verify", folder)

    assert done.output.endswith(f"{folder}: 17 entries were read: 1 problem\n")


def test_entries_are_exported_whole(folder: Path, run: Run, tmp_path: Path) -> None:
    seal(folder, [5])

    done = run("journal", "export", folder, "-o", tmp_path / "all.jsonl")

    assert done == (0, f"{tmp_path / 'all.jsonl'}: 17 entries\n", "")
    entries = list(map(json.loads, (tmp_path / "all.jsonl").read_text().splitlines()))
    assert [one["sequence"] for one in entries] == list(range(1, 18))
    assert entries[0]["record"]["type"] == "subscribed" and entries[0]["event"] is None
    assert entries[3]["event"] == {"@id": "event-4", "heat": 22, "name": "ä"}
    assert entries[3]["at"] == "2026-01-01T12:01:00Z"
    assert entries[7]["record"]["told"][0][:2] == ["hot", 0]
    assert [path.name for path in tmp_path.iterdir() if path.name[0] == "."] == []


def test_a_part_may_be_exported_to_the_output(folder: Path, run: Run) -> None:
    done = run("journal", "export", folder, "-o", "-", "--after", 2, "--through", 5)
    kinds = run("journal", "export", folder, "-o", "-", "--kind", "paused", "--kind", "subscribed")

    assert [json.loads(line)["sequence"] for line in done.output.splitlines()] == [3, 4, 5]
    assert [json.loads(line)["sequence"] for line in kinds.output.splitlines()] == [1, 2, 3, 15]
    wrong = run("journal", "export", folder, "-o", "-", "--kind", "told")
    assert wrong.status == 2 and "expected a kind such as published" in wrong.errors


@pytest.mark.parametrize("change", ["record = x'7b'", "record = 'text'", "record = x'7b7d'"])
def test_a_damaged_entry_is_told_whatever_kind_is_wanted(
    folder: Path, run: Run, change: str
) -> None:
    damage(folder, change, 12)

    for kinds in ([], ["--kind", "published"], ["--kind", "paused"]):
        done = run("journal", "export", folder, "-o", folder.parent / "out", *kinds)
        assert done.status == 1
        assert done.errors == "purport: entry 12 of the journal is damaged: its checksum differs\n"
        assert not (folder.parent / "out").exists()


def test_a_whole_entry_of_no_kind_is_told_too(folder: Path, run: Run) -> None:
    with closing(open_sqlite_journal(folder, read_only=True)) as journal:
        [entry] = journal.kept.read(11, 12)
    checksum = checksum_of(12, entry.at, entry.version, entry.event, b"{}")
    damage(folder, f"record = x'7b7d', checksum = {checksum}", 12)

    done = run("journal", "export", folder, "-o", "-", "--kind", "published")

    assert done.status == 1 and done.errors.count("\n") == 1


@pytest.mark.parametrize("output", [".", "", "/", "..", "folder"])
def test_an_export_needs_the_name_of_a_file(
    folder: Path, run: Run, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "folder").mkdir()

    done = run("journal", "export", folder, "-o", output)

    complaint = f"purport: expected the name of a file to write, got {output!r}\n"
    assert done == (2, "", complaint)


def test_an_export_writes_over_nothing_of_the_journal(folder: Path, run: Run) -> None:
    done = run("journal", "export", folder, "-o", folder / "journal.sqlite")

    assert done.status == 2
    assert "lies in the folder of the journal" in done.errors
    assert run("journal", "verify", folder).status == 0


def test_an_export_follows_links_and_fills_pipes(folder: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real.jsonl")
    assert run("journal", "export", folder, "-o", tmp_path / "link").status == 0
    assert (tmp_path / "link").is_symlink()
    expected = (tmp_path / "real.jsonl").read_bytes()

    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE)
    assert run("journal", "export", folder, "-o", tmp_path / "pipe").status == 0

    assert reader.communicate()[0] == expected
    assert (tmp_path / "pipe").is_fifo()


def test_a_range_the_wrong_way_round_is_refused(folder: Path, run: Run) -> None:
    exported = run("journal", "export", folder, "-o", "-", "--after", 10, "--through", 5)
    replayed = run("replay", folder, "--since", "2026-11-08", "--until", "2026-11-01")

    assert (exported.status, replayed.status) == (2, 2)
    assert "no entry comes after 10 and up to 5" in exported.errors
    assert "no time is from 2026-11-08" in replayed.errors


def test_what_was_read_before_retention_dropped_the_rest_is_exported(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal(folder, [5, 12])
    read = StretchFolder.group
    file = io.BytesIO()
    with (
        closing(open_sqlite_journal(folder)) as journal,
        closing(open_sqlite_journal(folder, read_only=True)) as reader,
    ):

        def group(stretches: StretchFolder, stretch: Stretch, sequence: int) -> Sequence[Row]:
            if sequence > 5:
                journal.drop(through=17)
            return read(stretches, stretch, sequence)

        monkeypatch.setattr(StretchFolder, "group", group)
        written = EntriesWanted().write(reader, file)

    lines = file.getvalue().splitlines()
    assert [json.loads(line)["sequence"] for line in lines] == [1, 2, 3, 4, 5]
    assert written == 5


def test_everything_is_sealed_and_what_is_too_much_is_dropped(folder: Path, run: Run) -> None:
    done = run("journal", "compact", folder)
    assert done.status == 0
    assert done.output.startswith(f"{folder}: 17 entries sealed, 0 dropped\n")

    with Broker.open(folder) as broker:
        broker.publish({"heat": 1})
        waits = run("journal", "compact", folder, "--most-age", "30d")
    assert waits.status == 2
    assert f"the journal is open in process {os.getpid()} on" in waits.errors

    kept = run("journal", "compact", folder, "--most-age", "30d", "--json")
    assert json.loads(kept.output)["dropped"] == 0  # a durable subscriber waits for them
    with Broker.open(folder) as broker:
        for one in ("hot", "boiling"):
            broker.unsubscribe(one)
        broker.publish({"heat": 2})
    dropped = json.loads(run("journal", "compact", folder, "--most-bytes", "0kB", "--json").output)

    assert dropped["dropped"] > 17 and dropped["bytes_after"] < dropped["bytes_before"]
    assert run("journal", "verify", folder).status == 0
    with Broker.open(folder) as broker:
        assert [one.id for one in broker.registrations()] == ["rule"]


def test_what_was_not_snapshot_before_a_crash_outlives_what_is_dropped(
    tmp_path: Path, run: Run
) -> None:
    program = """
import os, sys
from purport.embedded.broker import Broker
broker = Broker.open(sys.argv[1])
broker.subscribe("{heat > 25} as hot")
broker.publish_all([{"heat": 1}] * 5)
os._exit(1)
"""
    subprocess.run([sys.executable, "-c", program, tmp_path / "broker"], check=False)

    done = run("journal", "compact", tmp_path / "broker", "--most-bytes", "0", "--json")

    assert json.loads(done.output)["dropped"] == 6
    with Broker.open(tmp_path / "broker") as broker:
        assert [one.id for one in broker.registrations()] == ["hot"]
        assert broker.sequence == 6


def test_what_other_engines_remember_is_left_to_the_broker(folder: Path, run: Run) -> None:
    with closing(open_sqlite_journal(folder)) as journal:
        kept = journal.snapshot()
        assert kept is not None
        state = msgspec.json.decode(kept.state)
        state["engines"] |= {"sparql": "c2VlbiA=", "patterns": "c2VlbiA=", "idle": ""}
        journal.keep_snapshot(Snapshot(kept.sequence, msgspec.json.encode(state)))

    for option, value in (("--most-bytes", "0"), ("--most-age", "1d")):
        done = run("journal", "compact", folder, option, value)
        assert done.status == 2 and done.errors.count("\n") == 1
        assert "also runs patterns, sparql, so only the broker itself can drop" in done.errors
    assert not list((folder / "stretches").iterdir())

    done = run("journal", "compact", folder)
    assert done.output.startswith(f"{folder}: 17 entries sealed, 0 dropped\n")


@pytest.mark.parametrize("command", ["info", "verify", "compact"])
def test_where_no_journal_is_none_is_made(tmp_path: Path, run: Run, command: str) -> None:
    done = run("journal", command, tmp_path / "nowhere")

    assert done.status == 2
    assert done.errors.startswith(f"purport: {tmp_path / 'nowhere'}: there is no journal here")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("command", ["info", "verify", "compact"])
def test_a_journal_of_a_newer_purport_is_told_from_others(
    folder: Path, run: Run, command: str
) -> None:
    with closing(sqlite3.connect(folder / "journal.sqlite")) as database, database:
        database.execute("UPDATE meta SET value = '99' WHERE name = 'schema'")

    done = run("journal", command, folder)

    assert done.status in (1, 2)
    assert "a journal of version 99; this Purport reads versions up to" in done.errors


def test_a_journal_in_postgres_is_kept_in_order_too(
    postgres: PostgresServer, tmp_path: Path, run: Run
) -> None:
    place, stretches = postgres.new_place(), tmp_path / "broker" / "stretches"
    assert run("journal", "info", place).status == 2
    with Broker.open(tmp_path / "broker", journal=place) as broker:
        broker.subscribe("{heat > 25} as hot")
        broker.publish_all([{"heat": 26}] * 3)
        taken = run("journal", "compact", place, "--stretches", stretches)
    assert taken.status == 2 and "the journal is open in process" in taken.errors

    sealed = run("journal", "compact", place, "--stretches", stretches, "--json")

    assert json.loads(sealed.output)["sealed"] == 4
    assert run("journal", "verify", place, "--stretches", stretches).status == 0
    report = json.loads(run("journal", "info", place, "--stretches", stretches, "--json").output)
    assert (report["entries"], report["registered"][0]["waiting"]) == (4, 3)
    lost = run("journal", "export", place, "-o", "-")
    assert lost.status == 2 and "name the folder they are in" in lost.errors


def test_of_stretches_that_nobody_knows_where_to_find_the_database_says_enough(
    postgres: PostgresServer, tmp_path: Path, run: Run
) -> None:
    place, stretches = postgres.new_place(), tmp_path / "broker" / "stretches"
    clock = ManualClock(NOON)
    with Broker.open(tmp_path / "broker", journal=place, clock=clock) as broker:
        broker.subscribe("{heat > 25} as hot")
        clock.advance(timedelta(minutes=1))
        broker.publish_all([{"heat": 26}] * 3)
    run("journal", "compact", place, "--stretches", stretches)

    [of_all, less] = [
        json.loads(run("journal", "info", place, *more, "--json").output)
        for more in (["--stretches", stretches], [])
    ]

    assert (of_all.pop("kinds"), less.pop("kinds")) == ({"published": 3, "subscribed": 1}, {})
    assert less == of_all
    assert (less["first_time"], less["last_time"]) == (
        "2026-01-01T12:00:00Z",
        "2026-01-01T12:01:00Z",
    )
    clock.advance(timedelta(minutes=1))
    with Broker.open(tmp_path / "broker", journal=place, clock=clock) as broker:
        broker.publish({"heat": 1})
    told = run("journal", "info", place).output
    assert "5 entries, 1 to 5, from 2026-01-01 12:00:00 to 2026-01-01 12:02:00 UTC" in told
    assert "  1 published, and what is sealed\n" in told
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("UPDATE entries SET record = 'damaged', at = 0 WHERE sequence = 5")
    told = run("journal", "info", place).output
    assert "from 2026-01-01 12:00:00 to 2026-01-01 12:01:00 UTC" in told
    assert "  1 damaged, and what is sealed\n" in told


@pytest.mark.parametrize(
    ("option", "text", "complaint"),
    [
        ("--most-age", "30 x", "expected a duration such as 10 s or 30 d, got '30 x'"),
        ("--most-age", "0 d", "a duration is longer than 0"),
        ("--most-age", "900000d", "the calendar does not go back as far as '900000d'"),
        ("--most-age", "9" * 400 + "d", "the duration is too long"),
        ("--most-bytes", "much", "expected a size such as 500 MB, got 'much'"),
        ("--most-bytes", "9" * 400, "the size is larger than any disk"),
        ("--most-bytes", "10000000000 GB", "the size is larger than any disk"),
    ],
)
def test_what_is_no_age_or_size_is_refused(
    folder: Path, run: Run, option: str, text: str, complaint: str
) -> None:
    done = run("journal", "compact", folder, option, text)

    assert done.status == 2 and complaint in done.errors
    assert done.errors.count("\n") == 1
