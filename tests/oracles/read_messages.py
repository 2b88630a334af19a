"""What messages say, one after the other, by the plainest means."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from purport.errors import EventError
from purport.model.event import Event, Statement, decode_json_object
from purport.pipeline.messages.options import Meaning, Retained


@dataclass(frozen=True)
class PlainMessage:
    """A row of the table MESSAGES."""

    topic: str
    partition: int
    offset: int
    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes], ...] = ()
    is_retained: bool = False


@dataclass
class ReadMessages:
    """Events by their places: ids, statements, begins; and the places of what is none."""

    events: dict[tuple[str, int], tuple[str, tuple[Statement, ...], datetime | None]] = field(
        default_factory=dict
    )
    refused: list[tuple[str, int]] = field(default_factory=list)


def read_messages(messages: Sequence[PlainMessage], meaning: Meaning) -> ReadMessages:
    """What messages of JSON say under a meaning."""
    found = ReadMessages()
    seen: set[tuple[str, str]] = set()
    for one in messages:
        source = f"{one.topic}/{one.partition}"
        try:
            said = _said(one, meaning)
            if said is None:
                continue
            event = Event.from_json(said)
            name = event.id or f"{source}:{one.offset}"
            if (source, name) in seen:
                raise EventError("twice")
        except EventError:
            found.refused.append((source, one.offset))
        else:
            if event.id:
                seen.add((source, name))
            start = event.interval.start if event.interval else None
            found.events[source, one.offset] = name, event.statements, start
    return found


def _said(one: PlainMessage, meaning: Meaning) -> dict[str, object] | None:
    said: dict[str, object] = {}
    if meaning.topic is not None:
        values = meaning.topic.values(one.topic)
        if values is None:
            raise EventError("another topic")
        said.update(values)
    if one.value is None or (one.is_retained and meaning.retained is Retained.SKIP):
        return None
    if meaning.key is not None and one.key is not None:
        said[meaning.key] = one.key.decode("utf-8", "backslashreplace")
    headers = dict(one.headers)
    for name in meaning.headers:
        if name in headers:
            said[name] = headers[name].decode("utf-8", "backslashreplace")
    if one.is_retained and meaning.retained is Retained.MARK:
        said["retained"] = True
    told = _told(one.value)
    if told is None:
        return None
    return {**said, **(told if isinstance(told, dict) else {meaning.value: told})}


def _told(payload: bytes) -> object:
    if not payload.strip():
        return None
    if payload.strip()[:1] in b"{[":
        return decode_json_object(payload)
    try:
        told = json.loads(payload, parse_constant=_refuse)
    except ValueError:
        raise EventError("no JSON") from None
    return told


def _refuse(_: str) -> None:
    raise ValueError
