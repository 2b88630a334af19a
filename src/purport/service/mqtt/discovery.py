"""Sensors that Home Assistant is told of: what their names, units and classes say of our events.

A message on `homeassistant/COMPONENT/[NODE/]OBJECT/config` describes one sensor, or a device with
several; an empty one takes it back. Names may be short or long, as Home Assistant has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from purport.errors import EventError, UnusablePath
from purport.model.event import decode_json_object
from purport.model.term import folded
from purport.model.units import find_unit
from purport.whole_file import write_whole

_MOST_CONFIGS = 10_000
_MOST_BYTES = 1 << 16
_LONGEST = 200
_LONG = {
    "stat_t": "state_topic",
    "val_tpl": "value_template",
    "unit_of_meas": "unit_of_measurement",
    "dev_cla": "device_class",
    "dev": "device",
    "cmps": "components",
    "sa": "suggested_area",
}
_FILTERS = r"(?:\|\s*(?:float|int|string|round|default)\s*(?:\([^()]*\))?\s*)*"
_WHOLE = re.compile(r"\{\{\s*value\s*" + _FILTERS + r"\}\}")
_MEMBER = re.compile(
    r"\{\{\s*value_json((?:\.\w+|\[\s*(?:'[^']+'|\"[^\"]+\")\s*\])+)\s*" + _FILTERS + r"\}\}"
)
_STEP = re.compile(r"\.(\w+)|\[\s*['\"]([^'\"]+)['\"]\s*\]")
_NUMBER = re.compile(r"\s*-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\s*")
_UNKNOWN = ("",)  # where the value is in a message: nobody knows


class Sensor(msgspec.Struct, frozen=True, array_like=True):
    """What was told of one sensor; `path` leads to its value, and is empty if that is all."""

    topic: str
    path: tuple[str, ...] = ()
    name: str = ""
    unit: str = ""
    device_class: str = ""
    device: str = ""
    area: str = ""

    @property
    def label(self) -> str:
        """What its value is called."""
        return self.device_class.replace("_", " ") or self.name

    @property
    def about(self) -> dict[str, str]:
        """What is said of the device."""
        told = {"device": self.device, "area": self.area}
        return {name: value for name, value in told.items() if value}

    @property
    def about_one(self) -> dict[str, str]:
        """What is said of the sensor, where a message is about no other."""
        told = {"name": self.name, "device class": self.device_class, "unit": self.unit}
        return {name: value for name, value in told.items() if value}


class Sensors:
    """The sensors that are known, by the topics of their states; a file remembers them."""

    def __init__(self, prefix: str, path: Path) -> None:
        self._prefix, self._path = prefix, path
        self._configs: dict[str, tuple[Sensor, ...]] = {}
        self._by_topic: dict[str, list[Sensor]] = {}
        self._is_changed, self._count = False, 0
        if path.exists():
            try:
                self._configs = msgspec.json.decode(
                    path.read_bytes(), type=dict[str, tuple[Sensor, ...]]
                )
            except (OSError, msgspec.MsgspecError) as error:
                raise UnusablePath(path, str(error)) from None
        self._sort()

    def __len__(self) -> int:
        return self._count

    def is_config(self, topic: str) -> bool:
        """Whether a message there describes a sensor."""
        if not self._prefix or not topic.startswith(f"{self._prefix}/"):
            return False
        levels = topic.removeprefix(f"{self._prefix}/").split("/")
        return levels[-1] == "config" and len(levels) in (3, 4)

    def take(self, topic: str, payload: bytes) -> None:
        """Learn what a message describes; an `EventError` says why it describes nothing."""
        if payload and len(payload) > _MOST_BYTES:
            raise EventError(f"a sensor is described in at most {_MOST_BYTES:,} bytes")
        found = tuple(_sensors(_long(decode_json_object(payload)))) if payload else ()
        if found == self._configs.get(topic, ()):
            return
        if found and topic not in self._configs and len(self._configs) >= _MOST_CONFIGS:
            raise EventError(f"{_MOST_CONFIGS:,} sensors are known already")
        self._configs.pop(topic, None)
        if found:
            self._configs[topic] = found
        self._is_changed = True
        self._sort()

    def save(self) -> None:
        """Remember what has changed."""
        if self._is_changed:
            write_whole(self._path, msgspec.json.encode(self._configs))
            self._is_changed = False

    def is_alone(self, topic: str) -> bool:
        """Whether messages there are the value of one sensor, and nothing else."""
        sensors = self._by_topic.get(topic, ())
        return len(sensors) == 1 and sensors[0].path == ()

    def about(self, topic: str) -> dict[str, str]:
        """What is known of the sensors whose values come on a topic."""
        sensors = self._by_topic.get(topic, ())
        about: dict[str, str] = {}
        for sensor in sensors:
            about |= sensor.about
        return about | sensors[0].about_one if len(sensors) == 1 else about

    def called(self, topic: str, said: dict[str, Any], value: str) -> dict[str, Any]:
        """What a message says, with units; a value is called by its sensor's class, or its name.

        `value` is what one is called that is all of a message.
        """
        for sensor in self._by_topic.get(topic, ()):
            if sensor.path != _UNKNOWN:
                said = _called(said, sensor.path or (value,), sensor)
        return said

    def _sort(self) -> None:
        self._by_topic = {}
        self._count = sum(map(len, self._configs.values()))
        for sensors in self._configs.values():
            for one in sensors:
                self._by_topic.setdefault(one.topic, []).append(one)


def _called(said: dict[str, Any], path: tuple[str, ...], sensor: Sensor) -> dict[str, Any]:
    """An object in which a value has its unit, and the name of its class or sensor."""
    name, *rest = path
    if name not in said:
        return said
    inner = said[name]
    if rest:
        told = _called(inner, tuple(rest), sensor) if isinstance(inner, dict) else inner
        return {**said, name: told}
    label = sensor.label
    if not label or folded(label) in map(folded, said):
        label = name
    return {label if one == name else one: value for one, value in said.items()} | {
        label: _measured(inner, sensor.unit)
    }


def _measured(value: Any, unit: str) -> Any:
    """A number with its unit, if that is one that is known."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        is_number, value = True, value.strip()
    return f"{value} {unit}" if is_number and unit and find_unit(unit) is not None else value


