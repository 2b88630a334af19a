"""Notifications as server-sent events, taken up again after the last one that arrived."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import islice

import httpx
import pytest

from purport import Broker
from tests.service.serving import Served, served_broker


@pytest.fixture
def server() -> Iterator[Served]:
    with Broker.in_memory() as broker, served_broker(broker) as found:
        broker.subscribe("{a > 0}", name="kept/a b")
        yield found


def heard(server: Served, last: str | None = None) -> Generator[tuple[str, object]]:
    """The id and the value of each event of the stream."""
    headers = {} if last is None else {"Last-Event-ID": last}
    url = f"{server.url}/subscriptions/kept%2Fa%20b/events"
    with httpx.stream("GET", url, headers=headers, timeout=30) as stream:
        assert stream.status_code == 200, stream.read()
        assert stream.headers["content-type"].startswith("text/event-stream")
        name = ""
        for line in stream.iter_lines():
            assert line != ":", "nothing came until the stream's heart beat"
            if line.startswith("id: "):
                name = line[4:]
            elif line.startswith("data: "):
                yield name, json.loads(line[6:])["event"]["a"]


def some(count: int, heard: Generator[tuple[str, object]]) -> list[tuple[str, object]]:
    """The first of what is heard, by a client that then goes."""
    with closing(heard) as going:
        return list(islice(going, count))


def test_what_waits_and_what_comes_is_told(server: Served) -> None:
    for number in range(1, 4):
        server.broker.publish({"a": number})
    stream = heard(server)

    assert list(islice(stream, 3)) == [("0", 1), ("1", 2), ("2", 3)]
    server.broker.publish({"a": 4})
    assert some(1, stream) == [("3", 4)]
    server.wait_until(lambda: server.broker.status("kept/a b").waiting == 0)


def test_a_client_that_comes_back_is_told_what_follows(server: Served) -> None:
    for number in range(1, 6):
        server.broker.publish({"a": number})
    some(5, heard(server))

    assert some(3, heard(server, last="1")) == [("2", 3), ("3", 4), ("4", 5)]
    assert some(5, heard(server, last="-1"))[0] == ("0", 1)


def test_who_asks_for_the_headers_alone_has_received_nothing(server: Served) -> None:
    server.broker.publish({"a": 1})
    url = f"{server.url}/subscriptions/kept%2Fa%20b/events"

    answer = httpx.head(url, timeout=30)

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert httpx.head(f"{server.url}/subscriptions/none/events").status_code == 404
    assert some(1, heard(server)) == [("0", 1)]


def test_a_subscription_that_ends_ends_the_stream(server: Served) -> None:
    url = f"{server.url}/subscriptions/kept%2Fa%20b/events"
    with httpx.stream("GET", url, timeout=30) as stream:
        lines = stream.iter_lines()
        assert next(lines) == ": hello"
        server.broker.unsubscribe("kept/a b")
        assert list(lines) == [""]


@pytest.mark.parametrize("last", ["x", "-2", "1.5"])
def test_a_last_event_that_is_none_is_refused(server: Served, last: str) -> None:
    url = f"{server.url}/subscriptions/kept%2Fa%20b/events"
    answer = httpx.get(url, headers={"Last-Event-ID": last})

    assert answer.status_code == 400
    assert "Last-Event-ID" in answer.json()["error_description"]


def test_what_is_not_there_is_not_found(server: Served) -> None:
    answer = httpx.get(f"{server.url}/subscriptions/none/events")

    assert (answer.status_code, answer.json()["error"]) == (404, "not_found")
