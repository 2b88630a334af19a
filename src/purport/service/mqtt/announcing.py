"""Subscriptions as sensors of Home Assistant: what it is told of them, and when they are gone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from purport.mqtt.connection import Connection
from purport.mqtt.delivery import Delivery
from purport.mqtt.packets import Publish
from purport.service.mqtt.settings import MqttSettings, OutSettings, SensorSettings
from purport.whole_file import write_whole

_PROJECT = "Purport"


def announced(settings: MqttSettings, node: str) -> dict[str, bytes]:
    """What Home Assistant is told, by its topics; `node` is what the bridge is known by there."""
    return {
        f"{settings.discovery}/sensor/{node}/{_plain(out.name)}/config": msgspec.json.encode(
            _described(settings, out, out.sensor, node)
        )
        for out in settings.out
        if out.sensor is not None and settings.discovery
    }


def node_of(settings: MqttSettings) -> str:
    """What a bridge is known by to Home Assistant; it stays the same over restarts."""
    return f"purport_{_plain(settings.name)}"


class Announcing:
    """Tells of sensors, and takes back those that are none any more, which a file remembers."""

    def __init__(self, settings: MqttSettings, folder: Path) -> None:
        self._wanted, self._path = announced(settings, node_of(settings)), folder / "sensors"
        self._told: list[str] = []
        self._deliveries: list[Delivery] = []
        if self._path.exists():
            self._told = self._path.read_text(encoding="utf-8").splitlines()

    @property
    def topics(self) -> list[str]:
        """Where something is told, or was."""
        return list(dict.fromkeys([*self._wanted, *self._told]))

    def tell(self, connection: Connection) -> None:
        """Tell it, as soon as there is a connection; what is retained there is as it should be."""
        packets: Mapping[str, bytes] = {**dict.fromkeys(self._told, b""), **self._wanted}
        if set(self._told) != set(self._wanted):
            lines = "".join(f"{topic}\n" for topic in packets)
            write_whole(self._path, lines.encode())  # before: a crash forgets none
        self._deliveries = [
            connection.publish(Publish(topic, told, 1, is_retained=True))
            for topic, told in packets.items()
        ]

    def settle(self) -> None:
        """Forget what was taken back, if the broker has that."""
        is_told = all(one.is_done and one.refused is None for one in self._deliveries)
        if self._deliveries and is_told:
            write_whole(self._path, "".join(f"{one}\n" for one in self._wanted).encode())


def _described(
    settings: MqttSettings, out: OutSettings, sensor: SensorSettings, node: str
) -> dict[str, Any]:
    topic = out.topic_of()
    told: dict[str, Any] = {
        "name": sensor.name or out.name,
        "unique_id": f"{node}_{_plain(out.name)}",
        "state_topic": topic,
        "value_template": _template(sensor),
        "json_attributes_topic": topic,
        "qos": out.qos,
        "device": {
            "identifiers": [node],
            "name": f"{_PROJECT} {settings.name}",
            "manufacturer": _PROJECT,
        },
        "origin": {"name": _PROJECT},
    }
    if settings.status:
        told["availability_topic"] = settings.status
        told["payload_available"], told["payload_not_available"] = "online", "offline"
    if sensor.unit:
        told["unit_of_measurement"] = sensor.unit
    device_class = sensor.device_class or ("" if sensor.value else "timestamp")
    if device_class:
        told["device_class"] = device_class
    return told


def _template(sensor: SensorSettings) -> str:
    """Where Home Assistant finds what it shows."""
    if not sensor.value:
        return "{{ value_json.at }}"
    member = f"value_json.event[{msgspec.json.encode(sensor.value).decode()}]"
    if sensor.unit:  # which an event says behind the number: "21.5 °C"
        return f"{{{{ ({member} | string).split(' ') | first }}}}"
    return f"{{{{ {member} }}}}"


def _plain(name: str) -> str:
    """A name as Home Assistant takes it in topics."""
    return "".join(one if one.isalnum() and one.isascii() else "_" for one in name)
