"""Spark gives what a single process gives, on the same lines."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from purport import Matcher, NotSupportedYet, Subscription, parse
from purport.demo.city import City
from purport.demo.run import demo_subscriptions
from purport.errors import StreamFailed, UnusablePath
from purport.matching.supported import label
from purport.model.event_lines import DeadLetter, events_in_file
from purport.pipeline.jobs.match_files import BatchSummary, MatchFiles
from purport.pipeline.matches import dead_letters, matches, outcomes
from purport.pipeline.session import STRETCH_BYTES, spark_address
from purport.pipeline.sinks.parquet_folder import ParquetFolder
from purport.pipeline.sources.json_lines import JsonLinesFolder
from purport.pipeline.tables import DEAD_LETTERS, LINES, MATCHES

Rows = set[tuple[object, ...]]


def in_process(folder: Path, subscriptions: Sequence[Subscription]) -> tuple[Rows, Rows]:
    """Matches and dead letters of all files of a folder, without Spark."""
    matcher = Matcher(subscriptions)
    matched: Rows = set()
    refused: Rows = set()
    for path in folder.iterdir():
        for said in events_in_file(path):
            if isinstance(said, DeadLetter):
                refused.add((said.source, said.line, said.reason, said.text))
                continue
            for match in matcher.match(said):
                mapping = tuple(
                    next(i for i, s in enumerate(said.statements) if s is pair.statement)
                    for pair in match.mapping.correspondences
                )
                probability = round(match.probability, 5)  # the table has single precision
                matched.add((said.id, label(match.subscription), probability, mapping))
    return matched, refused


def on_spark(
    spark: SparkSession, folder: Path, subscriptions: Sequence[Subscription]
) -> tuple[Rows, Rows]:
    found = outcomes(JsonLinesFolder(folder).table(spark), subscriptions)
    matched: Rows = {
        (row.event_id, row.subscription, round(row.probability, 5), tuple(row.mapping))
        for row in matches(found).collect()
    }
    return matched, {tuple(row) for row in dead_letters(found).collect()}


def written(spark: SparkSession, sink: ParquetFolder) -> tuple[list[str], int]:
    matched = spark.read.parquet(spark_address(sink.matches)).collect()
    refused = spark.read.parquet(spark_address(sink.dead_letters)).count()
    return sorted(row.event_id for row in matched), refused


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
    events, sink = tmp_path / "events", ParquetFolder(tmp_path)
    job = MatchFiles(
        JsonLinesFolder(events, files_per_batch=1),
        sink,
        [parse("{a = 1} as one")],
    )
    events.mkdir()
    summaries: list[BatchSummary] = []
    (events / "first.jsonl").write_text('{"@id": "e1", "a": 1}\n{broken\n')
    (events / "second.jsonl").write_text('{"@id": "e2", "a": 1}\n{"@id": "e3", "a": 2}\n')

    job.run(spark, summaries.append)
    job.run(spark, summaries.append)
    (events / "third.jsonl").write_text('{"@id": "e4", "a": 1}\n')
    job.run(spark, summaries.append)

    assert written(spark, sink) == (["e1", "e2", "e4"], 1)
    assert [summary.batch for summary in summaries] == [0, 1, 2]
    assert sum(summary.matches.get("one", 0) for summary in summaries) == 3
    assert sum(summary.dead_letters for summary in summaries) == 1


def test_a_batch_that_failed_half_way_is_done_again_and_stands_there_once(
    spark: SparkSession, tmp_path: Path
) -> None:
    events, sink = tmp_path / "events", ParquetFolder(tmp_path)
    events.mkdir()
    (events / "first.jsonl").write_text('{"@id": "e1", "a": 1}\n')
    job = MatchFiles(JsonLinesFolder(events), sink, [parse("{a = 1}")])

    def fail(_: BatchSummary) -> None:
        raise RuntimeError("the power went out after the batch was written")

    with pytest.raises(StreamFailed, match="the power went out"):
        job.run(spark, fail)
    assert written(spark, sink) == (["e1"], 0)
    job.run(spark)

    assert written(spark, sink) == (["e1"], 0)


def test_a_line_has_the_same_place_however_many_cores_there_are(
    spark: SparkSession, tmp_path: Path
) -> None:
    lines = [f'{{"a": {n}, "filler": "{"x" * 1000}"}}' for n in range(9000)]
    (tmp_path / "big.jsonl").write_text("\n".join(lines))

    expected = in_process(tmp_path, [parse("{a > 8990}")])

    assert len(expected[0]) == 9
    assert on_spark(spark, tmp_path, [parse("{a > 8990}")]) == expected


def test_a_file_longer_than_a_stretch_is_read_once_and_whole(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "big.jsonl").write_text("".join(f'{{"a": {n}}}\n' for n in range(5000)))
    spark.conf.set("spark.sql.files.maxPartitionBytes", 16_384)
    try:
        found = matches(
            outcomes(JsonLinesFolder(tmp_path).table(spark), [parse("{a >= 0}")])
        ).collect()
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", STRETCH_BYTES)

    identifiers = {row.event_id for row in found}
    assert len(found) == len(identifiers) == 5000
    assert "big.jsonl:1" in identifiers
    assert "big.jsonl@16384:1" in identifiers


def test_a_folder_that_looks_like_a_pattern_is_read(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "city[1] {a,b} *"
    folder.mkdir()
    (folder / "e.jsonl").write_text('{"a": 1}')

    assert JsonLinesFolder(folder).table(spark).count() == 1


def test_a_folder_that_is_not_there_is_named(spark: SparkSession, tmp_path: Path) -> None:
    job = MatchFiles(
        JsonLinesFolder(tmp_path / "missing"), ParquetFolder(tmp_path), [parse("{a = 1}")]
    )

    with pytest.raises(UnusablePath, match="missing: No such file or directory"):
        job.run(spark)


def test_what_spark_cannot_read_is_told_in_a_line(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "12:30.jsonl").write_text("{}")
    job = MatchFiles(
        JsonLinesFolder(tmp_path / "events"), ParquetFolder(tmp_path), [parse("{a = 1}")]
    )

    with pytest.raises(StreamFailed) as failure:
        job.run(spark)

    assert "\n" not in str(failure.value)
    assert "12:30.jsonl" in str(failure.value)


def test_a_subscription_without_an_engine_is_refused_before_spark_starts_on_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "e.jsonl").write_text("{}")

    with pytest.raises(NotSupportedYet):
        outcomes(JsonLinesFolder(tmp_path).table(spark), [parse("{a isa b:C}")])


def test_each_step_yields_the_table_it_names(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_text("{}")
    read = JsonLinesFolder(tmp_path).table(spark)
    found = outcomes(read, [parse("{a = 1}")])

    assert read.dtypes == columns(LINES)
    assert matches(found).dtypes == columns(MATCHES)
    assert dead_letters(found).dtypes == columns(DEAD_LETTERS)


def columns(table: StructType) -> list[tuple[str, str]]:
    return [(column.name, column.dataType.simpleString()) for column in table.fields]
