"""Taking what waits, many at once."""

import pytest

from purport import InvalidInput
from purport.broker.journal import JournalError
from purport.embedded.broker import Broker
from tests.embedded.brokers import FullNowAndThen, exact


def test_what_waits_is_taken_in_order_and_counts_when_more_is_taken(broker: Broker) -> None:
    every = broker.subscribe("{a > 0} as every")
    broker.publish_all([{"a": 1}] * 5)

    assert [one.sequence for one in every.take_some(3)] == [0, 1, 2]
    assert [one.sequence for one in broker.subscriber("every").waiting()] == [0, 1, 2, 3, 4]
    assert [one.sequence for one in every.take_some(3)] == []  # the other one took them
    broker.publish({"a": 1})
    assert [one.sequence for one in every.take_some(3)] == [5]


def test_by_hand_nothing_counts_until_it_is_acknowledged(broker: Broker) -> None:
    every = broker.subscribe("{a > 0} as every", acknowledging="by hand")
    broker.publish_all([{"a": 1}] * 5)

    first, *_ = every.take_some(2)
    every.take_some(2)
    every.acknowledge(first)

    again = broker.subscriber("every")
    assert [one.sequence for one in again.take_some(99)] == [1, 2, 3, 4]


def test_the_bell_rings_again_while_more_waits(broker: Broker) -> None:
    every, rings = broker.subscribe("{a > 0} as every"), list[int]()
    broker.publish_all([{"a": 1}] * 5)
    every.bell.tell(lambda: rings.append(1))

    taken = [len(every.take_some(2)) for _ in range(4)]

    assert taken == [2, 2, 1, 0]
    assert len(rings) == 2


def test_what_was_missed_is_said_by_the_first(broker: Broker) -> None:
    slow = broker.subscribe("{a > 0} as slow", most_waiting=2)
    broker.publish_all([{"a": 1}] * 5)

    assert [(one.sequence, one.missed) for one in slow.take_some(9)] == [(3, 3), (4, 0)]


def test_none_are_taken_of_what_has_ended_and_fewer_than_one_cannot_be(broker: Broker) -> None:
    every = broker.subscribe("{a > 0} as every")
    broker.publish({"a": 1})
    with pytest.raises(InvalidInput, match="at least 1"):
        every.take_some(0)
    broker.unsubscribe("every")

    assert every.take_some(1) == []


def test_at_most_once_loses_nothing_to_a_disk_that_is_full() -> None:
    journal = FullNowAndThen()
    with Broker(journal, matcher=exact) as broker:
        once = broker.subscribe("{a > 0} as once", delivery="at most once")
        broker.publish_all([{"a": 1}] * 3)
        journal.is_full = True
        for _ in range(2):
            with pytest.raises(JournalError):
                once.take_some(2)
        journal.is_full = False

        assert [one.sequence for one in once.take_some(2)] == [0, 1]
        assert [one.sequence for one in broker.subscriber("once").take_some(2)] == [2]
