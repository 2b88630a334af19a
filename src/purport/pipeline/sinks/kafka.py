"""Matches to a topic of Kafka, written by Spark's own package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import msgspec
import pyarrow as pa

from purport.errors import InvalidInput
from purport.pipeline.found_matches import Matches
from purport.pipeline.kafka.address import ConnectOptions, KafkaTopics
from purport.pipeline.kafka.asking import partitions_of
from purport.pipeline.kafka.connector import require_connector
from purport.pipeline.notes import Notes
from purport.pipeline.sinks.match_message import match_messages
from purport.pipeline.tables import KAFKA_MESSAGES, record_batch_of_arrays

_KEYS = {"match": "id", "event": "event_id", "subscription": "subscription"}


@dataclass(frozen=True, kw_only=True)
class KafkaSinkOptions(ConnectOptions):
    """What can be said of a topic that is written to; equal keys go to the same partition."""

    key: Literal["match", "event", "subscription"] = "match"
    compression: Literal["none", "gzip", "snappy", "lz4", "zstd"] = "lz4"


@dataclass(frozen=True, slots=True)
class KafkaTopic:
    """A topic that gets a message in JSON for each match, under the match's id.

    Its producer retries without doubling. A batch that comes again after a crash comes under the
    same ids, since Spark's package has no transactions.
    """

    topics: KafkaTopics
    options: KafkaSinkOptions = field(default_factory=KafkaSinkOptions)

    @property
    def place(self) -> str:
        """The brokers and the topic."""
        return str(self.topics)

    @property
    def home(self) -> None:
        """Nowhere: a broker keeps nothing for a job."""

    def claim(self, job: str) -> None:
        """Make sure that the topic is there."""
        if len(self.topics.topics) != 1:
            raise InvalidInput(f"{self.place}: matches go to one topic")
        partitions_of(self.topics)
        self.topics.for_spark()

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        """Send the matches of one batch; all of them are acknowledged when it returns."""
        key = self.options.key

        def told(found: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return _messages(found, key)

        table = matches.table
        require_connector(table.sparkSession)
        messages = table.mapInArrow(told, KAFKA_MESSAGES)
        settings = {
            **self.topics.for_spark(),
            "topic": self.topics.topics[0],
            "kafka.acks": "all",
            "kafka.enable.idempotence": "true",
            "kafka.compression.type": self.options.compression,
            "kafka.linger.ms": "5",
        }
        messages.write.format("kafka").options(**settings).save()


def _messages(found: Iterable[pa.RecordBatch], key: str) -> Iterator[pa.RecordBatch]:
    """Rows of the table MATCHES, as messages."""
    encoder = msgspec.json.Encoder()
    for batch in found:
        told = list(match_messages(batch))
        keys = [getattr(one, _KEYS[key]) for one in told]
        values = [encoder.encode(one) for one in told]
        columns = [pa.array(keys, pa.string()), pa.array(values, pa.binary())]
        yield record_batch_of_arrays(KAFKA_MESSAGES, columns)
