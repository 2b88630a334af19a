"""The broker in one's own process, from the outside."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from purport import Event, EventError, InvalidInput, Subscription
from purport.broker.drafting import BacklogFull
from purport.broker.engine import Answer
from purport.broker.journal import JournalError, JournalTaken, MemoryJournal, Snapshot
from purport.broker.records import Answered, Entry
from purport.broker.retention import Retention
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.embedded.written_state import BrokerClosed
from purport.model.clock import ManualClock
from purport.model.subscription import Sequence as Sequenced
from tests.embedded.brokers import NOON, FullNowAndThen, exact, ids


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


def test_a_publisher_can_be_made_to_wait(broker: Broker) -> None:
    slow = broker.subscribe("{a > 0} as slow", most_waiting=1, overflow="refuse")
    broker.publish({"a": 1})

    with pytest.raises(BacklogFull):
        broker.publish({"a": 2})

    slow.take()
    slow.acknowledge()
    broker.publish({"a": 3})
    assert [one.sequence for one in slow.waiting()] == [1]


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


def test_what_cannot_be_written_has_not_happened() -> None:
    journal = FullNowAndThen()
    with Broker(journal, matcher=exact) as broker:
        every = broker.subscribe("{a > 0} as every")
        journal.is_full = True
        with pytest.raises(JournalError, match="the disk is full"):
            broker.publish({"@id": "e1", "a": 1})
        with pytest.raises(JournalError, match="the disk is full"):
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


def test_so_does_one_that_is_only_updated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("purport.embedded.written_state._ENTRIES_BETWEEN_LOOKS", 10)
    with Broker.in_memory(matcher=exact, settings=BrokerSettings(memory_entries=5)) as broker:
        for number in range(30):
            broker.update(f"INSERT DATA {{ <urn:a> <urn:b> {number} }}")

        assert broker._journal.last - broker._journal.first < 15


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
        lambda broker: broker.subscribe('{a = "\ud800"}'),
        lambda broker: broker.subscribe('when {a = 1} as r update "DELETE {} WHERE {} # \ud800"'),
        lambda broker: broker.update('CLEAR ALL # \ud800', after=timedelta(seconds=5)),
        lambda broker: broker.import_registry('{a = "\ud800"} as x'),
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
