"""Addresses of brokers: what they say, and what they may not say."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.errors import InvalidInput, UnusablePath
from purport.mqtt.address import BrokerAddress
from purport.mqtt.packets import Asked, Version
from purport.mqtt.topic_filters import filter_matches, require_filter, require_topic

read = BrokerAddress.read


def test_an_address_says_where_and_what() -> None:
    address = read(
        "mqtts://ann@broker.example:8884/city/+/heat?qos=2&version=3.1.1&client_id=me"
        "&filter=home/#&filter=a%3Fb&keep_alive=9&password_variable=SECRET"
    )
    settings = address.session({"SECRET": "mouse"})

    assert (address.place.host, address.place.port, address.place.is_encrypted) == (
        "broker.example", 8884, True,
    )  # fmt: skip
    assert settings.asked == (Asked("city/+/heat", 2), Asked("home/#", 2), Asked("a?b", 2))
    assert (settings.version, settings.client_id, settings.is_clean) == (Version.V311, "me", False)
    assert (settings.user, settings.password, settings.keep_alive_s) == ("ann", b"mouse", 9)
    assert "mouse" not in str(address)


@pytest.mark.parametrize("topics", ["city/#", "city/%23", "#", "%23"])
def test_a_hash_is_written_as_it_is_or_escaped(topics: str) -> None:
    assert read(f"mqtt://host/{topics}?qos=0").filters == (topics.replace("%23", "#"),)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0+#"), min_size=1, max_size=9))
def test_an_address_is_written_so_that_it_is_read_again(topic: str) -> None:
    assert read(str(read(f"mqtt://host/{topic.translate(_ESCAPED)}"))).topic == topic


_ESCAPED = str.maketrans({"%": "%25", "?": "%3F"})


def test_those_who_are_known_by_a_name_are_remembered_and_others_are_not() -> None:
    assert read("mqtt://host/a?client_id=me").session({}).is_clean is False
    assert read("mqtt://host/a?client_id=me&clean=true").session({}).is_clean is True
    first, second = read("mqtt://host/a").session({}), read("mqtt://host/a").session({})
    assert first.is_clean
    assert first.client_id != second.client_id
    with pytest.raises(InvalidInput, match="client_id"):
        read("mqtt://host/a?clean=false").session({})


def test_a_group_shares_every_filter() -> None:
    address = read("mqtt://host/a/#?filter=b&share=readers")

    assert address.filters == ("$share/readers/a/#", "$share/readers/b")


def test_a_password_is_never_in_an_address_nor_in_an_error() -> None:
    for text in ("mqtt://ann:mouse@host/a", "mqtt://ann:mouse@host/a?qos=9", "mqtx://a:mouse@host"):
        with pytest.raises(InvalidInput) as caught:
            read(text)
        assert "mouse" not in str(caught.value)


def test_a_password_comes_from_a_variable_or_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("mouse\n")

    assert read(f"mqtt://ann@host/a?password_file={secret}").session({}).password == b"mouse"
    with pytest.raises(InvalidInput, match="SECRET is not set"):
        read("mqtt://ann@host/a?password_variable=SECRET").session({})
    with pytest.raises(InvalidInput, match="no user"):
        read("mqtt://host/a?password_variable=SECRET").session({"SECRET": "mouse"})
    with pytest.raises(UnusablePath):
        read(f"mqtt://ann@host/a?password_file={tmp_path}").session({})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mqtt:host/a", "mqtt://HOST/TOPIC"),
        ("http://host/a", "mqtt://HOST/TOPIC"),
        ("mqtt:///a", "mqtt://HOST/TOPIC"),
        ("mqtt://host:none/a", "Port"),
        ("mqtt://host/a?qos=3", "qos"),
        ("mqtt://host/a?version=6", "version 5 or 3.1.1"),
        ("mqtt://host/a?qoss=1", "did you mean 'qos'"),
        ("mqtt://host/a?qos=1&qos=2", "twice"),
        ("mqtt://host/a?qos", "name=value"),
        ("mqtt://host/a/#/b", "at the end"),
        ("mqtt://host/a+/b", "whole levels"),
        ("mqtt://host/a?share=a+b", "group"),
    ],
)
def test_an_error_says_what_was_expected(text: str, expected: str) -> None:
    with pytest.raises(InvalidInput, match=expected):
        read(text)


def test_a_topic_is_no_filter_and_filters_do_not_match_what_the_broker_says_of_itself() -> None:
    with pytest.raises(InvalidInput):
        require_topic("a/+")
    with pytest.raises(InvalidInput):
        require_filter("")
    with pytest.raises(InvalidInput):
        require_filter("$share//a")
    require_filter("$share/g/+/a/#")
    assert filter_matches("a/#", "a/b")
    assert not filter_matches("+/b", "$SYS/b")
    assert filter_matches("$SYS/#", "$SYS/b")
