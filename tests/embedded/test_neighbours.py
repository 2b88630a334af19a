"""Brokers that tell each other events: who is told what, each once, and after a restart too."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from purport import Event
from purport.broker.access import AccessRule, AccessRules, Action
from purport.broker.journal import MemoryJournal
from purport.broker.records import Origin, Overflow, Published
from purport.covering.interest import EVERYTHING, PARTS, Interest
from purport.embedded.broker import Broker
from purport.errors import InvalidInput, NotFound
from tests.embedded.brokers import exact, told
from tests.embedded.linked_brokers import LinkedBrokers
from tests.strategies.overlays import Shape

PAIR = Shape(2, frozenset({(0, 1)}))
CHAIN = Shape(3, frozenset({(0, 1), (1, 2)}))
TRIANGLE = Shape(3, frozenset({(0, 1), (1, 2), (0, 2)}))


@contextmanager
def linked(shape: Shape, *, snapshot_every: int = 50_000) -> Iterator[LinkedBrokers]:
    brokers = LinkedBrokers(shape, snapshot_every=snapshot_every)
    try:
        yield brokers
    finally:
        brokers.close()


def published(broker: Broker) -> list[tuple[Published, Event]]:
    return [
        (entry.record, entry.event)
        for entry in broker.entries(0)
        if isinstance(entry.record, Published) and entry.event is not None
    ]


def test_an_event_comes_to_who_asked_for_it_at_another_broker() -> None:
    with linked(CHAIN) as brokers:
        hot = brokers[2].subscribe("{heat > 30} as hot")
        brokers.agree()
        receipt = brokers[0].publish(
            {"@id": "e1", "heat": [31, 32], "room": "hall"}, topic="building/7", publisher="ann"
        )
        brokers[0].publish({"@id": "e2", "heat": 20})
        brokers.settle()

        [notification] = hot.waiting()

        assert receipt.notified == 0  # of those who subscribe there
        assert notification.match.event == Event.from_json(
            {"@id": "e1", "heat": [31, 32], "room": "hall"}
        )
        assert notification.topic == "building/7"
        [(record, _)] = published(brokers[2])
        assert record.publisher == "ann"
        assert [one.event.id for one in brokers[1].entries(0) if one.event] == ["e1"]


def test_an_event_that_answers_several_interests_is_told_once() -> None:
    with linked(PAIR) as brokers:
        for text in ("{heat > 30} as a", "{room = hall} as b", "{room = hall, heat > 1} as c"):
            brokers[1].subscribe(text)
        brokers.agree()
        brokers[0].publish({"@id": "e1", "heat": 31, "room": "hall"})
        brokers.settle()

        assert brokers.told == 1
        assert [told(brokers[1], name) for name in "abc"] == [["e1"]] * 3


def test_what_nobody_acknowledged_is_told_again_and_known() -> None:
    with linked(PAIR) as brokers:
        brokers[1].subscribe("{heat > 30} as hot")
        brokers.agree()
        for number in range(3):
            brokers[0].publish({"@id": f"e{number}", "heat": 31})
        brokers.tell((0, 1), 2, is_answered=False)
        brokers.settle()

        assert brokers.told == 5
        assert told(brokers[1], "hot") == ["e0", "e1", "e2"]


def test_in_a_circle_each_event_is_taken_once() -> None:
    with linked(TRIANGLE) as brokers:
        for number in range(3):
            brokers[number].subscribe("{heat > 30} as hot")
        brokers.agree()
        brokers[0].publish({"@id": "e1", "heat": 31})
        brokers.settle()

        assert [told(brokers[number], "hot") for number in range(3)] == [["e1"]] * 3
        assert [len(published(brokers[number])) for number in range(3)] == [1, 1, 1]


@pytest.mark.parametrize("snapshot_every", [1, 50_000])
def test_after_kills_and_restarts_nothing_is_lost_and_nothing_doubled(snapshot_every: int) -> None:
    with linked(CHAIN, snapshot_every=snapshot_every) as brokers:
        brokers[2].subscribe("{heat > 30} as hot")
        brokers.agree()
        for number in range(9):
            brokers[0].publish({"@id": f"e{number}", "heat": 31})
            if number % 3 == 0:
                brokers.tell((0, 1), is_answered=False)
            victim = number % 3
            brokers.nodes[victim].kill()
            for link in brokers.links:
                brokers.tell(link, 1)
            brokers.restart(victim)
        brokers.settle()

        assert told(brokers[2], "hot") == [f"e{number}" for number in range(9)]


def test_what_is_published_while_a_broker_is_down_waits_for_it() -> None:
    with linked(CHAIN) as brokers:
        brokers[2].subscribe("{heat > 30} as hot")
        brokers.agree()
        brokers.nodes[1].kill()
        brokers[0].publish({"@id": "e1", "heat": 31})
        assert brokers[0].neighbours.status("1").waiting == 1

        brokers.restart(1)
        brokers.settle()

        assert told(brokers[2], "hot") == ["e1"]
        assert brokers[0].neighbours.status("1").waiting == 0


def test_of_a_neighbour_that_is_down_the_oldest_go_first_or_publishers_are_refused() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        broker.neighbours.begin("north")
        for name, overflow in (("a", Overflow.DROP_OLDEST), ("b", Overflow.REFUSE)):
            broker.neighbours.link(name, most_waiting=2, overflow=overflow)
        broker.neighbours.take_interests("a", {"{x = 1}": Interest("{x = 1}", 1)})
        for number in range(4):
            broker.publish({"@id": f"e{number}", "x": 1})

        waiting = broker.neighbours.departures("a", -1, 10)
        assert [(one.number, one.arrival.event.id) for one in waiting] == [(2, "e2"), (3, "e3")]
        assert broker.neighbours.status("a").missed == 2

        broker.neighbours.take_interests("b", {"{x = 1}": Interest("{x = 1}", 1)})
        broker.publish_all([{"x": 1}, {"x": 1}])
        with pytest.raises(Exception, match="notifications wait for 'overlay:b'"):
            broker.publish({"x": 1})


def test_ids_that_a_broker_gives_say_whose_they_are_and_others_stay() -> None:
    with linked(PAIR) as brokers:
        brokers[1].subscribe("{heat > 0} as all")
        brokers[0].subscribe(
            "when {heat > 30, room = $room} as alarm publish {heat = 1, room = $room}"
        )
        brokers.agree()
        brokers[0].publish({"heat": 5})
        brokers[0].publish({"@id": "e1", "heat": 31, "room": "hall"})
        brokers.settle()

        notes = list(brokers[1].subscriber("all").waiting())

        first = next(entry.sequence for entry in brokers[0].entries(0) if entry.event)
        assert [one.match.event.id for one in notes] == [f"event-{first}@0", "e1", "e1>alarm@0"]
        assert notes[2].causes == ("e1",) and notes[2].probability == 1.0


def test_rules_of_several_brokers_go_on_from_one_another_no_longer_than_those_of_one() -> None:
    with linked(PAIR) as brokers:
        brokers[0].subscribe("when {ping = 1} as ping publish {pong = 1}")
        brokers[1].subscribe("when {pong = 1} as pong publish {ping = 1}")
        brokers.agree()
        brokers[0].publish({"@id": "e1", "ping": 1})
        brokers.settle()

        failures = [one.reason for number in (0, 1) for one in brokers[number].failures()]
        assert any("rules went on from one another more than 8 times" in one for one in failures)


def test_starts_ends_and_times_come_as_they_are_told_to_patterns_in_time() -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC).isoformat()
    later = datetime(2026, 1, 1, 13, tzinfo=UTC).isoformat()
    with linked(CHAIN) as brokers:
        brokers[2].subscribe("{alarm = fire, state = over, end after(1 h) {door = open}} as found")
        brokers.agree()
        assert PARTS in brokers[0].neighbours.interests("1")
        brokers[0].publish({"@id": "d1", "door": "open", "@start": noon, "@end": noon})
        brokers[0].publish({"@id": "a1", "alarm": "fire", "@start": noon})
        brokers[0].publish({"@id": "w1", "window": "open", "@start": noon, "@end": noon})
        brokers[0].publish({"@id": "a1", "state": "over", "@end": later})
        brokers.settle()

        assert told(brokers[2], "found") == ["a1"]
        came = [event.id for _, event in published(brokers[2])]
        assert came == ["d1", "a1", "a1"]


def test_what_contradicts_what_is_known_of_time_is_published_all_the_same() -> None:
    with linked(PAIR) as brokers:
        brokers[1].subscribe("{a = 1} then {a = 2} within 1 h as found")
        brokers[1].subscribe("{a > 0} as all")
        brokers[1].publish({"@id": "e1", "a": 9})
        brokers.agree()
        brokers[0].publish({"@id": "e1", "a": 1})
        brokers[0].publish({"@id": "e2", "a": 1})
        brokers[0].publish({"@id": "e3", "a": 2})
        brokers.settle()

        assert told(brokers[1], "all") == ["e1", "e1", "e2", "e3"]
        assert told(brokers[1], "found") == ["e3"]


def test_on_change_what_re_arms_a_subscription_comes_too() -> None:
    with linked(PAIR) as brokers:
        brokers[1].subscribe("{room = hall, heat > 25} on change as edge")
        brokers.agree()
        for number, heat in enumerate((26, 27, 20, 28)):
            brokers[0].publish({"@id": f"e{number}", "room": "hall", "heat": heat})
        brokers.settle()

        assert told(brokers[1], "edge") == ["e0", "e3"]


def test_what_is_paused_is_not_asked_for_until_it_is_resumed() -> None:
    with linked(PAIR) as brokers:
        brokers[1].subscribe("{heat > 30} as hot")
        brokers[1].pause("hot")
        brokers.agree()
        assert brokers[0].neighbours.interests("1") == {}

        brokers[1].resume("hot")
        brokers.agree()
        assert set(brokers[0].neighbours.interests("1")) == {"{heat > 30}"}


def test_queries_ask_for_nothing_and_what_needs_every_event_for_all() -> None:
    with linked(PAIR) as brokers:
        brokers[1].subscribe("SELECT ?s WHERE { ?s ?p ?o }", name="query")
        brokers.agree()
        assert brokers[0].neighbours.interests("1") == {}

        brokers[1].subscribe("{room = $r} then {room = $r} within 10 s as twice")
        brokers.agree()
        assert set(brokers[0].neighbours.interests("1")) == {EVERYTHING}


def test_what_this_broker_cannot_judge_is_told_whatever_it_says() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        broker.neighbours.begin("north")
        broker.neighbours.link("south")
        text = "{a isa <urn:there:Lamp>}"
        broker.neighbours.take_interests("south", {text: Interest(text, 1)})
        broker.publish({"b": 1})

        assert broker.neighbours.unjudged("south") == {text}
        assert len(broker.neighbours.departures("south", -1, 10)) == 1

        broker.neighbours.take_interests("south", {}, [text])
        broker.publish({"b": 1})
        assert len(broker.neighbours.departures("south", -1, 10)) == 1


def test_a_neighbour_hears_and_publishes_what_its_principal_may() -> None:
    rules = (
        AccessRule(frozenset({"branch"}), frozenset({Action.SUBSCRIBE}), ("public/#",)),
        AccessRule(frozenset({"branch"}), frozenset({Action.PUBLISH}), ("branch/#",)),
        AccessRule(frozenset({"ann"}), frozenset({Action.PUBLISH, Action.SUBSCRIBE})),
    )
    with Broker.in_memory(matcher=exact) as broker:
        broker.neighbours.begin("north")
        broker.neighbours.link("south", principal="branch")
        broker.set_access(AccessRules(rules))
        broker.neighbours.take_interests("south", {"{a = 1}": Interest("{a = 1}", 1)})
        for topic in ("public/x", "secret"):
            broker.publish({"a": 1}, topic=topic, publisher="ann")
        [one] = broker.neighbours.departures("south", -1, 10)
        assert one.arrival.topic == "public/x"

        arrivals = [
            one.arrival._replace(origin=Origin("south", "e", number), topic=topic)
            for number, topic in enumerate(("branch/1", "public/1"))
        ]
        arrived = broker.neighbours.arrive("south", arrivals)
        assert (len(arrived.entries), arrived.forbidden) == (1, 1)


def test_an_event_that_comes_back_to_where_it_was_published_is_known() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        broker.neighbours.begin("north")
        broker.neighbours.link("south")
        broker.neighbours.take_interests("south", {EVERYTHING: Interest(EVERYTHING, 1)})
        broker.publish({"a": 1})
        [one] = broker.neighbours.departures("south", -1, 10)

        arrived = broker.neighbours.arrive("south", [one.arrival, one.arrival])

        assert (arrived.entries, arrived.known) == ([], 2)


def test_of_two_epochs_of_a_broker_the_same_sequences_are_different_events() -> None:
    with linked(PAIR) as brokers:
        brokers[1].subscribe("{a = 1} as all")
        brokers.agree()
        older = brokers.nodes[0]._journal.as_it_is()
        brokers[0].publish({"@id": "e1", "a": 1})
        brokers.settle()

        brokers.nodes[0].kill()
        brokers.nodes[0]._journal = older  # a copy was brought back
        brokers.restart(0)
        brokers[0].publish({"@id": "e2", "a": 1})
        brokers.settle()

        assert told(brokers[1], "all") == ["e1", "e2"]


def test_a_link_is_no_subscription_of_anybody() -> None:
    with Broker.in_memory(matcher=exact) as broker:
        broker.neighbours.begin("north")
        broker.neighbours.link("south")

        assert broker.registrations() == [] and broker.export_registry() == ""
        assert broker.tally().subscriptions == 0
        for act in (broker.unsubscribe, broker.pause, broker.subscriber, broker.registration):
            with pytest.raises(NotFound):
                act("overlay:south")
        with pytest.raises(InvalidInput, match="belong to whoever keeps the broker"):
            broker.subscribe("{a = 1}", name="overlay:south")


def test_a_link_that_has_gone_leaves_nothing_behind() -> None:
    with Broker(MemoryJournal(), matcher=exact) as broker:
        broker.neighbours.begin("north")
        broker.neighbours.link("south")
        broker.neighbours.take_interests("south", {"{a = 1}": Interest("{a = 1}", 1)})
        broker.publish({"a": 1})

        assert broker.neighbours.unlink("south") == 1
        assert broker.neighbours.names() == []
        with pytest.raises(NotFound, match="no link to 'south'"):
            broker.neighbours.departures("south", -1, 1)
        broker.publish({"a": 1})
        assert not published(broker)[-1][0].told

        broker.neighbours.link("south")
        assert broker.neighbours.interests("south") == {}


def test_what_waits_for_one_neighbour_is_told_to_another_that_leads_to_it() -> None:
    with linked(TRIANGLE) as brokers:
        brokers[2].subscribe("{heat > 30} as hot")
        brokers.agree()
        wanted = Interest("{heat > 30}", 2)
        brokers[0].neighbours.take_interests("1", {}, ["{heat > 30}"])
        for number in range(3):
            brokers[0].publish({"@id": f"e{number}", "heat": 31}, topic="t", publisher="ann")
        brokers[0].publish({"heat": 20})
        assert brokers[0].neighbours.status("1").waiting == 0

        brokers[0].neighbours.take_interests("1", {wanted.text: wanted})
        brokers[0].neighbours.reroute("2")

        assert brokers[0].neighbours.interests("2") == {}
        brokers[0].publish({"@id": "e3", "heat": 31})
        brokers.tell((0, 1))
        brokers.tell((1, 2))
        assert told(brokers[2], "hot") == ["e0", "e1", "e2", "e3"]
        assert published(brokers[2])[0][0].publisher == "ann"
        brokers.tell((0, 2))
        assert told(brokers[2], "hot") == []


def test_what_is_rerouted_survives_a_restart_and_is_told_once() -> None:
    with linked(TRIANGLE, snapshot_every=1) as brokers:
        brokers[2].subscribe("{heat > 30} as hot")
        brokers.agree()
        brokers[1].publish({"@id": "e1", "heat": 31})
        brokers.tell((1, 0))
        brokers[0].neighbours.reroute("2")
        assert brokers[0].neighbours.status("1").waiting == 1  # from which it came

        brokers.nodes[0].kill()
        brokers.restart(0)
        brokers.settle()

        assert told(brokers[2], "hot") == ["e1"]


def test_what_is_rerouted_goes_back_to_whoever_told_it_if_that_is_the_way_now() -> None:
    with linked(TRIANGLE) as brokers:
        brokers[2].subscribe("{heat > 30} as hot")
        brokers.agree()
        brokers[1].neighbours.take_interests("2", {}, ["{heat > 30}"])  # the link is spare
        brokers[1].publish({"@id": "e1", "heat": 31})
        brokers.tell((1, 0))
        wanted = Interest("{heat > 30}", 1)
        brokers[1].neighbours.take_interests("2", {wanted.text: wanted})

        brokers[0].neighbours.reroute("2")
        brokers.tell((0, 1))
        brokers.tell((1, 2))

        assert told(brokers[2], "hot") == ["e1"]


def test_what_is_rerouted_is_passed_on_by_those_who_know_it_already() -> None:
    with linked(CHAIN) as brokers:
        brokers[2].subscribe("{heat > 30} as hot")
        brokers.agree()
        brokers[1].neighbours.take_interests("2", {}, ["{heat > 30}"])
        brokers[0].neighbours.link("x")
        brokers[0].neighbours.take_interests("x", {"{heat > 30}": Interest("{heat > 30}", 1)})
        brokers[0].publish({"@id": "e1", "heat": 31})
        brokers.settle()
        assert brokers.told == 1  # 1 had nobody to tell it to

        wanted = {"{heat > 30}": Interest("{heat > 30}", 1)}
        brokers[1].neighbours.take_interests("2", wanted)
        brokers[0].neighbours.reroute("x")
        brokers.settle()

        assert told(brokers[2], "hot") == ["e1"] and len(published(brokers[1])) == 1
        assert not brokers[0].neighbours.departures("1", -1, 9)

        brokers[0].neighbours.take_interests("x", wanted)
        brokers[0].neighbours.reroute("x")
        brokers.settle()
        assert brokers.told == 5 and told(brokers[2], "hot") == []


def test_what_is_rerouted_goes_round_a_circle_once() -> None:
    with linked(TRIANGLE) as brokers:
        for number in range(3):
            brokers[number].subscribe("{heat > 30} as hot")
        brokers.agree()
        brokers[0].publish({"@id": "e1", "heat": 31})
        brokers.settle()
        before = brokers.told
        brokers[0].neighbours.link("x")
        brokers[0].neighbours.take_interests("x", {EVERYTHING: Interest(EVERYTHING, 1)})
        brokers[0].publish({"@id": "e2", "heat": 31})
        brokers[0].neighbours.reroute("x")
        brokers.settle()

        assert [told(brokers[number], "hot") for number in range(3)] == [["e1", "e2"]] * 3
        assert brokers.told - before <= 10


def test_what_waits_for_one_neighbour_is_told_to_others_and_goes_on_waiting() -> None:
    with linked(TRIANGLE) as brokers:
        brokers[2].subscribe("{heat > 30} as hot")
        brokers.agree()
        brokers[0].neighbours.take_interests("1", {}, ["{heat > 30}"])
        brokers[0].publish({"@id": "e1", "heat": 31})
        wanted = Interest("{heat > 30}", 2)
        brokers[0].neighbours.take_interests("1", {wanted.text: wanted})

        brokers[0].neighbours.tell_others("2")

        assert brokers[0].neighbours.status("1").waiting == 1
        brokers.tell((0, 1))
        brokers.tell((1, 2))
        assert told(brokers[2], "hot") == ["e1"]
        assert brokers[0].neighbours.status("2").waiting == 1
        brokers.settle()
        assert told(brokers[2], "hot") == []
