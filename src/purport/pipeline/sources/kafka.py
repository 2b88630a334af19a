"""Topics of Kafka as a source, read by Spark's own package."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

import msgspec
from pyspark.sql import DataFrame, SparkSession

from purport.errors import InvalidInput
from purport.pipeline.kafka.address import ConnectOptions, KafkaTopics
from purport.pipeline.kafka.asking import partitions_of
from purport.pipeline.kafka.connector import require_connector
from purport.pipeline.messages.options import MessageOptions
from purport.pipeline.messages.reader import MessageReader
from purport.pipeline.sources.source import Since, Spread

BATCH_MESSAGES = 1_000_000
_PLACES = ("topic", "partition", "offset", "timestamp", "value")
_OFFSET = re.compile(r"(?:([A-Za-z0-9._-]+)/)?(?:([0-9]{1,9}):)?([0-9]{1,18})")
_EARLIEST, _LATEST = "earliest", "latest"
_FIRST = -2  # how Spark writes the first offset that there is


@dataclass(frozen=True, kw_only=True)
class KafkaOptions(MessageOptions, ConnectOptions):
    """What can be said of topics; a mapping of topics has dots between its levels."""

    messages_per_batch: Annotated[int, msgspec.Meta(ge=1)] = BATCH_MESSAGES
    if_lost: str = "stop"  # what is done when messages are gone that were not read: or "go on"


@dataclass(frozen=True, slots=True)
class Kafka(Spread):
    """The messages of topics, from the first that there is, or from `since` on.

    That is a time, `earliest`, `latest`, an offset, or offsets of partitions (`0:100,1:20`, or
    `TOPIC/0:100` where there are several). Which messages are in a batch is in Spark's checkpoint,
    so each is read once into sinks that keep batches once. Messages of transactions that were given
    up are left out.
    """

    topics: KafkaTopics
    since: Since | None = None
    options: KafkaOptions = field(default_factory=KafkaOptions)

    @property
    def place(self) -> str:
        """The brokers and topics."""
        return str(self.topics)

    @property
    def reader(self) -> MessageReader:
        """What makes events of messages, in the workers."""
        return MessageReader(self.options.meaning("."))

    def records(self, spark: SparkSession) -> DataFrame:
        """The stream of messages, as the table MESSAGES; errors say soon what is not there."""
        if self.options.if_lost not in ("stop", "go on"):
            raise InvalidInput(f"expected if_lost=stop or go on, got {self.options.if_lost!r}")
        meaning = self.options.meaning(".")
        settings = {
            **self.topics.for_spark(),
            "subscribe": ",".join(self.topics.topics),
            "kafka.isolation.level": "read_committed",
            "includeHeaders": str(bool(meaning.headers)),
            "maxOffsetsPerTrigger": str(self.options.messages_per_batch),
            "minPartitions": str(spark.sparkContext.defaultParallelism),
            "failOnDataLoss": str(self.options.if_lost == "stop"),
            **_beginning(self.since, partitions_of(self.topics)),
        }
        require_connector(spark)
        messages = spark.readStream.format("kafka").options(**settings).load()
        return messages.select(
            *_PLACES, *(one for one in meaning.columns if one in ("key", "headers"))
        )


def _beginning(since: Since | None, partitions: Mapping[str, int]) -> dict[str, str]:
    """Spark's options for where a new job begins."""
    if isinstance(since, datetime):
        milliseconds = int(since.timestamp() * 1000)
        return {
            "startingTimestamp": str(milliseconds),
            "startingOffsetsByTimestampStrategy": "latest",
        }
    if since is None or since in (_EARLIEST, _LATEST):
        return {"startingOffsets": since or _EARLIEST}
    found = {
        topic: dict.fromkeys(map(str, range(count)), _FIRST) for topic, count in partitions.items()
    }
    for one in since.split(","):
        _set_offset(found, one.strip(), since)
    return {"startingOffsets": msgspec.json.encode(found).decode()}


def _set_offset(found: dict[str, dict[str, int]], written: str, since: str) -> None:
    read = _OFFSET.fullmatch(written)
    if read is None:
        raise InvalidInput(
            "expected a time, earliest, latest, or offsets such as 100 or 0:100,1:20, "
            f"got {since!r}"
        )
    topic, partition, offset = read.groups()
    if topic is not None and topic not in found:
        raise InvalidInput(f"{since!r}: the topic {topic!r} is not read here")
    if topic is None and partition is not None and len(found) > 1:
        raise InvalidInput(
            f"{since!r}: expected TOPIC/PARTITION:OFFSET, as several topics are read"
        )
    for name in [topic] if topic else list(found):
        there = found[name]
        if partition is not None and str(int(partition)) not in there:
            raise InvalidInput(
                f"{since!r}: {name!r} has the partitions 0 to {len(there) - 1}, not {partition}"
            )
        for number in [str(int(partition))] if partition else list(there):
            there[number] = int(offset)
