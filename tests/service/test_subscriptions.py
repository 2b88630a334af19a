"""Subscriptions and rules over HTTP."""

import json
from collections.abc import Iterator, Mapping
from typing import get_args
from urllib.parse import quote

import httpx
import pytest

from purport.broker.access import AccessRule, AccessRules, Action
from purport.client.messages import OverflowName
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from tests.embedded.brokers import exact
from tests.service.serving import client_of

HOT = {"purport": "{heat > 25} as hot"}
RULE = {"purport": "when {heat > 25} as alarming publish {alarm = yes}"}


def made(client: httpx.Client, asked: Mapping[str, object], path: str = "/subscriptions") -> str:
    response = client.post(path, json=asked)
    assert response.status_code == 201, response.text
    location: str = response.headers["location"]
    return location


def said(response: httpx.Response, status: int) -> str:
    """The words of a refusal."""
    assert response.status_code == status, response.text
    assert response.json()["status_code"] == status
    words: str = response.json()["error_description"]
    return words


def test_what_is_created_is_there(broker: Broker, client: httpx.Client) -> None:
    response = client.post(
        "/subscriptions", json={**HOT, "most_waiting": 5, "overflow": "pause"}, headers=ANN
    )

    assert response.status_code == 201
    assert response.headers["location"] == "/subscriptions/hot"
    assert response.headers["etag"].startswith('"1-')
    state = response.json()
    assert broker.registration("hot", who="ann").most_waiting == 5
    since = state.pop("since")
    assert since == broker.registration("hot").since.isoformat().replace("+00:00", "Z")
    assert state == {
        "id": "hot",
        "kind": "subscription",
        "text": "{heat > 25} as hot",
        "version": 1,
        "durable": True,
        "delivery": "at least once",
        "most_waiting": 5,
        "overflow": "pause",
        "paused": False,
        "owner": "ann",
        "status": {"waiting": 0, "next": 0, "acknowledged": -1, "missed": 0},
    }
    assert client.get("/subscriptions/hot").json() == {**state, "since": since}


ANN, BEN, ROOT = {"x-who": "ann"}, {"x-who": "ben"}, {"x-who": "root"}


@pytest.mark.parametrize(
    ("asked", "kind", "identifier"),
    [
        ({"purport": "{heat > 25}"}, "subscription", "subscription-1"),
        ({"purport": "{heat > 25}", "name": "hot"}, "subscription", "hot"),
        ({"sparql": "SELECT * WHERE { ?s ?p ?o }", "name": "all"}, "query", "all"),
        ({"sparql": "ASK { ?s ?p ?o }", "durable": False}, "query", "subscription-1"),
    ],
)
def test_kinds_and_names(
    client: httpx.Client, asked: dict[str, object], kind: str, identifier: str
) -> None:
    state = client.get(made(client, asked)).json()

    assert (state["kind"], state["id"]) == (kind, identifier)
    assert state["durable"] is asked.get("durable", True)


def test_a_query_has_a_dataset(client: httpx.Client) -> None:
    query = {"sparql": "SELECT * { ?s ?p ?o }", "name": "a", "default-graph-uri": "urn:g"}

    path = made(client, {**query, "named-graph-uri": ["urn:h"]})

    state = client.get(path).json()
    assert (state["default-graph-uri"], state["named-graph-uri"]) == (["urn:g"], ["urn:h"])