def _long(told: Mapping[str, Any]) -> dict[str, Any]:
    """A description with long names."""
    return {_LONG.get(name, name): value for name, value in told.items()}


def _sensors(told: dict[str, Any]) -> Iterator[Sensor]:
    """Those that a description is about; one without a topic of its state is about none."""
    components = told.get("components")
    if not isinstance(components, dict):
        yield from _sensor(told, told)
        return
    for one in components.values():
        if isinstance(one, dict):
            yield from _sensor(_long(one), told)


def _sensor(told: dict[str, Any], whole: dict[str, Any]) -> Iterator[Sensor]:
    base = _text(whole, "~")
    topic = _text(told, "state_topic") or _text(whole, "state_topic")
    if topic.startswith("~"):
        topic = base + topic[1:]
    elif topic.endswith("~"):
        topic = topic[:-1] + base
    if not topic:
        return
    device = whole.get("device")
    about = _long(device) if isinstance(device, dict) else {}
    yield Sensor(
        topic,
        _path(_text(told, "value_template")),
        _text(told, "name"),
        _text(told, "unit_of_measurement"),
        _text(told, "device_class"),
        _text(about, "name"),
        _text(about, "suggested_area"),
    )


def _path(template: str) -> tuple[str, ...]:
    """Where a template finds the value."""
    template = template.strip()
    if not template or _WHOLE.fullmatch(template):
        return ()
    found = _MEMBER.fullmatch(template)
    if found is None:
        return _UNKNOWN
    return tuple(plain or quoted for plain, quoted in _STEP.findall(found[1]))


def _text(told: Mapping[str, Any], name: str) -> str:
    value = told.get(name)
    return value[:_LONGEST] if isinstance(value, str) else ""
