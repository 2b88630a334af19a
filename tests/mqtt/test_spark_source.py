"""Topics of a real Mosquitto keep what every source on Spark promises, through a spool."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.dataset as ds
import pytest
from pyspark.sql import SparkSession

from purport import InvalidInput, parse
from purport.mqtt.errors import BrokerUnreachable
from purport.mqtt.message import Message
from purport.mqtt.packets import Publish
from purport.pipeline.contracts import SourceContract
from purport.pipeline.job_folder import JobFolder
from purport.pipeline.jobs.match_stream import MatchStream
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.mqtt.data_source import MqttStream, Stretch, Wanted
from purport.pipeline.sinks.batch_folders import BatchFolders
from purport.pipeline.sources.catalogue import source_at
from purport.pipeline.sources.source import Source
from purport.pipeline.watched import Fixed
from purport.spool.inlet import WhenFull
from purport.spool.spool import Spool
from tests.mqtt.mosquitto_server import Mosquitto
from tests.mqtt.publishing import begin_session, publish

_EXACT = MatcherSettings("exact")


def name_of(folder: Path) -> str:
    """A level of topics that belongs to a folder of a test."""
    return blake2b(str(folder).encode(), digest_size=8).hexdigest()


def address_of(broker: Mosquitto, folder: Path, more: str = "") -> str:
    """Where a source reads that has a session of its own, which lasts."""
    name = name_of(folder)
    spool = f"{folder}-spool"
    return (
        f"{broker.address}/{name}/#?client_id={name}&spool={spool}&quiet_seconds=0.3"
        f"&messages_per_batch=5{more}"
    )


def session_of(broker: Mosquitto, folder: Path) -> str:
    """The same for a client of MQTT."""
    name = name_of(folder)
    return f"{broker.address}/{name}/#?client_id={name}"


class TestMqtt(SourceContract):
    broker: Mosquitto
    begun: set[Path]

    @pytest.fixture(autouse=True)
    def _own(self, mosquitto: Mosquitto) -> None:
        self.broker, self.begun = mosquitto, set()

    def source(self, folder: Path) -> Source:
        return source_at(address_of(self.broker, folder))

    def add(self, folder: Path, events: Sequence[Mapping[str, str]]) -> None:
        self._send(folder, [msgspec.json.encode(one) for one in events])

    def spoil(self, folder: Path) -> int:
        self._send(folder, [b"{broken", b"", b"[]", b'{"a": "\xff"}'])
        return 3

    def _send(self, folder: Path, payloads: Sequence[bytes]) -> None:
        if folder not in self.begun:
            self.begun.add(folder)
            begin_session(session_of(self.broker, folder))
        topic = f"{name_of(folder)}/events"
        publish(self.broker, [Publish(topic, payload, 1) for payload in payloads])


def matches(spark: SparkSession, address: str, folder: Path, *texts: str) -> list[dict[str, Any]]:
    """What a job finds that is run to its end."""
    out = BatchFolders(folder / "matches")
    job = MatchStream(
        source_at(address), out, Fixed(list(map(parse, texts))), JobFolder(out.home), _EXACT
    )
    job.run(spark)
    found = ds.dataset(folder / "matches", partitioning="hive", exclude_invalid_files=True)
    return sorted(found.to_table().to_pylist(), key=lambda row: row["offset"])


def test_levels_of_topics_and_numbers_become_events(
    mosquitto: Mosquitto, spark: SparkSession, tmp_path: Path
) -> None:
    begin_session(session_of(mosquitto, tmp_path))
    name = name_of(tmp_path)
    publish(mosquitto, [Publish(f"{name}/north/{one}", b"21.5", 1) for one in ("t1", "t2")])
    mapping = f"&topic={name}/{{zone}}/{{sensor}}&value=heat"

    found = matches(
        spark,
        address_of(mosquitto, tmp_path, mapping),
        tmp_path,
        "{zone = north, sensor = t2, heat > 21} as second",
    )

    assert [(row["subscription"], row["offset"]) for row in found] == [("second", 1)]


def test_retained_messages_may_be_left_out(
    mosquitto: Mosquitto, spark: SparkSession, tmp_path: Path
) -> None:
    name = name_of(tmp_path)
    publish(mosquitto, [Publish(f"{name}/a", b'{"a": 1}', 1, is_retained=True)])

    for retained, expected in (("skip", []), ("mark", ["old"])):
        folder = tmp_path / retained
        folder.mkdir()
        options = f"spool={folder}/spool&quiet_seconds=0.3&retained={retained}"
        address = f"{mosquitto.address}/{name}/#?{options}"
        found = matches(spark, address, folder, "{a = 1, retained = true} as old", "{a = 2}")
        assert [row["subscription"] for row in found] == expected


def test_a_broker_that_is_not_there_is_said_in_one_line(
    spark: SparkSession, tmp_path: Path
) -> None:
    address = f"mqtt://127.0.0.1:1/a?spool={tmp_path}/spool&connect_seconds=0.5"

    with pytest.raises(BrokerUnreachable, match=r"mqtt://127.0.0.1:1: .*refused") as raised:
        source_at(address).records(spark)

    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("mqtt://host/", "expected a filter"),
        ("mqtt://host/a?spol=b", "did you mean 'spool'"),
        ("mqtt://host/a?qos=3", "qos"),
        ("mqtt://host/a#", "whole levels"),
        ("mqtt://host/a?topic={a", "whole level"),
    ],
)
def test_an_address_that_cannot_be_is_refused(address: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        source_at(address)


def test_several_filters_may_be_asked_for() -> None:
    source = source_at("mqtt://host/a/+?filter=b/%23&filter=c&qos=2&messages_per_batch=7")

    assert source.place == "mqtt://host:1883/a/+?filter=b/#&filter=c"


def test_what_is_done_with_goes_but_for_what_is_kept(tmp_path: Path) -> None:
    with closing(Spool.open(tmp_path, most_bytes=1 << 20, segment_bytes=200)) as spool:
        for number in range(20):
            spool.append([Message("t", b"x" * 50, received_us=number)])
        stream = MqttStream(_wanted(tmp_path, keep_messages=5))

        stream.commit({"position": 15})

        assert 0 < spool.first <= 10
        stretches = list(stream.partitions({"position": 10}, {"position": 20}))
        assert stretches == [Stretch(10, 20)]
        offsets = [
            row for batch in stream.read(stretches[0]) for row in batch["offset"].to_pylist()
        ]
        assert offsets == list(range(10, 20))


def test_a_batch_is_shared_out_in_order(tmp_path: Path) -> None:
    stream = MqttStream(_wanted(tmp_path, parts=3))

    stretches = stream.partitions({"position": 5}, {"position": 10_005})

    assert stretches == [Stretch(5, 3338), Stretch(3338, 6671), Stretch(6671, 10_005)]
    assert stream.partitions({"position": 5}, {"position": 5}) == []


def _wanted(folder: Path, *, parts: int = 2, keep_messages: int = 0) -> Wanted:
    columns = ("topic", "offset", "timestamp", "value")
    wanted = Wanted("", folder, 0, 10, parts, 1 << 20, WhenFull.WAIT, keep_messages, 0.1, columns)
    assert Wanted.of(wanted.options()) == wanted
    return wanted
