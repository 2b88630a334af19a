"""Messages to events: what payloads, topics, headers and Home Assistant say."""

import json
from pathlib import Path
from typing import Any

import cbor2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.errors import EventError
from purport.mqtt.message import Message
from purport.service.mqtt.dead_letters import DeadLetter, DeadLetters, dead_letter
from purport.service.mqtt.discovery import Sensors
from purport.service.mqtt.reading import MessageReader, Stretch
from purport.service.mqtt.settings import MqttSettings
from purport.service.mqtt.spooled import open_spool
from purport.settings import read_options


def reader(folder: Path, **said: Any) -> MessageReader:
    given = {"name": "city", "url": "mqtt://host", "in": ["city/{zone}/{sensor}", "#"], **said}
    settings = read_options(MqttSettings, given, "test")
    sensors = Sensors(settings.discovery, folder / "sensors.json")
    return MessageReader(settings, "0f", sensors, ["purport/matches/hot"])


def events(stretch: Stretch) -> list[dict[str, Any]]:
    """What was told, without ids."""
    assert not stretch.dead, stretch.dead
    told = [json.loads(arrival.event.to_json()) for arrival, _ in stretch.arrivals]
    return [{name: value for name, value in one.items() if name != "@id"} for one in told]


def only(stretch: Stretch) -> dict[str, Any]:
    [event] = events(stretch)
    return event


def test_an_event_has_its_topic_its_publisher_and_a_name_by_its_position(tmp_path: Path) -> None:
    stretch = reader(tmp_path).read(
        7, [Message("city/n/t", b'{"a": 1}'), Message("city/n/t", b'{"@id": "mine"}')]
    )

    (first, _), (second, _) = stretch.arrivals
    assert (first.event.id, first.topic, first.publisher) == (
        "mqtt:city:0f:7",
        "city/n/t",
        "service",
    )
    assert (second.event.id, second.origin.sequence, stretch.end) == ("mine", 8, 9)


def test_what_the_payload_says_counts_more_than_what_its_topic_says(tmp_path: Path) -> None:
    said = reader(tmp_path).read(0, [Message("city/n/t", b'{"zone": "south", "a": 1}')])

    assert only(said) == {"zone": "south", "sensor": "t", "a": 1}


@pytest.mark.parametrize(
    ("payload", "content_type", "kind", "value"),
    [
        (b"21.5", "", "json", 21.5),
        (b" 7\n", "", "json", 7),
        (b"true", "", "json", True),
        (b'"open"', "", "json", "open"),
        (cbor2.dumps(21.5), "application/cbor", "json", 21.5),
        (cbor2.dumps({"value": 3}), "", "cbor", 3),
        (b"open", "", "text", "open"),
    ],
)
def test_payloads_of_one_value_have_the_name_that_is_set(
    tmp_path: Path, payload: bytes, content_type: str, kind: str, value: object
) -> None:
    message = Message("a", payload, content_type=content_type)

    assert only(reader(tmp_path, payload=kind).read(0, [message])) == {"value": value}


def test_headers_that_are_named_become_attributes(tmp_path: Path) -> None:
    message = Message("a", b"1", user_properties=(("maker", "acme"), ("secret", "x")))

    assert only(reader(tmp_path, headers=["maker"]).read(0, [message])) == {
        "maker": "acme", "value": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("how", "expected"),
    [("take", [{"value": 1}]), ("mark", [{"retained": True, "value": 1}]), ("skip", [])],
)
def test_retained_messages_are_taken_marked_or_skipped(
    tmp_path: Path, how: str, expected: list[dict[str, Any]]
) -> None:
    message = Message("a", b"1", is_retained=True)

    assert events(reader(tmp_path, retained=how).read(0, [message])) == expected


def test_empty_messages_and_our_own_say_nothing(tmp_path: Path) -> None:
    stretch = reader(tmp_path).read(0, [Message("a", b""), Message("purport/matches/hot", b"{}")])

    assert stretch == Stretch(2, [], [])


@given(payload=st.binary(max_size=60), content_type=st.sampled_from(["", "application/cbor"]))
def test_whatever_comes_is_an_event_a_dead_letter_or_nothing_and_the_rest_goes_on(
    tmp_path_factory: pytest.TempPathFactory, payload: bytes, content_type: str
) -> None:
    read = reader(tmp_path_factory.getbasetemp())

    stretch = read.read(0, [Message("a", payload, content_type=content_type), Message("b", b"1")])

    assert stretch.end == 2
    assert len(stretch.arrivals) + len(stretch.dead) in (1, 2)
    assert stretch.arrivals[-1][0].topic == "b"


def test_a_topic_that_is_not_asked_for_and_one_without_letters_are_dead_letters(
    tmp_path: Path,
) -> None:
    read = reader(tmp_path, **{"in": ["city/{zone}"]})

    stretch = read.read(3, [Message("garden", b"1"), Message("city/\x07", b"1")])

    assert [one.position for one in stretch.dead] == [3, 4]
    assert "none of city/{zone}" in stretch.dead[0].reason
    assert "letters and signs" in stretch.dead[1].reason


CONFIG = "homeassistant/sensor/t1/config"


def described(folder: Path, config: dict[str, Any], payload: bytes, **said: Any) -> dict[str, Any]:
    """What an event says on topic `a`, with a sensor that is told of before."""
    read = reader(folder, discovery="homeassistant", **said)
    messages = [Message(CONFIG, json.dumps(config).encode()), Message("a", payload)]
    return only(read.read(0, messages))


