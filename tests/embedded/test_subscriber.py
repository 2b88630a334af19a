"""Who takes notifications, and what was received."""

import asyncio
import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from purport import InvalidInput
from purport.broker.journal import JournalError
from purport.broker.records import Delivery
from purport.embedded.broker import Broker
from purport.model.clock import ManualClock
from tests.embedded.brokers import NOON, FullNowAndThen, exact, ids


def test_what_was_taken_and_not_acknowledged_comes_again(broker: Broker) -> None:
    broker.subscribe("{a > 0} as all", acknowledging="by hand")
    broker.publish_all([{"a": 1}, {"a": 2}, {"a": 3}])

    first = broker.subscriber("all", acknowledging="by hand")
    taken = list(first.waiting())
    first.acknowledge(taken[0])

    again = broker.subscriber("all")
    assert [one.sequence for one in again.waiting()] == [1, 2]
    assert list(broker.subscriber("all").waiting()) == []


def test_what_is_handed_over_at_most_once_never_comes_again(broker: Broker) -> None:
    once = broker.subscribe("{a > 0} as once", delivery=Delivery.AT_MOST_ONCE)
    broker.publish_all([{"a": 1}, {"a": 2}])

    assert once.take() is not None
    once.close()

    assert [one.sequence for one in broker.subscriber("once").waiting()] == [1]
    assert list(broker.subscriber("once").waiting()) == []


def test_what_was_told_can_be_told_again_from_a_number_or_a_time() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock) as broker:
        every = broker.subscribe("{a > 0} as every")
        for number in range(4):
            broker.publish({"@id": f"e{number}", "a": 1})
            clock.advance(timedelta(seconds=1))
        list(every.waiting())

        assert ids(every.replay()) == ["e0", "e1", "e2", "e3"]
        assert ids(every.replay(after=1)) == ["e2", "e3"]
        assert ids(every.replay(since=NOON + timedelta(seconds=3))) == ["e3"]
        assert ids(every.replay(since=NOON + timedelta(hours=3))) == []


def test_what_had_to_be_dropped_is_told(broker: Broker) -> None:
    slow = broker.subscribe("{a > 0} as slow", most_waiting=2)

    broker.publish_all([{"a": 1}] * 5)

    assert [(one.sequence, one.missed) for one in slow.waiting()] == [(3, 3), (4, 0)]


def test_what_was_handed_over_is_not_told_to_be_missed_later(broker: Broker) -> None:
    slow = broker.subscribe("{a > 0} as slow", most_waiting=2, acknowledging="by hand")
    broker.publish_all([{"a": 1}] * 5)
    assert [one.missed for one in slow.waiting()] == [3, 0]

    broker.publish({"a": 1})

    assert [(one.sequence, one.missed) for one in slow.waiting()] == [(5, 0)]


def test_nothing_is_remembered_of_what_those_received_who_have_gone(broker: Broker) -> None:
    for _ in range(3):
        brief = broker.subscribe("{a > 0} as brief")
        broker.publish({"a": 1})
        assert len(list(brief.waiting())) == 1
        brief.acknowledge()
        assert broker._ledger.received.all()
        broker.unsubscribe(brief.id)

    assert not broker._ledger.received.all()


def test_a_subscriber_waits_for_what_comes(broker: Broker) -> None:
    later = broker.subscribe("{a > 0} as later")
    timer = threading.Timer(0.05, lambda: broker.publish({"a": 1}))
    timer.start()

    notification = later.take(timeout=10)
    timer.join()

    assert notification is not None
    assert later.take(timeout=0.01) is None


def test_iterating_ends_with_the_subscription_and_with_the_broker(broker: Broker) -> None:
    first, second = broker.subscribe("{a > 0} as first"), broker.subscribe("{a > 0} as second")
    broker.publish({"a": 1})
    heard = []

    for notification in first:
        heard.append(notification.id)
        threading.Timer(0.05, lambda: broker.unsubscribe("first")).start()
    for notification in second:
        heard.append(notification.id)
        threading.Timer(0.05, broker.close).start()

    assert heard == ["first:0", "second:0"]


