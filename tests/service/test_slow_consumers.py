"""A client that does not read: others hear everything, and it meets with what it asked for."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from purport.service.settings import RequestLimits
from tests.oracles.prometheus_text import read_exposition
from tests.service.raw_client import wait_until
from tests.service.secured import Secured, secured

MOST = 20
LARGE = "x" * 100_000
COUNT = 200  # 20 MB, more than what a socket takes that nobody reads

Slow = Callable[[str], ClientConnection]


@pytest.fixture
def service() -> Iterator[Secured]:
    with secured(limits=RequestLimits(block_seconds=0.2)) as made:
        yield made


@pytest.fixture
def slow(service: Secured) -> Iterator[Slow]:
    """A client that has subscribed, and reads nothing until it is asked to."""
    with ExitStack() as at_end:

        def subscribed(overflow: str) -> ClientConnection:
            address = f"ws://127.0.0.1:{service.port}/subscribe"
            made = at_end.enter_context(
                connect(address, max_queue=1, max_size=None, close_timeout=0.1)
            )
            asked = {"purport": "{a > 0}", "name": "slow", "durable": True}
            asked |= {"most_waiting": MOST, "overflow": overflow}
            made.send(json.dumps({"subscribe": asked}))
            assert "subscribed" in json.loads(made.recv(timeout=30))
            return made

        yield subscribed


def publish(service: Secured, first: int = 1, count: int = COUNT) -> list[int]:
    """Publish so many events, one after the other; the numbers of those that were taken."""
    client, taken = service.client(), []
    for number in range(first, first + count):
        answer = client.post("/events", json={"a": number, "text": LARGE})
        if answer.status_code == 200:
            taken.append(number)
        else:
            assert (answer.status_code, answer.json()["error"]) == (429, "backlog_full")
            break
    return taken


def read(client: ClientConnection, until: int) -> list[dict[str, Any]]:
    """What a client is told, up to an event."""
    heard: list[dict[str, Any]] = []
    while not heard or heard[-1]["event"]["a"] != until:
        heard.append(json.loads(client.recv(timeout=30))["notification"])
    return heard


def figure(service: Secured, name: str, label: str, key: str) -> float:
    found = read_exposition(service.client().get("/metrics").text).get(name)
    return 0.0 if found is None else found.by(label).get(key, 0.0)


@pytest.mark.parametrize("overflow", ["drop oldest", "disconnect", "pause"])
def test_others_hear_everything_while_one_reads_nothing(
    service: Secured, slow: Slow, overflow: str
) -> None:
    quick = service.socket()
    quick.ask({"subscribe": {"purport": "{a > 0}", "most_waiting": 1000}})
    slow(overflow)

    taken = publish(service)
    heard = [quick.hear()["notification"] for _ in range(COUNT)]

    assert taken == [one["event"]["a"] for one in heard] == [*range(1, COUNT + 1)]
    assert [one["sequence"] for one in heard] == [*range(COUNT)]
    assert {one.get("missed", 0) for one in heard} == {0}


def test_the_oldest_are_dropped_and_counted(service: Secured, slow: Slow) -> None:
    client = slow("drop oldest")

    publish(service)
    dropped = figure(service, "purport_overflows_total", "done", "drop oldest")
    heard = read(client, COUNT)

    missed = sum(one.get("missed", 0) for one in heard)
    assert dropped >= missed == COUNT - len(heard) > 0
    numbers = [-1, *(one["sequence"] for one in heard)]
    skipped = [after - before - 1 for before, after in pairwise(numbers)]
    assert skipped == [one.get("missed", 0) for one in heard]


def test_who_would_be_cut_off_is(service: Secured, slow: Slow) -> None:
    client = slow("disconnect")

    publish(service)
    wait_until(lambda: service.broker.registration("slow").is_paused)
    heard = []
    with pytest.raises(ConnectionClosed) as closed:
        while True:
            heard.append(json.loads(client.recv(timeout=30))["notification"])

    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1013
    assert [one["event"]["a"] for one in heard] == [*range(1, len(heard) + 1)]
    assert figure(service, "purport_closed_sockets_total", "code", "1013") == 1


def test_who_goes_while_it_is_being_cut_off_leaves_no_traceback(
    service: Secured, slow: Slow, caplog: pytest.LogCaptureFixture
) -> None:
    client = slow("disconnect")
    publish(service)
    wait_until(lambda: service.broker.registration("slow").is_paused)

    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close_socket()
    wait_until(lambda: figure(service, "purport_closed_sockets_total", "code", "1013") == 1)
    wait_until(lambda: service.service.metrics.sockets == 0)

    assert not [one.getMessage() for one in caplog.records if one.exc_info]


def test_what_is_paused_goes_on_when_it_is_resumed(service: Secured, slow: Slow) -> None:
    client = slow("pause")

    publish(service)
    state = service.client().get("/subscriptions/slow").json()
    paused = figure(service, "purport_overflows_total", "done", "pause")
    told = service.broker.status("slow").next
    before = read(client, told)
    resumed = service.client().post("/subscriptions/slow/resume")
    publish(service, first=1000, count=1)

    assert (state["paused"], resumed.status_code, paused) == (True, 200, 1)
    assert MOST <= told < COUNT
    assert [one["event"]["a"] for one in before] == [*range(1, told + 1)]
    assert read(client, 1000)[-1]["sequence"] == told


def test_publishers_are_refused_when_nothing_is_taken_and_may_again_when_it_is(
    service: Secured, slow: Slow
) -> None:
    quick = service.socket()
    quick.ask({"subscribe": {"purport": "{a > 0}", "most_waiting": 1000}})
    client = slow("block")

    taken = publish(service)
    assert MOST <= len(taken) < COUNT  # one of them was refused, and nothing has happened
    heard = [quick.hear()["notification"]["event"]["a"] for _ in taken]
    also = [one["event"]["a"] for one in read(client, taken[-1])]
    wait_until(lambda: publish(service, first=1000, count=1))

    assert heard == also == taken
    assert quick.hear()["notification"]["event"]["a"] == 1000
    assert read(client, 1000)[-1]["sequence"] == len(taken)
    assert figure(service, "purport_errors_total", "code", "backlog_full") >= 1


def test_messages_that_come_too_fast_are_read_later_and_counted() -> None:
    with secured(limits=RequestLimits(requests_per_second=10)) as service:
        talking = service.socket()
        for _ in range(15):
            talking.say({})

        answers = [talking.hear()["error"] for _ in range(15)]
        found = read_exposition(service.client().get("/metrics").text)

    assert answers == ["bad_request"] * 15
    assert found["purport_rate_limited_total"].value > 0


def test_who_waits_for_a_rate_goes_on_when_there_is_none_any_more() -> None:
    with secured(limits=RequestLimits(requests_per_second=1)) as service:
        talking = service.socket()
        for _ in range(30):
            talking.say({})
        talking.hear()
        wait_until(lambda: service.service.metrics.rate_limited)
        service.reload(limits=RequestLimits())

        assert [talking.hear()["error"] for _ in range(29)] == ["bad_request"] * 29
