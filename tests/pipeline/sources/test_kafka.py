"""Topics of a real Kafka keep what every source promises, and what is said of keys and headers."""

import os
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.dataset as ds
import pytest
from pyspark.sql import SparkSession

from purport import InvalidInput, parse
from purport.pipeline.contracts import SourceContract
from purport.pipeline.job_folder import JobFolder
from purport.pipeline.jobs.match_stream import MatchStream
from purport.pipeline.kafka.asking import KafkaUnavailable
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.catalogue import source_at
from purport.pipeline.sources.source import Source
from purport.pipeline.watched import Fixed
from tests.kafka.kafka_server import PASSWORD, USER, Kafka

_EXACT = MatcherSettings("exact")


def topic_of(folder: Path) -> str:
    """A topic that belongs to a folder of a test."""
    return f"t-{blake2b(str(folder).encode(), digest_size=8).hexdigest()}"


class TestKafka(SourceContract):
    broker: Kafka
    made: set[str]

    @pytest.fixture(autouse=True)
    def _own(self, kafka: Kafka) -> None:
        self.broker, self.made = kafka, set()

    def source(self, folder: Path) -> Source:
        self._make(folder)
        return source_at(f"kafka://{self.broker.host}/{topic_of(folder)}?messages_per_batch=5")

    def add(self, folder: Path, events: Sequence[Mapping[str, str]]) -> None:
        self._make(folder)
        self.broker.send(topic_of(folder), [msgspec.json.encode(one) for one in events])

    def spoil(self, folder: Path) -> int:
        self._make(folder)
        spoiled = [b"{broken", b"", None, b"[]", b'{"a": "\xff"}']
        self.broker.send(topic_of(folder), spoiled)
        return 3

    def _make(self, folder: Path) -> None:
        if topic_of(folder) not in self.made:
            self.made.add(topic_of(folder))
            self.broker.make_topic(topic_of(folder), partitions=2)


def matches(
    spark: SparkSession, address: str, folder: Path, *texts: str, since: str | None = None
) -> list[dict[str, Any]]:
    """What a job finds that is run to its end."""
    out = BatchFolders(folder / "matches")
    source = source_at(address, since)
    job = MatchStream(
        source, out, Fixed(list(map(parse, texts))), JobFolder(out.home), _EXACT, since
    )
    job.run(spark)
    found = ds.dataset(folder / "matches", partitioning="hive", exclude_invalid_files=True)
    return sorted(found.to_table().to_pylist(), key=lambda row: (row["source"], row["offset"]))


def test_topics_keys_and_headers_become_attributes(
    kafka: Kafka, spark: SparkSession, tmp_path: Path
) -> None:
    topic = topic_of(tmp_path)
    kafka.make_topic(f"city.north.{topic}")
    kafka.send(f"city.north.{topic}", [b"21.5"], key="d1", headers={"unit": "celsius", "x": "y"})
    asked = f"{{zone = north, sensor = {topic}, heat > 21, device = d1, unit = celsius}} as found"
    options = "topic=city.{zone}.{sensor}&key=device&headers=unit&value=heat"

    found = matches(
        spark, f"kafka://{kafka.host}/city.north.{topic}?{options}", tmp_path, asked, "{x = y}"
    )

    assert [(row["event_id"], row["subscription"]) for row in found] == [
        (f"city.north.{topic}/0:0", "found")
    ]


def test_a_job_begins_where_it_is_told(kafka: Kafka, spark: SparkSession, tmp_path: Path) -> None:
    topic = topic_of(tmp_path)
    kafka.make_topic(topic, partitions=2)
    for partition in range(2):
        kafka.send(topic, [b"%d" % number for number in range(4)], partition=partition)

    found = matches(
        spark, f"kafka://{kafka.host}/{topic}", tmp_path, "{value > -1}", since="0:3,1:2"
    )

    assert [(row["source"], row["offset"]) for row in found] == [
        (f"{topic}/0", 3), (f"{topic}/1", 2), (f"{topic}/1", 3),
    ]  # fmt: skip


def test_a_password_lets_in(
    kafka: Kafka, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = topic_of(tmp_path)
    kafka.make_topic(topic)
    kafka.send(topic, [b"1"])
    monkeypatch.setenv("PURPORT_TEST_PASSWORD", PASSWORD)
    address = _secured(kafka, topic)

    found = matches(spark, address, tmp_path, "{value = 1} as one")

    assert [row["subscription"] for row in found] == ["one"]
    assert PASSWORD not in repr(source_at(address))
    assert not _said_somewhere(PASSWORD, tmp_path)


def test_a_wrong_password_is_said_in_one_line(
    kafka: Kafka, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = topic_of(tmp_path)
    monkeypatch.setenv("PURPORT_TEST_PASSWORD", "wrong")

    with pytest.raises(KafkaUnavailable, match="Authentication failed") as raised:
        source_at(_secured(kafka, topic)).records(spark)

    assert "\n" not in str(raised.value)
    assert "wrong" not in str(raised.value)


def test_a_broker_that_is_not_there_is_said_in_one_line(spark: SparkSession) -> None:
    with pytest.raises(KafkaUnavailable, match=r"kafka://127.0.0.1:1: .*refused") as raised:
        source_at("kafka://127.0.0.1:1/t?connect_seconds=0.5").records(spark)

    assert "\n" not in str(raised.value)


def test_a_topic_that_is_not_there_is_said(kafka: Kafka, spark: SparkSession) -> None:
    kafka.make_topic("thermometers")

    with pytest.raises(InvalidInput, match=r"no topic 'thermometer' .*mean 'thermometers'"):
        source_at(f"kafka://{kafka.host}/thermometer").records(spark)


@pytest.mark.parametrize(
    ("since", "said"),
    [
        ("tomorrow", "expected a time"),
        ("7:1", "partitions 0 to 0"),
        ("other/0:1", "not read here"),
    ],
)
def test_a_beginning_that_cannot_be_is_refused(
    kafka: Kafka, spark: SparkSession, tmp_path: Path, since: str, said: str
) -> None:
    topic = topic_of(tmp_path)
    kafka.make_topic(topic)

    with pytest.raises(InvalidInput, match=said):
        source_at(f"kafka://{kafka.host}/{topic}", since).records(spark)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("kafka:topic", "expected kafka://"),
        ("kafka://host", "expected kafka://"),
        ("kafka://host/a b", "letters, digits"),
        ("kafka://ho st/a", "the host"),
        ("kafka://host:99999/a", "the host"),
        ("kafka://me:secret@host/a", "names a password"),
        ("kafka://host/a?mesages_per_batch=1", "did you mean 'messages_per_batch'"),
        ("kafka://host/a?payload=xml", "payload"),
        ("kafka://host/a?payload=avro", "schema"),
        ("kafka://host/a?topic=a.{b", "whole level"),
    ],
)
def test_an_address_that_cannot_be_is_refused(address: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as raised:
        source_at(address)

    assert "secret" not in str(raised.value)


def _secured(broker: Kafka, topic: str) -> str:
    return (
        f"kafka://{USER}@127.0.0.1:{broker.secured_port}/{topic}"
        "?password_variable=PURPORT_TEST_PASSWORD"
    )


def _said_somewhere(text: str, folder: Path) -> bool:
    files = (Path(place) / name for place, _, names in os.walk(folder) for name in names)
    return any(text.encode() in path.read_bytes() for path in files)
