"""Spark gives what a single process gives, on the same lines."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import Row, SparkSession
from pyspark.sql.types import StructType

from purport import NotSupportedYet, Subscription, parse
from purport.demo.city import City
from purport.demo.run import demo_subscriptions
from purport.errors import StreamFailed, UnusablePath
from purport.pipeline.job_folder import BatchReport, JobFolder
from purport.pipeline.jobs.match_stream import MatchStream, Watchers
from purport.pipeline.session import spark_address, spark_pattern
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.files import Files
from purport.pipeline.tables import DEAD_LETTERS, MATCHES
from purport.pipeline.watched import Fixed
from tests.oracles.in_process import Rows, in_process


def job_of(
    events: Path, subscriptions: Sequence[Subscription], files_per_batch: int | None = None
) -> MatchStream:
    """The job that reads a folder and writes beside it."""
    sink = BatchFolders(events.parent / f"{events.name} matched")
    source = Files(events, files_per_batch=files_per_batch)
    return MatchStream(source, sink, Fixed(subscriptions), JobFolder(sink.home))


def on_spark(
    spark: SparkSession, folder: Path, subscriptions: Sequence[Subscription]
) -> tuple[Rows, Rows]:
    job = job_of(folder, subscriptions)
    job.run(spark)
    return written(spark, job)


def written(spark: SparkSession, job: MatchStream) -> tuple[Rows, Rows]:
    """What a job has written."""
    assert isinstance(job.sink, BatchFolders)
    rows = spark.read.parquet(spark_pattern(job.sink.folder)).collect()
    matched: Rows = {
        (row.event_id, row.subscription, round(row.probability, 5), tuple(row.mapping))
        for row in rows
    }
    assert len(matched) == len(rows), "a match stands there twice"
    letters: list[Row] = []
    if job.folder.dead_letters.exists():
        letters = spark.read.parquet(spark_pattern(job.folder.dead_letters)).collect()
    return matched, {(row.source, row.offset, row.reason, row.text) for row in letters}


def test_the_citys_matches_are_the_same_on_spark_and_in_process(
    spark: SparkSession, tmp_path: Path
) -> None:
    City(events=1500, seed=7).write_lines(tmp_path, files=3)
    subscriptions = demo_subscriptions()

    expected = in_process(tmp_path, subscriptions)

    assert expected[0]
    assert expected[1]
    assert on_spark(spark, tmp_path, subscriptions) == expected


values = st.one_of(
    st.integers(-3, 3),
    st.sampled_from(["1", "1.0", "laptop", "77 °F", True, None, [1, "x"], {"b": 1}]),
)
lines = st.one_of(
    st.dictionaries(st.sampled_from(["a", "b", "@id", "@start"]), values).map(msgspec.json.encode),
    st.sampled_from([b"", b"{", b'{"a": "\xff"}', b'{"a": 1e999}', b'{"a": 1}\r', b"\x00", b"[]"]),
)


@settings(
    max_examples=10,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.lists(lines, max_size=8), min_size=1, max_size=3))
def test_any_lines_give_the_same_on_spark_and_in_process(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, files: list[list[bytes]]
) -> None:
    folder = tmp_path_factory.mktemp("a folder with spaces + 100 % é")
    for number, content in enumerate(files):
        (folder / f"events {number}.jsonl").write_bytes(b"\n".join(content))
    subscriptions = [parse(text) for text in ("{a = 1}", "{b > 0} as positive", "{a = 25 °C}")]

    assert on_spark(spark, folder, subscriptions) == in_process(folder, subscriptions)


def test_a_stream_goes_on_where_it_stopped_and_doubles_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    events = tmp_path / "events"
    events.mkdir()
    job = job_of(events, [parse("{a = 1} as one")], files_per_batch=1)
    reports: list[BatchReport] = []
    (events / "first.jsonl").write_text('{"@id": "e1", "a": 1}\n{broken\n')
    (events / "second.jsonl").write_text('{"@id": "e2", "a": 1}\n{"@id": "e3", "a": 2}\n')

    job.run(spark, Watchers(reports.append))
    job.run(spark, Watchers(reports.append))
    (events / "third.jsonl").write_text('{"@id": "e4", "a": 1}\n')
    job.run(spark, Watchers(reports.append))

    matched, refused = written(spark, job)
    assert {row[0] for row in matched} == {"e1", "e2", "e4"}
    assert len(refused) == 1
    assert [report.batch for report in reports] == [0, 1, 2]
    assert sum(report.counts.matches.get("one", 0) for report in reports) == 3
    assert sum(report.counts.events for report in reports) == 4
    assert list(job.folder.reports()) == reports


def test_a_batch_that_failed_half_way_is_done_again_and_stands_there_once(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = tmp_path / "events"
    events.mkdir()
    (events / "first.jsonl").write_text('{"@id": "e1", "a": 1}\n{broken\n')
    job = job_of(events, [parse("{a = 1}")])

    def fail(*_: object) -> None:
        raise RuntimeError("the power went out after the matches were written")

    with monkeypatch.context() as patch:
        patch.setattr(JobFolder, "keep", fail)
        with pytest.raises(StreamFailed, match="the power went out"):
            job.run(spark)
    job.run(spark)

    matched, refused = written(spark, job)
    assert len(matched) == len(refused) == 1


def test_a_batch_that_spark_did_not_hear_of_is_not_done_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    events = tmp_path / "events"
    events.mkdir()
    (events / "first.jsonl").write_text('{"@id": "e1", "a": 1}\n')
    job = job_of(events, [parse("{a = 1}")])

    def fail(_: BatchReport) -> None:
        raise RuntimeError("the power went out after the batch was kept")

    with pytest.raises(StreamFailed, match="the power went out"):
        job.run(spark, Watchers(fail))
    job.run(spark, Watchers(fail))

    assert len(written(spark, job)[0]) == 1
    assert len(list(job.folder.reports())) == 1


def test_a_folder_that_looks_like_a_pattern_is_read(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "city[1] {a,b} *"
    folder.mkdir()
    (folder / "e.jsonl").write_text('{"a": 1}')

    assert len(on_spark(spark, folder, [parse("{a = 1}")])[0]) == 1


def test_one_file_is_read_alone(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("one.jsonl", "other.jsonl"):
        (tmp_path / name).write_text('{"a": 1}')

    assert {row[0] for row in on_spark(spark, tmp_path / "one.jsonl", [parse("{a = 1}")])[0]} == {
        "one.jsonl:1"
    }


def test_a_folder_that_is_not_there_is_named(spark: SparkSession, tmp_path: Path) -> None:
    job = job_of(tmp_path / "missing", [parse("{a = 1}")])

    with pytest.raises(UnusablePath, match="missing: No such file or directory"):
        job.run(spark)


def test_a_subscription_without_an_engine_is_refused_before_spark_starts_on_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "e.jsonl").write_text("{}")

    with pytest.raises(NotSupportedYet):
        job_of(tmp_path, [parse("{avg(a) over 5 min > 3~}")]).run(spark)


def test_what_is_written_has_the_columns_of_its_table(spark: SparkSession, tmp_path: Path) -> None:
    events = tmp_path / "events"
    events.mkdir()
    (events / "e.jsonl").write_text('{"a": 1}\n{')
    job = job_of(events, [parse("{a = 1}")])
    job.run(spark)

    assert isinstance(job.sink, BatchFolders)
    found = spark.read.parquet(spark_address(job.sink.folder))
    refused = spark.read.parquet(spark_address(job.folder.dead_letters))
    assert [column for column in found.dtypes if column[0] != "batch"] == columns(MATCHES)
    assert [column for column in refused.dtypes if column[0] != "batch"] == columns(DEAD_LETTERS)


def columns(table: StructType) -> list[tuple[str, str]]:
    return [(column.name, column.dataType.simpleString()) for column in table.fields]
