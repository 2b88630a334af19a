"""`/openapi.json`: what can be asked over HTTP, in the words of OpenAPI 3.1.

One table, `OPERATIONS`, has all of it; a test compares it with the routes that there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from purport import __version__
from purport.service import (
    dry_runs,
    events,
    failures,
    notifications,
    registry,
    server_sent_events,
    subscriptions,
)
from purport.service.answers import json_answer
from purport.service.bodies import JSON
from purport.service.mqtt.routes import MQTT
from purport.service.operation import Answer, Content, Operation, resources
from purport.service.overlay.routes import OVERLAY
from purport.service.protocol_operations import OAUTH, SPARQL, WATCHING
from purport.service.service import Service

_SCHEMAS = "#/components/schemas/{name}"
_PARAMETER = re.compile(r"\{(\w+)\}")

DOCUMENT = Operation(
    "GET",
    "/openapi.json",
    "describe",
    "What can be asked, in the words of OpenAPI",
    answers=(Answer(200, "The description.", (Content(JSON, dict[str, Any]),)),),
)

OPERATIONS: tuple[Operation, ...] = (
    events.PUBLISH,
    *(
        operation
        for table in (subscriptions.OPERATIONS, notifications.OPERATIONS)
        for of_mount in table.values()
        for operation in vars(of_mount).values()
    ),
    server_sent_events.EVENTS,
    dry_runs.DRY_RUN,
    failures.FAILURES,
    registry.EXPORT,
    registry.IMPORT,
    *SPARQL,
    *WATCHING,
    OVERLAY,
    MQTT,
    *OAUTH,
    DOCUMENT,
)


def routes(service: Service) -> list[BaseRoute]:
    """Where the description is."""
    answer = document(OPERATIONS)

    async def describe(request: Request) -> Response:
        return json_answer(answer)

    return resources({DOCUMENT: describe})


def document(operations: Iterable[Operation]) -> dict[str, Any]:
    """The description of operations, an object of OpenAPI 3.1."""
    operations = tuple(operations)
    kinds = list(dict.fromkeys(kind for one in operations for kind in _kinds(one)))
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_SCHEMAS)
    described = _Described(dict(zip(kinds, schemas, strict=True)), components)
    paths: dict[str, dict[str, Any]] = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method.lower()] = described.operation(one)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Purport",
            "version": __version__,
            "description": "Publish and subscribe by meaning.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _kinds(one: Operation) -> Iterable[Any]:
    """What schemas are needed of."""
    if one.parameters is not None:
        yield one.parameters
    for answer in one.answers:
        yield from (content.type for content in answer.contents if content.type is not None)
    yield from (content.type for content in one.takes if content.type is not None)


class _Described:
    """Writes operations; each kind of message has a schema."""

    def __init__(self, schemas: dict[Any, dict[str, Any]], components: dict[str, Any]) -> None:
        self._schemas, self._components = schemas, components

    def operation(self, one: Operation) -> dict[str, Any]:
        """An operation object."""
        described: dict[str, Any] = {"operationId": one.id, "summary": one.summary}
        parameters = [*_in_path(one.path), *self._in_query(one), *map(_in_header, one.headers)]
        if parameters:
            described["parameters"] = parameters
        if one.takes:
            described["requestBody"] = {"required": True, "content": self._contents(one.takes)}
        described["responses"] = {
            str(answer.status): self._answer(answer) for answer in one.answers
        }
        return described

    def _in_query(self, one: Operation) -> Iterable[dict[str, Any]]:
        if one.parameters is None:
            return
        schema = self._components[one.parameters.__name__]
        required = schema.get("required", ())
        for name, of_one in schema["properties"].items():
            told = {key: value for key, value in of_one.items() if key != "default"}
            if of_one.get("default") not in (None, ""):
                told["default"] = of_one["default"]
            yield {"name": name, "in": "query", "required": name in required, "schema": told}

    def _answer(self, answer: Answer) -> dict[str, Any]:
        described: dict[str, Any] = {"description": answer.description}
        if answer.contents:
            described["content"] = self._contents(answer.contents)
        if answer.headers:
            described["headers"] = {name: {"schema": _TEXT} for name in answer.headers}
        return described

    def _contents(self, contents: Iterable[Content]) -> dict[str, Any]:
        return {
            one.media_type: {"schema": _TEXT if one.type is None else self._schemas[one.type]}
            for one in contents
        }


_TEXT = {"type": "string"}


def _in_path(path: str) -> Iterable[dict[str, Any]]:
    for name in _PARAMETER.findall(path):
        schema: dict[str, Any] = {"type": "string", "minLength": 1}
        if name == "number":
            schema = {"type": "integer", "minimum": 0, "maximum": 2**63 - 1}
        yield {"name": name, "in": "path", "required": True, "schema": schema}


def _in_header(name: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "schema": _TEXT}
