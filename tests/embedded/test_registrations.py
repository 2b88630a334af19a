"""What is subscribed to: versions, pauses, owners, and what they may."""

from datetime import timedelta

import pytest

from purport import InvalidInput, NotSupportedYet
from purport.broker.access import AccessRule, AccessRules, Action, Forbidden
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.model.clock import ManualClock
from tests.embedded.brokers import NOON, exact, ids


def test_the_same_subscription_again_goes_on_and_another_is_a_new_version(broker: Broker) -> None:
    broker.subscribe("{a = 1} as x")
    broker.publish({"@id": "e1", "a": 1})
    broker.subscribe("{a = 1} as x")
    assert broker.registration("x").version == 1

    changed = broker.subscribe("{a = 2, b = 1} as x")
    broker.publish_all([{"@id": "e2", "a": 1}, {"@id": "e3", "a": 2, "b": 1}])

    assert [one.version for one in broker.versions("x")] == [1, 2]
    notifications = list(changed.waiting())
    assert [one.match.event.id for one in notifications] == ["e1", "e3"]
    assert [len(one.match.mapping.correspondences) for one in notifications] == [1, 2]


def test_a_new_version_stays_paused_and_begins_anew(broker: Broker) -> None:
    broker.subscribe("{a > 0} as x")
    broker.publish({"a": 1})
    changed = broker.subscribe("{state = open} on change as x")
    broker.publish({"@id": "e2", "state": "open"})
    assert ids(changed.waiting())[-1] == "e2"

    broker.pause("x")
    broker.subscribe("{state = open} on change as x", most_waiting=7)
    assert broker.registration("x").is_paused


def test_what_is_paused_hears_nothing_meanwhile(broker: Broker) -> None:
    sleepy = broker.subscribe("{a > 0} as sleepy")
    broker.publish({"@id": "e1", "a": 1})

    broker.pause("sleepy")
    broker.pause("sleepy")
    broker.publish({"@id": "e2", "a": 1})
    broker.resume("sleepy")
    broker.publish({"@id": "e3", "a": 1})

    assert ids(sleepy.waiting()) == ["e1", "e3"]


def test_what_is_paused_by_too_much_is_resumed_when_there_is_room(broker: Broker) -> None:
    slow = broker.subscribe("{a > 0} as slow", most_waiting=2, overflow="pause")
    broker.publish_all([{"a": 1}] * 5)

    with pytest.raises(InvalidInput, match="as much waits for 'slow' as may"):
        broker.resume("slow")
    assert len(list(slow.waiting())) == 2
    broker.resume("slow")
    broker.publish({"a": 1})
    assert [one.sequence for one in slow.waiting()] == [2]


def test_a_subscription_ends_when_its_time_is_up_whoever_publishes() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(matcher=exact, clock=clock) as broker:
        brief = broker.subscribe("{a > 0} expires 2026-11-17T12:00:10Z as brief")
        clock.advance(timedelta(seconds=10))

        assert broker.registrations() == []
        assert brief.take(timeout=None) is None


def test_a_registry_is_exported_and_imported(broker: Broker) -> None:
    broker.subscribe("{a = 1} as one", owner="ann", most_waiting=7, delivery="at most once")
    broker.subscribe("when {a = 1} as two publish {b = 1}")
    broker.pause("two")

    with Broker.in_memory(matcher=exact) as other:
        other.import_registry(broker.export_registry())

        assert other.export_registry() == broker.export_registry()
        assert other.registration("one").most_waiting == 7
        assert other.registration("two").is_paused
        other.import_registry("# a file\n{c = 1} as three\n{d = 1} as four", owner="bob")
        assert [one.id for one in other.registrations("bob")] == ["three", "four"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"id": "x"}', "line 1 of the registry: .*missing required field `subscription`"),
        ('{"id": "x", "subscription": "{a"}', "line 1 of the registry: .*column 3"),
        ("{a = 1} as x\n{b = 1}", "only what has a name can be imported: {b = 1}"),
        ("{a = 1", "line 1, column 7"),
    ],
)
def test_a_registry_with_a_mistake_is_not_imported_at_all(text: str, reason: str) -> None:
    with Broker.in_memory(matcher=exact) as broker:
        with pytest.raises(InvalidInput, match=reason):
            broker.import_registry(text)

        assert broker.registrations() == []


