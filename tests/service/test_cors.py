"""Pages of other origins, as their browsers see the service."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
import websockets.sync.client
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from purport.embedded.broker import Broker
from purport.service.app import application
from purport.service.cors import CrossOrigin, CrossOriginGate
from tests.embedded.brokers import exact
from tests.service.serving import listening, service_of

PAGE, STRANGER = "https://city.example", "https://elsewhere.example"
UPDATE = {"update": "INSERT DATA { <urn:a> <urn:p> 1 }"}


@contextmanager
def gate(*origins: str) -> Iterator[httpx.Client]:
    with Broker.in_memory(matcher=exact) as broker:
        service = service_of(broker)
        app = CrossOriginGate(application(service), CrossOrigin(origins))
        with listening(app) as address, httpx.Client(base_url=address) as client:
            yield client
        service.desk.close()


@pytest.mark.parametrize("path", ["/query", "/update", "/updates/1", "/nothing"])
@pytest.mark.parametrize(("origins", "told"), [(("*",), "*"), ((f"{PAGE}/",), PAGE)])
def test_a_preflight_is_answered(path: str, origins: tuple[str, ...], told: str) -> None:
    asked = {
        "Origin": PAGE,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type",
    }
    with gate(*origins) as client:
        answer = client.options(path, headers=asked)

    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == told
    assert "DELETE" in answer.headers["access-control-allow-methods"]
    assert answer.headers["access-control-allow-headers"] == "authorization, content-type"
    assert answer.headers["access-control-max-age"] == "86400"
    assert "access-control-allow-credentials" not in answer.headers


def test_answers_and_errors_can_be_read_by_pages_that_may_ask() -> None:
    with gate(PAGE) as client:
        answers = [
            client.get("/query", params={"query": text}, headers={"Origin": PAGE})
            for text in ("ASK {}", "ASK")
        ]
        without = client.get("/query", params={"query": "ASK {}"})

    assert [one.status_code for one in answers] == [200, 400]
    for one in answers:
        assert one.headers["access-control-allow-origin"] == PAGE
        assert "Location" in one.headers["access-control-expose-headers"]
        assert "Origin" in one.headers["vary"]
    assert "access-control-allow-origin" not in without.headers
    assert without.headers["vary"] == "Accept, Origin"


def test_pages_that_may_not_ask_change_nothing() -> None:
    with gate(PAGE) as client:
        preflight = client.options("/update", headers={"Origin": STRANGER})
        change = client.post("/update", data=UPDATE, headers={"Origin": STRANGER})
        look = client.get("/query", params={"query": "ASK {}"}, headers={"Origin": STRANGER})
        own = client.post(
            "/update", data=UPDATE, headers={"Origin": str(client.base_url).rstrip("/")}
        )

    assert preflight.status_code == 204
    assert (change.status_code, change.json()["error"]) == (403, "origin_not_allowed")
    assert own.status_code == 200
    for one in (preflight, change, look):
        assert "access-control-allow-origin" not in one.headers


def test_a_request_without_an_origin_goes_through_as_it_is() -> None:
    with gate("*") as client:
        answer = client.get("/query", params={"query": "ASK {}"})

    assert not any(name.startswith("access-control") for name in answer.headers)


def test_pages_that_may_not_ask_open_no_socket() -> None:
    with gate(PAGE) as client:
        address = str(client.base_url).replace("http", "ws") + "/subscribe"
        with pytest.raises(InvalidStatus) as refused:
            websockets.sync.client.connect(address, origin=Origin(STRANGER))

    assert refused.value.response.status_code == 403
