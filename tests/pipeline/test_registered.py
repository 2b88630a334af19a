"""Subscriptions from the registry of a broker, while it runs."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from purport import InvalidInput, parse
from purport.broker.gate import asked_of
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.model.clock import ManualClock
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.registered import GivenRegistry
from purport.pipeline.session import spark_address
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.watched import Versions, Watched

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
