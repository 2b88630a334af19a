"""From subscribers to clients: nothing is lost, and nothing is held for those who never read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from purport.embedded.broker import Broker
from purport.embedded.subscriber import Acknowledging
from purport.model.notification import Notification
from purport.service.delivery import MOST_WAITING, Delivery, Ending, Feed, Message, Outlet

_LATEST_SECONDS = 20.0


def never(feed: Feed, ending: Ending) -> None:
    raise AssertionError("nothing ends here")


@asynccontextmanager
async def running(outlet: Outlet) -> AsyncIterator[None]:
    """An outlet that sends, until it is no longer needed."""
    task = asyncio.create_task(outlet.run())
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("troubled", [0, 3, 5])
def test_a_notification_that_cannot_be_told_at_first_is_told_later_in_its_place(
    broker: Broker, troubled: int
) -> None:
    subscriber = broker.subscribe("{a > 0} as heard", acknowledging=Acknowledging.BY_HAND)
    for number in range(6):
        broker.publish({"a": number + 1})
    told: list[str] = []
    failures = iter([True])

    def form(notification: Notification) -> str:
        if notification.sequence == troubled and next(failures, False):
            raise ValueError("not now")
        return str(notification.sequence)

    async def send(text: str) -> None:
        told.append(text)

    async def deliver() -> None:
        delivery = Delivery(look_seconds=0.02)
        outlet = Outlet(send, delivery)
        feed = Feed(subscriber, outlet, form, never)
        async with running(outlet), asyncio.timeout(_LATEST_SECONDS):
            delivery.add(feed)
            while len(told) < 6 or outlet.room < MOST_WAITING:
                await asyncio.sleep(0.005)
        delivery.remove(feed)
        feed.finish()
        delivery.close()

    asyncio.run(deliver())

    assert told == ["0", "1", "2", "3", "4", "5"]
    assert broker.status("heard").waiting == 0


def test_a_feed_that_cannot_be_told_is_tried_now_and_then_and_logged_once(
    broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    subscriber = broker.subscribe("{a > 0} as broken", acknowledging=Acknowledging.BY_HAND)
    other = broker.subscribe("{a > 0} as sound", acknowledging=Acknowledging.BY_HAND)
    told: list[str] = []
    tried = 0

    def broken(notification: Notification) -> str:
        nonlocal tried
        tried += 1
        raise ValueError("never")

    async def send(text: str) -> None:
        told.append(text)

    async def deliver() -> None:
        published = 0
        delivery = Delivery(look_seconds=0.2)
        outlet = Outlet(send, delivery)
        feeds = [
            Feed(subscriber, outlet, broken, never),
            Feed(other, outlet, lambda one: str(one.sequence), never),
        ]
        async with running(outlet), asyncio.timeout(_LATEST_SECONDS):
            for feed in feeds:
                delivery.add(feed)
            while tried < 3:
                broker.publish({"a": 1})
                published += 1
                await asyncio.sleep(0.001)
            while len(told) < published:
                await asyncio.sleep(0.001)
        for feed in feeds:
            delivery.remove(feed)
            feed.finish()
        delivery.close()

    asyncio.run(deliver())

    assert tried < len(told) / 2
    assert [one.getMessage() for one in caplog.records] == ["'broken' could not be told: never"]


def test_who_never_reads_is_not_listened_to_any_more() -> None:
    async def answer() -> tuple[int, list[str]]:
        reads = asyncio.Event()
        sent: list[str] = []

        async def send(text: str) -> None:
            await reads.wait()
            sent.append(text)

        outlet, answered = Outlet(send, Delivery(), most=4), 0

        async def listen() -> None:
            nonlocal answered
            while answered < 100:
                await outlet.room_for_answers()
                outlet.put(Message(f"answer {answered}"))
                answered += 1

        async with running(outlet), asyncio.timeout(_LATEST_SECONDS):
            listening = asyncio.create_task(listen())
            for _ in range(50):
                await asyncio.sleep(0)
            while_nobody_read = answered
            reads.set()
            await listening
            while len(sent) < 100:
                await asyncio.sleep(0)
        return while_nobody_read, sent

    while_nobody_read, sent = asyncio.run(answer())

    assert while_nobody_read <= 2 * 4 + 2
    assert sent == [f"answer {number}" for number in range(100)]


def test_a_feed_that_is_parked_when_all_has_been_sent_is_rung_again(broker: Broker) -> None:
    subscriber = broker.subscribe("{a > 0}", acknowledging=Acknowledging.BY_HAND)
    broker.publish({"a": 1})
    rooms = iter([0])  # then the event loop sends all, and finds nobody parked

    class Emptying(Outlet):
        @property
        def room(self) -> int:
            return next(rooms, 1)

    async def send(text: str) -> None:
        raise AssertionError("nothing is sent here")

    delivery = Delivery()
    feed = Feed(subscriber, Emptying(send, delivery), lambda told: str(told.sequence), never)

    assert feed.take() == []
    assert list(delivery._rung) == [feed]


def test_a_feed_that_is_rung_while_there_is_no_room_waits_once(broker: Broker) -> None:
    subscriber = broker.subscribe("{a > 0}", acknowledging=Acknowledging.BY_HAND)

    async def send(text: str) -> None:
        await asyncio.Event().wait()

    async def ring() -> int:
        outlet = Outlet(send, Delivery(), most=1)
        feed = Feed(subscriber, outlet, lambda told: str(told.sequence), never)
        for number in range(1, 200):
            broker.publish({"a": number})
            feed.take()
        return len(outlet.parked)

    assert asyncio.run(ring()) == 1
