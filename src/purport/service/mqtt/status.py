"""What `GET /mqtt` says of bridges, and Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from purport.prometheus import Family, counters, gauges
from purport.service.mqtt.dead_letters import DeadLetter


class InStatus(msgspec.Struct, frozen=True):
    """What has come since the process began."""

    received: int = 0  # messages kept in the spool
    published: int = 0  # events
    repeated: int = 0  # messages whose event was in the journal already
    rejected: int = 0  # dead letters, and messages that were too long
    lost: int = 0  # dropped from a full spool before they were read
    lag: int = 0  # messages in the spool that wait to be published
    spool_bytes: int = 0
    sensors: int = 0  # that Home Assistant was told of


class OutStatus(msgspec.Struct, frozen=True):
    """What has gone."""

    delivered: int = 0  # matches that the broker has acknowledged
    refused: int = 0  # matches that it does not take
    waiting: int = 0


class BridgeStatus(msgspec.Struct, frozen=True):
    """One bridge."""

    name: str
    broker: str
    state: str  # of the connection
    reason: str | None  # what is wrong
    reconnects: int
    refused_topics: dict[str, str]  # filters that the broker does not grant, and why
    incoming: InStatus
    outgoing: OutStatus
    dead_letters: list[DeadLetter]  # the last ones


class BridgesStatus(msgspec.Struct, frozen=True):
    """All bridges."""

    bridges: list[BridgeStatus]


def families(bridges: Sequence[BridgeStatus]) -> Iterator[Family]:
    """Figures of bridges, told apart by their names."""

    def of(value: Callable[[BridgeStatus], float]) -> dict[str, float]:
        return {one.name: value(one) for one in bridges}

    label = "bridge"
    gauged: tuple[tuple[str, str, Callable[[BridgeStatus], float]], ...] = (
        ("up", "Whether there is a connection.", lambda one: int(one.state == "ready")),
        ("lag", "Messages that wait to be published.", lambda one: one.incoming.lag),
        ("spool_bytes", "Bytes of the spool.", lambda one: one.incoming.spool_bytes),
        ("waiting", "Matches that wait to be delivered.", lambda one: one.outgoing.waiting),
    )
    for name, told, value in gauged:
        yield gauges(f"purport_mqtt_{name}", told, label, of(value))
    counted: tuple[tuple[str, str, Callable[[BridgeStatus], float]], ...] = (
        ("received", "Messages kept.", lambda one: one.incoming.received),
        ("published", "Messages that became events.", lambda one: one.incoming.published),
        ("repeated", "Messages whose event was known.", lambda one: one.incoming.repeated),
        ("rejected", "Messages that are no events.", lambda one: one.incoming.rejected),
        ("lost", "Messages dropped from a full spool.", lambda one: one.incoming.lost),
        ("delivered", "Matches that the broker has.", lambda one: one.outgoing.delivered),
        ("refused", "Matches that the broker does not take.", lambda one: one.outgoing.refused),
        ("reconnects", "Connections after the first.", lambda one: one.reconnects),
    )
    for name, told, value in counted:
        yield counters(f"purport_mqtt_{name}", told, label, of(value))
