"""A broker of MQTT with one client, in memory: everything by the book, nothing quick."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import msgspec

from purport.mqtt.packets import (
    ConnAck,
    Connect,
    Packet,
    PubAck,
    PubComp,
    Publish,
    PubRec,
    PubRel,
    SubAck,
    Subscribe,
)


@dataclass(frozen=True)
class _Sent:
    packet: Publish
    is_released: bool = False


@dataclass
class PlainBroker:
    """What it has got of its client, and what its client has not acknowledged."""

    window: int = 4
    got: list[Publish] = field(default_factory=list)
    is_known: bool = False
    _waiting: list[Publish] = field(default_factory=list)
    _sent: dict[int, _Sent] = field(default_factory=dict)
    _open_ids: set[int] = field(default_factory=set)
    _last_id: int = 0

    @property
    def is_done(self) -> bool:
        """Whether the client has acknowledged everything."""
        return not self._waiting and not self._sent

    def forget(self) -> None:
        """Lose the session; what was to be sent is sent to the next one."""
        self._waiting = [one.packet for one in self._sent.values()] + self._waiting
        self._sent, self._open_ids, self.is_known = {}, set(), False

    def publish(self, packet: Publish) -> None:
        """Somebody else publishes something that the client wants."""
        self._waiting.append(packet)

    def sendable(self) -> list[Packet]:
        """What may be sent to a client that is connected."""
        sent: list[Packet] = []
        while self._waiting and len(self._sent) < self.window:
            packet = self._waiting.pop(0)
            while self._last_id in self._sent or not self._last_id:
                self._last_id = self._last_id % self.window + 1  # ids are soon used again
            packet = msgspec.structs.replace(packet, packet_id=self._last_id)
            self._sent[self._last_id] = _Sent(packet)
            sent.append(packet)
        return sent

    def take(self, packet: Packet) -> list[Packet]:
        """What a packet of the client is answered with."""
        match packet:
            case Connect():
                answer = ConnAck(is_session_present=self.is_known)
                self.is_known = True
                return [answer, *map(_again, self._sent.values())]
            case Subscribe():
                return [SubAck(packet.packet_id, tuple(one.qos for one in packet.asked))]
            case Publish():
                return self._take_message(packet)
            case PubAck() | PubComp():
                self._sent.pop(packet.packet_id, None)
            case PubRec():
                sent = self._sent.get(packet.packet_id)
                if sent is not None:
                    self._sent[packet.packet_id] = replace(sent, is_released=True)
                return [PubRel(packet.packet_id)]
            case PubRel():
                self._open_ids.discard(packet.packet_id)
                return [PubComp(packet.packet_id)]
        return []

    def _take_message(self, packet: Publish) -> list[Packet]:
        if packet.qos == 2:
            if packet.packet_id not in self._open_ids:
                self._open_ids.add(packet.packet_id)
                self.got.append(packet)
            return [PubRec(packet.packet_id)]
        self.got.append(packet)
        return [PubAck(packet.packet_id)] if packet.qos else []


def _again(sent: _Sent) -> Packet:
    if sent.is_released:
        return PubRel(sent.packet.packet_id)
    return msgspec.structs.replace(sent.packet, is_duplicate=True)