def test_an_id_may_have_slashes_and_anything_else(client: httpx.Client) -> None:
    for name in ("sepa://subscription/1", "a/pause", "?#%2F é", "notifications"):
        path = f"/subscriptions/{quote(name, safe='')}"
        assert client.put(path, json={"purport": "{a = 1}"}).status_code == 201
        assert client.get(path).json()["id"] == name
        assert client.get(f"{path}/versions").json()["subscriptions"][0]["id"] == name
        assert client.delete(path).status_code == 204
        assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("{", "not valid JSON"),
        ('{"purport": NaN}', "not valid JSON"),
        ('{"purport": "\\ud800"}', "not valid JSON"),
        (b'{"purport": "\xff"}', "UTF-8"),
        ("[]", "Expected `object`, got `array`"),
        ('{"purport":' * 100_000, "purport"),
        ('{"purport": 7}', "Expected `str | null`, got `int` - at `$.purport`"),
        ('{"purport": "{a = 1}", "most_wating": 7}', "unknown field `most_wating`"),
        ('{"purport": "{a = 1}", "most_waiting": 0}', "`int` >= 1 - at `$.most_waiting`"),
        ('{"purport": "{a = 1}", "most_waiting": 1e999}', "out of range"),
        ('{"purport": "{a = 1}", "most_waiting": 123456789012345678901234567890}', "most_waiting"),
        ('{"purport": "{a = 1}", "overflow": "never"}', "Invalid enum value 'never'"),
        ('{"purport": "{a = "}', "line 1"),
        ('{"purport": "{a = 1}", "sparql": "ASK {}"}', "got both"),
        ("{}", "got neither"),
        ('{"purport": "ASK { ?s ?p ?o }"}', "expected it as `sparql`"),
        ('{"sparql": "{a = 1}"}', "`sparql` is no query"),
        ('{"sparql": "SELECT nonsense"}', "line 1, column 16"),
        ('{"purport": "{a = 1}", "default-graph-uri": "urn:g"}', "only a query has a dataset"),
        ('{"sparql": "ASK { ?s ?p ?o }", "default-graph-uri": "no IRI"}', "no IRIs"),
        ('{"purport": "{a = 1} as b", "name": "c"}', "'b'"),
        ('{"purport": "{a = 1}", "name": ""}', "name"),
        ('{"purport": "{a = 1}", "name": "subscription-7"}', "given out by the broker"),
        ('{"purport": "when {a = 1} as c publish {b = 1}"}', "got a rule: see /rules"),
    ],
)
def test_what_is_wrong_is_said(
    broker: Broker, client: httpx.Client, body: str | bytes, words: str
) -> None:
    response = client.post(
        "/subscriptions", content=body, headers={"content-type": "application/json"}
    )

    assert words in said(response, 400)
    assert broker.registrations() == []


def test_only_json_is_taken(client: httpx.Client) -> None:
    response = client.post("/subscriptions", data={"purport": "{a = 1}"})

    assert "got 'application/x-www-form-urlencoded'" in said(response, 415)


def test_a_name_is_given_once(client: httpx.Client) -> None:
    made(client, HOT)

    assert "'hot' is there already" in said(client.post("/subscriptions", json=HOT), 409)


def test_a_list_is_told_in_parts(client: httpx.Client) -> None:
    for name in "dbaec":
        made(client, {"purport": "{a = 1}", "name": name})
    made(client, RULE, "/rules")

    found, address = [], "/subscriptions?most=2"
    while address:
        response = client.get(address)
        found.append([one["id"] for one in response.json()["subscriptions"]])
        address = response.links.get("next", {}).get("url", "")

    assert found == [["a", "b"], ["c", "d"], ["e"]]
    assert "status" not in response.json()["subscriptions"][0]
    assert [one["id"] for one in client.get("/rules").json()["rules"]] == ["alarming"]


@pytest.mark.parametrize("query", ["most=0", "most=1001", "most=x", "mots=1", "most=1&most=2"])
def test_parameters_that_are_none_are_refused(client: httpx.Client, query: str) -> None:
    assert "parameter" in said(client.get(f"/subscriptions?{query}"), 400)


def test_rules_are_at_a_path_of_their_own(broker: Broker, client: httpx.Client) -> None:
    path = made(client, RULE, "/rules")

    assert path == "/rules/alarming"
    assert client.get(path).json()["kind"] == "rule"
    assert "no subscription 'alarming'" in said(client.get("/subscriptions/alarming"), 404)
    assert "see /subscriptions" in said(client.post("/rules", json=HOT), 400)
    assert client.put("/subscriptions/alarming", json={"purport": "{a = 1}"}).status_code == 400


@pytest.mark.parametrize("kind", ["subscriptions", "rules"])
def test_where_there_is_none_the_list_is_empty(client: httpx.Client, kind: str) -> None:
    assert client.get(f"/{kind}").json() == {kind: []}


