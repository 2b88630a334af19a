"""How quick is a stream on Spark from a spool of MQTT's messages into matches in Parquet?

The spool is filled before; a broker is there, and sends nothing. Messages are the events of
`streaming`, on topics whose levels become attributes, too (under a name that events do not have
themselves: a name that comes twice is left to the slower parser).
"""

import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.finding import Finding, at_least
from benchmarks.matching_workload import MatchingWorkload
from benchmarks.streaming import json_lines, running_spark, stream_from
from purport.mqtt.message import Message
from purport.pipeline.job_folder import BatchReport
from purport.pipeline.sources.catalogue import source_at
from purport.relatedness.catalogue import defaults_are_made
from purport.spool.spool import Spool
from tests.mqtt.mosquitto_server import PROGRAM, Mosquitto, running_mosquitto

EVENTS_A_BATCH = 200_000
BATCHES = 5
LEAST = 50_000
_ROUND = 1000  # messages that come together
_CHANNELS = 20
_NEW_YEAR = 1_767_225_600_000_000


def findings() -> Iterator[Finding]:
    if not defaults_are_made():
        yield Finding("the default space is not there: make space", "-")
        return
    if PROGRAM is None:
        yield Finding("Mosquitto is not installed", "-")
        return
    with (
        tempfile.TemporaryDirectory(prefix="purport-bench-") as temporary,
        running_mosquitto() as broker,
        running_spark() as spark,
    ):
        yield from _streamed(spark, broker, Path(temporary))


def _streamed(spark: SparkSession, broker: Mosquitto, folder: Path) -> Iterator[Finding]:
    workload = MatchingWorkload.generate(100, EVENTS_A_BATCH)
    lines = json_lines(workload, 0).splitlines()
    with closing(Spool.open(folder / "spool")) as spool:
        for _ in range(BATCHES):
            for begin in range(0, len(lines), _ROUND):
                spool.append(_messages(lines, begin))
    for what, mapping in (("", ""), (", levels of topics too", "&topic=city/{channel}/events")):
        address = (
            f"{broker.address}/city/%2B/events?spool={folder}/spool&keep_messages=1000000000"
            f"&messages_per_batch={EVENTS_A_BATCH}{mapping}"
        )
        matches = folder / f"matches{len(mapping)}"
        reports = stream_from(spark, source_at(address), matches, workload.subscriptions)
        yield at_least(f"events a second, spool to Parquet{what}", _rate(reports), LEAST)
        found = sum(sum(one.counts.matches.values()) for one in reports)
        yield Finding("matches", f"{found:,}")


def _messages(lines: Sequence[bytes], begin: int) -> list[Message]:
    """A round of messages."""
    return [
        Message(_topic(number), line, 1, received_us=_NEW_YEAR + number)
        for number, line in enumerate(lines[begin : begin + _ROUND], begin)
    ]


def _rate(reports: Sequence[BatchReport]) -> float:
    """Of the batches after the first, in which all words are new, the median."""
    return statistics.median(one.counts.events / one.seconds for one in reports[1:])


def _topic(number: int) -> str:
    return f"city/channel {number % _CHANNELS}/events"
