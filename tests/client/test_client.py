import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme
from pyoxigraph import NamedNode, Triple

from purport.client.answers import Solutions, bindings_of
from purport.client.async_client import AsyncClient
from purport.client.client import Client
from purport.client.errors import ServerAnswersNonsense, ServerRefused, ServerUnreachable
from purport.client.messages import DryRunRequest, SubscriptionPatch, SubscriptionRequest
from purport.courier import Patience
from purport.errors import InvalidInput, UnusablePath
from purport.model.event import Event
from tests.client.stand_in import EVENT, StandIn, standing_in
from tests.service.raw_client import wait_until

QUICK = Patience(tries=3, first_wait_seconds=0.0)


@pytest.fixture
def client(server: StandIn) -> Iterator[Client]:
    with Client(server.url, patience=QUICK) as client:
        yield client


def test_events_are_published_in_whatever_form(server: StandIn, client: Client) -> None:
    receipt = client.publish(EVENT, topic="city/heat")
    receipts = client.publish_all([EVENT, '{"a": 1}', Event.from_json({"b": 2})])

    assert (receipt.id, receipt.sequence, receipt.notified) == ("e0", 1, 2)
    assert [one.sequence for one in receipts] == [1, 2, 3]
    assert server.asked[0][1:3] == ("/events", {"topic": "city/heat"})
    assert json.loads(server.asked[1][3]) == [EVENT, {"a": 1}, {"b": 2}]
    with pytest.raises(InvalidInput, match="an event that is no JSON"):
        client.publish({"a": object()})


def test_answers_are_terms(client: Client) -> None:
    found = client.query("SELECT ?x ?y {}", default_graphs=["urn:g"])

    assert isinstance(found, Solutions)
    assert found.variables == ("x", "y")
    assert list(found) == [{"x": NamedNode("urn:a")}]
    assert client.query("ASK {}") is True
    a, b, c = map(NamedNode, ("urn:a", "urn:b", "urn:c"))
    assert client.query("CONSTRUCT {} {}") == (Triple(a, b, c),)


def test_updates_run_at_once_or_later(server: StandIn, client: Client) -> None:
    at = datetime(2026, 1, 2, tzinfo=UTC)

    done = client.update("CLEAR ALL", at=at, using=["urn:g"])
    client.update("CLEAR ALL", delay=timedelta(seconds=1.5))

    assert (done.number, done.sequence) == (7, 9)
    assert server.asked[0][2] == {"at": "2026-01-02T00:00:00+00:00", "using-graph-uri": "urn:g"}
    assert server.asked[1][2] == {"delay": "1.5 s"}
    assert [one.number for one in client.delayed()] == [7]
    client.cancel(7)
    assert server.asked[-1][:2] == ("DELETE", "/updates/7")
    with pytest.raises(InvalidInput, match="with its zone"):
        client.update("CLEAR ALL", at=datetime(2026, 1, 2))  # noqa: DTZ001


def test_subscriptions_and_rules_are_kept_in_order(server: StandIn, client: Client) -> None:
    rules, subscriptions = client.rules, client.subscriptions

    added = rules.add(SubscriptionRequest(purport="{a = 1}", name="hot/1"))
    changed = subscriptions.change("hot/1", SubscriptionPatch(webhook=None))
    subscriptions.pause("hot/1")
    subscriptions.resume("hot/1")
    subscriptions.acknowledge("hot/1", 3)
    told = subscriptions.notifications("hot/1", after=2, most=1)
    why = subscriptions.explain("hot/1", 3, "svg")
    tried = client.dry_run(DryRunRequest(purport="{a = 1}", event=EVENT))
    subscriptions.delete("hot/1")

    assert len(rules.all()) == 2
    assert subscriptions.put("hot/1", SubscriptionRequest(purport="{a = 1}")) == added
    assert subscriptions.versions("hot/1") == (added,)
    assert added == changed == rules.all()[0] == subscriptions.get("hot/1")
    assert added.status is not None and added.status.waiting == 2
    assert (told[0].sequence, told[0].event) == (3, EVENT)
    assert why == "because"
    assert tried.trials == ({"probability": 0.5},)
    assert [(method, path) for method, path, _, _ in server.asked[:9]] == [
        ("POST", "/rules"),
        ("PATCH", "/subscriptions/hot%2F1"),
        ("POST", "/subscriptions/hot%2F1/pause"),
        ("POST", "/subscriptions/hot%2F1/resume"),
        ("POST", "/subscriptions/hot%2F1/acknowledge"),
        ("GET", "/subscriptions/hot%2F1/notifications"),
        ("GET", "/subscriptions/hot%2F1/notifications/3/explanation"),
        ("POST", "/dry-run"),
        ("DELETE", "/subscriptions/hot%2F1"),
    ]
    assert server.asked[1][3] == '{"webhook":null}'
    assert server.asked[5][2] == {"after": "2", "most": "1"}


