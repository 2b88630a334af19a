"""The broker in one's own process, from the outside."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from purport import Event, EventError, InvalidInput, NotSupportedYet, Subscription
from purport.broker.access import AccessRule, AccessRules, Action, Forbidden
from purport.broker.drafting import BacklogFull
from purport.broker.engine import Answer
from purport.broker.journal import JournalError, JournalTaken, MemoryJournal, Snapshot
from purport.broker.records import Answered, Delivery, Entry
from purport.broker.retention import Retention
from purport.embedded.broker import Broker
from purport.embedded.ledger import BrokerClosed
from purport.embedded.settings import BrokerSettings
from purport.model.clock import ManualClock
from purport.model.notification import Notification
from purport.model.subscription import Sequence as Sequenced
from tests.embedded.brokers import NOON, exact


def ids(notifications: Iterator[Notification]) -> list[str | None]:
    return [one.match.event.id for one in notifications]


def test_an_event_reaches_whom_it_answers(broker: Broker) -> None:
    hot = broker.subscribe("{heat > 25} as hot")
    cold = broker.subscribe("{heat < 5} as cold")

    receipt = broker.publish({"@id": "e1", "heat": 30})

    [notification] = hot.waiting()
    assert (notification.id, notification.match.event.id) == ("hot:0", "e1")
    assert notification.position == receipt.sequence
    assert notification.match.explain().strip().startswith("heat > 25  <->  heat: 30")
    assert list(cold.waiting()) == []
    assert (receipt.event_id, receipt.notified) == ("e1", 1)


def test_events_come_as_objects_texts_and_events(broker: Broker) -> None:
    everything = broker.subscribe("{a > 0}")

    broker.publish({"@id": "e1", "a": 1})
    broker.publish('{"@id": "e2", "a": 2}')
    broker.publish(Event.from_json({"@id": "e3", "a": 3}))
    broker.publish_all([{"@id": "e4", "a": 4}, b'{"@id": "e5", "a": 5}'])

    assert ids(everything.waiting()) == ["e1", "e2", "e3", "e4", "e5"]


def test_events_that_json_cannot_say_come_back_as_they_were(broker: Broker) -> None:
    event = Event.from_turtle(
        '<urn:e> <urn:heat> 31 ; <urn:unit> "21.5"^^<http://dbpedia.org/datatype/degreeCelsius> ; '
        '<urn:label> "Wärme"@de .'
    )
    hot = broker.subscribe("{<urn:heat> > 30}")

    broker.publish(event)

    [notification] = hot.waiting()
    assert notification.match.event == event


def test_one_bad_event_keeps_the_others_out_too(broker: Broker) -> None:
    everything = broker.subscribe("{a > 0}")

    with pytest.raises(EventError, match="event 1 of those to publish: not valid JSON"):
        broker.publish_all([{"a": 1}, "{broken"])

    assert list(everything.waiting()) == []
    assert broker.publish_all([]) == []


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


def test_a_publisher_can_be_made_to_wait(broker: Broker) -> None:
    slow = broker.subscribe("{a > 0} as slow", most_waiting=1, overflow="refuse")
    broker.publish({"a": 1})

    with pytest.raises(BacklogFull):
        broker.publish({"a": 2})

    slow.take()
    slow.acknowledge()
    broker.publish({"a": 3})
    assert [one.sequence for one in slow.waiting()] == [1]


def test_the_same_subscription_again_goes_on_and_another_is_a_new_version(broker: Broker) -> None:
    broker.subscribe("{a = 1} as x")
    broker.publish({"@id": "e1", "a": 1})
    broker.subscribe("{a = 1} as x")
    assert broker.registration("x").version == 1

    changed = broker.subscribe("{a = 2, b = 1} as x")
    broker.publish_all([{"@id": "e2", "a": 1}, {"@id": "e3", "a": 2, "b": 1}])

    assert [one.version for one in broker.versions("x")] == [1, 2]
    notifications = list(changed.waiting())
    assert [one.match.event.id for one in notifications] == ["e1", "e3"]
    assert [len(one.match.mapping.correspondences) for one in notifications] == [1, 2]


def test_a_callback_is_called_in_order(broker: Broker) -> None:
    heard: list[int] = []
    is_done = threading.Event()

    def hear(notification: Notification) -> None:
        heard.append(notification.sequence)
        if notification.sequence == 99:
            is_done.set()

    broker.subscribe("{a > 0} as loud", hear)
    for _ in range(10):
        broker.publish_all([{"a": 1}] * 10)

    assert is_done.wait(10)
    assert heard == list(range(100))


def test_a_callback_that_raises_is_reported_and_the_rest_goes_on(
    broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[int] = []
    is_done = threading.Event()

    def hear(notification: Notification) -> None:
        if notification.sequence == 0:
            raise RuntimeError("no")
        heard.append(notification.sequence)
        is_done.set()

    broker.subscribe("{a > 0} as moody", hear)
    broker.publish_all([{"@id": "e1", "a": 1}, {"@id": "e2", "a": 1}])

    assert is_done.wait(10)
    [failed] = broker.failures()
    assert (failed.subscription_id, failed.event_id) == ("moody", "e1")
    assert failed.reason == "RuntimeError: no"
    assert broker.failures(after=failed.sequence) == []
    assert heard == [1]
    assert "moody:0: RuntimeError: no" in caplog.text


def test_a_callback_that_hangs_holds_up_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    release, is_stuck = threading.Event(), threading.Event()

    def hang(_: Notification) -> None:
        is_stuck.set()
        release.wait(30)

    settings = BrokerSettings(closing_seconds=0.05)
    broker = Broker.open(tmp_path, matcher=exact, settings=settings)
    broker.subscribe("{a > 0} as stuck", hang)
    other = broker.subscribe("{a > 0} as other")
    broker.publish({"a": 1})
    assert is_stuck.wait(10)
    broker.publish({"a": 2})
    assert len(list(other.waiting())) == 2

    broker.close()
    release.set()

    assert "the callback of 'stuck' is still at work" in caplog.text
    with Broker.open(tmp_path, matcher=exact) as again:
        assert [one.sequence for one in again.subscriber("stuck").waiting()] == [0, 1]


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


def test_a_callback_may_use_its_broker(broker: Broker) -> None:
    is_done = threading.Event()

    def hear(notification: Notification) -> None:
        if notification.sequence == 0:
            broker.publish({"a": 2})
            broker.subscribe("{b > 0} as other")
        else:
            broker.unsubscribe("own")
            is_done.set()

    broker.subscribe("{a > 0} as own", hear)
    broker.publish({"a": 1})

    assert is_done.wait(10)
    assert [one.id for one in broker.registrations()] == ["other"]


def test_numbers_of_a_name_are_never_used_again(broker: Broker) -> None:
    broker.subscribe("{a > 0} as x")
    broker.publish({"@id": "e1", "a": 1})
    broker.unsubscribe("x")
    again = broker.subscribe("{a > 0} as x")
    broker.publish({"@id": "e2", "a": 1})

    assert [(one.id, one.match.event.id) for one in again.replay()] == [("x:1", "e2")]
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
    broker._ledger.acknowledge("one", 99)
    broker.publish({"@id": "e9", "a": 1})

    assert ids(one.waiting()) == ["e9"]


def test_what_was_received_makes_room_at_once(broker: Broker) -> None:
    strict = broker.subscribe("{a > 0} as strict", most_waiting=2, overflow="refuse")
    for number in range(1, 6):
        broker.publish_all([{"a": number}, {"a": number}])
        assert len(list(strict.waiting())) == 2


def test_what_is_paused_by_too_much_is_resumed_when_there_is_room(broker: Broker) -> None:
    slow = broker.subscribe("{a > 0} as slow", most_waiting=2, overflow="pause")
    broker.publish_all([{"a": 1}] * 5)

    with pytest.raises(InvalidInput, match="as much waits for 'slow' as may"):
        broker.resume("slow")
    assert len(list(slow.waiting())) == 2
    broker.resume("slow")
    broker.publish({"a": 1})
    assert [one.sequence for one in slow.waiting()] == [2]


def test_a_new_version_stays_paused_and_begins_anew(broker: Broker) -> None:
    broker.subscribe("{a > 0} as x")
    broker.publish({"a": 1})
    changed = broker.subscribe("{state = open} on change as x")
    broker.publish({"@id": "e2", "state": "open"})
    assert ids(changed.waiting())[-1] == "e2"

    broker.pause("x")
    broker.subscribe("{state = open} on change as x", most_waiting=7)
    assert broker.registration("x").is_paused


def test_a_rule_meets_a_strict_subscriber(broker: Broker) -> None:
    broker.subscribe("when {a > 0} as rule publish {b = 1}")
    broker.subscribe("{b > 0} as strict", most_waiting=1, overflow="refuse")
    broker.publish({"@id": "e1", "a": 1})

    broker.publish({"@id": "e2", "a": 1})

    [failed] = broker.failures()
    assert (failed.subscription_id, failed.event_id) == ("rule", "e2")
    assert "1 notifications wait for 'strict'" in failed.reason


def test_threads_that_publish_and_subscribe_at_once_lose_nothing(broker: Broker) -> None:
    every = broker.subscribe("{a >= 0} as every")

    def publish(first: int) -> None:
        for number in range(50):
            broker.publish({"a": first + number})
            if number % 10 == 0:
                broker.subscribe(f"{{a = {first + number}}} as s{first + number}")

    threads = [threading.Thread(target=publish, args=(1000 * one,)) for one in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    notifications = list(every.waiting())
    assert [one.sequence for one in notifications] == list(range(200))
    positions = [one.position or 0 for one in notifications]
    assert positions == sorted(set(positions))


def test_a_broker_goes_on_after_a_restart(tmp_path: Path) -> None:
    with Broker.open(tmp_path, matcher=exact) as broker:
        broker.subscribe("{a > 0} as named", owner="ann")
        broker.subscribe("{a > 0}")
        broker.subscribe("when {a = 2} as rule publish {b = 1}")
        broker.publish_all([{"@id": "e1", "a": 1}, {"@id": "e2", "a": 2}])
        assert broker.subscriber("named").take() is not None

    with Broker.open(tmp_path, matcher=exact) as broker:
        assert [(one.id, one.owner) for one in broker.registrations()] == [
            ("named", "ann"),
            ("rule", None),
        ]
        broker.publish({"@id": "e3", "a": 3})
        named = broker.subscribe("{a > 0} as named", owner="ann")
        assert ids(named.waiting()) == ["e1", "e2", "e3"]
        assert ids(named.replay(after=1)) == ["e3"]


def test_what_is_paused_hears_nothing_meanwhile(broker: Broker) -> None:
    sleepy = broker.subscribe("{a > 0} as sleepy")
    broker.publish({"@id": "e1", "a": 1})

    broker.pause("sleepy")
    broker.pause("sleepy")
    broker.publish({"@id": "e2", "a": 1})
    broker.resume("sleepy")
    broker.publish({"@id": "e3", "a": 1})

    assert ids(sleepy.waiting()) == ["e1", "e3"]


def test_a_registry_is_exported_and_imported(broker: Broker) -> None:
    broker.subscribe("{a = 1} as one", owner="ann", most_waiting=7, delivery="at most once")
    broker.subscribe("when {a = 1} as two publish {b = 1}")
    broker.pause("two")

    with Broker.in_memory(matcher=exact) as other:
        other.import_registry(broker.export_registry())

        assert other.export_registry() == broker.export_registry()
        assert other.registration("one").most_waiting == 7
        assert other.registration("two").is_paused
        other.import_registry("# a file\n{c = 1} as three\n{d = 1} as four", owner="bob")
        assert [one.id for one in other.registrations("bob")] == ["three", "four"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"id": "x"}', "line 1 of the registry: .*missing required field `subscription`"),
        ('{"id": "x", "subscription": "{a"}', "line 1 of the registry: .*column 3"),
        ("{a = 1} as x\n{b = 1}", "only what has a name can be imported: {b = 1}"),
        ("{a = 1", "line 1, column 7"),
    ],
)
def test_a_registry_with_a_mistake_is_not_imported_at_all(text: str, reason: str) -> None:
    with Broker.in_memory(matcher=exact) as broker:
        with pytest.raises(InvalidInput, match=reason):
            broker.import_registry(text)

        assert broker.registrations() == []


def test_what_cannot_be_run_is_refused_and_leaves_nothing(broker: Broker) -> None:
    with pytest.raises(NotSupportedYet):
        broker.subscribe("{a = 1} then {b = 1} within 5 s as x on change")
    with pytest.raises(InvalidInput, match="nosuch"):
        broker.subscribe("{a = b~nosuch} as x")
    with pytest.raises(InvalidInput, match="expected one of 'at least once', 'at most once'"):
        broker.subscribe("{a = 1} as x", delivery="never")

    assert broker.registrations() == []
    broker.publish({"a": 1})


def test_what_cannot_be_written_has_not_happened() -> None:
    class Full(MemoryJournal):
        is_full = False

        def append(self, entries: Sequence[Entry]) -> None:
            if self.is_full:
                raise JournalError("no room")
            super().append(entries)

    journal = Full()
    with Broker(journal, matcher=exact) as broker:
        every = broker.subscribe("{a > 0} as every")
        journal.is_full = True
        with pytest.raises(JournalError, match="no room"):
            broker.publish({"@id": "e1", "a": 1})
        with pytest.raises(JournalError, match="no room"):
            broker.subscribe("{a > 1} as other")
        journal.is_full = False
        broker.publish({"@id": "e2", "a": 1})

        assert [(one.sequence, one.match.event.id) for one in every.waiting()] == [(0, "e2")]
        assert [one.id for one in broker.registrations()] == ["every"]


def test_a_second_process_is_told_who_has_the_folder(tmp_path: Path) -> None:
    with Broker.open(tmp_path, matcher=exact):
        with pytest.raises(JournalTaken, match=str(os.getpid())):
            Broker.open(tmp_path, matcher=exact)
        program = f"import purport; purport.Broker.open({str(tmp_path)!r})"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert "JournalTaken" in done.stderr
    assert str(os.getpid()) in done.stderr


def test_a_subscription_ends_when_its_time_is_up_whoever_publishes() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock) as broker:
        brief = broker.subscribe("{a > 0} expires 2026-11-17T12:00:10Z as brief")
        clock.advance(timedelta(seconds=10))

        assert broker.registrations() == []
        assert brief.take(timeout=None) is None


def test_access_rules_hold() -> None:
    def allowed(who: str, *actions: Action, topics: tuple[str, ...] = ("#",)) -> AccessRule:
        return AccessRule(frozenset({who}), frozenset(actions), topics)

    rules = AccessRules(
        (
            allowed("sensor", Action.PUBLISH, topics=("floor/1/#",)),
            allowed("ann", Action.SUBSCRIBE),
            allowed("eve", Action.SUBSCRIBE, topics=("floor/2/#",)),
            allowed("root", Action.MANAGE),
        )
    )
    with Broker.in_memory(matcher=exact, settings=BrokerSettings(access=rules)) as broker:
        ann = broker.subscribe("{a > 0} as anns", owner="ann")
        eve = broker.subscribe("{a > 0} as eves", owner="eve")
        with pytest.raises(Forbidden, match="sensor may not subscribe"):
            broker.subscribe("{a > 0}", owner="sensor")
        with pytest.raises(Forbidden, match="sensor may not publish on 'floor/2'"):
            broker.publish({"a": 1}, topic="floor/2", publisher="sensor")
        broker.publish({"a": 1}, topic="floor/1/heat", publisher="sensor")

        assert len(list(ann.waiting())) == 1
        assert list(eve.waiting()) == []
        with pytest.raises(Forbidden, match="eve may not manage"):
            broker.unsubscribe("anns", who="eve")
        with pytest.raises(Forbidden, match="belongs to ann"):
            broker.subscribe("{a > 1} as anns", owner="eve")
        broker.pause("anns", who="ann")
        broker.unsubscribe("anns", who="root")
        broker.subscribe("when {a > 0} as eves_rule publish {b = 1}", owner="eve")
        broker.publish({"a": 1}, topic="floor/1/heat", publisher="sensor")
        assert broker.failures() == []  # she does not hear of floor 1


def test_a_rule_may_publish_only_what_its_owner_may() -> None:
    rules = AccessRules(
        (
            AccessRule(frozenset({"*"}), frozenset({Action.SUBSCRIBE})),
            AccessRule(frozenset({"sensor"}), frozenset({Action.PUBLISH})),
        )
    )
    with Broker.in_memory(matcher=exact, settings=BrokerSettings(access=rules)) as broker:
        every = broker.subscribe("{b > 0} as every")
        broker.subscribe("when {a > 0} as own publish {b = 1}", owner="sensor")
        broker.subscribe("when {a > 0} as alien publish {b = 2}", owner="eve")
        broker.publish({"@id": "e1", "a": 1}, publisher="sensor")

        assert ids(every.waiting()) == ["e1>own"]
        [failed] = broker.failures()
        assert (failed.subscription_id, failed.reason) == ("alien", "eve may not publish")


def test_a_closed_broker_says_so(broker: Broker) -> None:
    every = broker.subscribe("{a > 0} as every")
    broker.close()
    broker.close()

    with pytest.raises(BrokerClosed):
        broker.publish({"a": 1})
    assert every.take() is None


def test_a_broker_in_memory_forgets_what_nobody_waits_for() -> None:
    settings = BrokerSettings(memory_entries=100)
    with Broker.in_memory(matcher=exact, settings=settings) as broker:
        waiting = broker.subscribe("{a = 1}")
        for _ in range(3):
            broker.publish_all([{"a": 0}] * 9_000)
        assert broker._journal.last - broker._journal.first < 20_000

        broker.publish({"@id": "e1", "a": 1})
        for _ in range(3):
            broker.publish_all([{"a": 0}] * 9_000)
        assert broker._journal.last - broker._journal.first < 20_000
        assert ids(waiting.waiting()) == ["e1"]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda broker: broker.publish({"a": 1}, topic=5),
        lambda broker: broker.publish({"a": 1}, topic="a/+"),
        lambda broker: broker.publish({"a": 1}, publisher=5),
        lambda broker: broker.publish(Event((), id="")),
        lambda broker: broker.publish(Event((), id=5)),  # type: ignore[arg-type]
        lambda broker: broker.publish(None),
        lambda broker: broker.publish_all(None),
        lambda broker: broker.publish_all({"a": 1}),
        lambda broker: broker.subscribe(None),
        lambda broker: broker.subscribe(b"{a = 1}"),
        lambda broker: broker.subscribe("{a = 1}", owner=5),
        lambda broker: broker.subscribe("{a = 1}", owner=""),
        lambda broker: broker.subscribe("{a = 1}", durable="yes"),
        lambda broker: broker.subscribe("{a = 1} as " + 400 * "語"),
        lambda broker: broker.subscribe("{a = 1}", most_waiting=0),
        lambda broker: broker.subscribe("{a = 1}", most_waiting=2.5),
        lambda broker: broker.subscribe("{a = 1}", "no function"),
        lambda broker: broker.subscribe("{a = 1}", acknowledging="never"),
        lambda broker: broker.subscribe('{a = 1} as "q\\u00001"'),
        lambda broker: broker.subscribe("{a = 1} as subscription-7"),
        lambda broker: broker.subscribe("when {a = 1} as r publish {b = 1}", print),
        lambda broker: broker.subscribe('when {a = 1} as r post "http://"'),
        lambda broker: broker.import_registry(None),
        lambda broker: broker.import_registry('{"id": "", "subscription": "{a = 1}"}'),
        lambda broker: broker.import_registry('{"id": "x", "subscription": "{a = 1} as y"}'),
        lambda broker: broker.import_registry("{a = 1} as x\n{a = 2} as x"),
        lambda broker: broker.unsubscribe([]),
        lambda broker: broker.registration("nobody"),
        lambda broker: broker.subscriber(3),
        lambda broker: list(broker.subscriber("there").replay(since=datetime(2026, 1, 1))),  # noqa: DTZ001
        lambda broker: broker.subscriber("there").acknowledge("x"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_and_changes_nothing(
    tmp_path: Path, wrong: Callable[[Any], object]
) -> None:
    with Broker.open(tmp_path, matcher=exact) as broker:
        broker.subscribe("{a = 0} as there")
        before = broker.sequence

        with pytest.raises(InvalidInput):
            wrong(broker)

        assert broker.sequence == before
        broker.publish({"a": 1})


def test_a_journal_that_keeps_no_snapshot_keeps_what_is_published(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Forgetful(MemoryJournal):
        def keep_snapshot(self, snapshot: Snapshot) -> None:
            raise JournalError("no room")

    settings = BrokerSettings(snapshot_every=2)
    broker = Broker(Forgetful(), matcher=exact, settings=settings)
    every = broker.subscribe("{a > 0} as every")
    for number in range(5):
        broker.publish({"@id": f"e{number}", "a": 1})

    assert len(list(every.waiting())) == 5
    assert "a snapshot could not be kept: no room" in caplog.text
    with pytest.raises(JournalError):
        broker.close()
    assert every.take(timeout=None) is None


def test_a_failure_is_recorded_though_the_disk_was_full_for_a_while() -> None:
    class Full(MemoryJournal):
        is_full = False

        def append(self, entries: Sequence[Entry]) -> None:
            if self.is_full:
                self.is_full = False
                raise JournalError("no room")
            super().append(entries)

    journal = Full()

    def hear(_: Notification) -> None:
        journal.is_full = True
        raise SystemExit("no")

    with Broker(journal, matcher=exact) as broker:
        broker.subscribe("{a > 0} as moody", hear)
        broker.publish({"@id": "e1", "a": 1})
        for _ in range(100):
            if broker.failures():
                break
            threading.Event().wait(0.1)

        assert [(one.event_id, one.reason) for one in broker.failures()] == [
            ("e1", "SystemExit: no")
        ]


def test_at_most_once_loses_nothing_to_a_disk_that_is_full() -> None:
    class Full(MemoryJournal):
        is_full = False

        def append(self, entries: Sequence[Entry]) -> None:
            if self.is_full:
                raise JournalError("no room")
            super().append(entries)

    journal = Full()
    with Broker(journal, matcher=exact) as broker:
        once = broker.subscribe("{a > 0} as once", delivery="at most once")
        broker.publish_all([{"a": 1}] * 3)
        journal.is_full = True
        for _ in range(2):
            with pytest.raises(JournalError):
                once.take()
        journal.is_full = False

        assert [one.sequence for one in once.waiting()] == [0, 1, 2]


def test_a_journal_without_stretches_drops_what_is_old() -> None:
    clock = ManualClock(NOON)
    settings = BrokerSettings(retention=Retention(most_age=timedelta(seconds=10)))
    with Broker.in_memory(matcher=exact, clock=clock, settings=settings) as broker:
        slow = broker.subscribe("{a = 2} as slow")
        for number in range(5):
            broker.publish({"@id": f"e{number}", "a": number})
            clock.advance(timedelta(seconds=6))

        assert broker.compact() == 3  # and not the one that waits
        assert ids(slow.waiting()) == ["e2"]
        broker.publish({"a": 9})
        assert broker.compact() == 2


def test_an_interrupt_between_journal_and_state_closes_the_broker() -> None:
    class Interrupted(MemoryJournal):
        is_interrupted = False

        def append(self, entries: Sequence[Entry]) -> None:
            super().append(entries)
            if self.is_interrupted:
                raise KeyboardInterrupt

    journal = Interrupted()
    broker = Broker(journal, matcher=exact)
    journal.is_interrupted = True

    with pytest.raises(KeyboardInterrupt):
        broker.publish({"a": 1})
    with pytest.raises(BrokerClosed, match="open it again"):
        broker.publish({"a": 2})


def test_a_worker_survives_trouble_with_the_journal(caplog: pytest.LogCaptureFixture) -> None:
    class Flaky(MemoryJournal):
        troubles = 1

        def told(self, subscription: str, after: int, most: int) -> Sequence[Entry]:
            if self.troubles:
                self.troubles -= 1
                raise JournalError("not now")
            return super().told(subscription, after, most)

    is_done = threading.Event()
    with Broker(Flaky(), matcher=exact) as broker:
        broker.subscribe("{a > 0} as every", lambda _: is_done.set())
        broker.publish({"a": 1})
        assert is_done.wait(10)
    assert "'every' could not be handed what waits" in caplog.text


def test_another_engine_can_be_plugged_in() -> None:
    class Silence:
        """Answers sequences, whatever they are of, with every event."""

        name = "silence"

        def __init__(self) -> None:
            self._ids: list[str] = []

        def refuses(self, subscription: Subscription) -> str | None:
            return None if isinstance(subscription.pattern, Sequenced) else "anything else"

        def add(self, identifier: str, subscription: Subscription) -> None:
            self._ids.append(identifier)

        def remove(self, identifier: str) -> None:
            self._ids.remove(identifier)

        def answers(self, events: Sequence[Event], at: datetime) -> Sequence[Sequence[Answer]]:
            return [[Answer(one, Answered(0.5)) for one in self._ids] for _ in events]

        def advance(self, sequence: int, event: Event, at: datetime) -> None:
            pass

        def snapshot(self) -> bytes:
            return b""

        def restore(self, state: bytes) -> None:
            pass

    with Broker.in_memory(matcher=exact, engines=[Silence()]) as broker:
        both = broker.subscribe("{a = 1} then {b = 1} within 5 s as both")
        plain = broker.subscribe("{a = 1} as plain")
        broker.publish({"a": 1})

        assert [one.match.probability for one in both.waiting()] == [0.5]
        assert [one.match.probability for one in plain.waiting()] == [1.0]
