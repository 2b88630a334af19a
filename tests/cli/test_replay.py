"""`purport replay`, as it is typed."""

import json
from contextlib import closing
from pathlib import Path

import psycopg
import pyarrow.parquet as pq
import pytest

from purport.assembly import journal_at
from purport.embedded.broker import Broker
from purport.pipeline.journal.replayable import replayable
from tests.commands import Run
from tests.storage.postgres_server import PostgresServer


@pytest.fixture
def run(run: Run) -> Run:
    """Runs `purport replay`."""
    return run.below("replay")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Broker.open(tmp_path / "broker") as broker:
        broker.subscribe("{heat > 30} as hot")
        broker.publish_all([{"heat": heat} for heat in (31, 32, 20, 33)])
    return tmp_path / "broker"


@pytest.mark.usefixtures("spark")
def test_people_are_told_in_a_table_and_the_rest_is_written(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    done = run(folder, "-o", tmp_path / "told")

    assert done.status == 0, done.errors
    assert "of entries 1 to 5, there would have been told:" in done.output
    assert "│ hot          │ 3 " in done.output
    assert pq.read_table(tmp_path / "told").column("sequence").to_pylist() == [2, 3, 5]


@pytest.mark.usefixtures("spark")
def test_of_a_part_beyond_the_end_it_is_said_that_it_is_empty(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    done = run(folder, "-o", tmp_path / "told", "--after", 100)

    assert (done.status, done.output) == (0, "there are no entries in that part\n")


@pytest.mark.usefixtures("spark")
def test_notifications_are_printed_for_programs(run: Run, folder: Path) -> None:
    asked = "{heat > 30} on change as up"

    done = run(folder, "-s", asked, "--after", 2, "--since", "2026-01-01", "--json")

    rows = [json.loads(line) for line in done.output.splitlines()]
    assert [(row["subscription"], row["number"], row["sequence"]) for row in rows] == [
        ("up", 0, 3), ("up", 1, 5),
    ]  # fmt: skip


@pytest.mark.usefixtures("spark")
def test_queries_are_replayed_with_events_and_named_after_their_files(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    with Broker.open(folder) as broker:
        broker.update("INSERT DATA { <urn:l1> <urn:dim> 5 }")
        broker.update("DELETE DATA { <urn:l1> <urn:dim> 5 }")
    (tmp_path / "dims.rq").write_text("SELECT ?dim WHERE { ?lamp <urn:dim> ?dim }")
    asked = ["-s", tmp_path / "dims.rq", "-s", "{heat > 32} as hot"]

    done = run(folder, *asked, "--json")
    for_people = run(folder, *asked, "-o", tmp_path / "told")

    rows = [json.loads(line) for line in done.output.splitlines()]
    assert [row["sequence"] for row in rows if row["subscription"] == "hot"] == [5]
    five = [{"dim": '"5"^^<http://www.w3.org/2001/XMLSchema#integer>'}]
    assert [
        (row["number"], row["sequence"], row["added"], row["removed"])
        for row in rows
        if row["subscription"] == "dims"
    ] == [(0, 0, [], []), (1, 6, five, []), (2, 7, [], five)]
    assert all("probability" not in row for row in rows if row["subscription"] == "dims")
    assert for_people.status == 0 and "│ dims         │ 3 " in for_people.output


@pytest.mark.usefixtures("spark")
def test_patterns_in_time_are_told_with_their_parts(run: Run, folder: Path) -> None:
    done = run(folder, "-s", "{heat = 31} then {heat < 30} as fallen", "--json")

    [row] = [json.loads(line) for line in done.output.splitlines()]
    assert (row["number"], row["sequence"], row["event_id"]) == (0, 4, "event-4")
    assert [part["event_id"] for part in row["parts"]] == ["event-2", "event-4"]
    assert "mapping" not in row and "added" not in row


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["-s", "when {a = 1} publish {b = 1}"], "the replay of a rule (when)"),
        (["-s", "SELECT ?x WHERE { ?x y:z 1 }"], "SELECT ?x WHERE { ?x y:z 1 }: line 1"),
        (["--since", "yesterday"], "not an ISO 8601 time: 'yesterday'"),
        (["--output", "."], "expected an empty folder"),
    ],
)
def test_what_is_wrong_is_told_before_spark_is_started(
    run: Run, folder: Path, arguments: list[str], complaint: str
) -> None:
    done = run(folder, *arguments)

    assert done.status == 2
    assert complaint in done.errors and done.errors.count("\n") == 1


@pytest.mark.parametrize("output", [".", ""])
def test_a_replay_is_written_into_a_folder_that_has_a_name(
    run: Run, folder: Path, tmp_path: Path, output: str
) -> None:
    (tmp_path / "empty").mkdir()

    done = run(folder, "-o", output, folder=tmp_path / "empty")

    assert done.status == 2
    assert done.errors == "purport: .: expected a folder by its name\n"
    assert list((tmp_path / "empty").iterdir()) == []


@pytest.mark.usefixtures("spark")
def test_what_is_subscribed_to_is_found_in_sealed_stretches_too(
    run: Run, postgres: PostgresServer, tmp_path: Path
) -> None:
    place, stretches = postgres.new_place(), tmp_path / "broker" / "stretches"
    with Broker.open(tmp_path / "broker", journal=place) as broker:
        broker.subscribe("{heat > 30} as hot")
        broker.publish_all([{"heat": heat} for heat in (31, 20)])
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("DELETE FROM snapshots")
    with closing(journal_at(place, stretches=stretches)) as journal:
        assert journal.seal(all_of_it=True) is not None

    done = run(place, "--stretches", stretches, "--json")

    assert done.status == 0, done.errors
    assert json.loads(done.output)["sequence"] == 2
    [subscription] = replayable([f"broker:{place}"], stretches).subscriptions
    assert subscription.name == "hot"
    lost = run(place)
    assert lost.status == 2 and "name the folder they are in" in lost.errors
