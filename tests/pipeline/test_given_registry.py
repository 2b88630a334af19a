"""Subscriptions from the registry of a broker, while it runs."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from purport import InvalidInput, PurportError, parse
from purport.broker.gate import asked_of
from purport.broker.journal import JournalError, Snapshot
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.model.clock import ManualClock
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.journal.given_registry import GivenRegistry
from purport.pipeline.session import spark_address
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.versions import Versions
from purport.pipeline.watched import Watched
from purport.storage.opening import open_sqlite_journal
from tests.storage.postgres_server import PostgresServer

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def names(given: GivenRegistry) -> list[str | None]:
    return [one.name for one in given.subscriptions()]


def test_what_is_told_now_is_given_and_nothing_else(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    given = GivenRegistry(str(tmp_path), asked_of, clock)
    with Broker.open(tmp_path, clock=clock) as broker:
        assert names(given) == []
        broker.subscribe("{a = 1} as one")
        broker.subscribe("{a = 2} expires 2026-01-01T13:00:00Z as early")
        broker.subscribe("{a = 3} on change as gated")
        broker.subscribe("when {a = 4} as rule publish {b = 4}")
        broker.subscribe("{a = 5} as paused")
        broker.pause("paused")
        unnamed = broker.subscribe("{a = 6}").id
        assert names(given) == ["one", "early", "gated", unnamed]

        clock.advance(timedelta(hours=1))
        broker.resume("paused")
        broker.unsubscribe("one")
        broker.subscribe("{a = 33} on change as gated")

        assert names(given) == ["gated", "paused", unnamed]
        assert given.subscriptions()[0] == parse("{a = 33} as gated")


def test_a_look_changes_when_the_registry_does_and_not_when_something_is_published(
    tmp_path: Path,
) -> None:
    given = GivenRegistry(str(tmp_path), asked_of)
    with Broker.open(tmp_path) as broker:
        broker.subscribe("{a = 1} as one")
        first = given.look()
        broker.publish_all([{"a": 1}] * 10)
        assert given.look() == first

        broker.subscribe("{a = 2} as one")

        assert given.look() != first


def test_a_registry_is_followed_over_snapshots_and_retention(tmp_path: Path) -> None:
    given = GivenRegistry(str(tmp_path), asked_of)
    settings = BrokerSettings(snapshot_every=5)
    for number in range(4):
        with Broker.open(tmp_path, settings=settings) as broker:
            broker.publish_all([{"a": 1}] * 7)
            broker.subscribe(f"{{a = {number}}} as s{number}")
            broker.publish_all([{"a": 1}] * 2)
            if number % 2:
                assert len(names(given)) == number + 1

    assert names(GivenRegistry(str(tmp_path), asked_of)) == names(given) == ["s0", "s1", "s2", "s3"]


def test_what_is_no_broker_is_refused_at_once_and_told_later(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no journal here"):
        Watched([f"broker:{tmp_path}/nothing"])
    with Broker.open(tmp_path / "broker") as broker:
        broker.subscribe("{a = 1} as one")
    watched = Watched([f"broker:{tmp_path}/broker"])
    problems: list[str] = []

    (tmp_path / "broker").rename(tmp_path / "elsewhere")
    for _ in range(3):
        assert [one.name for one in watched.current(problems.append)] == ["one"]
    [problem] = problems
    (tmp_path / "elsewhere").rename(tmp_path / "broker")

    assert "stay as they were" in problem
    assert [one.name for one in watched.current(problems.append)] == ["one"]


def change(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "journal.sqlite")) as database, database:
        for statement in statements:
            database.execute(statement)


@pytest.mark.parametrize(
    "damage",
    ["record = x'7b'", "record = 'text'", "record = x'7b7d'", "at = 'now'", "checksum = 1"],
)
@pytest.mark.parametrize("sequence", [3, 4])
def test_a_damaged_entry_leaves_what_was_known_and_is_told(
    tmp_path: Path, damage: str, sequence: int
) -> None:
    with Broker.open(tmp_path, settings=BrokerSettings(snapshot_every=1_000)) as broker:
        broker.subscribe("{a = 1} as one")
        broker.publish({"a": 1})
        watched, problems = Watched([f"broker:{tmp_path}"]), list[str]()
        broker.publish({"a": 1})
        broker.subscribe("{a = 2} as two")
        broker.publish({"a": 1})
        change(tmp_path, f"UPDATE entries SET {damage} WHERE sequence = {sequence}")

        for _ in range(3):
            assert [one.name for one in watched.current(problems.append)] == ["one"]

        [problem] = problems
        assert f"entry {sequence} of the journal is damaged" in problem
        with pytest.raises(PurportError, match="is damaged"):
            Watched([f"broker:{tmp_path}"])
    # the broker has kept a snapshot, which is further than the damage
    assert [one.name for one in watched.current(problems.append)] == ["one", "two"]


def test_without_a_snapshot_that_can_be_read_the_entries_are_followed(tmp_path: Path) -> None:
    with Broker.open(tmp_path) as broker:
        broker.subscribe("{a = 1} as one")
        broker.publish_all([{"a": 1}] * 3)
    with closing(open_sqlite_journal(tmp_path)) as journal:
        journal.keep_snapshot(Snapshot(4, b'{"version": 99}'))

    given = GivenRegistry(str(tmp_path), asked_of)
    assert names(given) == ["one"]

    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert journal.seal(all_of_it=True) is not None
        journal.drop(through=4)
    with pytest.raises(JournalError, match="a snapshot of version 99"):
        names(GivenRegistry(str(tmp_path), asked_of))
    change(tmp_path, "DELETE FROM snapshots")
    with pytest.raises(JournalError, match="the entries from 1 to 4 are no longer in the journal"):
        names(GivenRegistry(str(tmp_path), asked_of))


def subscribed_at(folder: Path, texts: Sequence[str], published: int = 0) -> None:
    with Broker.open(folder) as broker:
        for text in texts:
            broker.subscribe(text)
        broker.publish_all([{"a": 1}] * published)


@pytest.mark.parametrize("published", [0, 1, 3])
@pytest.mark.parametrize("is_snapshot", [True, False])
def test_another_journal_in_the_same_place_is_followed_from_its_beginning(
    tmp_path: Path, published: int, is_snapshot: bool
) -> None:
    folder = tmp_path / "broker"
    subscribed_at(folder, ["{a = 1} as one", "{a = 2} as two"])
    watched, problems = Watched([f"broker:{folder}"]), list[str]()
    assert [one.name for one in watched.current(problems.append)] == ["one", "two"]

    folder.rename(tmp_path / "before")
    subscribed_at(folder, ["{a = 11} as one", "{a = 3} as three"], published)
    if not is_snapshot:
        change(folder, "DELETE FROM snapshots")

    found = watched.current(problems.append)
    assert found == [parse("{a = 11} as one"), parse("{a = 3} as three")]
    assert problems == []


def test_the_same_ids_and_sequences_in_another_journal_are_told_apart(tmp_path: Path) -> None:
    folder = tmp_path / "broker"
    subscribed_at(folder, ["{a = 1} as one"])
    watched = Watched([f"broker:{folder}"])

    folder.rename(tmp_path / "before")
    subscribed_at(folder, ["{a = 2} as one"])

    assert watched.current(lambda _: None) == [parse("{a = 2} as one")]


def test_a_registry_is_followed_through_everything_being_dropped(tmp_path: Path) -> None:
    subscribed_at(tmp_path, ["{a = 1} as one"], published=3)
    given = GivenRegistry(str(tmp_path), asked_of)
    assert names(given) == ["one"]

    with closing(open_sqlite_journal(tmp_path)) as journal:
        assert journal.seal(all_of_it=True) is not None
        assert journal.drop(through=4) == 4
    assert names(given) == ["one"]
    subscribed_at(tmp_path, ["{a = 2} as two"])

    assert names(given) == ["one", "two"]


def test_a_registry_in_postgres_is_followed_into_its_stretches(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    place, stretches = postgres.new_place(), tmp_path / "broker" / "stretches"
    with Broker.open(tmp_path / "broker", journal=place) as broker:
        watched = Watched([f"broker:{place}"], stretches)
        broker.subscribe("{a = 1} as one")
        unknowing = Watched([f"broker:{place}"])
        broker.subscribe("{a = 2} as two")
        broker.publish({"a": 1})
        broker.compact()
        broker.subscribe("{a = 3} as three")
        problems: list[str] = []

        current = [one.name for one in watched.current(problems.append)]
        assert (current, problems) == (["one", "two", "three"], [])
        assert [one.name for one in unknowing.current(problems.append)] == ["one"]
        assert "name the folder they are in" in problems[0]


def test_a_stream_takes_up_with_the_next_batch_what_is_subscribed_to(
    spark: SparkSession, tmp_path: Path
) -> None:
    events = tmp_path / "events"
    events.mkdir()
    for number in range(4):
        (events / f"{number}.jsonl").write_text(f'{{"@id": "e{number}", "a": 1}}\n')
    sink = BatchFolders(tmp_path / "matches")
    reports: list[BatchReport] = []
    with Broker.open(tmp_path / "broker") as broker:

        def on_batch(report: BatchReport) -> None:
            reports.append(report)
            match report.batch:
                case 0:
                    broker.subscribe("{a = 1} as one")
                case 1:
                    broker.subscribe("{a~ = 1} as two")
                    broker.pause("one")
                case 2:
                    broker.unsubscribe("two")

        job = MatchStream(
            Files(events, files_per_batch=1),
            sink,
            Watched([f"broker:{tmp_path}/broker"]),
            JobFolder(sink.home),
        )
        job.run(spark, Watchers(on_batch))

    rows = spark.read.parquet(spark_address(sink.folder)).orderBy("version").collect()
    assert [(row.subscription, row.version) for row in rows] == [("one", 2), ("two", 3)]
    assert [report.version for report in reports] == [1, 2, 3, 4]
    versions = Versions(job.folder.subscriptions)
    assert [[one.name for one in versions.read(one)] for one in (1, 2, 3, 4)] == [
        [], ["one"], ["two"], [],
    ]  # fmt: skip
