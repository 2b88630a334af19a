"""Threads that hand over, to callbacks that raise, hang, or use their broker."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from purport.broker.journal import JournalError, MemoryJournal
from purport.broker.records import Entry
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.model.notification import Notification
from tests.embedded.brokers import exact


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
