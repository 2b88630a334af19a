"""What can be set of bridges to brokers of MQTT."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from purport.client.payloads import VALUE, PayloadKind, payloads
from purport.client.topics import TopicMapping
from purport.errors import InvalidInput, PurportError
from purport.mqtt.address import BrokerAddress
from purport.mqtt.topic_filters import require_topic
from purport.spool.inlet import WhenFull
from purport.spool.spool import MOST_BYTES

PREFIX = "into-mqtt:"  # of the ids of subscriptions whose matches go out
SUBSCRIPTION = "subscription"  # what stands in the topic of an `out` for its name
MATCHES = "purport/matches/{subscription}"
_LEAST_BYTES = 1 << 16

_Count = Annotated[int, msgspec.Meta(ge=1)]
_Qos = Annotated[int, msgspec.Meta(ge=0, le=2)]
_Text = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
_Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]


class Retained(StrEnum):
    """What becomes of messages that are older than our subscription."""

    TAKE = "take"  # they are events as all others
    MARK = "mark"  # they say so: `retained: true`
    SKIP = "skip"


class SensorSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What Home Assistant shows of a subscription: when it matched last, or a value."""

    name: str = ""  # else that of the subscription
    value: str = ""  # the attribute of the event that is shown; else when it was published
    unit: str = ""
    device_class: str = ""


class OutSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Matches that go out: a durable subscription, and where they are published."""

    name: _Name
    of: str  # a subscription
    topic: str = MATCHES
    qos: _Qos = 1
    retained: bool = True  # the last match is told to whoever subscribes later
    sensor: SensorSettings | None = None  # Home Assistant is not told of it
    owner: _Text = "service"
    most_waiting: _Count = 100_000  # matches, while the broker is down
    overflow: Literal["drop oldest", "refuse"] = "drop oldest"  # refuse: publishers have to wait

    def topic_of(self) -> str:
        """Where its matches are published."""
        return TopicMapping.read(self.topic).topic({SUBSCRIPTION: self.name})


class MqttSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One broker of MQTT: what is heard there, and what is told."""

    name: _Name
    url: str
    topics: tuple[str, ...] = msgspec.field(default=(), name="in")  # filters, city/{zone}/{sensor}
    out: tuple[OutSettings, ...] = ()
    payload: PayloadKind = PayloadKind.JSON
    value: str = VALUE  # what one value is called that is a whole message
    schema: Path | None = None  # of Avro
    headers: tuple[str, ...] = ()  # user properties that become attributes
    retained: Retained = Retained.TAKE
    owner: _Text = "service"  # who publishes what comes
    status: str = "purport/status"  # where it stands whether we are there; "" nowhere
    discovery: str = ""  # where Home Assistant's sensors are told: "homeassistant"; "" nowhere
    spool_bytes: Annotated[int, msgspec.Meta(ge=_LEAST_BYTES)] = MOST_BYTES
    when_full: WhenFull = WhenFull.WAIT
    required: bool = False  # the service is ready only while there is a connection

    def address(self) -> BrokerAddress:
        """The broker; `InvalidInput` if it is none."""
        return BrokerAddress.read(self.url)

    def mappings(self) -> tuple[TopicMapping, ...]:
        """What topics are heard, and what their levels are called."""
        address = self.address()
        told = ((address.topics,) if address.topics else ()) + address.options.filter + self.topics
        return tuple(TopicMapping.read(one) for one in told)

    def subscription_id(self, out: OutSettings) -> str:
        """The id of the subscription behind an `out`."""
        return f"{PREFIX}{self.name}:{out.name}"


def require_usable(settings: MqttSettings, environment: Mapping[str, str] = os.environ) -> None:
    """Raise what is wrong with the files and variables that settings name."""
    try:
        address = settings.address()
        address.session(environment)
        address.place.context()
        payloads(settings.payload, value=settings.value, schema=settings.schema)
    except PurportError as error:
        raise InvalidInput(f"mqtt, {settings.name!r}: {error}") from None


def problems(bridges: tuple[MqttSettings, ...]) -> Iterator[str]:
    """What is wrong with bridges although each part of it is right."""
    names = [one.name for one in bridges]
    for number, one in enumerate(bridges):
        place = f"mqtt[{number}]"
        if names.index(one.name) < number:
            yield f"{place}.name: {one.name!r} stands there more than once"
        try:
            mappings = one.mappings()
        except InvalidInput as error:
            yield f"{place}: {error}"
            continue
        if not mappings and not one.out:
            yield f"{place}: expected `in`, topics to hear, or [[mqtt.out]], matches to tell"
        yield from _of_topics(one, place)
        yield from _of_out(one, place)


def _of_topics(one: MqttSettings, place: str) -> Iterator[str]:
    for name, topic in (("status", one.status), ("discovery", one.discovery)):
        try:
            if topic:
                require_topic(topic)
        except InvalidInput as error:
            yield f"{place}.{name}: {error}"
    for name in (one.value, *one.headers):
        if not name.strip() or name[0] == "@":
            yield f"{place}: expected a name for an attribute, got {name!r}"
    if (one.schema is None) == (one.payload in (PayloadKind.AVRO, PayloadKind.CONFLUENT_AVRO)):
        yield f"{place}: payload and schema: Avro needs a schema=FILE.avsc, the others have none"


def _of_out(one: MqttSettings, place: str) -> Iterator[str]:
    seen: set[str] = set()
    topics: set[str] = {one.status} if one.status else set()
    for number, out in enumerate(one.out):
        there = f"{place}.out[{number}]"
        if out.name in seen:
            yield f"{there}.name: {out.name!r} stands there more than once"
        seen.add(out.name)
        try:
            topic = out.topic_of()
        except InvalidInput as error:
            yield f"{there}.topic: {error}"
            continue
        if topic in topics:
            yield f"{there}.topic: {topic!r} has something else on it"
        topics.add(topic)
        if out.sensor is not None and not one.discovery:
            yield f"{there}.sensor: expected {place}.discovery, such as homeassistant"
