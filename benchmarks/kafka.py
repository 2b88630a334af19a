"""How quick is a stream from Kafka, compared with the same events in files?

A broker on this machine, as tests start it, has the events of `streaming`. It runs on the same two
cores as the stream.
"""

import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.finding import Finding, at_least
from benchmarks.matching_workload import MatchingWorkload
from benchmarks.streaming import (
    EVENTS_A_BATCH,
    FILES_A_BATCH,
    json_lines,
    linked,
    running_spark,
    stream_from,
    write_files,
)
from purport.pipeline.job_folder import BatchReport
from purport.pipeline.sources.catalogue import source_at
from purport.pipeline.sources.files import Files
from purport.relatedness.catalogue import defaults_are_made
from tests.kafka.kafka_server import IS_INSTALLED, Kafka, running_kafka

BATCHES = 6
PARTITIONS = 2


def findings() -> Iterator[Finding]:
    if not defaults_are_made():
        yield Finding("the default space is not there: make space", "-")
        return
    if not IS_INSTALLED:
        yield Finding("Kafka is not there: see .ci/run", "-")
        return
    with (
        tempfile.TemporaryDirectory(prefix="purport-bench-") as temporary,
        running_kafka() as broker,
        running_spark() as spark,
    ):
        yield from _compared(spark, broker, Path(temporary))


def _compared(spark: SparkSession, broker: Kafka, folder: Path) -> Iterator[Finding]:
    workload = MatchingWorkload.generate(100, EVENTS_A_BATCH)
    batch = folder / "batch"
    write_files(workload, batch)
    broker.make_topic("events", PARTITIONS)
    lines = json_lines(workload, 0).splitlines()
    for _ in range(BATCHES):
        for partition in range(PARTITIONS):
            broker.send("events", lines[partition::PARTITIONS], partition=partition)
    asked = workload.subscriptions
    address = f"kafka://{broker.host}/events?messages_per_batch={EVENTS_A_BATCH}"
    rates = {}
    for name, source in (
        ("files", Files(linked(batch, folder / "events", BATCHES), files_per_batch=FILES_A_BATCH)),
        ("kafka", source_at(address)),
    ):
        reports = stream_from(spark, source, folder / f"matches of {name}", asked)
        rates[name] = _rate(reports)
        yield Finding(f"events a second, {name}", f"{rates[name]:,.0f}")
        yield Finding(
            "of them matches", f"{sum(sum(one.counts.matches.values()) for one in reports):,}"
        )
    yield at_least("Kafka, of the rate of files", rates["kafka"] / rates["files"], 0.8, " x")


def _rate(reports: Sequence[BatchReport]) -> float:
    """Of the batches after the first, in which all words are new, the median."""
    return statistics.median(one.counts.events / one.seconds for one in reports[1:])