def test_a_token_is_fetched_and_renewed_by_itself(server: StandIn) -> None:
    server.token = "of an earlier time"

    with Client(server.url, client_id="me", client_secret="secret") as client:
        client.publish(EVENT)
        server.token = "renewed elsewhere"
        client.publish(EVENT)

    assert server.tokens == 2
    assert "secret" not in repr(client)


def test_credentials_are_registered_for_and_tokens_fetched_by_hand(client: Client) -> None:
    credentials = client.register("me@city")
    token = client.fetch_token(credentials.client_id, credentials.client_secret)

    assert (token.access_token, token.expires_in) == ("token1", 3600)
    assert "secret" not in repr(credentials)
    assert "token1" not in repr(token)


def test_a_refusal_says_why_and_nobody_there_is_told_apart(server: StandIn, client: Client) -> None:
    server.refusal = {"error": "bad_request", "status_code": 400, "error_description": "no event"}

    with pytest.raises(ServerRefused, match=r"refuses \(400 bad_request\): no event") as refused:
        client.publish(EVENT)
    server.refusal, server.token = None, "another"
    with pytest.raises(ServerRefused, match="401 invalid_grant"):
        client.publish(EVENT)
    with (
        Client("http://127.0.0.1:1", timeout_seconds=5) as nobody,
        pytest.raises(ServerUnreachable, match=r"127\.0\.0\.1:1/events does not answer"),
    ):
        nobody.publish(EVENT)

    assert (refused.value.status, refused.value.code) == (400, "bad_request")


def test_an_answer_that_is_none_is_told(server: StandIn) -> None:
    with (
        Client(f"{server.url}/nonsense") as client,
        pytest.raises(ServerAnswersNonsense, match="something else than was asked for"),
    ):
        client.delayed()


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("ftp://there", "expected an address with http:// or https://"),
        ("http://me:secret@there", "names a user"),
        ("http://there:port", "expected an address"),
        ("http://there/?a=b", "nothing after the path"),
    ],
)
def test_an_address_that_is_none_is_told(wrong: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem) as told:
        Client(wrong)

    assert "secret" not in str(told.value)


def test_over_tls_only_those_are_trusted_who_are_known(tmp_path: Path) -> None:
    authority = trustme.CA()
    ca = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(ca))

    with standing_in(authority) as server:
        with Client(server.url, ca=ca) as client:
            assert client.publish(EVENT).sequence == 1
            with client.subscribe("{a = 1}") as notifications:
                assert notifications.take() is not None
        with Client(server.url) as client, pytest.raises(ServerUnreachable, match="certificate"):
            client.publish(EVENT)
    with pytest.raises(UnusablePath, match="No such file"):
        Client("https://there", ca=tmp_path / "none.pem")


def test_notifications_are_taken_and_acknowledged_by_themselves(
    server: StandIn, client: Client
) -> None:
    server.told = [[3, 4]]

    with client.subscribe("{a = 1}", name="hot", durable=True, after=2) as notifications:
        first = notifications.take()
        second = notifications.take()
        third = notifications.take(timeout=0.01)

    assert notifications.id == "hot"
    assert first is not None and second is not None and third is None
    assert (first.sequence, second.sequence, second.event) == (3, 4, EVENT)
    assert server.heard[:3] == [
        {
            "subscribe": {
                "purport": "{a = 1}", "name": "hot", "durable": True, "after": 2,
                "acknowledge": "by hand",
            }
        },
        {"acknowledge": {"spuid": "hot", "sequence": 3}},
        {"acknowledge": {"spuid": "hot", "sequence": 4}},
    ]  # fmt: skip


def test_a_durable_subscription_goes_on_over_the_next_socket(
    server: StandIn, client: Client
) -> None:
    server.told = [[0, 1], [1, 2]]

    with client.subscribe("{a = 1}", name="hot", durable=True) as notifications:
        numbers = [next(iter(notifications)).sequence for _ in range(3)]

    assert numbers == [0, 1, 2]
    subscribed = [one["subscribe"] for one in server.heard if "subscribe" in one]
    assert [one.get("after") for one in subscribed] == [None, 1]


