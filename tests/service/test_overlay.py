"""Links between services: how they come to be, why they do not, and that nothing gets lost."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from purport.service.overlay.address import overlay_address
from purport.service.overlay.messages import VERSION
from purport.service.settings import RequestLimits
from tests.service.overlay_services import MemoryWire, OverlayNetwork, OverlayService, near, until

EVENT = {"@id": "e1", "heat": 31}


@asynccontextmanager
async def network() -> AsyncIterator[OverlayNetwork]:
    made = OverlayNetwork()
    try:
        yield made
    finally:
        await made.close()


async def pair(made: OverlayNetwork, **more: object) -> tuple[OverlayService, OverlayService]:
    a = await made.add("a", near("b"))
    return a, await made.add("b", near("a"))


async def is_down(service: OverlayService, name: str, *words: str) -> None:
    """Wait until a link is down for a reason."""

    async def holds() -> bool:
        found = await service.neighbour(name)
        return found.state == "down" and all(one in (found.reason or "") for one in words)

    await until(holds)


async def came_in_vain(wire: MemoryWire, service: OverlayService, hello: object) -> dict[str, str]:
    """What is said to somebody who says hello so, and is not let in."""
    assert wire.other is not None
    service.accept(wire.other, None)
    await wire.send(hello if isinstance(hello, str) else json.dumps(hello))
    said = json.loads(await wire.receive())
    with pytest.raises(Exception, match="has gone"):
        await wire.receive()
    refused: dict[str, str] = said["refused"]
    return refused


def hello(**more: object) -> dict[str, object]:
    said = {"overlay": VERSION, "name": "b", "to": "a", "epoch": "e", "holds": ""}
    return {**said, "message_bytes": 1_000_000, "longest": 1_000_000, **more}


def run(story: Callable[[OverlayNetwork], Awaitable[None]]) -> None:
    async def told() -> None:
        async with network() as made:
            await story(made)

    asyncio.run(told())


def test_both_ends_open_a_link_and_one_is_used() -> None:
    async def story(made: OverlayNetwork) -> None:
        a, b = await pair(made)
        await made.settle()
        await b.subscribe("{heat > 30} as hot")
        await made.settle()
        await a.publish(EVENT)
        await made.settle()

        assert b.told("hot") == ["e1"]
        sent, received = (await a.neighbour("b")).events, (await b.neighbour("a")).events
        assert (sent.sent, received.received, received.known) == (1, 1, 0)
        assert not (await a.overlay.status()).refused and not (await b.overlay.status()).refused

    run(story)


def test_one_end_is_enough_to_open_a_link() -> None:
    async def story(made: OverlayNetwork) -> None:
        a = await made.add("a", near("b", dials=False))
        await is_down(a, "b", "nobody has come yet")
        b = await made.add("b", near("a"))
        await a.subscribe("{heat > 30} as hot")
        await made.settle()
        await b.publish(EVENT)
        await made.settle()

        assert a.told("hot") == ["e1"]

    run(story)


def test_a_link_that_breaks_is_opened_again_and_nothing_is_lost_or_doubled() -> None:
    async def story(made: OverlayNetwork) -> None:
        a, b = await pair(made)
        await b.subscribe("{heat > 30} as hot")
        await made.settle()
        for number in range(30):
            await a.publish({"@id": f"e{number}", "heat": 31})
            if number % 10 == 5:
                made.cut("a", "b")
        await made.settle()

        assert b.told("hot") == [f"e{number}" for number in range(30)]

    run(story)


@pytest.mark.parametrize("victim", ["a", "b", "c"])
def test_a_broker_that_is_killed_and_returns_loses_nothing_and_doubles_nothing(victim: str) -> None:
    async def story(made: OverlayNetwork) -> None:
        a = await made.add("a", near("b"))
        await made.add("b", near("a"), near("c", dials=False))
        c = await made.add("c", near("b"))
        await c.subscribe("{heat > 30} as hot")
        await made.settle()
        for number in range(20):
            if a.is_up:
                await a.publish({"@id": f"e{number}", "heat": 31})
            if number == 9:
                await made.services[victim].end(is_killed=True)
            if number == 15:
                await made.services[victim].start()
        await made.settle()

        expected = [number for number in range(20) if victim != "a" or not 9 < number <= 15]
        assert c.told("hot") == [f"e{number}" for number in expected]

    run(story)


def test_after_a_restart_a_link_begins_with_what_both_know() -> None:
    async def story(made: OverlayNetwork) -> None:
        a, b = await pair(made)
        await b.subscribe("{heat > 30} as hot")
        await made.settle()
        before = (await a.neighbour("b")).interests.received
        await a.end()
        await a.start()
        await made.settle()

        assert before == (await a.neighbour("b")).interests.received == 1
        assert a.overlay._links["b"].figures.interests_received == 0  # nothing had to be said

    run(story)


def test_what_is_unsubscribed_while_a_link_is_down_is_asked_for_no_more() -> None:
    async def story(made: OverlayNetwork) -> None:
        a, b = await pair(made)
        for text in ("{heat > 30} as hot", "{heat > 20} as warm"):
            await b.subscribe(text)
        await made.settle()
        assert set(a.broker.neighbours.interests("b")) == {"{heat > 20}"}

        await a.end(is_killed=True)
        await b.desk.write(lambda: b.broker.unsubscribe("warm"))
        await a.start()
        await made.settle()

        assert set(a.broker.neighbours.interests("b")) == {"{heat > 30}"}

    run(story)


async def triangle(made: OverlayNetwork) -> list[OverlayService]:
    """Three, each a neighbour of both others: the link of the last two is spare."""
    return [await made.add(one, *(near(other) for other in "abc" if other != one)) for one in "abc"]


def test_in_a_circle_one_link_is_spare_and_each_event_is_told_once() -> None:
    async def story(made: OverlayNetwork) -> None:
        services = await triangle(made)
        for one in services:
            await one.subscribe("{heat > 30} as hot")
        await made.settle()
        for number, one in enumerate(services):
            await one.publish({"@id": f"e{number}", "heat": 31})
        await made.settle()

        for one in services:
            assert sorted(one.told("hot")) == ["e0", "e1", "e2"]
            status = await one.overlay.status()
            assert status.brokers == ["a", "b", "c"]
            for link in status.neighbours:
                assert link.used == ({one.settings.name, link.name} != {"b", "c"})
                assert (link.interests.received > 0) == link.used and link.events.known == 0

    run(story)


def test_when_a_link_breaks_for_good_events_take_another_way_those_that_waited_too() -> None:
    async def story(made: OverlayNetwork) -> None:
        a, _, c = await triangle(made)
        await c.subscribe("{heat > 30} as hot")
        await made.settle()
        made.sever("a", "c")
        for number in range(10):
            await a.publish({"@id": f"e{number}", "heat": 31})
        await made.settle()

        assert sorted(c.told("hot")) == [f"e{number}" for number in range(10)]
        link = await a.neighbour("c")
        assert (link.state, link.used) == ("down", False)

        await a.publish({"@id": "e10", "heat": 31})
        made.severed.clear()
        await made.settle()
        assert c.told("hot") == ["e10"]
        assert (await a.neighbour("c")).used and not (await c.neighbour("b")).used

    run(story)


def test_what_is_unsubscribed_after_a_link_broke_for_good_is_not_asked_for_over_it() -> None:
    async def story(made: OverlayNetwork) -> None:
        a, b, c = await triangle(made)
        await c.subscribe("{heat > 30} as hot")
        await made.settle()
        made.sever("a", "c")
        await c.desk.write(lambda: c.broker.unsubscribe("hot"))
        await made.settle()

        for one, other in ((a, "b"), (a, "c"), (b, "a"), (b, "c")):
            assert one.broker.neighbours.interests(other) == {}
        assert not (await a.neighbour("c")).used

    run(story)


def test_a_broker_that_dies_in_a_circle_is_waited_for_and_others_go_on() -> None:
    async def story(made: OverlayNetwork) -> None:
        a, b, c = await triangle(made)
        for one in (b, c):
            await one.subscribe("{heat > 30} as hot")
        await made.settle()
        await a.end(is_killed=True)
        for number, one in enumerate((b, c, b)):
            await one.publish({"@id": f"e{number}", "heat": 31})
        until_told = [asyncio.ensure_future(until(lambda one=one: has(one, 3))) for one in (b, c)]  # type: ignore[misc]
        await asyncio.gather(*until_told)
        await a.start()
        await made.settle()

        assert [len(set(one.told("hot"))) for one in (b, c)] == [3, 3]

    run(story)


async def has(service: OverlayService, count: int) -> bool:
    """Whether a subscription was told of so many events."""
    return service.broker.status("hot").waiting == count


def test_a_neighbour_of_another_version_is_refused_on_both_sides() -> None:
    async def story(made: OverlayNetwork) -> None:
        a = await made.add("a", near("b", dials=False), near("c"))
        wire, _ = MemoryWire.pair("b:1", "a:1")
        newer = {"overlay": 7, "name": "b", "greeting": "in words of its own"}

        refused = await came_in_vain(wire, a, newer)

        assert refused["code"] == "version"
        assert refused["reason"] == (
            "a speaks version 1 of the overlay's protocol, b speaks version 7"
        )
        [noted] = (await a.overlay.status()).refused
        assert (noted.code, noted.reason) == ("version", refused["reason"])

    run(story)


def test_a_broker_that_meets_another_version_says_so_and_goes_on() -> None:
    async def story(made: OverlayNetwork) -> None:
        class Newer(OverlayService):
            def accept(self, wire: object, token: str | None) -> None:
                async def answer() -> None:
                    await wire.receive()  # type: ignore[attr-defined]
                    await wire.send(json.dumps({"overlay": 9, "name": "b"}))  # type: ignore[attr-defined]
                    heard.append(json.loads(await wire.receive()))  # type: ignore[attr-defined]

                tasks.append(asyncio.ensure_future(answer()))

        heard: list[dict[str, dict[str, str]]] = []
        tasks: list[asyncio.Future[None]] = []
        a = await made.add("a", near("b"), near("c"))
        await made.add("c", near("a"))
        newer = made.services["b"] = Newer(made, a.settings)
        newer.is_up = True
        await is_down(a, "b", "a speaks version 1", "b speaks version 9")
        await asyncio.gather(*tasks)
        newer.is_up = False
        del made.services["b"]

        assert heard[0]["refused"]["code"] == "version"
        assert (await a.neighbour("c")).state == "up"

    run(story)


@pytest.mark.parametrize(
    ("said", "code", "reason"),
    [
        (hello(name="x"), "unknown", "'x' is not among the neighbours of 'a'"),
        (hello(to="north"), "another name", "here is 'a', and not 'north'"),
        (hello(name="a"), "same name", "two brokers are called 'a'"),
        ("[1, 2", "bad_message", "expected a message such as"),
        (hello(name=3), "bad_message", "expected a message such as"),
        ({"name": "b"}, "bad_message", "expected a message such as"),
        ("", "bad_message", "expected a message such as"),
        ("[" * 100_000, "bad_message", "expected a message such as"),
        (hello(overlay=0), "version", "a speaks version 1 of the overlay's protocol, b speaks ver"),
    ],
)
def test_who_is_no_neighbour_is_told_why(said: object, code: str, reason: str) -> None:
    async def story(made: OverlayNetwork) -> None:
        a = await made.add("a", near("b", dials=False))
        wire, _ = MemoryWire.pair("b:1", "a:1")

        refused = await came_in_vain(wire, a, said)

        assert refused["code"] == code and reason in refused["reason"]
        [noted] = (await a.overlay.status()).refused
        assert (noted.code, noted.times) == (code, 1)

    run(story)


def test_a_broker_that_reaches_itself_or_another_than_it_meant_says_so() -> None:
    async def story(made: OverlayNetwork) -> None:
        a = await made.add("a", near("b"), near("c"))
        await made.add("d", near("a"), at="c")
        made.services["b"] = a
        await is_down(a, "b", "'a' has reached itself")
        await is_down(a, "c", "here is 'd', and not 'c'")
        del made.services["b"]

    run(story)


def test_two_brokers_of_one_name_are_not_both_linked() -> None:
    async def story(made: OverlayNetwork) -> None:
        a = await made.add("a", near("b", dials=False))
        b = await made.add("b", near("a"))
        await made.settle()
        other = await made.add("b", near("a"), at="elsewhere")
        await is_down(other, "a", "a refuses: two brokers are called 'b'", "one is linked already")

        assert (await a.neighbour("b")).state == "up" and (await b.neighbour("a")).state == "up"
        assert [one.code for one in (await a.overlay.status()).refused] == ["same name"]

    run(story)


def test_a_neighbour_that_was_lost_without_a_word_takes_its_place_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("purport.service.overlay.session._PROBE_SECONDS", 0.1)

    async def story(made: OverlayNetwork) -> None:
        a = await made.add("a", near("b", dials=False))
        b = await made.add("b", near("a"))
        await b.subscribe("{heat > 30} as hot")
        await made.settle()
        [(_, _, wire)] = made.wires
        wire.lose()  # a hears nothing of it
        await b.end(is_killed=True)
        await b.start()
        await a.publish(EVENT)
        await made.settle()

        assert b.told("hot") == ["e1"]
        assert (await a.overlay.status()).refused == []

    run(story)


def test_only_who_shows_the_token_of_a_neighbour_is_let_in() -> None:
    async def story(made: OverlayNetwork) -> None:
        tokens = {"t1": "b", "t2": "branch", "t3": "ann"}
        a = await made.add(
            "a",
            near("b", dials=False),
            near("c", dials=False, principal="branch"),
            near("d", dials=False),
            tokens=tokens,
        )
        b = await made.add("b", near("a", token="t1"))
        c = await made.add("c", near("a", token="t2"))
        d = await made.add("d", near("a", token="t3"))
        await is_down(d, "a", "a refuses: 'd' has to come as 'd', and the token is that of 'ann'")

        for one in (b, c):

            async def is_up(service: OverlayService = one) -> bool:
                return (await service.neighbour("a")).state == "up"

            await until(is_up)
        assert [one.code for one in (await a.overlay.status()).refused] == ["unauthorized"]

    run(story)


def test_a_token_that_is_taken_no_more_ends_its_link() -> None:
    async def story(made: OverlayNetwork) -> None:
        tokens = {"t1": "b"}
        a = await made.add("a", near("b", dials=False), tokens=tokens)
        await made.add("b", near("a", token="t1"))
        await made.settle()
        tokens.clear()
        await is_down(a, "b", "its token is taken no more")

    run(story)


def test_what_is_longer_than_a_message_may_be_goes_in_pieces() -> None:
    async def story(made: OverlayNetwork) -> None:
        limits = RequestLimits(message_bytes=1_000)
        a = await made.add("a", near("b"), limits=limits)
        b = await made.add("b", near("a"), limits=limits)
        await b.subscribe("{heat > 30} as hot")
        await made.settle()
        await a.publish({"@id": "e1", "heat": 31, "said": "é" * 10_000, "list": list(range(500))})
        await made.settle()

        assert b.told("hot") == ["e1"]
        assert all(len(text.encode()) <= 1_000 for _, _, wire in made.wires for text in wire.sent)

    run(story)


def test_what_is_too_long_for_a_neighbour_keeps_nothing_else_from_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("purport.service.overlay.greeting.LONGEST", 200_000)

    async def story(made: OverlayNetwork) -> None:
        a, b = await pair(made)
        await b.subscribe("{heat > 30} as hot")
        await made.settle()
        for number in range(5):
            said = "long" * 50_000 if number in (1, 2, 4) else "short"
            await a.publish({"@id": f"e{number}", "heat": 31, "said": said})
        await made.settle()

        assert b.told("hot") == ["e0", "e3"]
        assert (await a.neighbour("b")).events.too_long == 3

    run(story)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("{", "expected a message of the overlay's protocol"),
        ('{"events": 7}', "expected a message of the overlay's protocol"),
        ('{"events": ' + "[" * 5_000, "expected a message of the overlay's protocol"),
        ('{"piece": "not base64!"}', "a piece of a message is not base64"),
        ('{"error": "bad_request", "error_description": "too deep"}', "refuses: too deep"),
    ],
)
def test_what_is_not_understood_ends_a_link_and_the_next_goes_on(said: str, reason: str) -> None:
    async def story(made: OverlayNetwork) -> None:
        a, b = await pair(made)
        await b.subscribe("{heat > 30} as hot")
        await made.settle()
        session = a.overlay._links["b"].session
        with caught_logs() as lines:
            await session._wire.send(said)  # type: ignore[union-attr]
            await until(lambda: seen(lines, reason))
        await a.publish(EVENT)
        await made.settle()

        assert b.told("hot") == ["e1"]

    run(story)


def test_an_event_that_is_none_is_counted_and_the_others_are_taken() -> None:
    async def story(made: OverlayNetwork) -> None:
        a, b = await pair(made)
        await b.subscribe("{heat > 0} as all")
        await made.settle()
        events = [
            {"number": number, "origin": ["z", "e", number], "event": event}
            for number, event in enumerate(([1], {"heat": 1}, {"@id": "x", "heat": 1}))
        ]
        session = a.overlay._links["b"].session
        await session._wire.send(json.dumps({"events": events}))  # type: ignore[union-attr]

        async def came() -> bool:
            return b.told("all") == ["x"]

        await until(came)
        assert (await b.neighbour("a")).events.unreadable == 2

    run(story)


def test_an_event_that_was_published_again_at_another_broker_is_taken_once() -> None:
    async def story(made: OverlayNetwork) -> None:
        a, b = await pair(made)
        await b.subscribe("{heat > 30} as hot")
        await made.settle()
        await b.publish(EVENT)  # its publisher got no answer from a, and asked b
        await a.publish(EVENT)
        await made.settle()

        assert b.told("hot") == ["e1"]
        assert (await b.neighbour("a")).events.known == 1

    run(story)


def test_without_neighbours_there_is_no_overlay_to_be_seen(client: httpx.Client) -> None:
    answer = client.get("/overlay")

    assert answer.status_code == 404 and "there is no [overlay]" in answer.text
    with (
        connect(f"ws://127.0.0.1:{client.base_url.port}/overlay") as wire,
        pytest.raises(ConnectionClosed, match="this broker has no neighbours"),
    ):
        wire.recv(timeout=10)


def test_addresses_of_links_are_made_of_those_of_services() -> None:
    assert overlay_address("http://127.0.0.1:8000") == "ws://127.0.0.1:8000/overlay"
    assert overlay_address("wss://north.example/secure/") == "wss://north.example/secure/overlay"
    for wrong in ("ftp://x", "http://", "http://x:port", "http://u:p@x", "http://x?y", "x y"):
        with pytest.raises(Exception, match=r"expected an address|names a user"):
            overlay_address(wrong)


class caught_logs:  # noqa: N801 - it is used like a function
    """What the service logs meanwhile."""

    def __enter__(self) -> list[str]:
        self.lines: list[str] = []

        class Catching(logging.Handler):
            def emit(_, record: logging.LogRecord) -> None:  # noqa: N805
                self.lines.append(record.getMessage())

        self._handler = Catching()
        logging.getLogger("purport.service").addHandler(self._handler)
        return self.lines

    def __exit__(self, *_: object) -> None:
        logging.getLogger("purport.service").removeHandler(self._handler)


async def seen(lines: list[str], words: str) -> bool:
    """Whether something was logged."""
    return any(words in line for line in lines)
