"""`POST /events`: events in the ways in which people write them, answered when they are kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from purport.client.messages import EventReceipts
from purport.errors import EventError
from purport.model.event import Event, decode_json_object
from purport.model.rdf import Syntax, descriptions
from purport.service.answers import json_answer
from purport.service.bodies import JSON, json_as, media_type, parsed, read_query
from purport.service.operation import PROBLEMS, Answer, Content, Operation, resources
from purport.service.room import when_there_is_room
from purport.service.service import Service

JSON_LINES = ("application/x-ndjson", "application/jsonl", "application/json-lines")
JSON_LD = "application/ld+json"
RDF = {
    "text/turtle": Syntax.TURTLE,
    "application/x-turtle": Syntax.TURTLE,
    "application/n-triples": Syntax.N_TRIPLES,
}
TYPES = (JSON, *JSON_LINES, JSON_LD, *RDF)

Read = Callable[[bytes], list[Event]]


class PublishParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Under which topic events are published."""

    topic: str = ""


PUBLISH = Operation(
    "POST",
    "/events",
    "publishEvents",
    "Publish one event or several, all or none; answered when the journal has them",
    parameters=PublishParameters,
    takes=(
        Content(JSON, dict[str, Any] | list[dict[str, Any]]),
        *(Content(kind) for kind in (*JSON_LINES, JSON_LD, *RDF)),
    ),
    answers=(Answer(200, "They are kept.", (Content(JSON, EventReceipts),)), *PROBLEMS),
)


def routes(service: Service) -> list[BaseRoute]:
    """Where events are published."""

    async def publish(request: Request) -> Response:
        began = time.perf_counter()
        who = await service.who(request)
        asked = read_query(request, PublishParameters)
        kind = media_type(request, TYPES)
        body = await request.body()
        events = await parsed(body, lambda: events_of(body, kind))
        receipts = await when_there_is_room(
            lambda: service.publisher.publish(events, topic=asked.topic, publisher=who),
            service.settings.limits.block_seconds,
        )
        service.metrics.publishing.add(time.perf_counter() - began)
        return json_answer(EventReceipts(tuple(receipts)))

    return resources({PUBLISH: publish})


def events_of(body: bytes, kind: str) -> list[Event]:
    """The events in a body of some media type; `EventError` says what is wrong with which one."""
    if kind in JSON_LINES:
        return list(_of_lines(body))
    if kind in RDF:
        return _of_rdf(body, RDF[kind])
    if kind == JSON_LD:
        return list(_of_json(body, _of_json_ld))
    return list(_of_json(body, lambda one: [Event.from_json(one)]))


def _of_json(body: bytes, read: Read) -> Iterator[Event]:
    """The events of one JSON object, or of a list of them."""
    if not body.lstrip().startswith(b"["):
        yield from read(body)
        return
    for number, one in enumerate(json_as(body, list[msgspec.Raw]), 1):
        try:
            yield from read(bytes(one))
        except EventError as error:
            raise EventError(f"event {number}: {error}") from None


def _of_lines(body: bytes) -> Iterator[Event]:
    for number, line in enumerate(body.split(b"\n"), 1):
        if line.strip():
            try:
                yield Event.from_json(line)
            except EventError as error:
                raise EventError(f"line {number}: {error}") from None


def _of_json_ld(text: bytes) -> list[Event]:
    """The events of a JSON-LD object, one for each subject; without a context it is JSON."""
    data = decode_json_object(text)
    if "@context" not in data or "@start" in data or "@end" in data:
        return [Event.from_json(data)]
    return _of_rdf(text, Syntax.JSON_LD)


def _of_rdf(text: bytes, syntax: Syntax) -> list[Event]:
    found = descriptions(text, syntax)
    if not found:
        raise EventError("the text describes nothing")
    events = []
    for number, description in enumerate(found, 1):
        try:
            events.append(Event.from_description(description))
        except EventError as error:
            subject = f" (<{description.subject}>)" if description.subject else ""
            raise EventError(f"event {number}{subject}: {error}") from None
    return events
