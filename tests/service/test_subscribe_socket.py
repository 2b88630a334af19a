"""Subscriptions over WebSockets: the messages of the protocol, to the letter, and ours."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from purport import Broker
from purport.sparql.graph_store import Dataset
from tests.service.serving import Served, served_broker

LAMPS = "SELECT ?lamp ?value WHERE { ?lamp <urn:dim> ?value }"


class Client:
    """One end of a socket, which says and hears JSON."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    def say(self, message: object) -> None:
        self._connection.send(message if isinstance(message, str) else json.dumps(message))

    def hear(self) -> Any:
        return json.loads(self._connection.recv(timeout=30))

    def ask(self, message: object) -> Any:
        """What is answered first."""
        self.say(message)
        return self.hear()

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def server() -> Iterator[Served]:
    with Broker.in_memory() as broker, served_broker(broker) as found:
        yield found


@pytest.fixture
def open_socket(server: Served) -> Iterator[Callable[[], Client]]:
    with ExitStack() as stack:

        def opened() -> Client:
            return Client(stack.enter_context(connect(server.subscribe_url)))

        yield opened


def dim(lamp: int, value: int) -> str:
    return f"""DELETE {{ <urn:l{lamp}> <urn:dim> ?old }}
        INSERT {{ <urn:l{lamp}> <urn:dim> {value} }}
        WHERE {{ OPTIONAL {{ <urn:l{lamp}> <urn:dim> ?old }} }}"""


def row(lamp: int, value: int) -> dict[str, dict[str, str]]:
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    return {
        "lamp": {"type": "uri", "value": f"urn:l{lamp}"},
        "value": {"type": "literal", "value": str(value), "datatype": integer},
    }


def results(*rows: dict[str, dict[str, str]]) -> dict[str, object]:
    return {"head": {"vars": ["lamp", "value"]}, "results": {"bindings": list(rows)}}


def test_a_query_is_told_its_answer_and_then_what_changes(
    server: Served, open_socket: Callable[[], Client]
) -> None:
    server.broker.update(dim(1, 5))
    client = open_socket()

    first = client.ask({"subscribe": {"sparql": LAMPS, "alias": "lamps", "odd": [1]}})
    server.broker.update(dim(1, 7))
    second = client.hear()
    server.broker.update("INSERT DATA { <urn:l1> <urn:other> 5 }")  # which changes no answer
    server.broker.update("DELETE WHERE { ?lamp <urn:dim> ?value }")
    third = client.hear()

    spuid = first["notification"]["spuid"]
    assert spuid.startswith("sepa://subscription/")
    called = {"spuid": spuid, "alias": "lamps"}
    told = [
        {**called, "sequence": 0, "addedResults": results(row(1, 5)), "removedResults": results()},
        {
            **called,
            "sequence": 1,
            "addedResults": results(row(1, 7)),
            "removedResults": results(row(1, 5)),
        },
        {**called, "sequence": 2, "addedResults": results(), "removedResults": results(row(1, 7))},
    ]
    assert [first, second, third] == [{"notification": one} for one in told]


def test_an_empty_answer_is_told_too(open_socket: Callable[[], Client]) -> None:
    told = open_socket().ask({"subscribe": {"sparql": LAMPS}})

    assert told["notification"]["addedResults"] == results()
    assert "alias" not in told["notification"]


def test_many_subscriptions_share_a_socket(
    server: Served, open_socket: Callable[[], Client]
) -> None:
    client = open_socket()
    spuids = {}
    for lamp in range(5):
        query = f"SELECT ?value WHERE {{ <urn:l{lamp}> <urn:dim> ?value }}"
        told = client.ask({"subscribe": {"sparql": query, "alias": f"l{lamp}"}})
        spuids[told["notification"]["alias"]] = told["notification"]["spuid"]

    assert client.ask({"unsubscribe": {"spuid": spuids["l2"]}}) == {
        "unsubscribed": {"spuid": spuids["l2"], "alias": "l2"}
    }
    for lamp in range(5):
        server.broker.update(dim(lamp, 9))

    heard = [client.hear()["notification"]["alias"] for _ in range(4)]
    assert heard == ["l0", "l1", "l3", "l4"]
    assert len(set(spuids.values())) == 5


