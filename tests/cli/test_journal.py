"""`purport journal`, as it is typed."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from purport.cli.app import main
from purport.embedded.broker import Broker
from purport.model.clock import ManualClock
from purport.storage.opening import open_sqlite_journal
from tests.storage.postgres_server import PostgresServer

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Done(NamedTuple):
    status: int | str | None
    output: str
    errors: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process."""

    def done(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["purport", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return Done(ended.value.code, *capsys.readouterr())

    return done


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


def test_people_are_told_what_is_in_a_journal(folder: Path, run: Run) -> None:
    seal(folder, [5])

    done = run("journal", "info", folder)

    assert (done.status, done.errors) == (0, "")
    first, kinds, size, snapshot, *_ = done.output.splitlines()
    assert "17 entries, 1 to 17, from 2026-01-01 12:00:00 to 2026-01-01 12:01:00 UTC" in first
    assert kinds == "  13 published, 3 subscribed, 1 paused"
    assert size.endswith("MB: 5 entries in 1 sealed stretches, 12 not sealed yet")
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
    with closing(sqlite3.connect(folder / "journal.sqlite")) as database, database:
        database.execute("UPDATE entries SET event = '{}' WHERE sequence = 12")

    done = run("journal", "verify", folder)

    assert done.status == 1
    assert f"stretch {first.name}: its file is missing\n" in done.output
    assert "entry 12: damaged, its checksum differs\n" in done.output
    assert "problems\n" in done.output
    assert run("journal", "verify", folder, "--json").status == 1


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


@pytest.mark.parametrize(
    ("option", "text", "complaint"),
    [
        ("--most-age", "30 x", "expected a duration such as 10 s or 30 d, got '30 x'"),
        ("--most-age", "0 d", "a duration is longer than 0"),
        ("--most-bytes", "much", "expected a size such as 500 MB, got 'much'"),
    ],
)
def test_what_is_no_age_or_size_is_refused(
    folder: Path, run: Run, option: str, text: str, complaint: str
) -> None:
    done = run("journal", "compact", folder, option, text)

    assert done.status == 2 and complaint in done.errors


@pytest.mark.parametrize("command", ["info", "verify", "export", "compact"])
def test_help_has_an_example(run: Run, command: str) -> None:
    assert f"Example: purport journal {command} city-broker" in run("journal", command, "--help")[1]