def test_what_somebody_has_already_is_not_told_again(broker: Broker, client: httpx.Client) -> None:
    path = made(client, HOT)
    tag = client.get(path).headers["etag"]

    def known(tag: str) -> httpx.Response:
        return client.get(path, headers={"if-none-match": tag})

    assert [known(one).status_code for one in (tag, f"W/{tag}", '"x", ' + tag, "*")] == [304] * 4
    assert (known(tag).content, known(tag).headers["etag"]) == (b"", tag)
    assert known('"1"').status_code == 200
    broker.publish({"heat": 26})
    assert known(tag).status_code == 200
    assert client.patch(path, json={}, headers={"if-match": tag}).status_code == 200
    assert client.patch(path, json={}, headers={"if-match": '"2-0"'}).status_code == 412


@pytest.mark.parametrize("said", get_args(OverflowName))
def test_what_happens_if_too_much_waits_is_said_by_every_name_that_is_offered(
    client: httpx.Client, said: OverflowName
) -> None:
    path = made(client, {**HOT, "overflow": said})
    put = client.put("/subscriptions/put", json={"purport": "{a > 0}", "overflow": said})
    patched = client.patch(
        path,
        json={"overflow": said},
        headers={"content-type": "application/merge-patch+json"},
    )

    expected = {"block": "refuse", "disconnect": "pause"}.get(said, said)
    assert [one.json()["overflow"] for one in (client.get(path), put, patched)] == [expected] * 3


def test_some_of_it_is_changed(broker: Broker, client: httpx.Client) -> None:
    path = made(client, {**HOT, "most_waiting": 7})

    response = client.patch(
        path,
        json={"purport": "{heat > 30} as hot", "overflow": "refuse"},
        headers={"content-type": "application/merge-patch+json"},
    )

    assert response.headers["etag"].startswith('"2-')
    state = response.json()
    assert (state["text"], state["overflow"]) == ("{heat > 30} as hot", "refuse")
    assert state["most_waiting"] == 7
    assert [one["version"] for one in client.get(f"{path}/versions").json()["subscriptions"]] == [
        1, 2,
    ]  # fmt: skip
    assert client.patch(path, json={}).json()["version"] == 2


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        ({"name": "other"}, "unknown field `name`"),
        ({"durable": False}, "unknown field `durable`"),
        ({"delivery": None}, "$.delivery"),
        ({"sparql": "ASK { ?s ?p ?o }"}, "cannot become a query"),
        ({"purport": "{a = 1} as other"}, "'other'"),
    ],
)
def test_what_cannot_be_changed_is_said(
    client: httpx.Client, patch: dict[str, object], words: str
) -> None:
    assert words in said(client.patch(made(client, HOT), json=patch), 400)


def test_what_is_put_is_there_or_is_so_now(client: httpx.Client) -> None:
    asked = {"purport": "{heat > 25}", "most_waiting": 5}

    first = client.put("/subscriptions/hot", json=asked)
    second = client.put("/subscriptions/hot", json=asked)
    third = client.put("/subscriptions/hot", json={"purport": "{heat > 30}"})

    assert [one.status_code for one in (first, second, third)] == [201, 200, 200]
    assert [one.json()["version"] for one in (first, second, third)] == [1, 1, 2]
    assert third.json()["most_waiting"] == 100_000
    assert "in the path" in said(client.put("/subscriptions/hot", json={**HOT, "name": "b"}), 400)


def test_whoever_changes_another_version_is_told_so(client: httpx.Client) -> None:
    path = made(client, HOT)
    client.patch(path, json={"most_waiting": 5})
    old, new = {"if-match": '"1"'}, {"if-match": '"1", "2"'}

    assert "it is version 2" in said(client.patch(path, json={"most_waiting": 6}, headers=old), 412)
    assert "version 2" in said(client.delete(path, headers=old), 412)
    assert client.patch(path, json={"most_waiting": 6}, headers=new).status_code == 200
    only_new = {"if-none-match": "*"}
    assert "is there already" in said(client.put(path, json=HOT, headers=only_new), 412)
    nothing = client.put("/subscriptions/a", json={"purport": "{a=1}"}, headers={"if-match": "*"})
    assert "it is not there" in said(nothing, 412)