def test_a_socket_that_closes_ends_its_subscriptions(
    server: Served, open_socket: Callable[[], Client]
) -> None:
    client, other = open_socket(), open_socket()
    for _ in range(3):
        client.ask({"subscribe": {"sparql": LAMPS}})
    kept = other.ask({"subscribe": {"sparql": LAMPS}})["notification"]["spuid"]
    client.close()

    server.wait_until(lambda: [one.id for one in server.broker.registrations()] == [kept])
    server.broker.update(dim(1, 5))
    assert other.hear()["notification"]["sequence"] == 1


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ("{", 400, "bad_request"),
        ("[]", 400, "bad_request"),
        ("{}", 400, "bad_request"),
        ({"subscribe": {"alias": "a"}}, 400, "bad_request"),
        ({"subscribe": {"alias": "a", "sparql": LAMPS, "purport": "{a = 1}"}}, 400, "bad_request"),
        ({"subscribe": {"alias": "a", "sparql": "SELECT ?x WHERE {"}}, 400, "bad_request"),
        ({"subscribe": {"alias": "a", "sparql": "SELEC"}}, 400, "bad_request"),
        ({"subscribe": {"alias": "a", "sparql": 5}}, 400, "bad_request"),
        ({"subscribe": {"alias": "a", "purport": "{a ="}}, 400, "bad_request"),
        ({"subscribe": {"alias": "a", "purport": LAMPS}}, 400, "bad_request"),
        ({"subscribe": {"alias": "a", "purport": "{a = 1}", "durable": True}}, 400, "bad_request"),
        (
            {"subscribe": {"alias": "a", "sparql": LAMPS, "default-graph-uri": ["no iri"]}},
            400,
            "bad_request",
        ),
        ({"unsubscribe": {"spuid": "sepa://subscription/none"}}, 500, "sid_not_found"),
        (
            {"acknowledge": {"spuid": "sepa://subscription/none", "sequence": 1}},
            500,
            "sid_not_found",
        ),
    ],
)
def test_what_is_wrong_is_told_and_the_socket_stays_open(
    open_socket: Callable[[], Client], said: object, status: int, code: str
) -> None:
    client = open_socket()

    told = client.ask(said)

    assert (told["status_code"], told["error"]) == (status, code)
    assert told["error_description"]
    has_alias = isinstance(said, dict) and "alias" in said.get("subscribe", {})
    assert told.get("alias") == ("a" if has_alias else None)
    assert client.ask({"subscribe": {"sparql": LAMPS}})["notification"]["sequence"] == 0


def test_an_event_is_told_with_its_probability_and_why(
    server: Served, open_socket: Callable[[], Client]
) -> None:
    client = open_socket()
    begun = client.ask({"subscribe": {"purport": "{temperature > 25 °C}", "alias": "hot"}})
    server.broker.publish({"@id": "e1", "temperature": "80 °F"}, topic="hall")

    told = client.hear()["notification"]
    spuid = begun["subscribed"]["spuid"]
    assert begun == {"subscribed": {"spuid": spuid, "alias": "hot", "sequence": 0}}
    assert (told["spuid"], told["alias"], told["sequence"]) == (spuid, "hot", 0)
    assert told["event"] == {"@id": "e1", "temperature": "80 °F"}
    assert (told["probability"], told["topic"]) == (1.0, "hall")
    assert told["explanation"][0]["attribute"] == "temperature"


def test_a_durable_subscription_goes_on_after_a_number(
    server: Served, open_socket: Callable[[], Client]
) -> None:
    asked = {"purport": "{a > 0}", "name": "kept", "durable": True}
    client = open_socket()
    client.ask({"subscribe": asked})
    for number in range(1, 4):
        server.broker.publish({"a": number})
    assert [client.hear()["notification"]["event"]["a"] for _ in range(3)] == [1, 2, 3]
    client.close()
    server.broker.publish({"a": 4})

    again = open_socket()
    begun = again.ask({"subscribe": {**asked, "after": 0}})
    heard = [again.hear()["notification"] for _ in range(3)]

    assert begun["subscribed"] == {"spuid": "kept", "sequence": 1}
    assert [(one["sequence"], one["event"]["a"]) for one in heard] == [(1, 2), (2, 3), (3, 4)]


@pytest.mark.parametrize("after", [3, 1000, 2**63, 10**30])
def test_after_a_number_that_was_not_told_yet_nothing_is_passed_over(
    server: Served, open_socket: Callable[[], Client], after: int
) -> None:
    asked = {"purport": "{a > 0}", "name": "kept", "durable": True}
    first = open_socket()
    first.ask({"subscribe": asked})
    server.broker.publish({"a": 1})
    first.hear()
    client = open_socket()

    begun = client.ask({"subscribe": {**asked, "after": after}})
    server.broker.publish({"a": 2})

    assert begun["subscribed"]["sequence"] == 1
    assert client.hear()["notification"]["event"]["a"] == 2


