"""Subscriptions that end with their process: nothing is written of what they received."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.broker.records import Acknowledged, Overflow
from purport.broker.restart import restored
from purport.embedded.broker import Broker
from purport.storage.opening import open_sqlite_journal
from tests.broker.states import exact_engine
from tests.embedded.brokers import exact


def written(broker: Broker) -> list[Acknowledged]:
    """The acknowledgements in the journal."""
    broker._ledger.write_received()
    records = [entry.record for entry in broker._journal.read()]
    return [one for one in records if isinstance(one, Acknowledged)]


@pytest.mark.parametrize("delivery", ["at least once", "at most once"])
def test_what_they_received_is_not_written_and_makes_room(broker: Broker, delivery: str) -> None:
    brief = broker.subscribe("{a > 0}", delivery=delivery, most_waiting=2, overflow="refuse")
    for _ in range(3):
        broker.publish_all([{"a": 1}] * 2)
        assert len(brief.take_some(9)) == 2
        brief.acknowledge()

    assert written(broker) == []
    assert list(broker.subscriber(brief.id).waiting()) == []


def test_what_is_dropped_is_written_after_what_was_received(broker: Broker) -> None:
    brief = broker.subscribe("{a > 0}", most_waiting=2)
    broker.publish_all([{"a": 1}] * 2)
    brief.take_some(1)
    brief.acknowledge()
    broker.publish_all([{"a": 1}] * 3)

    assert [(one.through, one.is_missed) for one in written(broker)] == [
        (0, False),
        (1, True),
        (2, True),
    ]
    assert [(one.sequence, one.missed) for one in brief.take_some(9)] == [(3, 2), (4, 0)]


def test_one_that_becomes_durable_goes_on_after_what_it_received(tmp_path: Path) -> None:
    with Broker.open(tmp_path, matcher=exact) as broker:
        brief = broker.subscribe("{a > 0} as x", durable=False)
        broker.publish_all([{"a": 1}] * 3)
        brief.take_some(2)
        brief.acknowledge()
        broker.subscribe("{a > 0} as x")

    with Broker.open(tmp_path, matcher=exact) as broker:
        assert [one.sequence for one in broker.subscriber("x").waiting()] == [2]


steps = st.lists(st.tuples(st.sampled_from(["publish", "take", "acknowledge"]), st.integers(1, 4)))


@given(steps, st.sampled_from([Overflow.DROP_OLDEST, Overflow.PAUSE]))
def test_the_journal_of_one_that_became_durable_says_how_far_it_is(
    some: Sequence[tuple[str, int]], overflow: Overflow
) -> None:
    with Broker.in_memory(matcher=exact) as broker:
        one = broker.subscribe(
            "{a > 0} as x",
            durable=False,
            most_waiting=3,
            overflow=overflow,
            acknowledging="by hand",
        )
        for step, count in some:
            if step == "publish":
                broker.publish_all([{"a": 1}] * count)
            elif step == "take":
                one.take_some(count)
            else:
                one.acknowledge()
        broker.subscribe("{a > 0} as x", most_waiting=3, overflow=overflow)
        state = restored(broker._journal, [exact_engine()])

        assert state.cursors == broker._ledger._state.cursors


def test_they_end_with_their_process(tmp_path: Path) -> None:
    with Broker.open(tmp_path, matcher=exact) as broker:
        brief = broker.subscribe("{a > 0}")
        broker.publish_all([{"a": 1}] * 3)
        brief.take_some(2)

    with Broker.open(tmp_path, matcher=exact) as broker:
        assert broker.registrations() == []
    journal = open_sqlite_journal(tmp_path, read_only=True)
    assert not any(isinstance(entry.record, Acknowledged) for entry in journal.read())
    journal.close()
