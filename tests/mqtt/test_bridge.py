"""`purport serve` with a bridge: messages become events, matches go out, and faults are told."""

import json
from collections.abc import Collection, Sequence
from pathlib import Path

import httpx
import pytest

from purport.mqtt.connection import Connection
from purport.mqtt.message import Message
from purport.mqtt.packets import Publish
from purport.spool.spool import Spool
from tests.mqtt.bridged import IN, bridged, settings_text
from tests.mqtt.conftest import Connect
from tests.mqtt.eventually import eventually
from tests.mqtt.mosquitto_server import Mosquitto, running_mosquitto

OUT = """
[[mqtt.out]]
name = "hot"
of = "{temperature > 25}"
"""
MATCHES = "purport/matches/hot"


class Heard:
    """Keeps messages in memory."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def adopt(self, session: str) -> frozenset[int]:
        return frozenset()

    def keep(
        self, messages: Sequence[Message], *, opened: Collection[int], released: Collection[int]
    ) -> None:
        self.messages += messages

    def on(self, topic: str) -> list[bytes]:
        return [one.payload for one in self.messages if one.topic == topic]


def publish(connection: Connection, topic: str, *payloads: bytes, retained: bool = False) -> None:
    for payload in payloads:
        connection.publish(Publish(topic, payload, 1, is_retained=retained))
    connection.settle(20)


def test_messages_become_events_and_matches_go_out_and_are_kept_for_who_comes_later(
    tmp_path: Path, own_mosquitto: Mosquitto, connect: Connect
) -> None:
    address, heard = own_mosquitto.address, Heard()
    other = connect(f"{address}/purport/#", heard)
    with bridged(tmp_path, settings_text(address, IN, OUT)) as service:
        service.wait_until("ready")
        publish(other, "city/north/t1", b'{"temperature": 31, "@id": "e1"}', b'{"temperature": 2}')
        publish(other, "city/north/t2", b"21.5", b"nonsense", b"")
        publish(other, "city/north/t2", b'{"temperature": 40}')
        publish(other, "city/north/t1", b'{"temperature": 31, "@id": "e1"}')  # once more
        service.wait_for_events(4)
        eventually(lambda: len(heard.on(MATCHES)) == 2)
        eventually(lambda: service.status().incoming.repeated == 1)
        eventually(lambda: service.status().outgoing.waiting == 0)
        status = service.status()
        metrics = service.get("/metrics").text

        later = Heard()
        connect(f"{address}/purport/#", later)
        eventually(lambda: bool(later.on(MATCHES)))
        service.stop()

    first, second = (json.loads(one) for one in heard.on(MATCHES))
    assert first["id"] == "into-mqtt:city:hot:0"
    assert first["event"] == {"@id": "e1", "zone": "north", "sensor": "t1", "temperature": 31}
    assert first["topic"] == "city/north/t1"
    assert later.on(MATCHES) == [json.dumps(second, separators=(",", ":")).encode()]
    assert heard.on("purport/status") == [b"online", b"offline"]
    assert status.incoming.rejected == 1
    assert [one.payload for one in status.dead_letters] == ["nonsense"]
    assert status.dead_letters[0].reason.startswith("not valid JSON")
    assert 'purport_mqtt_rejected_total{bridge="city"} 1' in metrics
    assert 'purport_mqtt_published_total{bridge="city"} 4' in metrics
    assert 'purport_mqtt_lag{bridge="city"} 0' in metrics
    said = [one.event.to_json() for one in service.entries() if one.event is not None]
    assert sum(b'"value":21.5' in one for one in said) == 1


def test_what_comes_while_the_service_is_down_comes_once_when_it_runs_again(
    tmp_path: Path, own_mosquitto: Mosquitto, connect: Connect
) -> None:
    other = connect(own_mosquitto.address)
    with bridged(tmp_path, settings_text(own_mosquitto.address, IN)) as service:
        service.wait_until("ready")
        publish(other, "city/north/t1", b'{"n": 1}', b"wrong", b'{"n": 2}', b"wrong")
        service.wait_for_events(2)
        service.stop()
        publish(other, "city/north/t1", b'{"n": 3}')
        service.start()
        service.wait_for_events(1)
        lag, dead = service.status().incoming.lag, service.status().dead_letters
        service.stop()

    ids = [one.event.id for one in service.entries() if one.event is not None]
    assert [str(one).rpartition(":")[2] for one in ids] == ["0", "2", "4"]
    assert lag == 0
    assert [one.position for one in dead] == [3, 1]  # told once, though it was read again
    written = (tmp_path / "kept/mqtt/city/dead-letters.jsonl").read_text()
    assert written.count("\n") == 2


def test_a_broker_that_is_down_at_the_start_is_told_and_waited_for(
    tmp_path: Path, own_mosquitto: Mosquitto, connect: Connect
) -> None:
    own_mosquitto.stop()
    with bridged(tmp_path, settings_text(own_mosquitto.address, IN)) as service:
        service.wait_until("unreachable")
        assert service.get("/ready").status_code == 200
        status = service.status()
        own_mosquitto.start()
        service.wait_until("ready")
        log = service.process.log

    assert status.reason is not None and "Connection refused" in status.reason
    assert log.count("Connection refused") == 1  # and not at each try


def test_a_service_that_needs_its_broker_is_not_ready_without(
    tmp_path: Path, own_mosquitto: Mosquitto
) -> None:
    own_mosquitto.stop()
    settings = settings_text(own_mosquitto.address, IN, "required = true")
    with bridged(tmp_path, settings) as service:
        answer = service.get("/ready")
        own_mosquitto.start()
        service.wait_until("ready")
        again = service.get("/ready")

    assert answer.status_code == 503 and ": city" in answer.json()["error_description"]
    assert again.status_code == 200


def test_who_is_not_let_in_says_so_once_and_the_service_runs(
    tmp_path: Path, mosquitto_program: str
) -> None:
    with running_mosquitto({"allow_anonymous": "false"}) as broker:
        settings = settings_text(f"{broker.address}?client_id=a", IN)
        with bridged(tmp_path, settings) as service:
            service.wait_until("refused")
            assert service.get("/ready").status_code == 200
            status, log = service.status(), service.process.log

    assert status.reason is not None and "not authorized" in status.reason.lower()
    assert log.lower().count("not authorized") == 1


def test_a_full_spool_makes_the_broker_wait_and_then_everything_comes(
    tmp_path: Path, own_mosquitto: Mosquitto, connect: Connect
) -> None:
    other = connect(own_mosquitto.address)
    settings = settings_text(own_mosquitto.address, IN, "spool_bytes = 65_536")
    with bridged(tmp_path, settings) as service:
        service.wait_until("ready")
        slow = {"purport": "{n >= 0} as slow", "overflow": "refuse", "most_waiting": 1}
        url = f"{service.process.url}/subscriptions"
        httpx.post(url, json=slow).raise_for_status()
        for number in range(300):
            body = json.dumps({"n": number, "more": "x" * 1_000}).encode()
            publish(other, "city/north/t1", body)
        service.wait_until("blocked")
        eventually(lambda: "'slow'" in (service.status().reason or ""))
        status = service.status()
        assert service.get("/ready").status_code == 200
        httpx.delete(f"{url}/slow").raise_for_status()
        service.wait_for_events(300)
        service.wait_until("ready")
        service.stop()

    assert status.incoming.published == 1 and status.incoming.lag > 0
    numbers = [json.loads(one.event.to_json())["n"] for one in service.entries() if one.event]
    assert numbers == list(range(300))


def test_a_service_that_is_killed_is_offline_by_its_last_will(
    tmp_path: Path, own_mosquitto: Mosquitto, connect: Connect
) -> None:
    heard = Heard()
    connect(f"{own_mosquitto.address}/purport/status", heard)
    with bridged(tmp_path, settings_text(own_mosquitto.address, IN)) as service:
        service.wait_until("ready")
        service.kill()
        eventually(lambda: heard.on("purport/status") == [b"online", b"offline"])


def test_home_assistant_says_what_sensors_are_and_sees_subscriptions_as_sensors(
    tmp_path: Path, own_mosquitto: Mosquitto, connect: Connect
) -> None:
    address, heard = own_mosquitto.address, Heard()
    other = connect(f"{address}/#", heard)
    config = b'{"name": "Hall", "stat_t": "city/north/t1", "unit_of_meas": "\xc2\xb0F", '
    publish(other, "homeassistant/sensor/t1/config", config + b'"dev_cla": "temperature"}')
    ours = "homeassistant/sensor/purport_city/hot/config"
    lines = (IN, 'discovery = "homeassistant"', OUT.replace("> 25", "> 25 °C"))
    publish(other, "homeassistant/sensor/t1/config", heard.messages[0].payload, retained=True)
    with bridged(tmp_path, settings_text(address, *lines, "sensor = {}")) as service:
        service.wait_until("ready")
        eventually(lambda: service.status().incoming.sensors == 1)
        publish(other, "city/north/t1", b"80")
        eventually(lambda: bool(heard.on(MATCHES)))
        service.stop()
        service.change(settings_text(address, *lines))
        service.start()
        eventually(lambda: len(heard.on(ours)) == 2)

    event = json.loads(heard.on(MATCHES)[0])["event"]
    assert event["temperature"] == "80 °F" and event["name"] == "Hall"
    told, gone = heard.on(ours)
    assert json.loads(told)["state_topic"] == MATCHES
    assert json.loads(told)["availability_topic"] == "purport/status"
    assert gone == b""


@pytest.mark.parametrize("is_taken", [True, False])
def test_a_spool_that_cannot_be_used_is_told_and_the_service_runs(
    tmp_path: Path, own_mosquitto: Mosquitto, is_taken: bool
) -> None:
    folder = tmp_path / "kept/mqtt/city/spool"
    spool = Spool.open(folder)
    if not is_taken:
        spool.close()
        next(folder.glob("*.segment")).write_bytes(b"something else")
    with bridged(tmp_path, settings_text(own_mosquitto.address, IN)) as service:
        service.wait_until("failed")
        reason, ready = service.status().reason, service.get("/ready").status_code
    spool.close()

    assert ready == 200
    assert reason is not None and str(folder) in reason


def test_access_rules_say_what_may_be_published(
    tmp_path: Path, own_mosquitto: Mosquitto, connect: Connect
) -> None:
    other = connect(own_mosquitto.address)
    access = """
