"""Bytes to packets: all that are whole, in one go."""

from __future__ import annotations

from collections.abc import Callable

from purport.mqtt.errors import ProtocolError
from purport.mqtt.fields import Fields, text_of
from purport.mqtt.packets import (
    MOST_BYTES,
    NOTHING,
    Asked,
    ConnAck,
    Connect,
    Disconnect,
    Oversized,
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

_PUBLISH, _MOST_QOS = 3, 2
_LONGEST_START = 2 + 65_535 + 2  # of a message: its topic and packet id


def read_packets(
    buffer: bytes, version: Version, *, most_bytes: int = MOST_BYTES
) -> tuple[list[Packet], int]:
    """The packets that are whole in a buffer, and how many bytes they took.

    A message of more than `most_bytes` is `Oversized` as soon as its start is there, and takes
    bytes that have not come yet: they are to be thrown away. `ProtocolError` is raised for the
    first packet of a buffer only, so that what came before it is not lost.
    """
    packets: list[Packet] = []
    begin, length = 0, len(buffer)
    try:
        while length - begin >= 2:
            size, body = buffer[begin + 1], begin + 2
            if size >= 0x80:
                size, body = _long_size(buffer, begin)
                if not body:
                    break
            first, end = buffer[begin], body + size
            if size > most_bytes:
                if length - body >= min(size, _LONGEST_START):
                    packets.append(_oversized(first, buffer, body, size, most_bytes))
                    return packets, end
                break
            if end > length:
                break
            if first >> 4 == _PUBLISH:
                packets.append(_publish(first, buffer, body, end, version))
            else:
                packets.append(_other(first, buffer, body, end, version))
            begin = end
    except ProtocolError:
        if not packets:
            raise
    return packets, begin


def _long_size(buffer: bytes, begin: int) -> tuple[int, int]:
    """A size of several bytes, and where the packet goes on: 0 if some of it is still to come."""
    size = 0
    for place, digit in enumerate(buffer[begin + 1 : begin + 5]):
        size |= (digit & 0x7F) << 7 * place
        if digit < 0x80:
            return size, begin + 2 + place
    if len(buffer) - begin >= 5:
        raise ProtocolError("expected the size of a packet in at most four bytes")
    return 0, 0


def _publish(first: int, buffer: bytes, at: int, end: int, version: Version) -> Publish:
    qos = first >> 1 & 3
    if qos > _MOST_QOS or (not qos and first & 8):
        raise ProtocolError(f"PUBLISH: expected QoS 0 (not repeated), 1 or 2, got {first & 15:#x}")
    topic_end = at + 2 + int.from_bytes(buffer[at : at + 2])
    payload = topic_end + 2 if qos else topic_end
    if payload > end:
        raise ProtocolError(f"PUBLISH: {end - at} bytes are too few for its topic and packet id")
    packet_id = int.from_bytes(buffer[topic_end:payload]) if qos else 0
    if qos and not packet_id:
        raise ProtocolError("PUBLISH: expected a packet id from 1, got 0")
    properties = NOTHING
    if version is not Version.V5:
        body = buffer[payload:end]
    elif payload < end and not buffer[payload]:  # no properties, as with most
        body = buffer[payload + 1 : end]
    else:
        fields = Fields(buffer, payload, end, "PUBLISH")
        properties = fields.properties()
        body = fields.rest()
    topic = _topic(buffer[at + 2 : topic_end], properties)
    return Publish(topic, body, qos, bool(first & 1), bool(first & 8), packet_id, properties)


def _topic(written: bytes, properties: Properties) -> str:
    topic = text_of(written, "PUBLISH")
    if "+" in topic or "#" in topic:
        raise ProtocolError(f"PUBLISH: expected a topic without + and #, got {topic!r}")
    if not topic and properties.topic_alias is None:
        raise ProtocolError("PUBLISH: expected a topic")
    return topic


def _oversized(first: int, buffer: bytes, body: int, size: int, most: int) -> Oversized:
    """What can be told of a message without its payload; nothing else may be so long."""
    if first >> 4 != _PUBLISH:
        raise ProtocolError(f"expected packets of at most {most:,} bytes, got one of {size:,}")
    fields = Fields(buffer, body, min(len(buffer), body + size), "PUBLISH")
    topic, qos = fields.text(), first >> 1 & 3
    return Oversized(topic, qos, fields.packet_id() if qos else 0, size)


def _other(first: int, buffer: bytes, at: int, end: int, version: Version) -> Packet:
    kind = first >> 4
    if kind not in _READERS:
        raise ProtocolError(f"there is no packet of kind {kind} here")
    name, flags, read = _READERS[kind]
    if first & 15 != flags:
        raise ProtocolError(f"{name}: expected the flags {flags}, got {first & 15}")
    fields = Fields(buffer, at, end, name)
    packet = read(fields, version)
    fields.require_end()
    return packet


def _connect(fields: Fields, _: Version) -> Connect:
    if fields.text() != "MQTT":
        raise ProtocolError("CONNECT: expected the name MQTT")
    try:
        version = Version(fields.number(1))
    except ValueError:
        raise ProtocolError("CONNECT: expected version 4 (3.1.1) or 5") from None
    flags, keep_alive_s = fields.number(1), fields.number(2)
    if flags & 1:
        raise ProtocolError("CONNECT: expected the lowest flag to be 0")
    properties = _properties(fields, version)
    client_id = fields.text()
    will = _will(fields, flags, version)
    user = fields.text() if flags & 0x80 else None
    password = fields.binary() if flags & 0x40 else None
    return Connect(
        client_id, version, bool(flags & 2), keep_alive_s, user, password, will, properties
    )


def _will(fields: Fields, flags: int, version: Version) -> Publish | None:
    qos = flags >> 3 & 3
    if not flags & 4:
        if flags & 0x38:
            raise ProtocolError("CONNECT: flags of a will without a will")
        return None
    if qos > _MOST_QOS:
        raise ProtocolError("CONNECT: expected a will of QoS 0, 1 or 2, got 3")
    properties = _properties(fields, version)
    topic = fields.text()
    return Publish(topic, fields.binary(), qos, bool(flags & 0x20), properties=properties)


def _conn_ack(fields: Fields, version: Version) -> ConnAck:
    flags, reason = fields.number(1), fields.number(1)
    if flags > 1:
        raise ProtocolError(f"CONNACK: expected the flags 0 or 1, got {flags}")
    return ConnAck(reason, bool(flags), _properties(fields, version))


def _acknowledgement(
    kind: type[PubAck] | type[PubRec] | type[PubRel] | type[PubComp],
) -> Callable[[Fields, Version], Packet]:
    def read(fields: Fields, version: Version) -> Packet:
        packet_id = fields.packet_id()
        if fields.is_over or version is not Version.V5:
            return kind(packet_id)
        reason = fields.number(1)
        return kind(packet_id, reason, NOTHING if fields.is_over else fields.properties())

    return read


def _subscribe(fields: Fields, version: Version) -> Subscribe:
    packet_id, properties = fields.packet_id(), _properties(fields, version)
    asked = [_asked(fields, version)]
    while not fields.is_over:
        asked.append(_asked(fields, version))
    return Subscribe(packet_id, tuple(asked), properties)


def _asked(fields: Fields, version: Version) -> Asked:
    topics, options = fields.text(), fields.number(1)
    most = 0x2F if version is Version.V5 else _MOST_QOS
    if options & 3 > _MOST_QOS or options > most:
        raise ProtocolError(f"SUBSCRIBE: expected QoS 0, 1 or 2, got {options:#x}")
    return Asked(topics, options & 3, bool(options & 8), bool(options & 0x10))


def _sub_ack(fields: Fields, version: Version) -> SubAck:
    packet_id, properties = fields.packet_id(), _properties(fields, version)
    return SubAck(packet_id, tuple(fields.rest()), properties)


def _unsubscribe(fields: Fields, version: Version) -> Unsubscribe:
    packet_id, properties = fields.packet_id(), _properties(fields, version)
    topics = [fields.text()]
    while not fields.is_over:
        topics.append(fields.text())
    return Unsubscribe(packet_id, tuple(topics), properties)


def _unsub_ack(fields: Fields, version: Version) -> UnsubAck:
    packet_id, properties = fields.packet_id(), _properties(fields, version)
    return UnsubAck(packet_id, tuple(fields.rest()), properties)


def _disconnect(fields: Fields, version: Version) -> Disconnect:
    if fields.is_over or version is not Version.V5:
        return Disconnect()
    reason = fields.number(1)
    return Disconnect(reason, NOTHING if fields.is_over else fields.properties())


def _properties(fields: Fields, version: Version) -> Properties:
    return fields.properties() if version is Version.V5 else NOTHING


_READERS: dict[int, tuple[str, int, Callable[[Fields, Version], Packet]]] = {
    1: ("CONNECT", 0, _connect),
    2: ("CONNACK", 0, _conn_ack),
    4: ("PUBACK", 0, _acknowledgement(PubAck)),
    5: ("PUBREC", 0, _acknowledgement(PubRec)),
    6: ("PUBREL", 2, _acknowledgement(PubRel)),
    7: ("PUBCOMP", 0, _acknowledgement(PubComp)),
    8: ("SUBSCRIBE", 2, _subscribe),
    9: ("SUBACK", 0, _sub_ack),
    10: ("UNSUBSCRIBE", 2, _unsubscribe),
    11: ("UNSUBACK", 0, _unsub_ack),
    12: ("PINGREQ", 0, lambda *_: PingReq()),
    13: ("PINGRESP", 0, lambda *_: PingResp()),
    14: ("DISCONNECT", 0, _disconnect),
}
