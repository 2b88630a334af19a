"""Topics of a real Mosquitto keep what every sink on Spark promises."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from purport import InvalidInput
from purport.mqtt.message import Message
from purport.pipeline.contracts import SinkContract
from purport.pipeline.sinks.catalogue import sink_at
from purport.pipeline.sinks.sink import Sink
from purport.spool.inlet import SpoolInlet
from purport.spool.spool import Spool
from tests.mqtt.conftest import Connect
from tests.mqtt.mosquitto_server import Mosquitto
from tests.mqtt.test_spark_source import name_of


class TestMqttTopics(SinkContract):
    keeps_once = False
    broker: Mosquitto
    spool: Spool

    @pytest.fixture(autouse=True)
    def _own(
        self, mosquitto: Mosquitto, spool: Spool, connect: Connect, tmp_path: Path
    ) -> Iterator[None]:
        self.broker, self.spool = mosquitto, spool
        connect(f"{mosquitto.address}/{name_of(tmp_path / 'given')}/#", SpoolInlet(spool))
        yield

    def sink(self, folder: Path) -> Sink:
        return sink_at(f"{self.broker.address}/{name_of(folder)}/{{subscription}}")

    def arrived(self, folder: Path) -> Sequence[str]:
        ids = []
        for one in self._messages():
            told = msgspec.json.decode(one.payload)
            assert one.topic == f"{name_of(folder)}/{told['subscription']}"
            ids.append(told["id"])
        return ids

    def unusable(self, folder: Path) -> Sink:
        return sink_at(f"mqtt://127.0.0.1:1/{name_of(folder)}?connect_seconds=0.3")

    def _messages(self) -> list[Message]:
        """What has come by now: the broker hands on what it has acknowledged at once, nearly."""
        end, since = -1, time.monotonic()
        while time.monotonic() - since < 0.5:
            if self.spool.end != end:
                end, since = self.spool.end, time.monotonic()
            time.sleep(0.02)
        return [one for some in self.spool.read(0, self.spool.end) for one in some]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("mqtt://host/", "expected a topic"),
        ("mqtt://host/a/{name}", "nothing is given for 'name'"),
        ("mqtt://host/a/+", "cannot be filled"),
        ("mqtt://host/a?client_id=b", "for those who receive"),
        ("mqtt://host/a?retian=true", "did you mean 'retain'"),
    ],
)
def test_an_address_that_cannot_be_is_refused(address: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        sink_at(address)
