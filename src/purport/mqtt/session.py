"""What a client says to a broker and makes of what it hears: no socket, thread or clock in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import msgspec

from purport.errors import PurportError
from purport.mqtt.delivery import Delivery
from purport.mqtt.errors import BrokerRefused, BrokerUnreachable, ProtocolError
from purport.mqtt.message import Message
from purport.mqtt.outbox import Outbox
from purport.mqtt.packets import (
    NOTHING,
    Asked,
    ConnAck,
    Connect,
    Disconnect,
    Oversized,
    Packet,
    PingResp,
    Properties,
    PubAck,
    PubComp,
    Publish,
    PubRec,
    PubRel,
    SubAck,
    Subscribe,
    Version,
)
from purport.mqtt.reasons import REFUSED, connect_reason, reason_in_words

_SUBSCRIBE_ID = 65_535  # only one is under way, and ids of messages begin at the other end


class SessionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Who we are to a broker, and what we want of it."""

    client_id: str
    version: Version = Version.V5
    is_clean: bool = True  # the broker forgets us when we go
    session_expiry_s: int = 604_800  # of one that is not clean; only version 5 knows it
    keep_alive_s: int = 60
    user: str | None = None
    password: bytes | None = None
    asked: tuple[Asked, ...] = ()
    will: Publish | None = None
    birth: Publish | None = None
    receive_maximum: int = 65_535  # messages that may wait for our acknowledgement (version 5)
    window: int = 100  # messages of ours that may wait for the broker's
    most_bytes: int = 16 << 20  # of a packet; a message that is longer is rejected


class Stage(StrEnum):
    """How far a connection has come."""

    CONNECTING = "connecting"
    SUBSCRIBING = "subscribing"
    READY = "ready"


@dataclass(slots=True)
class Received:
    """What has to be kept before anything that came with it is acknowledged."""

    messages: list[Message] = field(default_factory=list)
    opened: set[int] = field(default_factory=set)  # ids of QoS 2; those that are over first
    released: set[int] = field(default_factory=set)
    failure: PurportError | None = None  # why the connection is to be given up, after keeping

    def __bool__(self) -> bool:
        return bool(self.messages or self.opened or self.released)