def test_what_cannot_be_run_is_refused_and_leaves_nothing(broker: Broker) -> None:
    with pytest.raises(NotSupportedYet):
        broker.subscribe("{a = 1} then {b = 1} within 5 s as x on change")
    with pytest.raises(InvalidInput, match="nosuch"):
        broker.subscribe("{a = b~nosuch} as x")
    with pytest.raises(InvalidInput, match="expected one of 'at least once', 'at most once'"):
        broker.subscribe("{a = 1} as x", delivery="never")

    assert broker.registrations() == []
    broker.publish({"a": 1})


def test_access_rules_hold() -> None:
    def allowed(who: str, *actions: Action, topics: tuple[str, ...] = ("#",)) -> AccessRule:
        return AccessRule(frozenset({who}), frozenset(actions), topics)

    rules = AccessRules(
        (
            allowed("sensor", Action.PUBLISH, topics=("floor/1/#",)),
            allowed("ann", Action.SUBSCRIBE),
            allowed("eve", Action.SUBSCRIBE, topics=("floor/2/#",)),
            allowed("root", Action.MANAGE),
        )
    )
    with Broker.in_memory(matcher=exact, settings=BrokerSettings(access=rules)) as broker:
        ann = broker.subscribe("{a > 0} as anns", owner="ann")
        eve = broker.subscribe("{a > 0} as eves", owner="eve")
        with pytest.raises(Forbidden, match="sensor may not subscribe"):
            broker.subscribe("{a > 0}", owner="sensor")
        with pytest.raises(Forbidden, match="sensor may not publish on 'floor/2'"):
            broker.publish({"a": 1}, topic="floor/2", publisher="sensor")
        broker.publish({"a": 1}, topic="floor/1/heat", publisher="sensor")

        assert len(list(ann.waiting())) == 1
        assert list(eve.waiting()) == []
        with pytest.raises(Forbidden, match="eve may not manage"):
            broker.unsubscribe("anns", who="eve")
        with pytest.raises(Forbidden, match="belongs to somebody else"):
            broker.subscribe("{a > 1} as anns", owner="eve")
        broker.pause("anns", who="ann")
        broker.unsubscribe("anns", who="root")
        broker.subscribe("when {a > 0} as eves_rule publish {b = 1}", owner="eve")
        broker.publish({"a": 1}, topic="floor/1/heat", publisher="sensor")
        assert broker.failures(who="eve") == []  # she does not hear of floor 1


def test_a_pattern_in_time_is_heard_by_who_may_hear_of_all_topics() -> None:
    rules = AccessRules(
        (
            AccessRule(frozenset({"ann"}), frozenset({Action.SUBSCRIBE})),
            AccessRule(frozenset({"eve"}), frozenset({Action.SUBSCRIBE}), ("floor/1/#",)),
            AccessRule(frozenset({"*"}), frozenset({Action.PUBLISH})),
        )
    )
    clock, settings = ManualClock(NOON), BrokerSettings(access=rules)
    with Broker.in_memory(matcher=exact, clock=clock, settings=settings) as broker:
        heard = [
            broker.subscribe("{b = 1, start after {a = 1}}", owner=owner)
            for owner in ("ann", "eve")
        ]
        for said in ({"a": 1}, {"b": 1}):
            broker.publish(said, topic="floor/2/heat")
            clock.advance(timedelta(seconds=1))

        assert [len(list(one.waiting())) for one in heard] == [1, 0]


def test_a_rule_may_publish_only_what_its_owner_may() -> None:
    rules = AccessRules(
        (
            AccessRule(frozenset({"*"}), frozenset({Action.SUBSCRIBE})),
            AccessRule(frozenset({"sensor"}), frozenset({Action.PUBLISH})),
        )
    )
    with Broker.in_memory(matcher=exact, settings=BrokerSettings(access=rules)) as broker:
        every = broker.subscribe("{b > 0} as every")
        broker.subscribe("when {a > 0} as own publish {b = 1}", owner="sensor")
        broker.subscribe("when {a > 0} as alien publish {b = 2}", owner="eve")
        broker.publish({"@id": "e1", "a": 1}, publisher="sensor")

        assert ids(every.waiting()) == ["e1>own"]
        [failed] = broker.failures(who="eve")
        assert (failed.subscription_id, failed.reason) == ("alien", "eve may not publish")
