"""Who is woken when there is news."""

import threading

import pytest

from purport.embedded.bell import Bell
from purport.embedded.broker import Broker


def test_a_function_is_called_at_each_ring_in_the_thread_that_rings() -> None:
    bell, threads = Bell(), list[threading.Thread]()

    def note() -> None:
        threads.append(threading.current_thread())

    bell.tell(note)
    bell.ring()
    bell.ring()

    assert threads == [threading.current_thread()] * 2


def test_one_that_raises_is_logged_and_others_are_told(caplog: pytest.LogCaptureFixture) -> None:
    bell, heard = Bell(), list[int]()
    bell.tell(lambda: 1 / 0)
    bell.tell(lambda: heard.append(1))

    bell.ring()

    assert heard == [1]
    assert "what a bell tells has failed" in caplog.text


def test_a_subscriber_is_told_of_news_and_of_the_end(broker: Broker) -> None:
    every, rings = broker.subscribe("{a > 0} as every"), list[bool]()
    every.bell.tell(lambda: rings.append(True))

    broker.publish({"a": 1})
    broker.publish({"a": 0})
    assert len(rings) == 1
    broker.unsubscribe("every")
    assert len(rings) == 2
