"""Packets as bytes, in both versions, and bytes that are no packets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.errors import InvalidInput
from purport.mqtt.errors import ProtocolError
from purport.mqtt.packets import (
    Asked,
    Connect,
    Oversized,
    Packet,
    PubAck,
    Publish,
    Subscribe,
    Version,
)
from purport.mqtt.reading import read_packets
from purport.mqtt.writing import write_packet, write_packets
from tests.strategies.mqtt import packets, publications

versions = st.sampled_from(Version)
V4, V5 = Version.V311, Version.V5


@given(versions, st.data())
def test_what_was_written_is_read(version: Version, data: st.DataObject) -> None:
    sent = data.draw(st.lists(packets(version), max_size=5))

    written = write_packets(sent, version)

    assert read_packets(written, version) == (sent, len(written))


@given(versions, st.data())
def test_what_is_not_whole_waits(version: Version, data: st.DataObject) -> None:
    sent = data.draw(st.lists(packets(version), min_size=1, max_size=3))
    written = write_packets(sent, version)
    cut = data.draw(st.integers(0, len(written) - 1))

    found, used = read_packets(written[:cut], version)
    rest, used_later = read_packets(written[used:], version)

    assert found + rest == sent
    assert used + used_later == len(written)


@given(versions, st.binary(max_size=60))
def test_garbage_is_an_error_of_the_protocol_and_nothing_else(
    version: Version, garbage: bytes
) -> None:
    try:
        found, used = read_packets(garbage, version)
    except ProtocolError as error:
        assert str(error)
    else:
        assert used <= len(garbage)
        _require_readable(found, version)


@given(versions, st.data())
def test_a_packet_with_wrong_bytes_in_it_is_an_error_or_another_packet(
    version: Version, data: st.DataObject
) -> None:
    written = bytearray(write_packet(data.draw(packets(version)), version))
    for _ in range(data.draw(st.integers(1, 4))):
        written[data.draw(st.integers(0, len(written) - 1))] = data.draw(st.integers(0, 255))

    try:
        found, _ = read_packets(bytes(written), version)
    except ProtocolError as error:
        assert str(error)
    else:
        _require_readable(found, version)


@given(versions, st.data())
def test_what_came_before_an_error_is_not_lost(version: Version, data: st.DataObject) -> None:
    sent = data.draw(st.lists(packets(version), min_size=1, max_size=3))
    written = write_packets(sent, version)

    found, used = read_packets(written + b"\xff\x00", version)

    assert (found, used) == (sent, len(written))
    with pytest.raises(ProtocolError, match="kind 15"):
        read_packets((written + b"\xff\x00")[used:], version)


@given(versions, st.data())
def test_of_a_message_that_is_too_long_its_start_is_read_and_the_rest_is_to_be_skipped(
    version: Version, data: st.DataObject
) -> None:
    message = data.draw(publications(version))
    written = write_packet(message, version)

    found, used = read_packets(written + b"\xc0\x00", version, most_bytes=2)

    [oversized] = found
    assert isinstance(oversized, Oversized)
    assert (oversized.topic, oversized.qos) == (message.topic, message.qos)
    assert oversized.packet_id == message.packet_id
    assert used == len(written)


def test_a_message_that_is_far_too_long_is_known_before_it_has_come() -> None:
    written = write_packet(Publish("a", bytes(1_000_000), 1, packet_id=7), V4)

    found, used = read_packets(written[:100_000], V4, most_bytes=1_000)

    assert found == [Oversized("a", 1, 7, 1_000_005)]
    assert used == len(written)


def test_packets_are_written_as_the_standard_shows_them() -> None:
    publish = Publish("a/b", b"hi", 1, is_retained=True, packet_id=10)
    connect = Connect("c", V4, is_clean=True, keep_alive_s=60, user="u", password=b"p")

    assert write_packet(publish, V4) == b"\x33\x09\x00\x03a/b\x00\x0ahi"
    assert write_packet(publish, V5) == b"\x33\x0a\x00\x03a/b\x00\x0a\x00hi"
    assert write_packet(PubAck(10), V5) == b"\x40\x02\x00\x0a"
    assert write_packet(PubAck(10, 0x87), V5) == b"\x40\x03\x00\x0a\x87"
    assert write_packet(PubAck(10, 0x87), V4) == b"\x40\x02\x00\x0a"
    assert write_packet(Subscribe(1, (Asked("#", 2),)), V4) == b"\x82\x06\x00\x01\x00\x01#\x02"
    assert (
        write_packet(connect, V4)
        == b"\x10\x13\x00\x04MQTT\x04\xc2\x00\x3c\x00\x01c\x00\x01u\x00\x01p"
    )


def test_properties_that_nobody_needs_are_read_over() -> None:
    properties = b"\x01\x01\x08\x00\x01r\x09\x00\x01d\x0b\x80\x01\x03\x00\x01t"
    body = b"\x00\x01a" + bytes((len(properties),)) + properties + b"hi"

    [found], _ = read_packets(b"\x30" + bytes((len(body),)) + body, V5)

    assert isinstance(found, Publish)
    assert (found.payload, found.properties.content_type) == (b"hi", "t")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b"\x30\x03\x00\x01+", "without"),
        (b"\x30\x02\x00\x00", "expected a topic"),
        (b"\x30\x03\x00\x01\xff", "UTF-8"),
        (b"\x30\x03\x00\x01\x00", "NUL"),
        (b"\x32\x05\x00\x01a\x00\x00", "packet id from 1"),
        (b"\x36\x05\x00\x01a\x00\x01", "QoS"),
        (b"\x30\x01\x00", "too few"),
        (b"\x40\x03\x00\x01\x00", "too many"),
        (b"\x60\x02\x00\x01", "flags"),
        (b"\x20\x02\x02\x00", "flags"),
        (b"\x30\xff\xff\xff\xff\x01", "four bytes"),
        (b"\x00\x00", "kind 0"),
    ],
)
def test_an_error_says_what_was_expected(written: bytes, expected: str) -> None:
    with pytest.raises(ProtocolError, match=expected):
        read_packets(written, V4)


def test_a_topic_that_is_longer_than_mqtt_can_say_is_refused() -> None:
    with pytest.raises(InvalidInput, match="65,535"):
        write_packet(Publish("t" * 65_536), V4)
    with pytest.raises(InvalidInput, match="UTF-8"):
        write_packet(Publish("\udc80"), V4)


def _require_readable(found: list[Packet], version: Version) -> None:
    """Whatever was read can be written, and is then the same."""
    written = write_packets(found, version)
    assert read_packets(written, version) == (found, len(written))