@pytest.mark.parametrize("text", ["{a = 1}", "SELECT ?x { ?x ?p ?o }"])
@pytest.mark.parametrize("again", [0, 2])
def test_a_durable_subscription_goes_on_when_the_numbers_of_the_server_went_back(
    server: StandIn, client: Client, text: str, again: int
) -> None:
    server.told = [[*range(5)], [again, again + 1]]

    with client.subscribe(text, name="hot", durable=True) as notifications:
        numbers = [next(iter(notifications)).sequence for _ in range(7)]
        notifications.take(timeout=0.01)
        wait_until(lambda: len(server.heard) >= 9 + (again > 0))

    assert numbers == [0, 1, 2, 3, 4, again, again + 1]
    acknowledged = [one["acknowledge"]["sequence"] for one in server.heard if "acknowledge" in one]
    assert acknowledged == [0, 1, 2, 3, 4, *range(max(again - 1, 0), again + 2)]


def test_a_query_is_told_whole_after_each_connection(server: StandIn, client: Client) -> None:
    server.told = [[0, 1], [0, 1]]

    with client.subscribe("SELECT ?x { ?x ?p ?o }") as notifications:
        told = [next(iter(notifications)) for _ in range(4)]

    assert [(one.sequence, one.whole) for one in told] == [
        (0, True), (1, False), (0, True), (1, False),
    ]  # fmt: skip
    assert bindings_of(told[0].added) == ({"x": NamedNode("urn:a")},)
    assert bindings_of(told[0].removed) == ()


def test_a_subscription_renews_its_token(server: StandIn) -> None:
    server.token = "of an earlier time"
    server.told = [[0]]

    with (
        Client(server.url, client_id="me", client_secret="secret", patience=QUICK) as client,
        client.subscribe("{a = 1}") as notifications,
    ):
        server.token = None
        assert notifications.take() is not None


def test_what_cannot_be_subscribed_to_is_told(server: StandIn, client: Client) -> None:
    server.refusal = {"error": "bad_request", "status_code": 400, "error_description": "line 1"}

    with pytest.raises(ServerRefused, match="line 1"):
        client.subscribe("{a =")
    with pytest.raises(InvalidInput, match="needs a name"):
        client.subscribe("{a = 1}", durable=True)
    with pytest.raises(InvalidInput, match="only a durable subscription"):
        client.subscribe("{a = 1}", after=3)
    with pytest.raises(InvalidInput, match="only a query has a dataset"):
        client.subscribe("{a = 1}", default_graphs=["urn:g"])
    with (
        Client("http://127.0.0.1:1") as nobody,
        pytest.raises(ServerUnreachable, match=r"ws://127\.0\.0\.1:1/subscribe"),
    ):
        nobody.subscribe("{a = 1}")


def test_an_event_loop_can_do_the_same(server: StandIn) -> None:
    server.told = [[0, 1], [1, 2]]

    async def story() -> list[Any]:
        async with AsyncClient(
            server.url, client_id="me", client_secret="secret", patience=QUICK
        ) as client:
            receipts = await client.publish_all([EVENT, EVENT])
            states = await client.subscriptions.all()
            notifications = await client.subscribe("{a = 1}", name="hot", durable=True)
            async with notifications:
                told = [await notifications.take(10) for _ in range(3)]
                await notifications.acknowledge(told[-1])  # type: ignore[arg-type]
                nothing = await notifications.take(0.01)
            return [len(receipts), len(states), [one and one.sequence for one in told], nothing]

    assert asyncio.run(story()) == [2, 2, [0, 1, 2], None]
    assert server.tokens == 1


@pytest.mark.parametrize("absent", ["httpx", "websockets"])
def test_what_is_not_installed_is_named(absent: str) -> None:
    script = f"import sys; sys.modules[{absent!r}] = None; import purport.client.client"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert "this needs the extra 'client'" in done.stderr


def test_a_wait_between_sockets_can_be_interrupted_by_a_deadline(server: StandIn) -> None:
    server.told = [[0], [1]]
    slow = Patience(tries=3, first_wait_seconds=3600, longest_wait_seconds=3600)

    with (
        Client(server.url, patience=slow) as client,
        client.subscribe("{a = 1}") as notifications,
    ):
        assert notifications.take() is not None
        assert notifications.take(timeout=0.05) is None


def test_what_is_there_is_taken_in_no_time_in_an_event_loop_too(server: StandIn) -> None:
    server.told = [[0, 1]]

    async def taken() -> list[int]:
        found: list[int] = []
        async with (
            AsyncClient(server.url) as client,
            await client.subscribe("{a = 1}") as notifications,
            asyncio.timeout(10),
        ):
            while len(found) < 2:
                told = await notifications.take(timeout=0)
                found += [] if told is None else [told.sequence]
                await asyncio.sleep(0.001)
            assert await notifications.take(timeout=0) is None
        return found

    assert asyncio.run(taken()) == [0, 1]
