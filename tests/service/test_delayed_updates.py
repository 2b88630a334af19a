"""Updates that wait: asked for with `at` or `delay`, listed and cancelled over HTTP."""

from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from purport.broker.access import AccessRule, AccessRules, Action
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.model.clock import ManualClock
from tests.embedded.brokers import NOON, exact
from tests.service.serving import served, service_of

INSERT = "INSERT DATA { <urn:a> <urn:p> 1 }"
ADA, BEN, EVE = ({"x-who": name} for name in ("Ada", "Ben", "Eve"))
RULES = AccessRules(
    (
        AccessRule(frozenset({"Ada", "Ben"}), frozenset({Action.UPDATE})),
        AccessRule(frozenset({"Eve"}), frozenset({Action.MANAGE})),
    )
)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
def broker(clock: ManualClock) -> Iterator[Broker]:
    settings = BrokerSettings(access=RULES)
    with Broker.in_memory(matcher=exact, clock=clock, settings=settings) as made:
        yield made


@pytest.fixture
def client(broker: Broker) -> Iterator[httpx.Client]:
    with served(service_of(broker)) as made:
        yield made


@pytest.mark.parametrize(
    ("name", "value", "seconds"),
    [
        ("at", "2026-11-17T12:00:30Z", 30),
        ("at", "2026-11-17T13:00:30+01:00", 30),
        ("delay", "PT1M30S", 90),
        ("delay", "P1DT0.5S", 86_400.5),
        ("delay", "10s", 10),
        ("delay", "2 min", 120),
    ],
)
@pytest.mark.parametrize("place", ["address", "form", "bare address"])
def test_an_update_waits_as_it_is_asked_to(
    client: httpx.Client, name: str, value: str, seconds: float, place: str
) -> None:
    if place == "form":
        answer = client.post("/update", data={"update": INSERT, name: value}, headers=ADA)
    else:
        bare = place == "bare address"
        address = f"{name}={value}" if bare else httpx.QueryParams({name: value})
        answer = client.post(f"/update?{address}", data={"update": INSERT}, headers=ADA)

    assert answer.status_code == 202, answer.text
    body = answer.json()["response"]["body"]
    assert body["due"] == (NOON + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")
    waits = client.get(answer.headers["location"], headers=ADA).json()
    assert waits == {
        "number": body["number"], "due": body["due"], "text": INSERT, "publisher": "Ada",
    }  # fmt: skip


def test_a_time_that_has_passed_is_now(client: httpx.Client) -> None:
    past = {"update": INSERT, "at": "2020-01-01T00:00:00Z"}
    answer = client.post("/update", data=past, headers=ADA)

    assert answer.status_code == 200 and answer.json()["response"]["body"]["added"] == 1


@pytest.mark.parametrize(
    "parameters",
    [
        {"at": "2026-11-17T12:00:30"},
        {"at": "noon"},
        {"at": ""},
        {"delay": "PT"},
        {"delay": "P1M"},
        {"delay": "-5s"},
        {"delay": "P99999999999D"},
        {"delay": "PT0S"},
        {"delay": "10s", "at": "2026-11-17T12:00:30Z"},
    ],
)
def test_what_is_no_time_is_refused(client: httpx.Client, parameters: dict[str, str]) -> None:
    answer = client.post("/update", data={"update": INSERT, **parameters}, headers=ADA)

    assert answer.status_code == 400, answer.text


def test_a_malformed_update_is_refused_before_it_waits(client: httpx.Client) -> None:
    answer = client.post("/update", data={"update": "INSERT", "delay": "10s"}, headers=ADA)

    assert answer.status_code == 400
    assert client.get("/updates", headers=ADA).json() == {"updates": []}


def test_an_update_that_is_cancelled_does_not_run(
    client: httpx.Client, broker: Broker, clock: ManualClock
) -> None:
    where = [
        client.post("/update", data={"update": one, "delay": "10s"}, headers=ADA).headers[
            "location"
        ]
        for one in (INSERT, INSERT.replace("urn:a", "urn:b"))
    ]

    assert client.delete(where[0], headers=ADA).status_code == 204
    assert client.delete(where[0], headers=ADA).status_code == 404
    listed = client.get("/updates", headers=ADA).json()["updates"]
    assert [f"/updates/{one['number']}" for one in listed] == where[1:]
    clock.advance(timedelta(seconds=11))
    assert [one.added for one in broker.run_due()] in ([1], [])  # a thread may have been quicker
    assert client.get("/updates", headers=ADA).json() == {"updates": []}
    assert client.delete(where[1], headers=ADA).status_code == 404


def test_nobody_sees_or_cancels_what_is_anothers(client: httpx.Client) -> None:
    made = client.post("/update", data={"update": INSERT, "delay": "10s"}, headers=ADA)
    where = made.headers["location"]

    for who in (BEN, {}):
        assert client.get("/updates", headers=who).json() == {"updates": []}
        assert client.get(where, headers=who).status_code == 404
        hidden, missing = (client.delete(one, headers=who) for one in (where, "/updates/999999"))
        assert (hidden.status_code, hidden.json()["error"]) == (404, "not_found")
        assert missing.json()["error_description"] == "no update 999999 waits"
    assert client.get(where, headers=EVE).status_code == 200
    assert client.delete(where, headers=EVE).status_code == 204


@pytest.mark.parametrize("number", ["x", "-1", "9" * 40, "١"])
def test_what_is_no_number_is_not_there(client: httpx.Client, number: str) -> None:
    assert client.get(f"/updates/{number}").status_code == 404
