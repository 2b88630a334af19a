"""Who sees what of a broker."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from purport.broker.access import Forbidden
from purport.broker.records import Failed
from purport.broker.retention import Retention
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.embedded.status import SubscriptionStatus
from purport.errors import InvalidInput, NotFound
from purport.model.clock import ManualClock
from tests.embedded.access import EVERYBODY_OWN
from tests.embedded.brokers import NOON, exact, ids

Look = Callable[[Broker, str | None], object]

_LOOKS: list[Look] = [
    lambda broker, who: broker.registration("anns", who=who),
    lambda broker, who: broker.versions("anns", who=who),
    lambda broker, who: broker.status("anns", who=who),
    lambda broker, who: broker.notification("anns", 0, who=who),
    lambda broker, who: broker.backlog("anns", who=who),
    lambda broker, who: broker.subscriber("anns", who=who).close(),
    lambda broker, who: broker.acknowledge("anns", 0, who=who),
    lambda broker, who: broker.change("anns", most_waiting=7, who=who),
]


@pytest.mark.parametrize("look", _LOOKS)
def test_what_is_anothers_is_forbidden_and_what_is_not_there_is_not_found(look: Look) -> None:
    with Broker.in_memory(matcher=exact, settings=EVERYBODY_OWN) as broker:
        with pytest.raises(NotFound, match="no subscription 'anns'"):
            look(broker, "root")
        broker.subscribe("{a = 1} as anns", owner="ann")
        broker.publish({"@id": "e1", "a": 1}, publisher="bob")

        look(broker, "ann")
        look(broker, "root")
        for other in ("bob", None):
            with pytest.raises(Forbidden, match="may not manage"):
                look(broker, other)


def test_lists_are_of_what_may_be_seen() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock, settings=EVERYBODY_OWN) as broker:
        for who in ("ann", "bob"):
            broker.subscribe(f"when {{a = 1}} as {who}s publish {{b = $none}}", owner=who)
            broker.update(
                "CLEAR ALL ; CREATE GRAPH <urn:g>", after=timedelta(hours=1), publisher=who
            )
        broker.publish({"@id": "e1", "a": 1}, publisher="ann")
        waiting = {who: len(broker.delayed(who=who)) for who in ("ann", "bob", "root", None)}
        clock.advance(timedelta(hours=2))
        broker.run_due()

        assert waiting == {"ann": 1, "bob": 1, "root": 2, None: 0}
        seen = {
            who: [one.id for one in broker.registrations(who=who)]
            for who in ("ann", "bob", "root", None)
        }
        assert seen == {"ann": ["anns"], "bob": ["bobs"], "root": ["anns", "bobs"], None: []}
        assert broker.registrations("bob", who="ann") == []
        assert [one.id for one in broker.registrations("bob", who="root")] == ["bobs"]
        assert "bobs" not in broker.export_registry(who="ann")
        failed = {
            who: [(one.subscription_id, one.update is not None) for one in broker.failures(who=who)]
            for who in ("ann", "bob", "root", None)
        }
        assert failed == {
            "ann": [("anns", False)],
            "bob": [("bobs", False), ("", True)],  # the graph was there already
            "root": [("anns", False), ("bobs", False), ("", True)],
            None: [],
        }


def test_an_id_that_changes_hands_does_not_tell_what_failed_before() -> None:
    with Broker.in_memory(matcher=exact, settings=EVERYBODY_OWN) as broker:
        broker.subscribe("when {a = 1} as x publish {b = $none}", owner="ann")
        broker.publish({"@id": "e1", "a": 1}, publisher="ann")
        assert len(broker.failures(who="ann")) == 1
        broker.unsubscribe("x", who="ann")

        broker.subscribe("{a = 1} as x", owner="bob")

        assert broker.failures(who="bob") == broker.failures(who="ann") == []
        assert len(broker.failures(who="root")) == 1


def test_failures_are_read_some_at_a_time_and_say_which_notification(broker: Broker) -> None:
    broker.subscribe("when {a = 1} as rule publish {b = $none}")
    broker.publish_all([{"@id": f"e{number}", "a": 1} for number in range(5)])

    first = broker.failures(most=2)
    rest = broker.failures(first[-1].sequence)

    assert [one.number for one in (*first, *rest)] == [0, 1, 2, 3, 4]
    assert [one.event_id for one in rest] == ["e2", "e3", "e4"]
    assert broker.failures(rest[-1].sequence) == []
    assert broker.failures(through=first[-1].sequence) == first
    for wrong in (0, -1, True, "2"):
        with pytest.raises(InvalidInput, match="whole number from 1 on"):
            broker.failures(most=wrong)  # type: ignore[arg-type]


def test_a_failure_without_a_number_is_written_as_before() -> None:
    old = b'{"type":"failed","id":"x","event":"e","reason":"why"}'

    assert msgspec.json.decode(old, type=Failed) == Failed("x", "e", "why")
    assert msgspec.json.encode(Failed("x", "e", "why")) == old


def test_importing_makes_what_is_nobodys_ones_own_and_leaves_others_alone() -> None:
    lines = (
        '{"id": "one", "subscription": "{a = 1}"}\n\n'
        '{"id": "two", "subscription": "{b = 1}", "owner": "ann"}\n'
    )
    with Broker.in_memory(matcher=exact, settings=EVERYBODY_OWN) as broker:
        with pytest.raises(Forbidden, match=r"line 3 of the registry: bob may not import"):
            broker.import_registry(lines, who="bob")
        with pytest.raises(Forbidden, match="bob may not import"):
            broker.import_registry("{c = 1} as three", owner="ann", who="bob")
        assert broker.registrations(who="root") == []

        assert [one.owner for one in broker.import_registry(lines, who="ann")] == ["ann", "ann"]
        three = broker.import_registry("{c = 1} as three", who="bob")
        assert [one.owner for one in three] == ["bob"]
        four = broker.import_registry(
            '{"id": "four", "subscription": "{d=1}", "owner": "ann"}', who="root"
        )
        assert [one.owner for one in four] == ["ann"]


def test_where_everything_is_open_everybody_imports_and_sees_everything(broker: Broker) -> None:
    lines = (
        '{"id": "one", "subscription": "{a = 1}", "owner": "ann"}\n'
        '{"id": "two", "subscription": "{b = 1}"}'
    )

    found = broker.import_registry(lines, who="bob")

    assert [one.owner for one in found] == ["ann", None]
    assert broker.registration("one", who="bob") == broker.registration("one")
    assert len(broker.registrations(who="eve")) == 2


def test_a_status_says_what_waits(broker: Broker) -> None:
    broker.subscribe("{a > 0} as some", most_waiting=2)
    assert broker.status("some") == SubscriptionStatus(0, 0, -1, 0, None, False)

    broker.publish_all([{"@id": f"e{number}", "a": 1} for number in range(5)])
    broker.pause("some")
    found = broker.status("some")

    assert (found.waiting, found.next, found.acknowledged) == (2, 5, 2)
    assert (found.missed, found.is_paused) == (3, True)
    assert found.told_at == broker.notification("some", 4).at
    assert [one.sequence for one in broker.backlog("some", most=1)] == [3]
    assert [one.sequence for one in broker.backlog("some", after=3)] == [4]
    assert broker.backlog("some", after=10**30) == []
    assert broker.failures(10**30) == []
    assert list(broker.subscriber("some").replay(after=10**30)) == []
    assert [one.missed for one in broker.backlog("some")] == [3, 0]
    assert broker.status("some") == found

    broker.acknowledge("some", 3)
    assert (broker.status("some").waiting, broker.status("some").missed) == (1, 0)
    with pytest.raises(InvalidInput, match="there is no 5 yet"):
        broker.acknowledge("some", 5)
    with pytest.raises(InvalidInput, match="whole number"):
        broker.acknowledge("some", -1)


def test_a_subscriber_acknowledges_by_number(broker: Broker) -> None:
    hand = broker.subscribe("{a > 0} as some", acknowledging="by hand")
    broker.publish_all([{"a": 1}, {"a": 2}, {"a": 3}])

    hand.acknowledge(1)

    assert [one.sequence for one in broker.backlog("some")] == [2]
    for wrong in (3, 10**30, -1, True, "1", 1.0):
        with pytest.raises(InvalidInput):
            hand.acknowledge(wrong)  # type: ignore[arg-type]


def test_what_was_told_explains_itself_by_the_version_that_held_then(tmp_path: Path) -> None:
    with Broker.open(tmp_path, matcher=exact) as broker:
        broker.subscribe("{a > 0} as x")
        broker.publish({"@id": "e1", "a": 1, "b": 1})
        broker.subscribe("{b = 1} as x")
        broker.publish({"@id": "e2", "a": 1, "b": 1})
    with Broker.open(tmp_path, matcher=exact) as broker:
        first, second = (broker.notification("x", number) for number in (0, 1))

        assert ids([first, second]) == ["e1", "e2"]
        assert "a > 0" in first.match.explain() and "b = 1" in second.match.explain()
        assert '"predicate":"a > 0"' in first.match.explain("json")
        assert first.match.explain("svg").startswith("<svg")
        assert broker.status("x").waiting == 2
        for wrong in (2, 7, 10**30):
            with pytest.raises(NotFound, match=f"no notification {wrong} of 'x' is kept"):
                broker.notification("x", wrong)


def test_what_a_rule_matched_explains_itself(broker: Broker) -> None:
    broker.subscribe("when {a > 0, room = $room} as rule publish {b = $room}")
    broker.publish({"@id": "e1", "a": 1, "room": 7})

    found = broker.notification("rule", 0)

    assert "a > 0" in found.match.explain() and "room" in found.match.explain("json")
    assert broker.status("rule").waiting == 0


def test_what_an_earlier_subscription_of_that_name_was_told_is_not_found(broker: Broker) -> None:
    broker.subscribe("{a > 0} as x")
    broker.publish({"@id": "e1", "a": 1})
    broker.unsubscribe("x")
    broker.subscribe("{a > 0} as x")
    broker.publish({"@id": "e2", "a": 1})

    with pytest.raises(NotFound):
        broker.notification("x", 0)
    assert ids([broker.notification("x", 1)]) == ["e2"]


def test_a_pattern_in_time_and_an_answer_that_were_told_are_there_too() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock) as broker:
        broker.subscribe("{b = 1, start after {a = 1}} as pattern")
        broker.subscribe("SELECT ?o WHERE { ?s <urn:p> ?o }", name="answer")
        for said in ({"@id": "e1", "a": 1}, {"@id": "e2", "b": 1}):
            broker.publish(said)
            clock.advance(timedelta(seconds=1))
        broker.update("INSERT DATA { <urn:s> <urn:p> 1 }")

        pattern = broker.notification("pattern", 0)
        assert [one.event.id for one in pattern.match.evidence] == ["e1"]
        assert "e1" in pattern.match.explain() and pattern.match.explain("json").startswith("{")
        assert broker.notification("answer", 0).change.is_whole
        change = broker.notification("answer", 1).change
        assert (len(change.added), change.variables) == (1, ("o",))


def test_what_was_dropped_is_not_found() -> None:
    settings = BrokerSettings(retention=Retention(most_age=timedelta(hours=1)))
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock, settings=settings) as broker:
        hand = broker.subscribe("{a > 0} as x")
        broker.publish({"a": 1})
        assert len(list(hand.waiting())) == 1
        broker.acknowledge("x", 0)
        clock.advance(timedelta(hours=2))
        broker.publish({"b": 1})
        broker.compact()

        with pytest.raises(NotFound):
            broker.notification("x", 0)
        assert broker.status("x").next == 1
