"""What a client and a broker send each other, as values: the packets of MQTT 3.1.1 and 5."""

from __future__ import annotations

from enum import IntEnum

import msgspec

MOST_BYTES = 268_435_455  # that a packet can be long, after its first bytes


class Version(IntEnum):
    """The versions of MQTT, as they are numbered in the first packet."""

    V311 = 4
    V5 = 5


class Properties(msgspec.Struct, frozen=True, omit_defaults=True):
    """What packets of version 5 have beside the rest; None is what was not said."""

    session_expiry_s: int | None = None
    receive_maximum: int | None = None
    maximum_packet_size: int | None = None
    topic_alias_maximum: int | None = None
    maximum_qos: int | None = None
    is_retain_available: int | None = None
    server_keep_alive_s: int | None = None
    assigned_client_id: str | None = None
    reason: str | None = None
    will_delay_s: int | None = None
    message_expiry_s: int | None = None
    content_type: str | None = None
    topic_alias: int | None = None
    user_properties: tuple[tuple[str, str], ...] = ()


NOTHING = Properties()


class Publish(msgspec.Struct, frozen=True):
    """A message on its way."""

    topic: str
    payload: bytes = b""
    qos: int = 0
    is_retained: bool = False
    is_duplicate: bool = False
    packet_id: int = 0  # of one that is acknowledged: QoS 1 and 2
    properties: Properties = NOTHING


class Oversized(msgspec.Struct, frozen=True):
    """A message that is longer than it may be: what is known of it without reading it."""

    topic: str
    qos: int
    packet_id: int
    size: int


class Connect(msgspec.Struct, frozen=True):
    """The first packet of a client."""

    client_id: str
    version: Version
    is_clean: bool = True
    keep_alive_s: int = 0
    user: str | None = None
    password: bytes | None = None
    will: Publish | None = None
    properties: Properties = NOTHING


class ConnAck(msgspec.Struct, frozen=True):
    """The broker's answer to the first packet."""

    reason: int = 0
    is_session_present: bool = False
    properties: Properties = NOTHING


class PubAck(msgspec.Struct, frozen=True):
    """A message of QoS 1 has come."""

    packet_id: int
    reason: int = 0
    properties: Properties = NOTHING


class PubRec(msgspec.Struct, frozen=True):
    """A message of QoS 2 has come, and is known under its id until it is released."""

    packet_id: int
    reason: int = 0
    properties: Properties = NOTHING


class PubRel(msgspec.Struct, frozen=True):
    """A message of QoS 2 will not be sent again: its id can be forgotten."""

    packet_id: int
    reason: int = 0
    properties: Properties = NOTHING


class PubComp(msgspec.Struct, frozen=True):
    """The id of a message of QoS 2 is forgotten."""

    packet_id: int
    reason: int = 0
    properties: Properties = NOTHING


class Asked(msgspec.Struct, frozen=True):
    """A filter that is subscribed to."""

    topics: str
    qos: int = 0
    is_retained_as_published: bool = False  # version 5: the broker leaves that flag as it was
    is_retained_once: bool = False  # version 5: what is retained comes with a new subscription only


class Subscribe(msgspec.Struct, frozen=True):
    """A client asks for topics."""

    packet_id: int
    asked: tuple[Asked, ...]
    properties: Properties = NOTHING


class SubAck(msgspec.Struct, frozen=True):
    """The QoS that is granted for each filter, or why there is none (from 0x80)."""

    packet_id: int
    reasons: tuple[int, ...]
    properties: Properties = NOTHING


class Unsubscribe(msgspec.Struct, frozen=True):
    """A client wants topics no longer."""

    packet_id: int
    topics: tuple[str, ...]
    properties: Properties = NOTHING


class UnsubAck(msgspec.Struct, frozen=True):
    """They are no longer sent; only version 5 has reasons, one for each filter."""

    packet_id: int
    reasons: tuple[int, ...] = ()
    properties: Properties = NOTHING


class PingReq(msgspec.Struct, frozen=True):
    """Are you there?"""


class PingResp(msgspec.Struct, frozen=True):
    """Yes."""


class Disconnect(msgspec.Struct, frozen=True):
    """The last packet; in version 5 a broker says by it why it goes."""

    reason: int = 0
    properties: Properties = NOTHING


Acknowledgement = PubAck | PubRec | PubRel | PubComp
Packet = (
    Publish
    | Oversized
    | Connect
    | ConnAck
    | PubAck
    | PubRec
    | PubRel
    | PubComp
    | Subscribe
    | SubAck
    | Unsubscribe
    | UnsubAck
    | PingReq
    | PingResp
    | Disconnect
)
