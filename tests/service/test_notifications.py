"""Notifications over HTTP: read, waited for, explained and acknowledged."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import httpx
import pytest

from purport.embedded.broker import Broker
from purport.embedded.subscriber import Subscriber
from tests.service.test_subscriptions import said

HOT = "/subscriptions/hot"


@pytest.fixture(autouse=True)
def hot(broker: Broker) -> None:
    broker.subscribe("{heat > 25} as hot")


def numbers(response: httpx.Response) -> list[int]:
    assert response.status_code == 200, response.text
    return [one["sequence"] for one in response.json()["notifications"]]


def test_what_was_told_is_read_and_goes_on_waiting(broker: Broker, client: httpx.Client) -> None:
    receipt = broker.publish({"@id": "a", "heat": 30}, topic="house")

    [told] = client.get(f"{HOT}/notifications").json()["notifications"]

    assert (told["id"], told["subscription"], told["sequence"]) == ("hot:0", "hot", 0)
    assert (told["topic"], told["event"]) == ("house", {"@id": "a", "heat": 30})
    assert told["probability"] == 1.0
    assert told["explanation"][0]["predicate"] == "heat > 25"
    assert receipt.notified == broker.status("hot").waiting == 1


def test_what_waits_comes_in_parts(broker: Broker, client: httpx.Client) -> None:
    broker.publish_all([{"heat": 30}] * 5)
    path = f"{HOT}/notifications"

    assert numbers(client.get(f"{path}?most=2")) == [0, 1]
    assert numbers(client.get(f"{path}?after=1&most=2")) == [2, 3]
    assert numbers(client.get(f"{path}?after=4")) == []
    assert numbers(client.get(f"{path}?after=9223372036854775807")) == []

    response = client.post(f"{HOT}/acknowledge", json={"sequence": 2})

    assert response.json()["waiting"] == 2
    assert response.json()["acknowledged"] == 2
    assert numbers(client.get(path)) == [3, 4]
    assert numbers(client.get(f"{path}?after=-1")) == [0, 1, 2, 3, 4]


def test_whoever_asks_may_wait(broker: Broker, client: httpx.Client) -> None:
    with ThreadPoolExecutor(1) as executor:
        answer = executor.submit(client.get, f"{HOT}/notifications?wait=20", timeout=30)
        while not broker._listeners._subscribers.get("hot"):
            assert not answer.done()
        broker.publish({"heat": 30})

        assert numbers(answer.result(10)) == [0]


def test_who_has_asked_leaves_in_a_thread_that_may_wait_for_the_broker(
    broker: Broker, client: httpx.Client
) -> None:
    left: list[str] = []
    leave = broker._listeners._leave

    def left_in(subscriber: Subscriber) -> None:
        left.append(threading.current_thread().name)
        leave(subscriber)

    broker._listeners._leave = left_in  # type: ignore[method-assign]

    assert numbers(client.get(f"{HOT}/notifications")) == []
    assert left == ["purport writer_0"]


def test_when_it_ends_nobody_waits_any_longer(broker: Broker, client: httpx.Client) -> None:
    with ThreadPoolExecutor(1) as executor:
        answer = executor.submit(client.get, f"{HOT}/notifications?wait=20", timeout=30)
        while not broker._listeners._subscribers.get("hot"):
            assert not answer.done()
        broker.unsubscribe("hot")

        assert "no subscription 'hot'" in said(answer.result(10), 404)


def test_answers_to_queries_are_told_too(broker: Broker, client: httpx.Client) -> None:
    broker.subscribe("SELECT ?dim { ?lamp <urn:dim> ?dim }", name="lamps")
    broker.update("INSERT DATA { <urn:lamp> <urn:dim> 5 }")

    told = client.get("/subscriptions/lamps/notifications").json()["notifications"]

    assert [one["whole"] for one in told] == [True, False]
    assert told[1]["addedResults"]["head"] == {"vars": ["dim"]}
    assert said(client.get("/subscriptions/lamps/notifications/1/explanation"), 400)


@pytest.mark.parametrize("form", ["text", "json", "svg"])
def test_a_match_is_explained(broker: Broker, client: httpx.Client, form: str) -> None:
    broker.publish({"heat": 30})

    response = client.get(f"{HOT}/notifications/0/explanation", params={"form": form})

    kind = response.headers["content-type"].partition(";")[0]
    if form == "text":
        assert kind == "text/plain" and "heat > 25" in response.text
    elif form == "json":
        assert kind == "application/json" and json.loads(response.text)
    else:
        assert kind == "image/svg+xml" and ElementTree.fromstring(response.text).tag


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("notifications/1/explanation", 404),
        ("notifications/-1/explanation", 400),
        ("notifications/x/explanation", 400),
        (f"notifications/{'9' * 5000}/explanation", 400),
        (f"notifications/{'0' * 20}{'9' * 5000}/explanation", 400),
        ("notifications/9223372036854775807/explanation", 404),
        ("notifications/0/explanation?form=pdf", 400),
        ("notifications?wait=31", 400),
        ("notifications?after=-2", 400),
        ("notifications?after=9223372036854775808", 400),
        ("notifications/", 404),
    ],
)
def test_what_is_not_there_or_no_number(
    broker: Broker, client: httpx.Client, path: str, status: int
) -> None:
    broker.publish({"heat": 30})

    assert said(client.get(f"{HOT}/{path}"), status)


@pytest.mark.parametrize(
    "body", ['{"sequence": 0}', '{"sequence": -1}', '{"sequence": 1.5}', "{}", '{"through": 0}']
)
def test_only_what_was_told_is_acknowledged(client: httpx.Client, body: str) -> None:
    response = client.post(
        f"{HOT}/acknowledge", content=body, headers={"content-type": "application/json"}
    )

    assert said(response, 400)


def test_a_dry_run_changes_nothing(broker: Broker, client: httpx.Client) -> None:
    before = broker.sequence
    asked = {"purport": "{heat > 25}", "event": {"@id": "a", "heat": 30}, "topic": "house"}

    [trial] = client.post("/dry-run", json=asked).json()["trials"]

    assert (trial["event"], trial["topic"]) == ({"@id": "a", "heat": 30}, "house")
    assert trial["probability"] == 1.0
    assert "subscription" not in trial
    assert broker.sequence == before


def test_a_dry_run_is_against_a_part_of_the_journal(broker: Broker, client: httpx.Client) -> None:
    receipts = broker.publish_all([{"heat": heat} for heat in (20, 30, 40, 50)])
    asked = {
        "purport": "when {heat > 25} publish {alarm = yes}",
        "after": receipts[0].sequence,
        "through": receipts[2].sequence,
    }

    trials = client.post("/dry-run", json=asked).json()["trials"]

    assert [one["sequence"] for one in trials] == [receipts[1].sequence, receipts[2].sequence]
    assert [one["published"][0]["alarm"] for one in trials] == ["yes", "yes"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"purport": "{a = 1}", "event": 5}, "$.event"),
        ({"purport": "{a = 1}", "event": {"@what": 5}}, "reserved"),
        ({"purport": "{a = 1}", "after": -1}, "$.after"),
        ({"purport": "{a = 1}", "after": 2**63}, "$.after"),
        ({"purport": "{a = 1}", "event": {}, "after": 1}, "not both"),
        ({"purport": "{a = 1}", "since": "2026-11-17T12:00:00"}, "zone"),
        ({"purport": "{a = 1}", "evnt": {}}, "unknown field `evnt`"),
        ({"sparql": "ASK { ?s ?p ?o }", "event": {}}, "not of events"),
        ({"event": {}}, "got neither"),
    ],
)
def test_what_cannot_be_tried_is_said(
    client: httpx.Client, asked: dict[str, object], words: str
) -> None:
    assert words in said(client.post("/dry-run", json=asked), 400)


def test_failures_are_told_in_parts(broker: Broker, client: httpx.Client) -> None:
    broker.subscribe("when {heat > 25} as ill publish {heat = $heat}")
    broker.publish({"@id": "a", "heat": [30, 31]})
    broker.subscribe("when {heat > 25} as wild publish {heat = 26}")
    broker.publish({"@id": "b", "heat": 30})

    failures = client.get("/failures?most=1").json()["failures"]

    assert len(failures) == 1
    assert set(failures[0]) >= {"sequence", "at", "reason", "subscription"}
    after = client.get(f"/failures?after={failures[0]['sequence']}").json()["failures"]
    assert all(one["sequence"] > failures[0]["sequence"] for one in after)
    assert said(client.get("/failures?after=-1"), 400)


def test_failures_far_from_each_other_are_found_part_by_part(
    broker: Broker, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("purport.service.failures._LOOKED_AT", 10)
    broker.subscribe("when {a = 1} as failing publish {b = $none}")
    for number in range(40):
        broker.publish({"a": 1 if number == 35 else 0})

    found: list[dict[str, str]] = []
    path: str | None = "/failures?after=0"
    parts = 0
    while path:
        answer = client.get(path)
        found += answer.json()["failures"]
        path, parts = answer.links.get("next", {}).get("url"), parts + 1

    assert [one["subscription"] for one in found] == ["failing"]
    assert answer.json()["through"] == broker.sequence
    assert parts == -(-broker.sequence // 10)