def test_a_durable_query_is_told_where_it_goes_on(
    server: Served, open_socket: Callable[[], Client]
) -> None:
    asked = {"subscribe": {"sparql": LAMPS, "name": "lamps", "durable": True}}
    client = open_socket()

    begun = [client.ask(asked), client.hear()]
    client.close()
    again = open_socket().ask({"subscribe": {**asked["subscribe"], "after": 0}})

    assert begun[0] == {"subscribed": {"spuid": "lamps", "sequence": 0}}
    assert begun[1]["notification"]["sequence"] == 0
    assert again == {"subscribed": {"spuid": "lamps", "sequence": 1}}


def test_a_durable_subscription_outlives_its_socket_until_it_is_unsubscribed(
    server: Served, open_socket: Callable[[], Client]
) -> None:
    asked = {"subscribe": {"purport": "{a > 0}", "name": "kept", "durable": True}}
    client = open_socket()
    client.ask(asked)
    client.close()
    server.broker.publish({"a": 1})
    again = open_socket()
    again.ask(asked)
    is_kept = again.hear()["notification"]["event"]["a"] == 1

    ended = again.ask({"unsubscribe": {"spuid": "kept"}})

    assert is_kept
    assert ended == {"unsubscribed": {"spuid": "kept"}}
    assert server.broker.registrations() == []


def test_what_is_acknowledged_by_hand_waits_until_then(
    server: Served, open_socket: Callable[[], Client]
) -> None:
    asked = {"purport": "{a > 0}", "name": "kept", "durable": True, "acknowledge": "by hand"}
    client = open_socket()
    client.ask({"subscribe": asked})
    for number in range(1, 4):
        server.broker.publish({"a": number})
        client.hear()
    client.say({"acknowledge": {"spuid": "kept", "sequence": 1}})
    client.ask({"unsubscribe": {"spuid": "none"}})  # when this is answered, that was done
    client.close()

    again = open_socket()
    again.ask({"subscribe": asked})
    assert again.hear()["notification"]["event"]["a"] == 3


def test_what_the_broker_ends_is_told(server: Served, open_socket: Callable[[], Client]) -> None:
    client = open_socket()
    spuid = client.ask({"subscribe": {"sparql": LAMPS}})["notification"]["spuid"]

    server.broker.unsubscribe(spuid)

    assert client.hear() == {"unsubscribed": {"spuid": spuid}}


def test_a_client_that_reads_nothing_delays_nobody_and_is_cut_off(
    server: Served, open_socket: Callable[[], Client]
) -> None:
    large = "x" * 100_000
    asked = {"purport": "{a > 0}", "most_waiting": 100, "overflow": "disconnect"}
    quick = open_socket()
    quick.ask({"subscribe": {"purport": "{a > 0}"}})
    with connect(server.subscribe_url, max_queue=1, max_size=None) as slow:
        Client(slow).ask({"subscribe": asked})
        for number in range(1, 401):
            server.broker.publish({"a": number, "text": large})

        heard = [quick.hear()["notification"]["event"]["a"] for _ in range(400)]
        with pytest.raises(ConnectionClosed):
            while True:
                slow.recv(timeout=30)

    assert heard == [*range(1, 401)]
    server.wait_until(lambda: len(server.broker.registrations()) == 1)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), max_size=12))
def test_what_is_told_adds_up_to_the_answer(changes: list[tuple[int, int, bool]]) -> None:
    with Broker.in_memory() as broker, served_broker(broker) as server:
        with connect(server.subscribe_url) as connection:
            client = Client(connection)
            heard = [client.ask({"subscribe": {"sparql": LAMPS}})["notification"]]
            for lamp, value, comes in changes:
                kind = "INSERT" if comes else "DELETE"
                broker.update(f"{kind} DATA {{ <urn:l{lamp}> <urn:dim> {value} }}")
            broker.update("INSERT DATA { <urn:end> <urn:dim> 99 }")
            while row_of("urn:end", 99) not in bindings(heard[-1]["addedResults"]):
                heard.append(client.hear()["notification"])
        answer: Counter[tuple[str, str]] = Counter()
        for one in heard:
            answer.update(bindings(one["addedResults"]))
            answer.subtract(bindings(one["removedResults"]))
        now = broker.query(LAMPS)
        expected = Counter((row["lamp"].value, row["value"].value) for row in now)  # type: ignore[union-attr]
        assert +answer == expected
        assert [one["sequence"] for one in heard] == list(range(len(heard)))


def row_of(lamp: str, value: int) -> tuple[str, str]:
    return lamp, str(value)


def bindings(results: Any) -> list[tuple[str, str]]:
    found = results["results"]["bindings"]
    return [(one["lamp"]["value"], one["value"]["value"]) for one in found]


