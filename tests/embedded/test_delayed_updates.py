"""Updates at the broker that wait for their time."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from purport import InvalidInput
from purport.broker.drafting import BacklogFull
from purport.broker.journal import JournalError
from purport.embedded.broker import Broker
from purport.model.clock import ManualClock
from purport.sparql.errors import SparqlSyntaxError
from tests.embedded.brokers import NOON, FullNowAndThen, exact
from tests.embedded.lamps import (
    DIMS,
    dims,
    set_dim,
    values,
)


def test_delayed_updates_run_in_the_order_of_their_times(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        broker.subscribe(DIMS, name="lamps")
        later = broker.update(set_dim(1, 3), at=NOON + timedelta(seconds=20))
        sooner = broker.update(set_dim(1, 1), after=timedelta(seconds=10), publisher="Ada")
        same = broker.update(set_dim(1, 2), at=NOON + timedelta(seconds=10))
        never = broker.update(set_dim(1, 4), after=timedelta(seconds=1))

        broker.cancel_update(never.number or 0)
        assert [one.number for one in broker.delayed()] == [
            sooner.number, same.number, later.number,
        ]  # fmt: skip
        assert (broker.delayed()[0].publisher, broker.delayed()[0].due) == (
            "Ada", NOON + timedelta(seconds=10),
        )  # fmt: skip
        assert dims(broker) == [] and sooner.due == NOON + timedelta(seconds=10)
    clock.advance(timedelta(seconds=15))
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        assert dims(broker) == ["2"] and len(broker.delayed()) == 1
        clock.advance(timedelta(seconds=5))
        broker.run_due()
        assert dims(broker) == ["3"] and broker.delayed() == []

        told = list(broker.subscriber("lamps").waiting())
        assert [values(one.added) for one in told] == [[], ["1"], ["2"], ["3"]]
        with pytest.raises(InvalidInput, match="no delayed update"):
            broker.cancel_update(later.number or 0)


def test_what_is_done_later_comes_after_what_was_due_before() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock) as other:
        other.subscribe(DIMS, name="lamps")
        other.update(set_dim(1, 1), after=timedelta(seconds=1))
        clock.advance(timedelta(seconds=2))

        other.update(set_dim(1, 2))

        assert dims(other) == ["2"]
        assert [values(one.added) for one in other.subscriber("lamps").waiting()] == [
            [], ["1"], ["2"],
        ]  # fmt: skip


def test_a_delayed_update_runs_by_itself_when_its_time_comes(broker: Broker) -> None:
    lamps = broker.subscribe(DIMS)
    assert lamps.take() is not None

    broker.update(set_dim(1, 1), after=timedelta(milliseconds=50))

    told = lamps.take(timeout=30)
    assert told is not None and values(told.added) == ["1"]


def test_a_delayed_update_that_fails_is_recorded_and_keeps_none_from_running() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock) as broker:
        failing = broker.update("CREATE GRAPH <urn:g>", after=timedelta(seconds=1))
        broker.update(set_dim(1, 1), after=timedelta(seconds=2))
        broker.update("CREATE GRAPH <urn:g>")
        clock.advance(timedelta(seconds=3))

        broker.run_due()

        [failure] = broker.failures()
        assert (failure.update, failure.reason) == (
            failing.number, "there is a graph <urn:g> already",
        )  # fmt: skip
        assert dims(broker) == ["1"] and broker.delayed() == []


def test_a_delayed_update_waits_for_a_journal_that_takes_it() -> None:
    clock, journal = ManualClock(NOON), FullNowAndThen()
    with Broker(journal, matcher=exact, clock=clock) as broker:
        broker.update(set_dim(1, 1), after=timedelta(seconds=1))
        journal.is_full = True
        clock.advance(timedelta(seconds=2))
        with pytest.raises(JournalError):
            broker.run_due()
        assert len(broker.delayed()) == 1
        journal.is_full = False

        broker.run_due()

        assert dims(broker) == ["1"] and not broker.failures()


def test_a_delayed_update_waits_for_a_subscriber_who_wants_publishers_to(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        broker.subscribe(DIMS, name="strict", most_waiting=1, overflow="refuse")
        first = broker.update(set_dim(1, 1), after=timedelta(seconds=1))
        second = broker.update("CREATE GRAPH <urn:g>", after=timedelta(seconds=2))
    clock.advance(timedelta(seconds=3))
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        for publish in (broker.run_due, lambda: broker.update("CREATE GRAPH <urn:h>")):
            with pytest.raises(BacklogFull, match="1 notifications wait for 'strict'"):
                publish()
        assert [one.number for one in broker.delayed()] == [first.number, second.number]
        assert dims(broker) == [] and not broker.failures()
        broker.publish({"a": 1})  # nothing else has to wait
        broker.subscribe("ASK {}", name="other")

        strict = broker.subscriber("strict")
        assert len(list(strict.waiting())) == 1
        strict.acknowledge()
        broker.run_due()

        assert dims(broker) == ["1"] and broker.delayed() == [] and not broker.failures()


@pytest.mark.parametrize(
    "when",
    [
        {"at": datetime(2026, 1, 1)},  # noqa: DTZ001 - that is the mistake
        {"after": 5},
        {"after": timedelta.max},
        {"at": NOON, "after": timedelta(seconds=1)},
    ],
)
def test_times_that_are_none_are_refused(when: dict[str, object]) -> None:
    with Broker.in_memory(matcher=exact) as broker, pytest.raises(InvalidInput):
        broker.update(set_dim(1, 1), **when)  # type: ignore[arg-type]


def test_a_mistake_in_a_delayed_update_is_told_at_once(broker: Broker) -> None:
    with pytest.raises(SparqlSyntaxError):
        broker.update("INSERT DATA { <urn:a> }", after=timedelta(days=1))

    assert broker.delayed() == []