def test_a_sensor_gives_its_value_a_name_and_a_unit(tmp_path: Path) -> None:
    config = {
        "name": "Hall", "state_topic": "a", "unit_of_measurement": "°C",
        "device_class": "temperature", "device": {"name": "box 7", "suggested_area": "hall"},
    }  # fmt: skip
    short = {
        "name": "Hall", "~": "a", "stat_t": "~", "unit_of_meas": "°C", "dev_cla": "temperature",
        "dev": {"name": "box 7", "sa": "hall"},
    }  # fmt: skip
    expected = {
        "device": "box 7", "area": "hall", "name": "Hall", "device class": "temperature",
        "unit": "°C", "temperature": "21.5 °C",
    }  # fmt: skip

    assert described(tmp_path, config, b"21.5") == expected
    assert described(tmp_path, short, b"21.5") == expected


def test_templates_say_where_a_value_stands(tmp_path: Path) -> None:
    config = {"state_topic": "a", "unit_of_measurement": "%", "device_class": "humidity"}

    def said(template: str, payload: bytes) -> dict[str, Any]:
        found = described(tmp_path, {**config, "value_template": template}, payload)
        return {name: one for name, one in found.items() if name not in ("device class", "unit")}

    assert said("{{ value_json.h }}", b'{"h": 4, "b": 1}') == {"humidity": "4 %", "b": 1}
    assert said("{{ value_json['h'] | round(1) }}", b'{"h": 4}') == {"humidity": "4 %"}
    assert said("{{value_json.in.h}}", b'{"in": {"h": 4}}') == {"in.humidity": "4 %"}
    assert said("{{ value_json.h * 2 }}", b'{"h": 4}') == {"h": 4}  # which nobody understands
    assert said("{{ value_json.other }}", b'{"h": 4}') == {"h": 4}


def test_a_device_has_several_sensors_on_one_topic(tmp_path: Path) -> None:
    config = {
        "state_topic": "a",
        "dev": {"name": "box"},
        "cmps": {
            "t": {"p": "sensor", "dev_cla": "temperature", "unit_of_meas": "°C",
                  "val_tpl": "{{ value_json.t }}"},
            "h": {"p": "sensor", "dev_cla": "humidity", "val_tpl": "{{ value_json.h }}"},
        },
    }  # fmt: skip

    assert described(tmp_path, config, b'{"t": 3, "h": 40}') == {
        "device": "box", "temperature": "3 °C", "humidity": 40,
    }  # fmt: skip


def test_the_state_of_one_sensor_may_be_a_word(tmp_path: Path) -> None:
    config = {"state_topic": "a", "device_class": "door"}

    assert described(tmp_path, config, b"ON") == {"device class": "door", "door": "ON"}


def test_sensors_are_remembered_and_forgotten(tmp_path: Path) -> None:
    read = reader(tmp_path, discovery="homeassistant")
    read.read(0, [Message(CONFIG, b'{"state_topic": "a", "device_class": "door"}')])
    again = reader(tmp_path, discovery="homeassistant")
    assert only(again.read(1, [Message("a", b"1")])) == {"device class": "door", "door": 1}

    again.read(2, [Message(CONFIG, b"")])

    assert only(again.read(3, [Message("a", b"1")])) == {"value": 1}
    assert only(reader(tmp_path, discovery="homeassistant").read(3, [Message("a", b"1")])) == {
        "value": 1
    }


@given(payload=st.binary(max_size=80) | st.recursive(
    st.none() | st.booleans() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["state_topic", "dev", "cmps", "a", "val_tpl"]), inner),
).map(lambda told: json.dumps(told).encode()))  # fmt: skip
def test_whatever_describes_a_sensor_is_taken_or_refused(
    tmp_path_factory: pytest.TempPathFactory, payload: bytes
) -> None:
    sensors = Sensors("homeassistant", tmp_path_factory.getbasetemp() / "nothing")
    try:
        sensors.take(CONFIG, payload)
    except EventError:
        assert len(sensors) == 0
    sensors.called("a", {"value": 1}, "value")


def test_dead_letters_are_bounded_and_each_position_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("purport.service.mqtt.dead_letters._MOST_BYTES", 2_000)

    def letters(*positions: int, spool: str = "0f") -> list[DeadLetter]:
        return [dead_letter("wrong", "a", b"\xff", position=one, spool=spool) for one in positions]

    dead = DeadLetters(tmp_path, "0f")
    dead.add(letters(0, 3))
    dead.add(letters(3, 4))
    dead.add(letters(1), are_late=True)
    again = DeadLetters(tmp_path, "0f")
    again.add(letters(2, 4, 5))
    another = DeadLetters(tmp_path, "another")
    another.add(letters(2, spool="another"))
    lines = (tmp_path / "dead-letters.jsonl").read_bytes().splitlines()
    assert [json.loads(one)["position"] for one in lines] == [0, 3, 4, 1, 5, 2]
    assert [one.position for one in another.shown()] == [2, 5, 1, 4, 3, 0]
    assert (dead.count, again.count) == (4, 1)

    for position in range(10, 200):
        another.add(letters(position, spool="another"))

    files = list(tmp_path.iterdir())
    assert len(files) == 2 and all(one.stat().st_size < 2_500 for one in files)


def test_a_dead_letter_has_the_beginning_of_its_payload() -> None:
    assert dead_letter("r", "a", "é".encode() * 2_000).payload == "é" * 512
    assert dead_letter("r", "a", b"x" + "é".encode() * 2_000).payload == "x" + "é" * 511
    assert dead_letter("r", "a", b"\xff\xfe").base64


def test_an_older_copy_of_a_spool_gets_a_new_identity(tmp_path: Path) -> None:
    def opened(known: int) -> str:
        found = open_spool(tmp_path, 1 << 20, lambda identity, end: known > end)
        found.spool.close()
        return found.identity

    first = opened(0)
    assert opened(0) == first
    found = opened(5)  # though the spool has none
    assert found != first
    assert opened(0) == found