[access]
[[access.rules]]
who = ["service"]
actions = ["publish"]
topics = ["city/north/#"]
[[access.rules]]
who = ["*"]
actions = ["manage"]
"""
    settings = access + settings_text(own_mosquitto.address, IN)
    with bridged(tmp_path, settings) as service:
        service.wait_until("ready")
        publish(other, "city/south/t1", b'{"n": 1}')
        publish(other, "city/north/t1", b'{"n": 2}')
        service.wait_for_events(1)
        status = service.status()

    assert [one.topic for one in status.dead_letters] == ["city/south/t1"]
    assert "access rules" in status.dead_letters[0].reason


def test_a_topic_without_permission_costs_its_matches_and_holds_up_nothing(
    tmp_path: Path, mosquitto_program: str, connect: Connect
) -> None:
    rules = tmp_path / "rules"
    rules.write_text("topic readwrite city/#\ntopic readwrite purport/matches/cold\n")
    cold = OUT.replace('"hot"', '"cold"').replace("> 25", "< 5")
    with running_mosquitto({"acl_file": str(rules)}) as broker:
        heard = Heard()
        other = connect(f"{broker.address}/purport/#", heard)
        settings = settings_text(f"{broker.address}?client_id=a", IN, 'status = ""', OUT, cold)
        with bridged(tmp_path, settings) as service:
            service.wait_until("ready")
            publish(other, "city/north/t1", b'{"temperature": 31}', b'{"temperature": 2}')
            eventually(lambda: service.status().outgoing.delivered == 1)
            eventually(lambda: service.status().outgoing.refused == 1)
            eventually(lambda: bool(heard.on("purport/matches/cold")))
            status = service.status()

    [letter] = status.dead_letters
    assert letter.match == "into-mqtt:city:hot:0" and "authori" in letter.reason
    assert status.incoming.rejected == 0 and status.outgoing.waiting == 0
