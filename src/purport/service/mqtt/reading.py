"""Messages to events, with what their topics, headers and sensors say."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from purport.broker.known_events import origin_id
from purport.broker.links import Arrival
from purport.broker.records import Origin
from purport.client.payloads import PayloadKind, payloads
from purport.embedded.arguments import require_topic
from purport.errors import EventError, InvalidInput
from purport.model.event import Event
from purport.mqtt.message import Message
from purport.service.mqtt.dead_letters import DeadLetter, dead_letter
from purport.service.mqtt.discovery import Sensors
from purport.service.mqtt.settings import MqttSettings, Retained

_CBOR = "application/cbor"
_MOST_TOPICS = 10_000  # of which is remembered what they say


class Placed(NamedTuple):
    """A message, and where it stands in the spool."""

    position: int
    message: Message


class Stretch(NamedTuple):
    """What some messages came to, one after the other, through a position."""

    end: int  # the position after the last
    arrivals: list[tuple[Arrival, Placed]]
    dead: list[DeadLetter]


class MessageReader:
    """Reads the messages of one bridge."""

    def __init__(
        self, settings: MqttSettings, identity: str, sensors: Sensors, own: Collection[str]
    ) -> None:
        """`own` are the topics on which we publish ourselves."""
        self.log, self.identity = f"mqtt:{settings.name}", identity
        self._settings, self._sensors = settings, sensors
        self._mappings, self._own = settings.mappings(), frozenset(own)
        value = settings.value
        self._payloads = payloads(settings.payload, value=value, schema=settings.schema)
        self._cbor = payloads(PayloadKind.CBOR, value=value)
        self._texts = payloads(PayloadKind.TEXT, value=value)
        self._is_json = settings.payload is PayloadKind.JSON
        self._topics: dict[str, dict[str, str] | str] = {}

    def read(self, begin: int, messages: Iterable[Message]) -> Stretch:
        """What messages come to, of which the first stands at a position."""
        arrivals: list[tuple[Arrival, Placed]] = []
        dead: list[DeadLetter] = []
        position = begin
        for message in messages:
            placed = Placed(position, message)
            position += 1
            try:
                arrival = self._arrival(placed)
            except Exception as error:  # noqa: BLE001 - one message must not hold up all others
                dead.append(self.dead_letter(placed, str(error) or type(error).__name__))
                continue
            if arrival is not None:
                arrivals.append((arrival, placed))
        self._sensors.save()
        return Stretch(position, arrivals, dead)

    def dead_letter(self, placed: Placed, reason: str) -> DeadLetter:
        """A message that comes to nothing."""
        message = placed.message
        received = datetime.fromtimestamp(message.received_us / 1e6, UTC).isoformat()
        return dead_letter(
            reason,
            message.topic,
            message.payload,
            position=placed.position,
            spool=self.identity,
            received=received,
        )

    def _arrival(self, placed: Placed) -> Arrival | None:
        """The event of a message; None if it is none, and nothing is wrong with it."""
        message = placed.message
        topic = message.topic
        if topic in self._own:
            return None
        if self._sensors.is_config(topic):
            self._sensors.take(topic, message.payload)
            return None
        if message.is_retained and self._settings.retained is Retained.SKIP:
            return None
        known = self._topics.get(topic)
        if known is None:
            known = self._of_topic(topic)
        if isinstance(known, str):
            raise EventError(known)
        said = self._said(message)
        if said is None:
            return None
        beside: dict[str, Any] = dict(known)
        if len(self._sensors):
            said = self._sensors.called(topic, said, self._settings.value)
            beside = {**self._sensors.about(topic), **known}
        if self._settings.headers:
            beside |= {
                name: value
                for name, value in message.user_properties
                if name in self._settings.headers
            }
        if message.is_retained and self._settings.retained is Retained.MARK:
            beside["retained"] = True
        event = Event.from_json({**beside, **said} if beside else said)
        origin = Origin(self.log, self.identity, placed.position)
        if event.id is None:
            event = event.with_id(origin_id(origin))
        return Arrival(event, origin, topic, self._settings.owner)

    def _said(self, message: Message) -> dict[str, Any] | None:
        """What a payload says; text where it is the state of one sensor that is no JSON."""
        if self._is_json and message.content_type == _CBOR:
            return self._cbor.said(message.payload)
        try:
            return self._payloads.said(message.payload)
        except EventError:
            if not self._is_json or not self._sensors.is_alone(message.topic):
                raise
            return self._texts.said(message.payload)

    def _of_topic(self, topic: str) -> dict[str, str] | str:
        """What a topic says, or why nothing is published there."""
        found: dict[str, str] | str
        told = (one.values(topic) for one in self._mappings)
        try:
            require_topic(topic)
            said = next((one for one in told if one is not None), None)
            found = f"the topic is none of {', '.join(map(str, self._mappings))}"
            if said is not None:
                found = said
        except InvalidInput as error:
            found = str(error)
        if len(self._topics) >= _MOST_TOPICS:
            self._topics.clear()
        self._topics[topic] = found
        return found