class Session:
    """A client's side of MQTT, over one connection after the other.

    `received` says what is to be kept; when it is, `kept` gives what may be sent.
    """

    def __init__(self, settings: SessionSettings, open_ids: Iterable[int] = ()) -> None:
        self.settings = settings
        self.outbox = Outbox(settings.window, settings.version)
        self.stage = Stage.CONNECTING
        self.limits = NOTHING  # what the broker says of itself
        self.refusals: dict[str, str] = {}  # by filter: why nothing of it will come
        self.received_messages = self.oversized = 0
        self._open_ids = set(open_ids)
        self._replies: list[Packet] = []
        self._asking: tuple[Asked, ...] = ()
        self._is_subscribed = False  # in the session that the broker has

    @property
    def keep_alive_s(self) -> int:
        """The seconds of silence that the broker allows; 0: as many as we like."""
        said = self.limits.server_keep_alive_s
        return self.settings.keep_alive_s if said is None else said

    def begin(self) -> list[Packet]:
        """The first packets over a new connection."""
        settings, self.stage, self.limits = self.settings, Stage.CONNECTING, NOTHING
        self._replies = []
        properties = NOTHING
        if settings.version is Version.V5:
            properties = Properties(
                session_expiry_s=0 if settings.is_clean else settings.session_expiry_s,
                receive_maximum=settings.receive_maximum,
                maximum_packet_size=settings.most_bytes,
            )
        connect = Connect(
            settings.client_id,
            settings.version,
            settings.is_clean,
            settings.keep_alive_s,
            settings.user,
            settings.password,
            settings.will,
            properties,
        )
        return [connect]

    def received(self, packets: Iterable[Packet], now_us: int) -> Received:
        """What is to be kept of what came."""
        found = Received()
        try:
            for packet in packets:
                if type(packet) is Publish and self.stage is not Stage.CONNECTING:
                    self._take_message(packet, found, now_us)
                else:
                    self._take(packet, found)
        except (ProtocolError, BrokerRefused, BrokerUnreachable) as error:
            found.failure = error
        return found

    def kept(self) -> list[Packet]:
        """What is sent when all that was received is kept."""
        replies, self._replies = self._replies, []
        return replies

    def publish(self, packet: Publish, delivery: Delivery) -> None:
        """Have a message sent when there is room."""
        self.outbox.add(packet, delivery)

    def sendable(self) -> list[Packet]:
        """Messages of ours that may be sent now."""
        return [] if self.stage is Stage.CONNECTING else self.outbox.sendable()

    def ask_again(self) -> list[Packet]:
        """Subscribe once more to what was refused."""
        return self._ask([one for one in self.settings.asked if one.topics in self.refusals])

    def _take_message(self, packet: Publish, found: Received, now_us: int) -> None:
        if packet.properties.topic_alias is not None:
            raise ProtocolError("PUBLISH: a topic alias, although we have allowed none")
        if packet.qos == 2:
            self._replies.append(PubRec(packet.packet_id))
            if packet.packet_id in self._open_ids:
                return
            self._open_ids.add(packet.packet_id)
            found.opened.add(packet.packet_id)
        elif packet.qos:
            self._replies.append(PubAck(packet.packet_id))
        self.received_messages += 1
        found.messages.append(Message.of(packet, now_us))

    def _take(self, packet: Packet, found: Received) -> None:
        if self.stage is Stage.CONNECTING and not isinstance(packet, ConnAck):
            raise ProtocolError(f"expected CONNACK first, got {type(packet).__name__}")
        match packet:
            case ConnAck():
                self._take_answer(packet, found)
            case Oversized():
                self._reject(packet, found)
            case PubRel():
                self._release(packet.packet_id, found)
                self._replies.append(PubComp(packet.packet_id))
            case PubAck() | PubRec() | PubComp():
                self._replies += self.outbox.take(packet)
            case SubAck():
                self._take_grants(packet)
            case Disconnect():
                why = reason_in_words(packet.reason, packet.properties.reason)
                raise BrokerUnreachable(f"the broker ends the connection: {why}")
            case PingResp():
                pass
            case _:
                raise ProtocolError(f"{type(packet).__name__} is nothing that a broker sends")

    def _take_answer(self, packet: ConnAck, found: Received) -> None:
        if self.stage is not Stage.CONNECTING:
            raise ProtocolError("CONNACK comes twice")
        if packet.reason:
            version, said = self.settings.version, packet.properties.reason
            raise BrokerRefused(connect_reason(packet.reason, version, said))
        self.limits = packet.properties
        is_present = packet.is_session_present
        if not is_present:
            self._is_subscribed = False
            for packet_id in tuple(self._open_ids):
                self._release(packet_id, found)
        self._replies += self.outbox.resumed(self.limits, is_session_present=is_present)
        self.stage = Stage.SUBSCRIBING
        asked = [] if self._is_subscribed else list(self.settings.asked)
        self._replies += self._ask(asked)
        if not asked:
            self._be_ready()

    def _ask(self, asked: list[Asked]) -> list[Packet]:
        if not asked:
            return []
        is_v5 = self.settings.version is Version.V5
        self._asking = tuple(
            msgspec.structs.replace(
                one,
                is_retained_as_published=is_v5,
                is_retained_once=is_v5 and not self.settings.is_clean,
            )
            for one in asked
        )
        return [Subscribe(_SUBSCRIBE_ID, self._asking)]

    def _take_grants(self, packet: SubAck) -> None:
        if packet.packet_id != _SUBSCRIBE_ID or len(packet.reasons) != len(self._asking):
            raise ProtocolError(f"SUBACK: expected {len(self._asking)} answers to our request")
        for one, reason in zip(self._asking, packet.reasons, strict=True):
            self.refusals.pop(one.topics, None)
            if reason >= REFUSED:
                self.refusals[one.topics] = reason_in_words(reason, packet.properties.reason)
        self._is_subscribed = not self.refusals
        if self.stage is Stage.SUBSCRIBING:
            self._be_ready()

    def _be_ready(self) -> None:
        self.stage = Stage.READY

    def _release(self, packet_id: int, found: Received) -> None:
        if packet_id in self._open_ids:
            self._open_ids.discard(packet_id)
            found.opened.discard(packet_id)
            found.released.add(packet_id)

    def _reject(self, packet: Oversized, found: Received) -> None:
        """A message that is too long to be kept is acknowledged, or it would come for ever."""
        self.oversized += 1
        if packet.qos == 2:
            self._replies.append(PubRec(packet.packet_id))
            if packet.packet_id not in self._open_ids:
                self._open_ids.add(packet.packet_id)
                found.opened.add(packet.packet_id)
        elif packet.qos:
            self._replies.append(PubAck(packet.packet_id))
