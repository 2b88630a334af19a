"""Those who subscribe to queries at the broker: pauses, backlogs, callbacks, threads."""

import asyncio
import threading
import time
from collections import Counter

import pytest
from pyoxigraph import Literal

from purport.broker.drafting import BacklogFull
from purport.embedded.broker import Broker
from purport.embedded.subscriber import Subscriber
from purport.model.notification import Notification
from tests.embedded.lamps import (
    DIMS,
    Row,
    current,
    dims,
    rows,
    set_dim,
    solutions,
    values,
)


def test_the_same_query_again_goes_on_and_another_one_is_told_in_whole(broker: Broker) -> None:
    broker.subscribe(DIMS, name="lamps")
    broker.update(set_dim(1, 1))
    again = broker.subscribe(DIMS, name="lamps")
    other = broker.subscribe(DIMS.replace("?lamp ?dim WHERE", "?dim WHERE"), name="lamps")
    broker.update(set_dim(1, 2))

    told = list(other.waiting())

    assert again.id == "lamps" and len(broker.versions("lamps")) == 2
    assert [(one.sequence, one.change.is_whole) for one in told] == [
        (0, True), (1, False), (2, True), (3, False),
    ]  # fmt: skip
    assert current(told) == rows([{"dim": Literal(2)}])


def test_what_is_paused_hears_nothing_and_is_told_the_whole_answer_when_it_goes_on(
    broker: Broker,
) -> None:
    lamps = broker.subscribe(DIMS, name="lamps")
    broker.pause("lamps")
    assert broker.update(set_dim(1, 1)).notified == 0
    broker.update(set_dim(2, 2))

    broker.resume("lamps")
    broker.update(set_dim(2, 3))

    whole, resumed, change = lamps.waiting()
    assert (whole.sequence, values(whole.added)) == (0, [])
    assert (resumed.change.is_whole, values(resumed.added)) == (True, ["1", "2"])
    assert (values(change.added), values(change.removed)) == (["3"], ["2"])


def test_whoever_falls_behind_is_told_the_whole_answer_in_its_place(broker: Broker) -> None:
    slow = broker.subscribe(DIMS, name="slow", most_waiting=3)
    for number in range(10):
        broker.update(set_dim(number % 4, number))

    told = list(slow.waiting())

    assert len(told) <= 3 and told[0].change.is_whole and told[0].missed > 0
    assert [one.sequence for one in told] == list(range(told[0].sequence, 11))
    assert sorted(value for value, _ in _dims_of(current(told))) == ["6", "7", "8", "9"]


def _dims_of(answer: Counter[Row]) -> list[tuple[str, str]]:
    return [(dict(row)["dim"].split('"')[1], dict(row)["lamp"]) for row in answer]


def test_a_strict_subscriber_keeps_updates_out_and_one_that_pauses_itself_hears_no_more(
    broker: Broker,
) -> None:
    strict = broker.subscribe(DIMS, name="strict", most_waiting=2, overflow="refuse")
    broker.subscribe(DIMS, name="pausing", most_waiting=2, overflow="pause")
    broker.update(set_dim(1, 1))

    with pytest.raises(BacklogFull, match="2 notifications wait for 'strict'"):
        broker.update(set_dim(1, 2))

    assert dims(broker) == ["1"] and broker.registration("pausing").is_paused
    list(strict.waiting())
    strict.acknowledge()
    assert broker.update(set_dim(1, 3)).notified == 1


def test_answers_come_to_callbacks_and_event_loops_too(broker: Broker) -> None:
    heard: list[str] = []
    is_heard = threading.Event()

    def callback(note: Notification) -> None:
        heard.append(note.id)
        if note.sequence == 1:
            is_heard.set()

    async def first_two() -> list[str]:
        found = []
        async for note in broker.subscriber("looped"):
            found.append(note.id)
            if len(found) == 2:
                break
        return found

    broker.subscribe(DIMS, callback, name="called")
    broker.subscribe(DIMS, name="looped")
    broker.update(set_dim(1, 1))

    assert asyncio.run(first_two()) == ["looped:0", "looped:1"]
    assert is_heard.wait(30) and heard == ["called:0", "called:1"]


def test_a_callback_that_fails_over_an_answer_is_recorded(broker: Broker) -> None:
    def callback(note: Notification) -> None:
        raise ValueError("no")

    broker.subscribe(DIMS, callback, name="failing")
    deadline = time.monotonic() + 30
    while not broker.failures() and time.monotonic() < deadline:
        time.sleep(0.05)

    [failure] = broker.failures()
    assert (failure.subscription_id, failure.event_id) == ("failing", "")
    assert failure.reason == "ValueError: no"


def test_threads_that_update_and_subscribe_at_once_lose_nothing(broker: Broker) -> None:
    subscribers: list[Subscriber] = []

    def update(lamp: int) -> None:
        for dim in range(15):
            broker.update(set_dim(lamp, dim))

    def subscribe() -> None:
        subscribers.extend(broker.subscribe(DIMS, name=f"lamps {one}") for one in range(5))

    threads = [threading.Thread(target=update, args=(lamp,)) for lamp in range(3)]
    threads.append(threading.Thread(target=subscribe))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    expected = rows(solutions(broker, DIMS))
    for subscriber in subscribers:
        assert current(subscriber.waiting()) == expected
