"""A history at rest tells what a stream of it tells, in whatever order it stands."""

import json
import random
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import Row, SparkSession

from purport import NotSupportedYet, parse
from purport.pipeline import match_outcomes, match_stream, temporal_matches
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.watched import Fixed
from tests.pipeline.timed.test_jobs_in_time import at, job_of, write_files, written
from tests.strategies.wine_cellar import lasting_cellar_file

EXACT = MatcherSettings(measure="exact")
ASKED = [
    parse(text)
    for text in (
        "{kind = vpn, start after(5 s) {kind = link, port = $port}} as cause",
        "{kind = link, port = $p} then {kind = vpn, port = $p} within 4 s as both",
        "not {kind = vpn, port = $p} within 5 s after {kind = link, port = $p} as missing",
        "{kind = vpn, count() over 10 s > 3} as many",
        "{level filter(>, last 3) {kind = link}} as higher",
    )
]


def history(count: int) -> list[bytes]:
    drawn = random.Random(5)
    return [
        at(
            second,
            f"e{second}",
            kind=drawn.choice(["link", "vpn", "other"]),
            port=drawn.randrange(3),
            level=drawn.randrange(9),
        )
        for second in range(count)
    ]


def test_a_history_at_rest_tells_what_a_stream_of_it_tells(
    spark: SparkSession, tmp_path: Path
) -> None:
    lines = history(120)
    write_files(tmp_path / "events", [lines[:50], lines[50:51], lines[51:]])
    job = job_of(tmp_path / "events", Fixed(ASKED))
    job.run(spark)
    streamed = {
        (one.subscription, one.event_id): [(part.place, part.event_id) for part in one.parts or ()]
        for one in written(job)
    }

    shuffled = random.Random(1).sample(lines, len(lines))
    table = spark.createDataFrame([(line,) for line in shuffled], "value binary").repartition(3)
    found = temporal_matches(table, ASKED, EXACT).collect()

    assert streamed == {
        (row.subscription, row.event_id): [(part.place, part.event_id) for part in row.parts]
        for row in found
    }
    many = [(name, parts) for (who, name), parts in streamed.items() if who == "many"]
    assert all(parts[-1] == (f"count() over 10 s > 3 ({len(parts)})", name) for name, parts in many)
    assert {row.subscription for row in found} == {one.name for one in ASKED}
    assert all(row.source and row.offset and row.parts is not None for row in found)


def test_parquet_files_tell_what_lines_of_json_tell(spark: SparkSession, tmp_path: Path) -> None:
    lines = history(60)
    said = [json.loads(line) for line in lines]
    columns = {name: [one[name] for one in said] for name in ("@id", "kind", "port", "level")}
    seconds = [datetime.fromtimestamp(one["@start"], UTC) for one in said]
    table = pa.table({**columns, "@start": seconds, "@end": seconds})
    pq.write_table(table.slice(0, 20), tmp_path / "first.parquet")
    pq.write_table(table.slice(20), tmp_path / "second.parquet")

    found = temporal_matches(spark.read.parquet(str(tmp_path)), ASKED, EXACT).collect()

    told = spark.createDataFrame([(line,) for line in lines], "value binary")
    expected = temporal_matches(told, ASKED, EXACT).collect()
    assert {row.subscription for row in expected} == {one.name for one in ASKED}
    assert sorted(map(_answer, found)) == sorted(map(_answer, expected))


def _answer(row: Row) -> tuple[object, ...]:
    parts = [(one.place, one.event_id, one.probability) for one in row.parts]
    return row.subscription, row.event_id, row.probability, parts


def test_inner_filters_ask_an_ontology_at_rest(spark: SparkSession) -> None:
    lines = [
        at(1, "e1", spilt="Merlot", table=1),
        at(2, "e2", spilt="beer", table=2),
        at(3, "e3", type="stain", table=1),
        at(4, "e4", type="stain", table=2),
    ]
    asked = [parse("{type = stain, start after {spilt isa Claret, table = $table}} as stained")]
    settings = MatcherSettings(measure="exact", ontology=(lasting_cellar_file(),))
    table = spark.createDataFrame([(line,) for line in lines], "value binary")

    [found] = temporal_matches(table, asked, settings).collect()

    assert (found.event_id, [one.event_id for one in found.parts]) == ("e3", ["e1"])


def test_columns_tell_times_and_plain_subscriptions_are_matched_beside(spark: SparkSession) -> None:
    rows = [("e1", 1, "a"), ("e2", 2, "b"), ("e3", 3, "b")]
    table = spark.createDataFrame(rows, "`@id` string, `@start` int, kind string")
    whole = table.withColumn("@end", table["@start"])
    asked = [parse("{kind = b} as plain"), parse("{kind = a} then {kind = b} within 1 s as soon")]

    found = match_stream(whole, asked, EXACT).collect()

    assert sorted((row.subscription, row.event_id) for row in found) == [
        ("plain", "e2"), ("plain", "e3"), ("soon", "e2"),
    ]  # fmt: skip


def test_a_streaming_table_is_refused_in_time(spark: SparkSession) -> None:
    stream = spark.readStream.format("rate").load()

    with pytest.raises(NotSupportedYet, match="streaming DataFrame"):
        match_stream(stream, ASKED, EXACT)


def test_an_event_that_ends_as_it_begins_may_stand_in_any_order(spark: SparkSession) -> None:
    lines = [
        b'{"@id": "a", "kind": "a", "@start": "1970-01-01T00:00:05Z"}',
        b'{"@id": "a", "@end": "1970-01-01T00:00:05Z"}',
        b'{"@id": "x", "kind": "x", "@start": "1970-01-01T00:00:08Z"}',
    ]
    asked = [parse("{kind = x, start after(10 s) {kind = a}} as soon")]

    for some in permutations(lines):
        table = spark.createDataFrame([(line,) for line in some], "value binary").coalesce(1)

        assert [row.event_id for row in temporal_matches(table, asked, EXACT).collect()] == ["x"]


def test_what_contradicts_is_among_the_outcomes_once(spark: SparkSession) -> None:
    lines = [
        b'{"@id": "b", "kind": "b", "@start": 1}',
        b'{"@id": "gone", "@end": 3}',
    ]
    table = spark.createDataFrame([(line,) for line in lines], "value binary").coalesce(1)
    asked = [parse(f"not {{kind = {kind}}} within 9 s after {{kind = b}}") for kind in "acd"]
    asked.append(parse("{kind = b} as plain"))

    found = match_outcomes(table, asked, EXACT).collect()

    assert [row.subscription for row in found if row.reason is None] == ["plain"]
    [refused] = [row.reason for row in found if row.reason is not None]
    assert "nobody said that it began" in refused