def test_what_is_paused_hears_nothing(client: httpx.Client) -> None:
    path = made(client, HOT)

    assert client.post(f"{path}/pause").json()["paused"] is True
    client.post("/events", json={"heat": 30})
    assert client.post(f"{path}/resume").json()["paused"] is False
    client.post("/events", json={"heat": 30})

    assert client.get(path).json()["status"]["waiting"] == 1


@pytest.mark.parametrize(
    ("method", "below"),
    [
        ("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/pause"), ("POST", "/resume"),
        ("GET", "/versions"), ("GET", "/notifications"), ("POST", "/acknowledge"),
        ("GET", "/notifications/0/explanation"),
    ],
)  # fmt: skip
def test_what_is_anothers_is_not_there(guarded: httpx.Client, method: str, below: str) -> None:
    guarded.put("/subscriptions/hot", json={"purport": "{a = 1}"}, headers=ANN)
    body = {"sequence": 0} if below == "/acknowledge" else {}

    asked = [
        guarded.request(method, f"/subscriptions/{name}{below}", json=body, headers=BEN)
        for name in ("hot", "not")
    ]

    words = [said(one, 404).replace("'hot'", "'not'") for one in asked]
    assert words[0] == words[1]
    by_root = guarded.request(method, f"/subscriptions/hot{below}", json=body, headers=ROOT)
    assert "no subscription" not in by_root.text


def test_lists_are_of_ones_own(guarded: httpx.Client) -> None:
    guarded.put("/subscriptions/a", json={"purport": "{a = 1}"}, headers=ANN)
    guarded.put("/subscriptions/b", json={"purport": "{a = 1}"}, headers=BEN)

    seen = [
        [one["id"] for one in guarded.get("/subscriptions", headers=who).json()["subscriptions"]]
        for who in (ANN, ROOT)
    ]

    assert seen == [["a"], ["a", "b"]]
    assert [
        json.loads(one)["id"] for one in guarded.get("/registry", headers=BEN).iter_lines()
    ] == ["b"]


def test_anothers_name_is_taken(guarded: httpx.Client) -> None:
    guarded.put("/subscriptions/a", json={"purport": "{a = 1}"}, headers=ANN)

    put = guarded.put("/subscriptions/a", json={"purport": "{a = 1}"}, headers=BEN)
    posted = guarded.post("/subscriptions", json={"purport": "{a = 1} as a"}, headers=BEN)

    assert (said(put, 409), said(posted, 409)) == ("'a' is taken", "'a' is taken")


def test_the_registry_is_kept_and_read_again(client: httpx.Client) -> None:
    made(client, HOT)
    made(client, RULE, "/rules")
    kept = client.get("/registry")
    for path in ("/subscriptions/hot", "/rules/alarming"):
        client.delete(path)

    response = client.post(
        "/registry", content=kept.content, headers={"content-type": kept.headers["content-type"]}
    )

    assert [one["id"] for one in response.json()["subscriptions"]] == ["hot"]
    assert [one["id"] for one in response.json()["rules"]] == ["alarming"]


@pytest.mark.parametrize(
    ("text", "words"), [('{"id": "a"}', "line 1"), ("{a = 1}", "name"), ("", "registry")]
)
def test_what_is_no_registry_is_refused(client: httpx.Client, text: str, words: str) -> None:
    response = client.post("/registry", content=text, headers={"content-type": "text/plain"})

    assert words in said(response, 400)


@pytest.fixture
def guarded() -> Iterator[httpx.Client]:
    """A client of a broker in which only root may manage what belongs to others."""
    rules = AccessRules(
        (
            AccessRule(frozenset({"ann", "ben"}), frozenset({Action.SUBSCRIBE, Action.PUBLISH})),
            AccessRule(frozenset({"root"}), frozenset(Action)),
        )
    )
    settings = BrokerSettings(access=rules)
    with Broker.in_memory(matcher=exact, settings=settings) as broker, client_of(broker) as client:
        yield client
