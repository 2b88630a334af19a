"""One session: both ends tell much at once, and whatever breaks in the middle of something."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest

from purport.broker.records import Entry, Linked
from purport.covering.interest import Interest
from purport.service.overlay.wire import WireBroken
from tests.service.overlay_services import MemoryWire, OverlayNetwork, OverlayService, near, until
from tests.service.test_overlay import hello, is_down, pair, run

LONG = "x" * 20_000


def test_two_brokers_with_much_for_each_other_get_all_of_it_across() -> None:
    async def story(made: OverlayNetwork) -> None:
        a, b = await pair(made)
        for one in (a, b):
            await one.subscribe("{heat > 0} as hot")
        await made.settle()
        made.sever("a", "b")
        await is_down(a, "b")
        for number in range(100):
            for one in (a, b):
                name = f"{one.settings.name}{number}"
                await one.publish({"@id": name, "heat": 31, "text": LONG})
        made.severed.clear()
        await made.settle()

        for one in (a, b):
            assert sorted(one.told("hot")) == sorted(f"{n}{i}" for n in "ab" for i in range(100))
            [link] = (await one.overlay.status()).neighbours
            assert link.events.received == 100 and link.events.known == 0

    run(story)


def test_who_reads_nothing_is_told_no_more_than_a_window(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("purport.service.overlay.window.MOST_BYTES", 300_000)
    monkeypatch.setattr("tests.service.overlay_services._ROOM", 100_000_000)

    async def story(made: OverlayNetwork) -> None:
        a, wire = await with_stranger(made)
        await said(wire, interests={"digest": "", "wanted": [["*", 1]]})
        for number in range(100):
            await a.publish({"@id": f"e{number}", "heat": 31, "text": LONG})
        there = wire.other
        assert there is not None

        def told() -> int:
            messages = [json.loads(text) for text in there.sent]
            return sum(len(one.get("events", ())) for one in messages)

        async def is_full() -> bool:
            return told() >= 15

        await until(is_full)
        await asyncio.sleep(0.1)
        assert told() * len(LONG) < 300_000 + 2 * 128 * 1024
        assert (await a.neighbour("b")).state == "up"

    run(story)


def test_who_tells_more_than_a_window_is_not_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("purport.service.overlay.window.MOST_BYTES", 50_000)

    async def story(made: OverlayNetwork) -> None:
        a, wire = await with_stranger(made)
        append, a.journal.append = a.journal.append, slowly(a, Entry)  # type: ignore[assignment,method-assign]
        with suppress(WireBroken):
            for number in range(20):
                event = {"@id": f"e{number}", "text": LONG}
                told = {"number": number, "origin": ["b", "e", number], "event": event}
                await said(wire, events=[told])
        await is_down(a, "b", "more events than may be on their way")
        a.journal.append = append  # type: ignore[method-assign]

    run(story)


def test_a_link_that_breaks_while_the_journal_writes_leaves_both_ends_agreed() -> None:
    async def story(made: OverlayNetwork) -> None:
        a, b = await pair(made)
        await b.subscribe("{heat > 30} as hot")
        await made.settle()
        append, a.journal.append = a.journal.append, slowly(a, Linked)  # type: ignore[assignment,method-assign]
        await b.desk.write(lambda: b.broker.unsubscribe("hot"))
        await asyncio.sleep(0.1)  # the journal has begun to write it
        session = a.overlay._links["b"].session
        assert session is not None
        session.end("something else ended it")
        await made.settle()
        a.journal.append = append  # type: ignore[method-assign]

        assert a.broker.neighbours.interests("b") == {}
        assert a.overlay._exchange._forwarding.taken("b") == {}
        assert (await b.neighbour("a")).interests.settled

    run(story)


def test_what_is_only_thought_to_be_wanted_goes_when_all_is_said() -> None:
    async def story(made: OverlayNetwork) -> None:
        a, b = await pair(made)
        await b.subscribe("{heat > 30} as hot")
        await made.settle()
        a.overlay._exchange._forwarding.take("b", [Interest("{wind > 9}", 1)])
        made.cut("a", "b")
        await made.settle()

        assert set(a.overlay._exchange._forwarding.taken("b")) == {"{heat > 30}"}

    run(story)


def test_who_goes_on_to_know_otherwise_is_told_all_of_it_more_and_more_rarely() -> None:
    async def story(made: OverlayNetwork) -> None:
        a, wire = await with_stranger(made)
        await a.subscribe("{heat > 30} as hot")
        there = wire.other
        assert there is not None
        asked: list[object] = []
        loop = asyncio.get_running_loop()
        end = loop.time() + 1.0
        while loop.time() < end:
            try:
                async with asyncio.timeout(0.1):
                    heard = json.loads(await wire.receive())
            except TimeoutError:
                continue
            if "interests" in heard:
                asked.append(heard)
                await said(wire, interested="what nobody meant")

        assert 2 <= len(asked) <= 8

    run(story)


def test_a_session_that_ends_as_it_begins_leaves_nothing_behind() -> None:
    async def story(made: OverlayNetwork) -> None:
        a = (await pair(made))[0]
        await made.settle()
        hear = a.broker.neighbours.hear
        opened = []

        def slow(neighbour: str) -> object:
            time.sleep(0.1)
            opened.append(hear(neighbour))
            return opened[-1]

        a.broker.neighbours.hear = slow  # type: ignore[method-assign,assignment]
        made.cut("a", "b")

        async def is_opening() -> bool:
            return a.overlay._links["b"].session is not None

        await asyncio.sleep(0.02)
        await until(is_opening)
        await asyncio.sleep(0.05)
        made.cut("a", "b")
        await asyncio.sleep(0.3)
        await a.overlay.stop()

        assert opened and all(one.has_ended for one in opened)

    run(story)


def test_a_probability_that_is_none_is_not_taken() -> None:
    async def story(made: OverlayNetwork) -> None:
        a, wire = await with_stranger(made)
        for number, probability in enumerate((7.0, -0.5, 0.5)):
            told = {
                "number": number,
                "origin": ["b", "e", number],
                "event": {"@id": f"e{number}", "heat": 31},
                "probability": probability,
            }
            await said(wire, events=[told])

        async def is_counted() -> bool:
            events = (await a.neighbour("b")).events
            return (events.unreadable, events.received) == (2, 3)

        await until(is_counted)
        assert [one.event.id for one in a.broker.entries(0) if one.event] == ["e2"]

    run(story)


async def with_stranger(made: OverlayNetwork) -> tuple[OverlayService, MemoryWire]:
    """A broker with a link to a test that speaks for its neighbour."""
    a = await made.add("a", near("b", dials=False))
    wire, there = MemoryWire.pair("b:1", "a:1")
    a.accept(there, None)
    await wire.send(json.dumps(hello()))
    json.loads(await wire.receive())
    return a, wire


async def said(wire: MemoryWire, **what: object) -> None:
    """Say something as the protocol has it."""
    await wire.send(json.dumps(what))


def slowly(service: OverlayService, kind: type) -> Callable[[Sequence[Entry]], None]:
    """Write entries of a kind as a slow disk does."""
    append = service.journal.append

    def slow(entries: Sequence[Entry]) -> None:
        if any(isinstance(one, kind) or isinstance(one.record, kind) for one in entries):
            time.sleep(0.4)
        append(entries)

    return slow
