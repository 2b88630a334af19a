"""Packets to bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from purport.errors import InvalidInput
from purport.mqtt.packets import (
    MOST_BYTES,
    NOTHING,
    Acknowledgement,
    Asked,
    ConnAck,
    Connect,
    Disconnect,
    Packet,
    PingReq,
    PingResp,
    Properties,
    PubAck,
    PubComp,
    Publish,
    PubRec,
    PubRel,
    SubAck,
    Subscribe,
    UnsubAck,
    Unsubscribe,
    Version,
)
from purport.mqtt.property_table import WRITTEN, Kind

_LONGEST_TEXT = 65_535
_ACKNOWLEDGEMENTS = {PubAck: 0x40, PubRec: 0x50, PubRel: 0x62, PubComp: 0x70}


def write_packets(packets: Iterable[Packet], version: Version) -> bytes:
    """Packets one after the other, to be sent in one go."""
    return b"".join([write_packet(packet, version) for packet in packets])


def write_packet(packet: Packet, version: Version) -> bytes:
    """A packet as it is sent; `InvalidInput` if a part of it is longer than MQTT can say."""
    match packet:
        case PubAck() | PubRec() | PubRel() | PubComp():
            return _acknowledgement(packet, version)
        case Publish():
            flags = packet.is_duplicate << 3 | packet.qos << 1 | packet.is_retained
            identifier = packet.packet_id.to_bytes(2) if packet.qos else b""
            properties = _properties(packet.properties, version)
            body = b"".join((_text(packet.topic), identifier, properties, packet.payload))
            return _whole(0x30 | flags, body)
        case Connect():
            return _whole(0x10, _connect(packet))
        case ConnAck():
            said = bytes((packet.is_session_present, packet.reason))
            return _whole(0x20, said + _properties(packet.properties, version))
        case Subscribe():
            asked = b"".join(_text(one.topics) + _options(one) for one in packet.asked)
            return _numbered(0x82, packet, asked, version)
        case SubAck():
            return _numbered(0x90, packet, bytes(packet.reasons), version)
        case Unsubscribe():
            return _numbered(0xA2, packet, b"".join(map(_text, packet.topics)), version)
        case UnsubAck():
            return _numbered(0xB0, packet, bytes(packet.reasons), version)
        case PingReq():
            return b"\xc0\x00"
        case PingResp():
            return b"\xd0\x00"
        case Disconnect():
            return _whole(0xE0, _said(packet.reason, packet.properties, version))
        case _:
            raise InvalidInput(f"{type(packet).__name__} is only read, not written")


def _acknowledgement(packet: Acknowledgement, version: Version) -> bytes:
    first = _ACKNOWLEDGEMENTS[type(packet)]
    if not packet.reason and packet.properties is NOTHING:
        return bytes((first, 2)) + packet.packet_id.to_bytes(2)
    said = _said(packet.reason, packet.properties, version)
    return _whole(first, packet.packet_id.to_bytes(2) + said)


def _said(reason: int, properties: Properties, version: Version) -> bytes:
    """A reason and properties, as short as they can be: version 3.1.1 has neither."""
    if version is not Version.V5 or (not reason and properties == NOTHING):
        return b""
    if properties == NOTHING:
        return bytes((reason,))
    return bytes((reason,)) + _properties(properties, version)


def _connect(packet: Connect) -> bytes:
    version, will = packet.version, packet.will
    flags = packet.is_clean << 1
    parts = [_text(packet.client_id)]
    if will is not None:
        flags |= 4 | will.qos << 3 | will.is_retained << 5
        parts += [_properties(will.properties, version), _text(will.topic), _binary(will.payload)]
    if packet.user is not None:
        flags |= 0x80
        parts.append(_text(packet.user))
    if packet.password is not None:
        flags |= 0x40
        parts.append(_binary(packet.password))
    start = _text("MQTT") + bytes((version, flags)) + packet.keep_alive_s.to_bytes(2)
    return start + _properties(packet.properties, version) + b"".join(parts)


def _numbered(
    first: int, packet: Subscribe | SubAck | Unsubscribe | UnsubAck, body: bytes, version: Version
) -> bytes:
    properties = _properties(packet.properties, version)
    return _whole(first, packet.packet_id.to_bytes(2) + properties + body)


def _options(asked: Asked) -> bytes:
    flags = asked.is_retained_as_published << 3 | asked.is_retained_once << 4
    return bytes((asked.qos | flags,))


def _whole(first: int, body: bytes) -> bytes:
    return bytes((first,)) + _short(len(body)) + body


def _short(number: int) -> bytes:
    if number < 0x80:
        return bytes((number,))
    if number > MOST_BYTES:
        raise InvalidInput(f"a packet has at most {MOST_BYTES:,} bytes, got {number:,}")
    digits = bytearray()
    while number >= 0x80:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    digits.append(number)
    return bytes(digits)


def _text(text: str) -> bytes:
    try:
        return _binary(text.encode())
    except UnicodeEncodeError:
        raise InvalidInput(f"{text!r}: expected a text that UTF-8 can say") from None


def _binary(written: bytes) -> bytes:
    if len(written) > _LONGEST_TEXT:
        raise InvalidInput(f"expected at most {_LONGEST_TEXT:,} bytes, got {len(written):,}")
    return len(written).to_bytes(2) + written


def _properties(properties: Properties, version: Version) -> bytes:
    if version is not Version.V5:
        return b""
    if properties is NOTHING:
        return b"\0"
    written = bytearray()
    for field, (number, kind) in WRITTEN.items():
        value = getattr(properties, field)
        if kind is Kind.PAIR:
            for name, said in value:
                written += bytes((number,)) + _text(name) + _text(said)
        elif value is not None:
            written += bytes((number,)) + _value(kind, value)
    return _short(len(written)) + bytes(written)


def _value(kind: Kind, value: Any) -> bytes:
    match kind:
        case Kind.BYTE:
            return int(value).to_bytes(1)
        case Kind.TWO_BYTES:
            return int(value).to_bytes(2)
        case Kind.FOUR_BYTES:
            return int(value).to_bytes(4)
        case _:
            return _text(value)
