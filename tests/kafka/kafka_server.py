"""A Kafka of our own, for the time of a test: started, stopped, killed, started again."""

from __future__ import annotations

import base64
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from purport.pipeline.java import java_environment
from tests.quick_spark import JAVA_OPTIONS
from tests.storage.postgres_server import free_port

JARS = Path(sys.prefix) / "kafka-for-tests"
IS_INSTALLED = any(JARS.glob("kafka_*.jar"))
_SECONDS = 60.0
_BASIC = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "num.network.threads": "1",
    "num.io.threads": "2",
    "broker.heartbeat.interval.ms": "300",
    "broker.session.timeout.ms": "3000",
}
_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
USER, PASSWORD = "reader", "a secret"


class Kafka:
    """A single broker on a port of this machine, which keeps its port and what it was told.

    On another port it wants a password.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port, self.secured_port, controller = free_port(), free_port(), free_port()
        self._process: subprocess.Popen[bytes] | None = None
        here = f"PLAIN://127.0.0.1:{self.port},SECURED://127.0.0.1:{self.secured_port}"
        said = {
            **_BASIC,
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "listeners": f"{here},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": here,
            "listener.security.protocol.map": (
                "PLAIN:PLAINTEXT,SECURED:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT"
            ),
            "inter.broker.listener.name": "PLAIN",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.secured.plain.sasl.jaas.config": (
                f'{_PLAIN} required username="{USER}" password="{PASSWORD}" '
                f'user_{USER}="{PASSWORD}";'
            ),
            "log.dirs": str(folder / "data"),
        }
        lines = [f"{name}={value}" for name, value in said.items()]
        (folder / "server.properties").write_text("\n".join(lines) + "\n")
        self._java("kafka.tools.StorageTool", "format", "-t", _cluster_id(), "-c").wait(_SECONDS)

    @property
    def host(self) -> str:
        """Its host and port."""
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Run, and answer."""
        self._process = self._java("kafka.Kafka")
        deadline = time.monotonic() + _SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                said = (self.folder / "log").read_text(errors="replace")
                raise RuntimeError(f"Kafka does not start: {said[-5000:]}")
            time.sleep(0.1)

    def stop(self) -> None:
        """End it in its own way."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self._end(signal.SIGKILL)

    def make_topic(self, topic: str, partitions: int = 1) -> None:
        """A new topic."""
        admin = AdminClient(self._settings())
        made = admin.create_topics([NewTopic(topic, partitions, 1)], operation_timeout=_SECONDS)
        made[topic].result(_SECONDS)

    def send(
        self,
        topic: str,
        payloads: Sequence[bytes | None],
        *,
        partition: int | None = None,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Messages, all of which are there when this returns."""
        producer = Producer(
            {**self._settings(), "linger.ms": 5, "queue.buffering.max.messages": 1_000_000}
        )
        place = -1 if partition is None else partition
        failures: list[str] = []

        def delivered(error: object, _: object) -> None:
            if error is not None:
                failures.append(str(error))

        for payload in payloads:
            producer.produce(
                topic, payload, key, place, headers=dict(headers or {}), on_delivery=delivered
            )
            producer.poll(0)
        assert not producer.flush(_SECONDS)
        assert not failures, failures[0]

    def received(self, topic: str) -> list[tuple[bytes | None, bytes]]:
        """Keys and values of all messages of a topic, of those that count."""
        consumer = Consumer(
            {
                **self._settings(),
                "group.id": uuid.uuid4().hex,
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
            }
        )
        try:
            found = consumer.list_topics(topic, _SECONDS).topics[topic].partitions
            ends = {}
            for partition in found:
                place = TopicPartition(topic, partition)
                first, end = consumer.get_watermark_offsets(place, _SECONDS)
                if end > first:
                    ends[partition] = end
            consumer.assign([TopicPartition(topic, partition, 0) for partition in ends])
            return list(_consumed(consumer, ends))
        finally:
            consumer.close()

    def _settings(self) -> dict[str, str | int | float | bool]:
        return {"bootstrap.servers": self.host, "log_level": 0}

    def _answers(self) -> bool:
        with suppress(KafkaException, OSError):
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return bool(AdminClient(self._settings()).list_topics(timeout=2).brokers)
        return False

    def _java(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        java = Path(java_environment()["PURPORT_JAVA_HOME"]) / "bin" / "java"
        settings = str(self.folder / "server.properties")
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [
                    java,
                    "-Xmx400m",
                    *JAVA_OPTIONS,
                    "-cp",
                    f"{JARS}/*",
                    program,
                    *arguments,
                    settings,
                ],
                stdout=log,
                stderr=log,
            )

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(_SECONDS)
            self._process = None


def _consumed(consumer: Consumer, ends: dict[int, int]) -> Iterator[tuple[bytes | None, bytes]]:
    deadline = time.monotonic() + _SECONDS
    while ends:
        assert time.monotonic() < deadline, "messages do not come"
        for message in consumer.consume(1000, 0.5):
            assert message.error() is None, message.error()
            key, value = message.key(), message.value()
            assert isinstance(value, bytes)
            yield key if isinstance(key, bytes) else None, value
        for place in consumer.position(consumer.assignment()):
            if place.offset >= ends.get(place.partition, sys.maxsize):
                del ends[place.partition]


def _cluster_id() -> str:
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=").replace("-", "A")


@contextmanager
def running_kafka() -> Iterator[Kafka]:
    """Start a broker in a folder of its own; end it at last."""
    folder = Path(tempfile.mkdtemp(prefix="purport-kafka-"))
    broker = Kafka(folder)
    try:
        broker.start()
        yield broker
    finally:
        broker.kill()
        shutil.rmtree(folder, ignore_errors=True)
