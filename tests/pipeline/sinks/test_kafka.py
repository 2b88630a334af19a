"""A topic of a real Kafka keeps what every sink promises."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from purport.pipeline.contracts import SinkContract
from purport.pipeline.sinks.catalogue import sink_at
from purport.pipeline.sinks.sink import Sink
from tests.kafka.kafka_server import Kafka
from tests.pipeline.sources.test_kafka import topic_of


class TestKafkaTopic(SinkContract):
    keeps_once = False
    broker: Kafka
    made: set[str]

    @pytest.fixture(autouse=True)
    def _own(self, kafka: Kafka) -> None:
        self.broker, self.made = kafka, set()

    def sink(self, folder: Path) -> Sink:
        topic = topic_of(folder)
        if topic not in self.made:
            self.made.add(topic)
            self.broker.make_topic(topic, partitions=2)
        return sink_at(f"kafka://{self.broker.host}/{topic}")

    def arrived(self, folder: Path) -> Sequence[str]:
        found = self.broker.received(topic_of(folder))
        ids = [msgspec.json.decode(value)["id"] for _, value in found]
        assert [key and key.decode() for key, _ in found] == ids
        return ids

    def unusable(self, folder: Path) -> Sink:
        return sink_at(f"kafka://{self.broker.host}/nothing-of-this-name")
