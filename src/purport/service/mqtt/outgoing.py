"""The way out: matches are published, and acknowledged when the broker of MQTT has them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from purport.embedded.broker import Broker
from purport.embedded.message import message_of
from purport.embedded.subscriber import Acknowledging, Subscriber
from purport.errors import PurportError
from purport.model.notification import Notification
from purport.mqtt.connection import Connection
from purport.mqtt.delivery import Delivery
from purport.mqtt.errors import NotDelivered
from purport.mqtt.packets import Publish
from purport.service.mqtt.dead_letters import DeadLetters, dead_letter
from purport.service.mqtt.settings import MqttSettings, OutSettings
from purport.service.mqtt.trouble import Trouble

_LOG = logging.getLogger("purport.service")
_AT_ONCE = 200  # matches of one subscription that are on their way
_MOST = 5_000  # of all of them
_LOOK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class _Way:
    """A subscription, and the topic to which its matches go."""

    out: OutSettings
    topic: str
    subscriber: Subscriber


@dataclass(frozen=True, slots=True)
class _Sent:
    """A match on its way; `delivery` is None of what cannot be sent at all."""

    way: _Way
    notification: Notification
    packet: Publish
    delivery: Delivery | None
    reason: str = ""


class Outgoing:
    """Publishes matches, in a thread: at least once each, under the ids of their notifications."""

    def __init__(
        self,
        broker: Broker,
        settings: MqttSettings,
        connection: Connection,
        dead_letters: DeadLetters,
        trouble: Trouble,
    ) -> None:
        self._broker, self._settings = broker, settings
        self._connection, self._dead, self._trouble = connection, dead_letters, trouble
        self._wake, self._stopping = threading.Event(), threading.Event()
        self._ways: list[_Way] = []
        self.delivered = 0
        self.refused = 0
        self._thread = threading.Thread(
            target=self._run, name=f"purport mqtt {settings.name}", daemon=True
        )

    def start(self) -> None:
        """Publish what waits, and what comes."""
        for out in self._settings.out:
            subscriber = self._broker.subscriber(
                self._settings.subscription_id(out),
                acknowledging=Acknowledging.BY_HAND,
                who=out.owner,
            )
            subscriber.bell.tell(self._wake.set)
            self._ways.append(_Way(out, out.topic_of(), subscriber))
        self._thread.start()

    def stop(self) -> None:
        """Take nothing any more; what is not acknowledged is told again when the service runs."""
        self._stopping.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()
        for way in self._ways:
            way.subscriber.close()

    @property
    def waiting(self) -> int:
        """How many matches the broker does not have yet."""
        return sum(way.subscriber.status.waiting for way in self._ways)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            try:
                is_more = self._step()
            except Exception as error:  # noqa: BLE001 - whatever it is, it is tried again
                if self._stopping.is_set():
                    return
                self._trouble.note(f"matches wait: {str(error) or type(error).__name__}")
                is_more = False
                self._stopping.wait(_LOOK_SECONDS)
                self._again()
            else:
                self._trouble.clear()
            if not is_more:
                self._wake.wait(_LOOK_SECONDS)

    def _step(self) -> bool:
        """Publish some of what waits; whether something did."""
        sent: list[_Sent] = []
        for way in self._ways:
            if len(sent) < _MOST:
                some = way.subscriber.take_some(_AT_ONCE)
                sent += [self._send(way, notification) for notification in some]
        through: dict[str, tuple[_Way, int]] = {}
        for one in sent:
            if not self._is_through(one):
                break
            through[one.way.out.name] = one.way, one.notification.sequence
        for way, number in through.values():
            way.subscriber.acknowledge(number)
        return bool(sent)

    def _send(self, way: _Way, notification: Notification) -> _Sent:
        body = message_of(notification)
        packet = Publish(way.topic, body, way.out.qos, way.out.retained)
        try:
            return _Sent(way, notification, packet, self._connection.publish(packet))
        except NotDelivered:
            raise
        except PurportError as error:  # it cannot be said in MQTT
            return _Sent(way, notification, packet, None, str(error))

    def _is_through(self, one: _Sent) -> bool:
        """Wait until a match is acknowledged or refused; not if it is time to stop before."""
        reason = one.reason
        if one.delivery is not None:
            while not one.delivery.is_done:
                if self._stopping.is_set():
                    return False
                try:
                    one.delivery.wait(_LOOK_SECONDS)
                except NotDelivered:
                    continue
            if one.delivery.refused is not None and self._stopping.is_set():
                return False  # it was not refused, but given up
            reason = one.delivery.refused or ""
        if reason:
            self.refused += 1
            letter = dead_letter(
                reason, one.packet.topic, one.packet.payload, match=one.notification.id
            )
            self._dead.add([letter])
        else:
            self.delivered += 1
        return True

    def _again(self) -> None:
        """Take anew what was taken and not acknowledged."""
        for way in self._ways:
            status = way.subscriber.status
            way.subscriber.go_on_after(status.acknowledged)


def topics_of(outs: Sequence[OutSettings]) -> list[str]:
    """Where matches are published."""
    return [one.topic_of() for one in outs]
