"""The OpenAPI document: it has what there is, and what there is does as it says."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.routing import Route

from purport.embedded.broker import Broker
from purport.service import server_sent_events
from purport.service.app import application
from purport.service.auth import Auth
from purport.service.openapi import OPERATIONS, document
from purport.service.resource import Resource
from purport.service.service import Service
from purport.service.settings import Keeping, ServiceSettings
from tests.embedded.brokers import exact
from tests.service.secured import secured
from tests.service.serving import service_of

CHECKS = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@schemathesis.serializer(
    "application/x-ndjson",
    "application/jsonl",
    "application/json-lines",
    "application/ld+json",
    "application/merge-patch+json",
    "application/n-triples",
    "application/x-turtle",
    "text/turtle",
    "application/sparql-query",
    "application/sparql-update",
)
def as_it_stands(context: object, value: object) -> bytes:
    """Texts as they are, anything else as JSON."""
    text = value if isinstance(value, str | bytes) else json.dumps(value)
    return text.encode() if isinstance(text, str) else text


def service_with_tokens(broker: Broker) -> Service:
    """A service whose routes are all there."""
    settings = ServiceSettings(broker=Keeping(in_memory=True))
    service = service_of(broker, settings)
    return replace(service, more_routes=Auth(settings).routes())


def test_every_route_is_described_and_whatever_is_described_is_there() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        service = service_with_tokens(broker)
        routed = {
            (method, route.path)
            for route in application(service).routes
            if isinstance(route, Resource | Route)
            for method in route.methods or ()
            if method != "HEAD"
        }
        service.desk.close()

    assert routed == {(one.method, one.path) for one in OPERATIONS}


def test_operations_are_told_apart() -> None:
    assert len({one.id for one in OPERATIONS}) == len(OPERATIONS)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where a whole server answers, with its limits on requests and connections."""
    with secured() as service:
        for text in ("{heat > 25} as hot", "when {heat > 25} as alarming publish {alarm = yes}"):
            service.broker.subscribe(text)
        service.broker.subscribe("SELECT * { ?s ?p ?o }", name="all")
        service.broker.publish({"heat": 30})
        yield f"http://127.0.0.1:{service.port}"


ENDLESS = server_sent_events.EVENTS.path  # has a test of its own
SCHEMA = schemathesis.openapi.from_dict(document(OPERATIONS)).exclude(path=ENDLESS)


@SCHEMA.parametrize()
@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_whatever_is_asked_is_answered_as_described(
    case: schemathesis.Case[Any], address: str
) -> None:
    case.call_and_validate(base_url=address, checks=CHECKS, timeout=10)
