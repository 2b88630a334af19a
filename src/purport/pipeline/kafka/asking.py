"""What brokers say before anything is started: that they are there, and what topics they have.

Spark's own errors for these come late, with stacks around them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from purport.errors import InvalidInput, MissingExtra, PurportError
from purport.pipeline.kafka.address import KafkaTopics

_ONE_TRY_SECONDS = 1.0


class KafkaUnavailable(PurportError):
    """Brokers do not answer, or do not let us in."""


def partitions_of(place: KafkaTopics) -> Mapping[str, int]:
    """How many partitions each topic has.

    `KafkaUnavailable` if no broker answers or we are not let in, `InvalidInput` if a topic is not
    there.
    """
    topics = _metadata(place).topics
    found = {}
    for topic in place.topics:
        told = topics.get(topic)
        if told is None or told.error is not None:
            near = get_close_matches(topic, topics, 1, 0.5)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            said = f" ({told.error.str()})" if told is not None else ""
            raise InvalidInput(
                f"kafka://{place.servers} has no topic {topic!r} for us{said}{meant}"
            )
        found[topic] = len(told.partitions)
    return found


def _metadata(place: KafkaTopics) -> Any:
    try:
        from confluent_kafka import KafkaError, KafkaException
        from confluent_kafka.admin import AdminClient
    except ModuleNotFoundError as error:
        raise MissingExtra("kafka") from error
    heard: list[KafkaError] = []
    final = (KafkaError._AUTHENTICATION, KafkaError._SSL)
    try:
        settings: dict[str, Any] = {**place.for_client(), "error_cb": heard.append}
        client = AdminClient(settings)
    except KafkaException as error:
        raise InvalidInput(f"{place}: {error.args[0].str()}") from None
    deadline = time.monotonic() + place.options.connect_seconds
    while True:
        try:
            return client.list_topics(timeout=_ONE_TRY_SECONDS)
        except KafkaException as error:
            client.poll(0)
            is_final = any(one.code() in final for one in heard)
            if is_final or time.monotonic() > deadline:
                reason = _reason(heard, error.args[0])
                raise KafkaUnavailable(f"kafka://{place.servers}: {reason}") from None


def _reason(heard: list[Any], last: Any) -> str:
    """The most telling of the errors: what one broker said, rather than that all are down."""
    said = [one.str() for one in heard if not one.str().endswith("brokers are down")]
    text: str = said[-1] if said else last.str()
    _, _, reason = text.partition(": ")
    return reason.partition(" (after ")[0] or text
