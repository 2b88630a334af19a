"""Events out of logs that others keep: each position is published once, after a restart too."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from purport import Event
from purport.broker.access import AccessRule, AccessRules, Action
from purport.broker.drafting import BacklogFull
from purport.broker.known_events import origin_id
from purport.broker.links import Arrival
from purport.broker.records import Origin, Overflow
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from tests.embedded.brokers import exact
from tests.embedded.linked_brokers import LinkedBrokers
from tests.strategies.overlays import Shape

LOG = "mqtt:city"


def arrivals(
    positions: Sequence[int], *, epoch: str = "e", identifier: str | None = None
) -> list[Arrival]:
    found = []
    for position in positions:
        origin = Origin(LOG, epoch, position)
        event = Event.from_json({"heat": position, "@id": identifier or origin_id(origin)})
        found.append(Arrival(event, origin, "city/north"))
    return found


@pytest.mark.parametrize("is_compacted", [False, True])
def test_a_position_is_published_once_whatever_happens_in_between(
    tmp_path: Path, is_compacted: bool
) -> None:
    with Broker.open(tmp_path, matcher=exact) as broker:
        assert broker.incoming.next_position(LOG, "e") == 0
        first = broker.incoming.arrive(arrivals([0, 1, 3]), None)
        assert broker.incoming.next_position(LOG, "e") == 4
        if is_compacted:
            broker.compact()
    with Broker.open(tmp_path, matcher=exact) as broker:
        again = broker.incoming.arrive(arrivals([3, 9_000]), None)
        assert broker.incoming.next_position(LOG, "e") == 9_001
        assert broker.incoming.next_position(LOG, "another") == 0
        other = broker.incoming.arrive(arrivals([3], epoch="another"), None)

    assert [one.known for one in (first, again, other)] == [0, 1, 0]
    assert [len(one.entries) for one in (first, again, other)] == [3, 1, 1]


def test_what_is_named_by_its_position_is_no_id_that_somebody_gave() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        broker.incoming.arrive(arrivals([0, 1]), None)
        broker.incoming.arrive(arrivals([2], identifier="mine"), None)

        assert [one.id for one in broker.published_ids(10)] == ["mine"]


def test_rules_say_who_may_bring_what() -> None:
    rule = AccessRule(frozenset({"gate"}), frozenset({Action.PUBLISH}), ("city/#",))
    with Broker.in_memory(
        matcher=exact, settings=BrokerSettings(access=AccessRules((rule,)))
    ) as broker:
        assert broker.incoming.may_publish("gate", "city/north")
        assert not broker.incoming.may_publish("gate", "garden")
        assert broker.incoming.arrive(arrivals([0]), "another").forbidden == 1
        assert broker.incoming.arrive(arrivals([0]), "gate").forbidden == 0


def test_who_makes_publishers_wait_makes_a_log_wait_and_nothing_is_lost() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        slow = broker.subscribe(
            "{heat >= 0} as slow", most_waiting=2, overflow=Overflow.REFUSE, durable=True
        )
        with pytest.raises(BacklogFull):
            broker.incoming.arrive(arrivals([0, 1, 2]), None)
        assert broker.incoming.next_position(LOG, "e") == 0
        broker.incoming.arrive(arrivals([0, 1]), None)
        assert len(list(slow.waiting())) == 2
        broker.incoming.arrive(arrivals([2]), None)

        assert len(list(slow.waiting())) == 1


def test_neighbours_are_told_what_a_log_brought_and_know_it_again() -> None:
    brokers = LinkedBrokers(Shape(2, frozenset({(0, 1)})))
    try:
        far = brokers[1].subscribe("{heat >= 0} as far")
        brokers.agree()
        brokers[0].incoming.arrive(arrivals([5, 6]), None)
        brokers.settle()
        brokers[0].incoming.arrive(arrivals([6, 7]), None)
        brokers.settle()
        again = brokers[1].incoming.arrive(arrivals([5, 6, 7]), None)

        ids = [one.match.event.id for one in far.waiting()]
        assert ids == [f"{LOG}:e:{position}" for position in (5, 6, 7)]
        assert again.known == 3
    finally:
        brokers.close()
