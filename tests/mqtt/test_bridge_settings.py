"""What can be set of bridges, what is wrong with it, and what follows from it."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.errors import InvalidInput
from purport.mqtt.topic_filters import topic_matches
from purport.service.mqtt.announcing import announced
from purport.service.mqtt.asking import session_of, uncovered
from purport.service.mqtt.bridges import require_bridges
from purport.service.mqtt.settings import MqttSettings
from purport.service.settings import read_settings
from purport.settings import read_options

GOOD: Mapping[str, Any] = {"name": "city", "url": "mqtt://host", "in": ["city/#"]}
OUT: Mapping[str, Any] = {"name": "hot", "of": "{t > 25}"}


def settings(**said: Any) -> MqttSettings:
    return read_options(MqttSettings, {**GOOD, **said}, "test")


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({"url": "http://host"}, r"mqtt\[0\]: expected mqtt://HOST"),
        ({"url": "mqtt://host?qos=3"}, "qos"),
        ({"url": "mqtt://me:secret@host"}, "names a password"),
        ({"in": ["city/{zone"]}, "whole level"),
        ({"in": []}, "expected `in`"),
        ({"in": ["a/#/b"]}, "at the end"),
        ({"name": "a/b"}, "regex"),
        ({"payload": "xml"}, "Invalid enum value"),
        ({"payload": "avro"}, "Avro needs a schema"),
        ({"value": "@id"}, "name for an attribute"),
        ({"status": "a/+"}, r"mqtt\[0\]\.status"),
        ({"discovery": "#"}, r"mqtt\[0\]\.discovery"),
        ({"spool_bytes": 1}, "spool_bytes"),
        ({"outt": []}, "did you mean 'out'"),
        ({"out": [{**OUT, "topic": "matches/{who}"}]}, "nothing is given for 'who'"),
        ({"out": [{**OUT, "topic": "purport/status"}]}, "something else on it"),
        ({"out": [OUT, OUT]}, "more than once"),
        ({"out": [{**OUT, "sensor": {}}]}, "discovery, such as homeassistant"),
        ({"out": [{**OUT, "qos": 3}]}, "qos"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(said: dict[str, Any], wrong: str) -> None:
    with pytest.raises(InvalidInput, match=wrong) as told:
        read_settings(flags={"mqtt": [{**GOOD, **said}]}, environment={})

    assert "secret" not in str(told.value)


def test_two_bridges_have_two_names() -> None:
    with pytest.raises(InvalidInput, match=r"mqtt\[1\]\.name: 'city' stands there more than once"):
        read_settings(flags={"mqtt": [GOOD, GOOD]}, environment={})


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({"url": "mqtt://me@host?password_variable=NO_SUCH_VARIABLE"}, "NO_SUCH_VARIABLE is not"),
        ({"url": "mqtts://host?ca=/no/such/file"}, "no use for TLS"),
        ({"payload": "avro", "schema": "/no/such/file"}, "/no/such/file"),
        ({"out": [{**OUT, "of": "{t >"}]}, "mqtt, 'city', out 'hot'"),
        ({"out": [{**OUT, "of": "{t > 2} => publish {a = 1}"}]}, "out 'hot'"),
    ],
)
def test_files_variables_and_subscriptions_are_looked_at_before_the_start(
    said: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(InvalidInput, match=wrong):
        require_bridges([settings(**said)])


def test_what_is_shown_of_an_address_has_no_user_and_no_options() -> None:
    url = "mqtt://me@host/a?password_variable=SECRET"

    shown = read_settings(flags={"mqtt": [{**GOOD, "url": url}]}, environment={}).shown()

    assert 'mqtt[0].name = "city"' in shown and "SECRET" not in shown and "me@" not in shown


def test_a_bridge_has_a_session_of_its_own_that_lasts_unless_the_address_says_otherwise() -> None:
    own, named, clean = (
        session_of(settings(url=f"mqtt://host?{options}"), "0123456789abcdef")
        for options in ("qos=1", "client_id=me", "client_id=me&clean=true")
    )

    assert (own.client_id, own.is_clean) == ("purport-city-01234567", False)
    assert (named.client_id, named.is_clean, clean.is_clean) == ("me", False, True)
    assert own.will is not None and own.will.payload == b"offline" and own.will.is_retained
    assert session_of(settings(status=""), "0" * 16).will is None


def test_each_topic_is_asked_for_once_and_sensors_before_their_values() -> None:
    found = session_of(
        settings(
            url="mqtt://host/garden/+?qos=2&share=group",
            discovery="homeassistant",
            **{"in": ["city/{zone}/{sensor}", "city/#", "garden/{bed}"]},
        ),
        "0" * 16,
    )

    assert [(one.topics, one.qos) for one in found.asked] == [
        ("homeassistant/+/+/config", 1), ("homeassistant/+/+/+/config", 1),
        ("$share/group/garden/+", 2), ("$share/group/city/#", 2),
    ]  # fmt: skip


levels = st.lists(st.sampled_from(["a", "b", "+"]), min_size=1, max_size=3)
filters = st.builds(lambda parts, end: "/".join(parts + end), levels, st.sampled_from([[], ["#"]]))
topics = st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map("/".join)


@given(st.lists(filters, min_size=1, max_size=4), st.lists(topics, max_size=20))
def test_what_is_left_of_filters_means_the_same_topics(asked: list[str], some: list[str]) -> None:
    left = uncovered(asked)

    assert set(left) <= set(asked)
    for topic in some:
        assert any(topic_matches(one, topic) for one in left) == any(
            topic_matches(one, topic) for one in asked
        )


def test_home_assistant_is_told_where_a_value_stands() -> None:
    sensor = {"name": "Too hot", "value": "temperature", "unit": "°C"}
    given = settings(discovery="homeassistant", out=[{**OUT, "sensor": sensor}])

    [(topic, told)] = announced(given, "purport_city").items()

    assert topic == "homeassistant/sensor/purport_city/hot/config"
    said = json.loads(told)
    assert said["value_template"] == (
        "{{ (value_json.event[\"temperature\"] | string).split(' ') | first }}"
    )
    assert (said["name"], said["unit_of_measurement"]) == ("Too hot", "°C")
    assert "device_class" not in said


def test_the_settings_that_the_guide_shows_are_right() -> None:
    text = (Path(__file__).parents[2] / "docs/guides/service.toml").read_text(encoding="utf-8")
    lines = text[text.index("# [[mqtt]]") :].splitlines()
    said = tomllib.loads("\n".join(line.removeprefix("# ") for line in lines if line != "#"))

    [bridge] = read_settings(flags={"mqtt": said["mqtt"]}, environment={}).mqtt

    assert bridge.out[0].topic_of() == "purport/matches/hot"
    require_bridges([bridge])
