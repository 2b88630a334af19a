"""Matches published to topics of a broker of MQTT, from the workers."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated

import msgspec
import pyarrow as pa

from purport.client.topics import TopicMapping
from purport.errors import InvalidInput
from purport.model.event_lines import DeadLetter
from purport.mqtt.address import BrokerAddress
from purport.mqtt.connection import Connection
from purport.mqtt.errors import BrokerUnreachable, NotDelivered
from purport.mqtt.packets import Properties, Publish
from purport.mqtt.session import SessionSettings
from purport.pipeline.found_matches import Found, Matches
from purport.pipeline.notes import Notes, task_name
from purport.pipeline.sinks.match_message import MatchMessage, match_messages

_NAMES = ("subscription", "event_id", "id")
_AT_ONCE = 1000
_PROPERTIES = Properties(content_type="application/json")


@dataclass(frozen=True, kw_only=True)
class MqttSinkOptions:
    """What can be said of topics that matches are published to."""

    retain: bool = False
    deliver_seconds: Annotated[float, msgspec.Meta(gt=0, le=3600)] = 60.0


@dataclass(frozen=True, slots=True)
class MqttTopics:
    """A broker that gets a message in JSON for each match, such as on `matches/{subscription}`.

    At QoS 1 and 2 a batch is done when the broker has acknowledged all of it; a batch that comes
    again after a crash comes under the same ids. What the broker refuses is a dead letter.
    """

    address: str
    options: MqttSinkOptions = field(default_factory=MqttSinkOptions)

    @property
    def place(self) -> str:
        """The broker and the topics."""
        return str(BrokerAddress.read(self.address))

    @property
    def home(self) -> None:
        """Nowhere: a broker keeps nothing for a job."""

    def claim(self, job: str) -> None:
        """Make sure that the topics can be published to, and that the broker lets us in."""
        broker = self.require_usable()
        connection = Connection(broker.place, broker.session(is_receiver=False)).start()
        try:
            connection.wait_until_ready(broker.options.connect_seconds)
        except BrokerUnreachable as error:
            raise InvalidInput(f"{self.place}: {error}") from None
        finally:
            connection.stop()

    def require_usable(self) -> BrokerAddress:
        """The broker; `InvalidInput` says what is wrong with the address."""
        broker = BrokerAddress.read(self.address)
        mapping = TopicMapping.read(broker.topics)
        mapping.topic(dict.fromkeys(_NAMES, "a"))
        if broker.options.client_id or broker.options.filter or broker.options.share:
            raise InvalidInput(
                f"{self.place}: client_id, filter and share are for those who receive; several "
                "tasks publish at once"
            )
        return broker

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        """Publish the matches of one batch."""
        broker = self.require_usable()
        publisher = Publisher(broker, broker.session(is_receiver=False), self.options)

        def publish(found: Found) -> None:
            notes.refuse(publisher.undelivered(found), task_name("undelivered"))

        matches.pass_to(publish)


@dataclass(frozen=True, slots=True)
class Publisher:
    """What a worker needs to publish matches."""

    broker: BrokerAddress
    settings: SessionSettings = field(repr=False)
    options: MqttSinkOptions

    def undelivered(self, found: Iterable[pa.RecordBatch]) -> Iterator[DeadLetter]:
        """Publish matches; gives those that the broker refuses."""
        messages = (one for batch in found for one in match_messages(batch))
        together = list(islice(messages, _AT_ONCE))
        if not together:
            return
        name = f"purport-{secrets.token_hex(6)}"  # no two tasks may have the same
        settings = msgspec.structs.replace(self.settings, client_id=name)
        connection = Connection(self.broker.place, settings).start()
        try:
            connection.wait_until_ready(self.broker.options.connect_seconds)
            while together:
                yield from self._refused(connection, together)
                together = list(islice(messages, _AT_ONCE))
        finally:
            connection.stop()

    def _refused(
        self, connection: Connection, messages: Iterable[MatchMessage]
    ) -> Iterator[DeadLetter]:
        """Publish some; those that are refused, when of all of them it is known."""
        mapping = TopicMapping.read(self.broker.topics)
        on_their_way = []
        for one in messages:
            try:
                topic = mapping.topic({name: getattr(one, name) for name in _NAMES})
            except InvalidInput as error:
                yield _letter(one, str(error))
                continue
            packet = Publish(
                topic,
                msgspec.json.encode(one),
                self.broker.options.qos,
                self.options.retain,
                properties=_PROPERTIES,
            )
            on_their_way.append((one, connection.publish(packet)))
        connection.settle(self.options.deliver_seconds)
        for one, delivery in on_their_way:
            try:
                delivery.wait(0)
            except NotDelivered as error:
                yield _letter(one, f"not delivered: {error}")


def _letter(message: MatchMessage, reason: str) -> DeadLetter:
    text = msgspec.json.encode(message).decode()  # whole, so that it can still be delivered
    return DeadLetter(message.source, message.offset, reason, text)