def test_an_event_loop_can_wait_too(broker: Broker) -> None:
    async def heard() -> list[int]:
        every = broker.subscribe("{a > 0}")
        found = []

        async def publish() -> None:
            for number in range(3):
                await asyncio.sleep(0.01)
                await asyncio.to_thread(broker.publish, {"a": number + 1})

        task = asyncio.create_task(publish())
        async for notification in every:
            found.append(notification.sequence)
            if notification.sequence == 2:
                await asyncio.to_thread(broker.unsubscribe, every.id)
        await task
        return found

    assert asyncio.run(heard()) == [0, 1, 2]


def test_a_task_that_is_cancelled_loses_nothing(broker: Broker) -> None:
    async def heard() -> list[int]:
        every = broker.subscribe("{a > 0} as every")
        notifications, found = aiter(every), list[int]()
        while len(found) < 300:
            try:
                found.append((await asyncio.wait_for(anext(notifications), 0.0005)).sequence)
            except TimeoutError:
                notifications = aiter(every)
        return found

    broker.subscribe("{a > 0} as every")
    broker.publish_all([{"a": 1}] * 300)

    assert asyncio.run(heard()) == list(range(300))


def test_several_tasks_share_a_subscriber_without_getting_anything_twice(broker: Broker) -> None:
    async def heard() -> list[int]:
        every, found = broker.subscriber("every"), []

        async def hear() -> None:
            async for notification in every:
                found.append(notification.sequence)
                if len(found) == 500:
                    every.close()

        await asyncio.gather(*(hear() for _ in range(4)))
        return found

    broker.subscribe("{a > 0} as every")
    broker.publish_all([{"a": 1}] * 500)

    assert sorted(asyncio.run(heard())) == list(range(500))


def test_numbers_of_a_name_are_never_used_again(broker: Broker) -> None:
    broker.subscribe("{a > 0} as x")
    broker.publish({"@id": "e1", "a": 1})
    broker.unsubscribe("x")
    again = broker.subscribe("{a > 0} as x")
    broker.publish({"@id": "e2", "a": 1})

    long_ago = NOON - timedelta(days=9_000)
    assert [(one.id, one.match.event.id) for one in again.replay()] == [("x:1", "e2")]
    assert [(one.id, one.match.event.id) for one in again.replay(since=long_ago)] == [("x:1", "e2")]
    assert [one.sequence for one in again.waiting()] == [1]


def test_nor_are_those_of_a_name_that_lasts_no_longer_than_its_broker(broker: Broker) -> None:
    broker.subscribe("{a > 0} as x", durable=False)
    broker.publish_all([{"a": 1}] * 3)
    broker.unsubscribe("x")
    again = broker.subscribe("{a > 0} as x", durable=False)
    broker.publish({"@id": "e4", "a": 1})

    assert [(one.id, one.match.event.id) for one in again.waiting()] == [("x:3", "e4")]
    broker.compact()
    broker.publish({"a": 1})


def test_a_subscriber_of_what_has_ended_ends(broker: Broker) -> None:
    old = broker.subscribe("{a > 0} as x")
    broker.unsubscribe("x")
    broker.subscribe("{a > 0} as x")
    broker.publish({"a": 1})

    assert old.take(timeout=None) is None
    assert len(broker._listeners._subscribers) == 1


def test_acknowledging_too_much_costs_nothing_to_come(broker: Broker) -> None:
    one, two = broker.subscribe("{a > 0} as one"), broker.subscribe("{b > 0} as two")
    broker.publish_all([{"b": 1}] * 5)
    *_, last = two.waiting()

    with pytest.raises(InvalidInput, match="expected a notification of 'one'"):
        one.acknowledge(last)
    one.acknowledge(replace(last, subscription_id="one", sequence=99))
    broker.publish({"@id": "e9", "a": 1})

    assert ids(one.waiting()) == ["e9"]


def test_what_was_received_makes_room_at_once(broker: Broker) -> None:
    strict = broker.subscribe("{a > 0} as strict", most_waiting=2, overflow="refuse")
    for number in range(1, 6):
        broker.publish_all([{"a": number}, {"a": number}])
        assert len(list(strict.waiting())) == 2


def test_at_most_once_loses_nothing_to_a_disk_that_is_full() -> None:
    journal = FullNowAndThen()
    with Broker(journal, matcher=exact) as broker:
        once = broker.subscribe("{a > 0} as once", delivery="at most once")
        broker.publish_all([{"a": 1}] * 3)
        journal.is_full = True
        for _ in range(2):
            with pytest.raises(JournalError):
                once.take()
        journal.is_full = False

        assert [one.sequence for one in once.waiting()] == [0, 1, 2]