def test_the_name_in_a_text_is_what_a_fleeting_subscription_is_called_by_its_client(
    open_socket: Callable[[], Client],
) -> None:
    hot = {"subscribe": {"purport": "{heat > 30} as hot"}}
    first, second = open_socket(), open_socket()

    told = [one.ask(hot)["subscribed"] for one in (first, second)]

    assert [one["alias"] for one in told] == ["hot", "hot"]
    assert told[0]["spuid"] != told[1]["spuid"]


def test_the_name_in_a_text_is_that_of_a_durable_subscription(
    open_socket: Callable[[], Client],
) -> None:
    hot = {"subscribe": {"purport": "{heat > 30} as hot", "durable": True}}

    told = open_socket().ask(hot)["subscribed"]

    assert told == {"spuid": "hot", "sequence": 0}


def test_a_name_that_is_taken_is_not_shared_by_what_ends_with_its_socket(
    open_socket: Callable[[], Client],
) -> None:
    asked = {"subscribe": {"purport": "{heat > 30}", "name": "hot", "alias": "h"}}
    open_socket().ask(asked)

    refused = open_socket().ask(asked)

    assert (refused["error"], refused["status_code"], refused["alias"]) == ("exists", 409, "h")


def test_a_rule_is_no_subscription_and_none_takes_its_place(
    server: Served, open_socket: Callable[[], Client]
) -> None:
    rule = "when {a > 0} as made publish {b = 1}"
    server.broker.subscribe(rule)
    server.broker.subscribe("{a > 0} as heard")
    client = open_socket()

    asked = client.ask({"subscribe": {"purport": rule, "name": "other"}})
    assert (asked["status_code"], "got a rule" in asked["error_description"]) == (400, True)
    for name, what in (("made", "{a > 0}"), ("made", "SELECT * { ?s ?p ?o }"), ("heard", LAMPS)):
        kind = "sparql" if what.startswith("SELECT") else "purport"
        refused = client.ask({"subscribe": {kind: what, "name": name, "durable": True}})
        assert (refused["status_code"], refused["error"]) == (409, "exists")
    assert {one.id for one in server.broker.registrations()} == {"made", "heard"}


def test_who_hears_what_is_there_changes_only_what_the_message_says(
    server: Served, open_socket: Callable[[], Client]
) -> None:
    server.broker.subscribe(
        LAMPS,
        name="lamps",
        dataset=Dataset(("urn:g",)),
        delivery="at most once",
        most_waiting=7,
        overflow="refuse",
    )
    before = server.broker.registration("lamps")
    asked = {"sparql": LAMPS, "name": "lamps", "durable": True}
    client = open_socket()

    client.ask({"subscribe": asked})
    client.hear()
    is_same = server.broker.registration("lamps") == before
    client.close()
    open_socket().ask({"subscribe": {**asked, "most_waiting": 9, "overflow": "block"}})

    after = server.broker.registration("lamps")
    assert is_same
    assert (after.version, after.most_waiting) == (2, 9)
    assert replace(after, version=1, since=before.since, sequence=before.sequence) == replace(
        before, most_waiting=9
    )


def test_what_is_posted_to_a_webhook_is_not_told_to_a_socket_and_stays_posted(
    server: Served, open_socket: Callable[[], Client]
) -> None:
    server.broker.subscribe("{a > 0} as hot", webhook="http://127.0.0.1:1/hook")

    asked = {"purport": "{a > 0}", "name": "hot", "durable": True}
    refused = open_socket().ask({"subscribe": asked})

    assert (refused["status_code"], "webhook" in refused["error_description"]) == (409, True)
    assert server.broker.registration("hot").webhook == "http://127.0.0.1:1/hook"


def test_a_durable_subscription_is_not_made_of_one_that_ends_with_its_socket(
    server: Served, open_socket: Callable[[], Client]
) -> None:
    asked = {"purport": "{a > 0}", "name": "hot"}
    open_socket().ask({"subscribe": asked})

    refused = open_socket().ask({"subscribe": {**asked, "durable": True}})

    assert (refused["status_code"], refused["error"]) == (409, "exists")
    assert not server.broker.registration("hot").is_durable


@pytest.mark.parametrize(
    ("name", "owner", "status"), [("anns", "ann", 409), ("into-triples:t", None, 400)]
)
def test_nobody_takes_what_is_anothers_or_belongs_to_the_service(
    server: Served,
    open_socket: Callable[[], Client],
    name: str,
    owner: str | None,
    status: int,
) -> None:
    server.broker.subscribe("{a > 0}", name=name, owner=owner, most_waiting=7)

    asked = {"purport": "{a > 0}", "name": name, "durable": True, "most_waiting": 8}
    refused = open_socket().ask({"subscribe": asked})

    assert refused["status_code"] == status
    assert server.broker.registration(name).most_waiting == 7
