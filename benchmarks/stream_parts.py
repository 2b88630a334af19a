"""Where does the time of a stream go? Its parts, one after another, on one core.

The events are those of `streaming`: what a worker does with the lines of a batch, step by step in
this process, and what it takes Spark to get the matches from a worker into a file.
"""

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from benchmarks.matching_workload import MatchingWorkload
from benchmarks.measure import Finding, quickest_seconds
from benchmarks.streaming import EVENTS_A_BATCH, json_lines
from purport import Matcher
from purport.matching.batches import Batch
from purport.matching.plain_lines import PlainLines
from purport.matching.telling import Telling
from purport.model.event import Event
from purport.model.event_lines import EventLines
from purport.pipeline.formats.json_lines import ToldLines
from purport.pipeline.matches import match_rows
from purport.pipeline.session import local_session, spark_address
from purport.pipeline.tables import MATCHES
from purport.relatedness.catalogue import defaults_are_made


def findings() -> Iterator[Finding]:
    if not defaults_are_made():
        yield Finding("the default space is not there: make space", "-")
        return
    workload = MatchingWorkload.generate(100, EVENTS_A_BATCH)
    with tempfile.TemporaryDirectory(prefix="purport-bench-") as temporary:
        folder = Path(temporary)
        path = folder / "events.jsonl"
        path.write_bytes(json_lines(workload, 0))
        yield from _in_a_worker(path, Matcher(workload.subscriptions), folder / "rows.arrow")
        spark = local_session("purport benchmarks", cores="1")
        try:
            yield from _in_spark(spark, folder / "rows.arrow", folder / "matches")
        finally:
            spark.stop()


def _in_a_worker(path: Path, matcher: Matcher, rows_file: Path) -> Iterator[Finding]:
    yield _part("reading the file", quickest_seconds(path.read_bytes))
    text = path.read_bytes()

    def told() -> ToldLines:
        return ToldLines(EventLines("events.jsonl"), text)

    found = told().match(matcher)  # from here on all words are known
    batches: list[Batch] = []

    def parse(telling: Telling) -> Batch:
        batches[:] = [PlainLines.read(text, telling).batch()]
        return batches[0]

    parsing_and_matching = quickest_seconds(lambda: matcher.match_read(parse, _no_event))
    matching = quickest_seconds(lambda: matcher.match_read(lambda _: batches[0], _no_event))
    whole = quickest_seconds(lambda: told().match(matcher))
    yield _part("parsing the lines", parsing_and_matching - matching)
    yield _part("ids, and what came twice", whole - parsing_and_matching)
    yield _part("matching, in the kernel", matching)
    yield _part("matches to Arrow", quickest_seconds(lambda: list(match_rows(found, 1))))
    rows = list(match_rows(found, 1))
    yield Finding("matches", f"{sum(map(len, rows)):,}")
    with pa.OSFile(str(rows_file), "wb") as file, pa.ipc.new_file(file, rows[0].schema) as writer:
        for batch in rows:
            writer.write_batch(batch)


def _in_spark(spark: SparkSession, rows_file: Path, out: Path) -> Iterator[Finding]:
    def nothing() -> DataFrame:
        return spark.range(0, 1, 1, 1).mapInArrow(lambda _: iter(()), MATCHES)

    def matches() -> DataFrame:
        return spark.range(0, 1, 1, 1).mapInArrow(lambda one: _rows(one, rows_file), MATCHES)

    def thrown_away(some: DataFrame) -> None:
        some.write.format("noop").mode("overwrite").save()

    empty = quickest_seconds(lambda: thrown_away(nothing()), runs=10)
    passed = quickest_seconds(lambda: thrown_away(matches()), runs=10)
    written = quickest_seconds(
        lambda: matches().write.mode("overwrite").parquet(spark_address(out)), runs=10
    )
    yield _part("matches from the worker to Spark", passed - empty)
    yield _part("writing them as Parquet", written - passed)
    yield Finding("a job of one task that does nothing", f"{1000 * empty:.0f} ms")


def _rows(batches: Iterable[pa.RecordBatch], rows_file: Path) -> Iterator[pa.RecordBatch]:
    list(batches)
    with pa.memory_map(str(rows_file)) as file:
        reader = pa.ipc.open_file(file)
        yield from map(reader.get_batch, range(reader.num_record_batches))


def _no_event(_: int) -> Event:
    raise AssertionError("no subscription of the workload looks at whole events")


def _part(what: str, seconds: float) -> Finding:
    return Finding(f"{what}, of an event", f"{1e6 * seconds / EVENTS_A_BATCH:.2f} µs")
