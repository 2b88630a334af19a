"""A message as it came, and who keeps messages before they are acknowledged."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

import msgspec

from purport.mqtt.packets import NOTHING, Publish


class Message(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What somebody published, with the time at which we had it."""

    topic: str
    payload: bytes = b""
    qos: int = 0
    is_retained: bool = False
    received_us: int = 0  # microseconds since 1970
    content_type: str = ""
    user_properties: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, packet: Publish, received_us: int) -> Message:
        """The message in a packet."""
        said = packet.properties
        if said is NOTHING:
            return cls(packet.topic, packet.payload, packet.qos, packet.is_retained, received_us)
        return cls(
            packet.topic,
            packet.payload,
            packet.qos,
            packet.is_retained,
            received_us,
            said.content_type or "",
            said.user_properties,
        )


class Inlet(Protocol):
    """Keeps messages; what it has kept is not lost, however the process ends.

    Of those of QoS 2 it keeps, with the messages, which packet ids are open: a message that comes
    again under one of them is the same.
    """

    def adopt(self, session: str) -> frozenset[int]:
        """The ids that are open in a session with a broker; those of others are forgotten."""

    def keep(
        self, messages: Sequence[Message], *, opened: Collection[int], released: Collection[int]
    ) -> None:
        """Have all of this on disk when it returns; `CannotKeep` if that cannot be done now."""
