"""Webhooks over HTTP: posted in order, told how it goes, and paused when nothing is taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purport.broker.access import AccessRule, AccessRules, Action
from purport.courier import Patience
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from tests.embedded.brokers import exact
from tests.embedded.services import service
from tests.service.raw_client import wait_until
from tests.service.serving import client_of

QUICK = Patience(3, 3, 0.01, 0.02, failures_before_pause=4)
ANN, BEN, ROOT = ({"x-who": who} for who in ("ann", "ben", "root"))


@pytest.fixture
def posting() -> Iterator[httpx.Client]:
    """A client of a service that tries quickly, and pauses soon."""
    own = AccessRule(frozenset({"ann", "ben"}), frozenset({Action.SUBSCRIBE, Action.PUBLISH}))
    rules = AccessRules((own, AccessRule(frozenset({"root"}), frozenset(Action))))
    set_so = BrokerSettings(patience=QUICK, closing_seconds=2, access=rules)
    with Broker.in_memory(matcher=exact, settings=set_so) as broker, client_of(broker) as client:
        yield client


def publish(client: httpx.Client, *names: str) -> None:
    events = [{"@id": name, "heat": 31} for name in names]
    assert client.post("/events", json=events, headers=ROOT).status_code == 200


def state(client: httpx.Client) -> Any:
    answer = client.get("/subscriptions/hot", headers=ROOT)
    assert answer.status_code == 200, answer.text
    return answer.json()


def created(client: httpx.Client, webhook: str) -> None:
    asked = {"purport": "{heat > 30} as hot", "durable": True, "webhook": webhook}
    answer = client.post("/subscriptions", json=asked, headers=ROOT)
    assert answer.status_code == 201, answer.text


def test_notifications_are_posted_in_order_and_so_it_is_told(posting: httpx.Client) -> None:
    with service() as there:
        created(posting, there.url)
        publish(posting, "e1", "e2", "e3")
        there.await_requests(3)
        wait_until(lambda: state(posting)["status"]["waiting"] == 0)
        told = state(posting)

    assert [one["event"]["@id"] for one in there.bodies] == ["e1", "e2", "e3"]
    assert [one["sequence"] for one in there.bodies] == [0, 1, 2]
    assert told["webhook"] == there.url
    assert told["status"].get("consecutiveErrors", 0) == 0
    assert "lastFailure" not in told["status"]


def test_one_that_fails_is_paused_and_goes_on_when_it_is_resumed(posting: httpx.Client) -> None:
    with service(*[503] * 4) as there:
        created(posting, there.url)
        publish(posting, "e1")
        wait_until(lambda: state(posting)["paused"])
        failing = state(posting)
        publish(posting, "e2")  # of which nobody hears
        resumed = posting.post("/subscriptions/hot/resume", headers=ROOT)
        publish(posting, "e3")
        there.await_requests(6)
        wait_until(lambda: state(posting)["status"]["waiting"] == 0)
        well = state(posting)

    assert failing["status"]["consecutiveErrors"] == 4
    assert failing["status"]["lastFailure"].startswith("answers 503")
    assert resumed.json()["paused"] is False
    assert [one["event"]["@id"] for one in there.bodies] == ["e1", "e3"]
    assert (well["paused"], well["status"].get("consecutiveErrors", 0)) == (False, 0)


def test_what_is_refused_for_good_is_a_failure_and_those_who_may_not_see_it_do_not(
    posting: httpx.Client,
) -> None:
    with service(410) as there:
        created(posting, there.url)
        publish(posting, "e1", "e2")
        wait_until(lambda: posting.get("/failures", headers=ROOT).json()["failures"])
        [failure] = posting.get("/failures", headers=ROOT).json()["failures"]
        others = posting.get("/failures", headers=ANN).json()["failures"]
        wait_until(lambda: there.bodies)

    assert (failure["subscription"], failure["event"]) == ("hot", "e1")
    assert "410" in failure["reason"]
    assert others == []
    assert [one["event"]["@id"] for one in there.bodies] == ["e2"]


def test_a_webhook_is_changed_and_taken_away(posting: httpx.Client) -> None:
    with service() as first, service() as second:
        created(posting, first.url)
        publish(posting, "e1")
        first.await_requests(1)
        wait_until(lambda: state(posting)["status"]["waiting"] == 0)
        posting.patch("/subscriptions/hot", json={"webhook": second.url}, headers=ROOT)
        publish(posting, "e2")
        second.await_requests(1)
        wait_until(lambda: state(posting)["status"]["waiting"] == 0)
        posting.patch("/subscriptions/hot", json={"webhook": None}, headers=ROOT)
        publish(posting, "e3")
        told = state(posting)

    assert [one["event"]["@id"] for one in first.bodies] == ["e1"]
    assert [one["event"]["@id"] for one in second.bodies] == ["e2"]
    assert "webhook" not in told
    assert told["status"]["waiting"] == 1


@pytest.mark.parametrize("address", ["ftp://there/", "nowhere", "http://", "http://u:secret@a/"])
def test_what_cannot_be_a_webhook_is_refused_without_its_secret(
    posting: httpx.Client, address: str
) -> None:
    asked = {"purport": "{a = 1} as hot", "durable": True, "webhook": address}

    answer = posting.post("/subscriptions", json=asked, headers=ROOT)

    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
    assert "secret" not in answer.text
    assert posting.get("/subscriptions/hot", headers=ROOT).status_code == 404


@settings(max_examples=10)
@given(
    st.sampled_from(
        ["{heat > 3}", "{heat > 2, room = 1}", "when {heat > 3} publish {alarm = yes}"]
    ),
    st.lists(
        st.fixed_dictionaries({"heat": st.integers(0, 6), "room": st.integers(0, 2)}), max_size=4
    ),
)
def test_a_dry_run_tells_what_would_have_been_told(text: str, events: list[dict[str, int]]) -> None:
    with Broker.in_memory(matcher=exact) as broker, client_of(broker) as client:
        heard = broker.subscribe(text, name="real")
        client.post("/events", json=events)
        told = [one.match.event.id for one in heard.replay()]
        before = broker.sequence

        trials = client.post("/dry-run", json={"purport": text}).json().get("trials", [])
        one_by_one = [
            client.post("/dry-run", json={"purport": text, "event": one}).json().get("trials", [])
            for one in events
        ]

        assert [one["event"]["@id"] for one in trials] == told
        assert sum(map(len, one_by_one)) == len(told)
        assert broker.sequence == before


def test_a_registry_from_one_service_is_that_of_another(posting: httpx.Client) -> None:
    asked: list[tuple[str, dict[str, object]]] = [
        ("/subscriptions", {"purport": "{a = 1} as one", "durable": True, "most_waiting": 7}),
        ("/subscriptions", {"sparql": "SELECT ?s { ?s ?p ?o }", "name": "two"}),
        ("/rules", {"purport": "when {a = 1} as three publish {b = 2}"}),
    ]
    for path, wanted in asked:
        assert posting.post(path, json=wanted, headers=ROOT).status_code == 201
    kept = posting.get("/registry", headers=ROOT)

    with Broker.in_memory(matcher=exact) as broker, client_of(broker) as other:
        kind = {"content-type": kept.headers["content-type"]}
        taken = other.post("/registry", content=kept.content, headers=kind)
        again = other.get("/registry")
        paths = ("/subscriptions/one", "/subscriptions/two", "/rules/three")
        found = [other.get(path).json() for path in paths]

    assert taken.status_code == 200, taken.text
    assert sorted(again.text.splitlines()) == sorted(kept.text.splitlines())
    assert [one["kind"] for one in found] == ["subscription", "query", "rule"]
    assert (found[0]["durable"], found[0]["most_waiting"]) == (True, 7)
