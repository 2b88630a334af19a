"""A notification as it is told to others: JSON, under an id that stays the same."""

from __future__ import annotations

from typing import Any

import msgspec

from purport.model.notification import Notification


class NotificationMessage(msgspec.Struct, frozen=True):
    """What a service is sent."""

    id: str
    subscription: str
    sequence: int
    event: msgspec.Raw
    probability: float
    mapping: list[list[Any]]  # for each predicate, the attribute and value that answer it
    at: str | None
    topic: str
    causes: tuple[str, ...]
    missed: int


def message_of(notification: Notification) -> bytes:
    """A notification as JSON."""
    match = notification.match
    message = NotificationMessage(
        notification.id,
        notification.subscription_id,
        notification.sequence,
        msgspec.Raw(match.event.to_json()),
        notification.probability,
        [
            [str(pair.statement.attribute), str(pair.statement.value), pair.similarity]
            for pair in match.mapping.correspondences
        ],
        None if notification.at is None else notification.at.isoformat(),
        notification.topic,
        notification.causes,
        notification.missed,
    )
    return msgspec.json.encode(message)


def delivery_key(notification: Notification) -> str:
    """What a service knows a notification by: the same each time, and of no other broker's."""
    at = "" if notification.at is None else f"@{notification.at.isoformat()}"
    return f"{notification.id}{at}"
