"""Queries that are answered otherwise each time: what is told of them adds up all the same."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from purport.broker.drafting import BacklogFull
from purport.broker.journal import JournalError
from purport.embedded.broker import Broker
from purport.embedded.subscriber import Subscriber
from purport.model.clock import ManualClock
from tests.embedded.brokers import NOON, FullNowAndThen, exact
from tests.embedded.lamps import DIMS, current, set_dim

RANDOM = "SELECT ?lamp ?r WHERE { ?lamp <urn:dim> ?dim BIND(RAND() AS ?r) }"
TIMED = "SELECT ?lamp ?t WHERE { ?lamp <urn:dim> ?dim BIND(NOW() AS ?t) }"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
def journal() -> FullNowAndThen:
    return FullNowAndThen()


@pytest.fixture
def broker(clock: ManualClock, journal: FullNowAndThen) -> Iterator[Broker]:
    with Broker(journal, matcher=exact, clock=clock) as broker:
        broker.update(set_dim(1, 1))
        yield broker


@pytest.fixture(params=[RANDOM, TIMED])
def query(request: pytest.FixtureRequest) -> str:
    asked: str = request.param
    return asked


@pytest.fixture
def drawn(broker: Broker, query: str) -> Subscriber:
    return broker.subscribe(query, name="drawn")


def test_what_is_told_first_is_what_later_changes_begin_with(
    broker: Broker, clock: ManualClock, drawn: Subscriber
) -> None:
    clock.advance(timedelta(seconds=1))
    broker.update(set_dim(2, 2))

    assert len(current(drawn.replay())) == 2


def test_whoever_goes_on_after_a_pause_begins_with_what_it_is_told_then(
    broker: Broker, clock: ManualClock, drawn: Subscriber
) -> None:
    broker.pause("drawn")
    clock.advance(timedelta(seconds=1))
    broker.resume("drawn")
    clock.advance(timedelta(seconds=1))
    broker.update(set_dim(2, 2))

    assert len(current(drawn.replay())) == 2


def test_other_options_under_the_same_name_leave_the_answer_as_it_was_told(
    broker: Broker, clock: ManualClock, query: str, drawn: Subscriber
) -> None:
    clock.advance(timedelta(seconds=1))
    broker.subscribe(query, name="drawn", most_waiting=50)
    broker.update(set_dim(2, 2))

    assert [one.change.is_whole for one in drawn.replay()] == [True, False]
    assert len(current(drawn.replay())) == 2


@pytest.mark.parametrize("is_registered_anew", [False, True])
def test_an_update_that_is_taken_back_leaves_nothing_untold(
    broker: Broker, clock: ManualClock, query: str, drawn: Subscriber, is_registered_anew: bool
) -> None:
    strict = broker.subscribe(DIMS, name="strict", most_waiting=1, overflow="refuse")
    for _ in range(3):
        clock.advance(timedelta(seconds=1))
        with pytest.raises(BacklogFull):
            broker.update(set_dim(2, 2))
    list(strict.waiting())
    strict.acknowledge()
    if is_registered_anew:
        broker.subscribe(query, name="drawn", most_waiting=50)
    clock.advance(timedelta(seconds=1))
    broker.update(set_dim(2, 3))

    assert len(current(drawn.replay())) == 2


def test_what_a_full_disk_does_not_take_leaves_nothing_untold(
    broker: Broker, clock: ManualClock, journal: FullNowAndThen, drawn: Subscriber
) -> None:
    journal.is_full = True
    for again in (1, 2):
        clock.advance(timedelta(seconds=1))
        with pytest.raises(JournalError):
            broker.update(set_dim(2, again))
    journal.is_full = False
    broker.update("INSERT DATA { <urn:l1> <urn:colour> 'red' }")

    assert len(current(drawn.replay())) == 1
    broker.update(set_dim(1, 5))
    assert len(current(drawn.replay())) == 1


def test_steady_answers_are_told_as_ever_after_an_update_was_taken_back(
    broker: Broker, journal: FullNowAndThen
) -> None:
    lamps = broker.subscribe(DIMS)
    journal.is_full = True
    with pytest.raises(JournalError):
        broker.update(set_dim(2, 1))
    journal.is_full = False

    assert broker.update("INSERT DATA { <urn:l1> <urn:colour> 'red' }").notified == 0
    assert len(list(lamps.waiting())) == 1
