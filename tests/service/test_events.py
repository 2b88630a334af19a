"""Events over HTTP: in whatever way they are written, kept once, all of a request or none."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from purport.broker.access import AccessRule, AccessRules, Action
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.service.settings import Keeping, RequestLimits, ServiceSettings
from tests.embedded.brokers import exact, told
from tests.service.serving import client_of

JSON_LD = """{
  "@context": {"@vocab": "http://example.org/"},
  "@graph": [{"@id": "urn:a", "heat": 5}, {"@id": "urn:b", "heat": 6}]
}"""


def posted(
    client: httpx.Client, body: str | bytes, kind: str = "application/json", topic: str = ""
) -> httpx.Response:
    parameters = {"topic": topic} if topic else {}
    return client.post("/events", content=body, headers={"content-type": kind}, params=parameters)


def ids_of(response: httpx.Response) -> list[str]:
    assert response.status_code == 200, response.text
    return [one["id"] for one in response.json()["events"]]


def test_an_event_is_kept_when_it_is_answered(broker: Broker, client: httpx.Client) -> None:
    broker.subscribe("{heat > 4} as hot")

    response = posted(client, '{"@id": "a", "heat": 5}')

    assert response.json() == {
        "events": [{"id": "a", "sequence": 2, "notified": 1, "repeated": False}]
    }
    assert told(broker, "hot") == ["a"]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", '[{"@id": "urn:a", "heat": 5}, {"@id": "urn:b", "heat": 6}]'),
        ("application/json; charset=utf-8", ' [{"@id":"urn:a","heat":5},{"@id":"urn:b"}]'),
        ("application/x-ndjson", '{"@id": "urn:a", "heat": 5}\n\n{"@id": "urn:b", "heat": 6}\n'),
        ("application/jsonl", '{"@id": "urn:a", "heat": 5}\r\n{"@id": "urn:b"}'),
        ("application/json-lines", '{"@id": "urn:a", "heat": 5}\n{"@id": "urn:b"}'),
        ("application/ld+json", JSON_LD),
        ("application/ld+json", f"[{JSON_LD}]"),
        ("application/ld+json", '[{"@id": "urn:a", "heat": 5}, {"@id": "urn:b"}]'),
        ("text/turtle", "@prefix : <http://example.org/> . <urn:a> :heat 5 . <urn:b> :heat 6 ."),
        (
            "application/n-triples",
            '<urn:a> <urn:heat> "5" .\n<urn:b> <urn:heat> "6" .',
        ),
    ],
)
def test_several_events_are_published_in_order(
    broker: Broker, client: httpx.Client, kind: str, body: str
) -> None:
    assert ids_of(posted(client, body, kind)) == ["urn:a", "urn:b"]
    assert broker.sequence == 2


def test_a_topic_is_that_of_all_events(broker: Broker, client: httpx.Client) -> None:
    hot = broker.subscribe("{heat > 0} as hot")

    posted(client, '[{"heat": 5}, {"heat": 6}]', topic="house/heat")

    assert [one.topic for one in hot.waiting()] == ["house/heat", "house/heat"]


def test_nothing_at_all_may_be_published(client: httpx.Client) -> None:
    assert ids_of(posted(client, "[]")) == []
    assert ids_of(posted(client, "\n", "application/x-ndjson")) == []


@pytest.mark.parametrize(
    ("kind", "body", "said"),
    [
        ("application/json", '[{"heat": 5}, {"heat": NaN}]', "not valid JSON"),
        ("application/json", '[{"heat": 5}, 7]', "event 2: expected a JSON object, got a number"),
        ("application/json", '[{"heat": 5}, {"@nonsense": 7}]', "event 2: the key '@nonsense'"),
        ("application/json", '[{"heat": 5}, {"@id": "a", "@id": "b"}]', "event 2: duplicate '@id'"),
        ("application/json", '[{"heat": 5}, {"heat": 1e999}]', "event 2: a number is too large"),
        ("application/json", '{"heat": "\\ud800"}', "not valid JSON"),
        ("application/json", "7", "expected a JSON object, got a number"),
        ("application/json", "", "not valid JSON"),
        ("application/json", b'{"heat": "\xff"}', "UTF-8"),
        ("application/json", "[" * 100_000, "nested deeper than 64 levels"),
        ("application/json", '{"a":' * 100_000, "nested deeper than 64 levels"),
        ("application/ld+json", '{"@context": {"@vocab": "urn:x"}, "a":' * 1000, "deeper than 64"),
        ("application/x-ndjson", '{"heat": 5}\n\n{"heat": ', "line 3: not valid JSON"),
        ("application/ld+json", '{"@context": {}, "heat": 5}', "describes nothing"),
        ("application/ld+json", '{"@context": "http://x.org/c", "a": 5}', "@context must stand"),
        ("text/turtle", "<urn:a> <urn:b> .", "not valid Turtle"),
        ("text/turtle", "", "describes nothing"),
    ],
)
def test_all_or_none_of_a_request_is_published(
    broker: Broker, client: httpx.Client, kind: str, body: str | bytes, said: str
) -> None:
    response = posted(client, body, kind)

    assert response.status_code == 400
    assert said in response.json()["error_description"]
    assert broker.sequence == 0


def test_what_is_no_media_type_of_events_is_refused(client: httpx.Client) -> None:
    response = posted(client, "heat=5", "application/x-www-form-urlencoded")

    assert response.status_code == 415
    assert response.json()["error"] == "unsupported_media_type"
    assert "application/json or " in response.json()["error_description"]


@pytest.mark.parametrize("query", ["topics=a", "topic=a&topic=b", "topic=a/%23", "topic=%0A"])
def test_parameters_that_are_none_are_refused(client: httpx.Client, query: str) -> None:
    response = client.post(f"/events?{query}", json={"heat": 5})

    assert response.status_code == 400
    assert response.json()["error"] == "bad_request"


def test_what_was_published_is_not_published_again(broker: Broker, client: httpx.Client) -> None:
    broker.subscribe("{heat > 0} as all")
    body = '[{"@id": "a", "heat": 5}, {"@id": "b", "heat": 6}, {"@id": "a", "heat": 7}]'

    first, second = posted(client, body).json()["events"], posted(client, body).json()["events"]

    assert [(one["sequence"], one["repeated"]) for one in first] == [
        (2, False), (3, False), (2, True),
    ]  # fmt: skip
    assert [(one["sequence"], one["repeated"], one["notified"]) for one in second] == [
        (2, True, 0), (3, True, 0), (2, True, 0),
    ]  # fmt: skip
    assert told(broker, "all") == ["a", "b"]


def test_events_without_an_id_are_different_ones(client: httpx.Client) -> None:
    assert ids_of(posted(client, '[{"heat": 5}, {"heat": 5}]')) == ["event-1", "event-2"]


def test_the_id_of_one_publisher_says_nothing_of_anothers(client: httpx.Client) -> None:
    told_by = [
        client.post("/events", json={"@id": "a"}, headers={"x-who": who}).json()["events"][0]
        for who in ("ann", "ben", "ann")
    ]

    assert [one["sequence"] for one in told_by] == [1, 2, 1]


def test_start_and_end_of_an_event_have_one_id(client: httpx.Client) -> None:
    start = '{"@id": "a", "@start": "2026-11-17T12:00:00Z"}'
    end = '{"@id": "a", "@end": "2026-11-17T13:00:00Z"}'

    told_of = posted(client, f"[{start}, {end}, {start}, {end}]").json()["events"]

    assert [one["sequence"] for one in told_of] == [1, 2, 1, 2]


def test_after_a_restart_what_was_published_is_known(tmp_path: Path) -> None:
    body = '[{"@id": "a", "heat": 5}, {"heat": 6}, {"@id": "event-2", "heat": 7}]'
    for repeated in ([False, False, False], [True, False, True]):
        with Broker.open(tmp_path, matcher=exact) as broker, client_of(broker) as client:
            told_of = posted(client, body).json()["events"]

        assert [one["repeated"] for one in told_of] == repeated


@pytest.mark.parametrize("is_restarted", [False, True])
def test_only_the_last_publications_are_remembered(tmp_path: Path, is_restarted: bool) -> None:
    settings = ServiceSettings(broker=Keeping(remembered_ids=2))
    with Broker.open(tmp_path, matcher=exact) as broker:
        with client_of(broker, settings) as client:
            posted(client, '[{"@id": "a"}, {"@id": "b"}, {"@id": "c"}]')
            if not is_restarted:
                again = posted(client, '[{"@id": "c"}, {"@id": "b"}, {"@id": "a"}]')
        if is_restarted:
            with client_of(broker, settings) as client:
                again = posted(client, '[{"@id": "c"}, {"@id": "b"}, {"@id": "a"}]')

    assert [one["repeated"] for one in again.json()["events"]] == [True, True, False]


def test_who_may_not_publish_is_told_so() -> None:
    rules = AccessRules((AccessRule(frozenset({"ann"}), frozenset({Action.PUBLISH}), ("a/#",)),))
    settings = BrokerSettings(access=rules)
    with Broker.in_memory(matcher=exact, settings=settings) as broker, client_of(broker) as client:
        asked = [
            client.post("/events", json={}, headers={"x-who": who}, params={"topic": topic})
            for who, topic in (("ann", "a/b"), ("ann", "b"), ("ben", "a/b"))
        ]

    assert [one.status_code for one in asked] == [200, 403, 403]


def test_who_publishes_more_than_is_taken_waits_until_there_is_room(broker: Broker) -> None:
    heard = broker.subscribe("{heat > 0} as all", most_waiting=1, overflow="refuse")
    patient = ServiceSettings(limits=RequestLimits(block_seconds=20))

    with client_of(broker, patient) as client, ThreadPoolExecutor(1) as other:
        first = posted(client, '{"heat": 5}')
        second = other.submit(posted, client, '{"heat": 6}')
        [told] = heard.waiting()
        heard.acknowledge(told)

        assert (first.status_code, second.result().status_code) == (200, 200)


def test_who_has_waited_long_enough_is_refused(broker: Broker) -> None:
    broker.subscribe("{heat > 0} as all", most_waiting=1, overflow="refuse")

    with client_of(broker, ServiceSettings(limits=RequestLimits(block_seconds=0.05))) as client:
        assert posted(client, '{"heat": 5}').status_code == 200
        response = posted(client, '{"heat": 5}')

    assert (response.status_code, response.json()["error"]) == (429, "backlog_full")
    assert response.headers["retry-after"] == "1"
    assert broker.status("all").next == 1


def test_other_methods_are_not_there(client: httpx.Client) -> None:
    response = client.get("/events")

    assert (response.status_code, response.headers["allow"]) == (405, "POST")
    assert client.get("/nonsense").json()["error"] == "not_found"
