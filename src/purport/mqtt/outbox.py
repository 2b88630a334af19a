"""Messages that we publish: in a window of those that are not acknowledged, again after a break."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import msgspec

from purport.mqtt.delivery import Delivery
from purport.mqtt.errors import ProtocolError
from purport.mqtt.packets import (
    Packet,
    Properties,
    PubAck,
    PubComp,
    Publish,
    PubRec,
    PubRel,
    Version,
)
from purport.mqtt.reasons import REFUSED, reason_in_words
from purport.mqtt.writing import write_packet

_MOST_AT_ONCE = 65_535  # unless the broker says less
_UNKNOWN_ID = 0x92
_WINDOW_311 = 20  # what Mosquitto takes; in version 3.1.1 a broker cannot say so


@dataclass(slots=True)
class _Flight:
    """A message that is not acknowledged."""

    packet: Publish
    delivery: Delivery
    is_released: bool = False  # QoS 2: the broker has it, and is to forget its id


class Outbox:
    """What waits to be sent, and what was sent and is not acknowledged.

    Packet ids are as low as can be: a process that was killed may have left some of them open, at
    QoS 2, in the session that the broker has. A message under one of those would be taken for the
    old one. So they are all released before the first message of QoS 2.
    """

    def __init__(self, window: int, version: Version) -> None:
        self._window = window if version is Version.V5 else min(window, _WINDOW_311)
        self._version = version
        self._waiting: deque[tuple[Publish, Delivery]] = deque()
        self._flights: dict[int, _Flight] = {}  # in the order in which they were sent
        self._ids = range(1, window + 1)
        self._free_ids = list(reversed(self._ids))
        self._is_first, self._may_be_open = True, False  # ids that we know nothing of
        self._releasing: set[int] = set()
        self._limits = Properties()
        self.acknowledged = 0
        self.refused = 0

    def __len__(self) -> int:
        return len(self._waiting) + len(self._flights)

    def add(self, packet: Publish, delivery: Delivery) -> None:
        """Have a message sent when there is room."""
        self._waiting.append((packet, delivery))

    def resumed(self, limits: Properties, *, is_session_present: bool) -> list[Packet]:
        """What is sent again over a new connection; all of it anew if the broker forgot us."""
        self._limits = limits
        self._may_be_open = is_session_present and (self._is_first or self._may_be_open)
        self._is_first = False
        if not is_session_present:
            lost = [(flight.packet, flight.delivery) for flight in self._flights.values()]
            self._flights.clear()
            self._releasing.clear()
            self._free_ids = list(reversed(self._ids))
            self._waiting.extendleft(reversed(lost))
            return []
        again: list[Packet] = [PubRel(packet_id) for packet_id in sorted(self._releasing)]
        return again + [
            PubRel(packet_id)
            if flight.is_released
            else msgspec.structs.replace(flight.packet, is_duplicate=True)
            for packet_id, flight in self._flights.items()
        ]

    def sendable(self) -> list[Packet]:
        """What may be sent now; it counts as sent."""
        sent: list[Packet] = []
        room = min(self._window, self._limits.receive_maximum or _MOST_AT_ONCE)
        while self._waiting:
            packet, delivery = self._waiting[0]
            qos = min(packet.qos, _or_most(self._limits.maximum_qos, 2))
            if qos and len(self._flights) >= room:
                break
            if qos == 2 and self._may_be_open:
                self._may_be_open, self._releasing = False, set(self._ids)
                sent += [PubRel(packet_id) for packet_id in self._ids]
            if qos == 2 and self._releasing:
                break
            self._waiting.popleft()
            self._send(packet, qos, delivery, sent)
        return sent

    def _send(self, packet: Publish, qos: int, delivery: Delivery, sent: list[Packet]) -> None:
        packet_id = self._free_ids[-1] if qos else 0
        packet = msgspec.structs.replace(packet, qos=qos, packet_id=packet_id)
        refused = self._refusal(packet)
        if refused is None:
            sent.append(packet)
        if refused is None and qos:
            self._flights[self._free_ids.pop()] = _Flight(packet, delivery)
        else:
            self._finish(delivery, refused)

    def take(self, packet: PubAck | PubRec | PubComp) -> list[Packet]:
        """What an acknowledgement is answered with."""
        if isinstance(packet, PubComp) and packet.packet_id in self._releasing:
            self._releasing.discard(packet.packet_id)
            return []
        flight = self._flights.get(packet.packet_id)
        if flight is None:
            return _unknown(packet, self._version)
        if (flight.packet.qos == 1) is not isinstance(packet, PubAck):
            raise ProtocolError(
                f"{type(packet).__name__} for a message of QoS {flight.packet.qos}, id "
                f"{packet.packet_id}"
            )
        if packet.reason >= REFUSED and not isinstance(packet, PubComp):
            self._land(packet.packet_id)
            self._finish(flight.delivery, reason_in_words(packet.reason, packet.properties.reason))
        elif isinstance(packet, PubRec):
            flight.is_released = True
            return [PubRel(packet.packet_id)]
        else:
            self._land(packet.packet_id)
            self._finish(flight.delivery)
        return []

    def give_up(self, why: str) -> None:
        """Nothing more is sent."""
        left = [delivery for _, delivery in self._waiting]
        left += [flight.delivery for flight in self._flights.values()]
        self._waiting.clear()
        self._flights.clear()
        for delivery in left:
            self._finish(delivery, why)

    def _finish(self, delivery: Delivery, refused: str | None = None) -> None:
        if refused is None:
            self.acknowledged += 1
        else:
            self.refused += 1
        delivery.finish(refused)

    def _refusal(self, packet: Publish) -> str | None:
        """Why the broker would not take this, as far as it has said."""
        most = self._limits.maximum_packet_size
        if most is not None and len(write_packet(packet, self._version)) > most:
            return f"the broker takes packets of at most {most:,} bytes"
        if packet.is_retained and self._limits.is_retain_available == 0:
            return "the broker retains no messages"
        return None

    def _land(self, packet_id: int) -> None:
        del self._flights[packet_id]
        self._free_ids.append(packet_id)


def _unknown(packet: PubAck | PubRec | PubComp, version: Version) -> list[Packet]:
    """An id of which we know nothing: the broker may forget it, too."""
    if not isinstance(packet, PubRec) or packet.reason >= REFUSED:
        return []
    return [PubRel(packet.packet_id, _UNKNOWN_ID if version is Version.V5 else 0)]


def _or_most(said: int | None, most: int) -> int:
    return most if said is None else said
