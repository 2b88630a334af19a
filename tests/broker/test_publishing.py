"""What publishing puts into a journal."""

from datetime import timedelta

import pytest

from purport import parse
from purport.broker.drafting import BacklogFull, Limits
from purport.broker.publishing import published
from purport.broker.records import (
    Acknowledged,
    Failed,
    Overflow,
    Paused,
    Published,
    Resumed,
    Unsubscribed,
)
from purport.model.event import Event
from tests.broker.states import NOON, Kept, names, told


def test_subscribers_are_told_under_numbers_without_gaps() -> None:
    kept = Kept()
    kept.subscribe("{a = 1} as one")
    kept.subscribe("{a > 0} as positive")

    kept.publish({"a": 1}, {"a": 2}, {"b": 1})
    entries = kept.publish({"a": 1})

    assert [(one.subscription, one.number) for one in told(kept.entries)] == [
        ("one", 0), ("positive", 0), ("positive", 1), ("one", 1), ("positive", 2),
    ]  # fmt: skip
    assert entries[0].sequence == kept.state.sequence == len(kept.entries)


def test_a_draft_changes_nothing() -> None:
    kept = Kept()
    kept.subscribe("{a = 1} as one")
    before = kept.state.snapshot()

    first = published(kept.state, [Event.from_json({"a": 1})], NOON)

    assert kept.state.snapshot() == before
    assert published(kept.state, [Event.from_json({"a": 1})], NOON) == first


def test_an_event_without_an_id_gets_one_from_its_place() -> None:
    kept = Kept()

    entries = kept.publish({"a": 1}, {"@id": "mine", "a": 2}, {"a": 3})

    assert [entry.event and entry.event.id for entry in entries] == ["event-1", "mine", "event-3"]


def test_time_does_not_go_back() -> None:
    kept = Kept()
    kept.publish({"a": 1})
    kept.now -= timedelta(hours=1)

    [entry] = kept.publish({"a": 2})

    assert entry.time == NOON


def test_at_most_once_per_time_holds_within_one_draft() -> None:
    kept = Kept()
    kept.subscribe("{a > 0} at most once per 10 s as seldom")

    first = kept.publish({"a": 1}, {"a": 2})
    second = kept.publish({"a": 3}, after_seconds=9.9)
    third = kept.publish({"a": 4}, after_seconds=0.1)

    assert [len(told(one)) for one in (first, second, third)] == [1, 0, 1]


def test_on_change_tells_what_has_become_true() -> None:
    kept = Kept()
    kept.subscribe("{room = 112, heat > 25} on change as hot")

    entries = kept.publish(
        *({"room": room, "heat": heat} for room, heat in
          [(112, 26), (112, 27), (113, 20), (112, 20), (112, 28), (112, 29)])
    )  # fmt: skip

    assert [place for place, entry in enumerate(entries) if told([entry])] == [0, 4]
    assert [place for place, entry in enumerate(entries) if _rearmed(entry.record)] == [3]


def test_a_subscription_ends_when_its_time_is_up() -> None:
    kept = Kept()
    kept.subscribe("{a = 1} expires 2026-11-17T12:00:10Z as brief")

    in_time = kept.publish({"a": 1}, after_seconds=9)
    late = kept.publish({"a": 1}, after_seconds=1)

    assert names(in_time) == ["brief"]
    assert [entry.record for entry in late] == [Unsubscribed("brief", "expired"), Published()]
    assert "brief" not in kept.state.registry
    assert kept.state.expired(kept.now) == []


def test_a_paused_subscription_hears_nothing() -> None:
    kept = Kept()
    kept.subscribe("{a = 1} on change as one")

    kept.record(Paused("one"))
    paused = kept.publish({"a": 1})
    kept.record(Resumed("one"))

    assert names(paused) == []
    assert names(kept.publish({"a": 1})) == ["one"]


def test_too_much_that_waits_is_dropped_from_the_oldest_on() -> None:
    kept = Kept()
    kept.subscribe("{a = 1} as one", most_waiting=2)

    entries = kept.publish(*[{"a": 1}] * 4)

    missed = [entry.record for entry in entries if isinstance(entry.record, Acknowledged)]
    assert missed == [
        Acknowledged("one", 0, is_missed=True),
        Acknowledged("one", 1, is_missed=True),
    ]
    cursor = kept.state.cursors["one"]
    assert (cursor.acknowledged, cursor.missed, cursor.waiting) == (1, 2, 2)


def test_or_the_subscription_is_paused() -> None:
    kept = Kept()
    kept.subscribe("{a = 1} as one", most_waiting=2, overflow=Overflow.PAUSE)

    entries = kept.publish(*[{"a": 1}] * 5)

    assert len(told(entries)) == 2
    assert [entry.record for entry in entries if isinstance(entry.record, Paused)] == [
        Paused("one", "overflow")
    ]
    assert kept.state.registry.get("one").is_paused


def test_or_the_publisher_is_refused_and_nothing_has_happened() -> None:
    kept = Kept()
    kept.subscribe("{a = 1} as one", most_waiting=2, overflow=Overflow.REFUSE)
    kept.publish({"a": 1}, {"a": 1})
    before = kept.state.snapshot()

    with pytest.raises(BacklogFull, match="2 notifications wait for 'one'"):
        kept.publish({"b": 1}, {"a": 1})

    assert kept.state.snapshot() == before
    kept.record(Acknowledged("one", 0))
    assert names(kept.publish({"a": 1})) == ["one"]


def test_a_rule_publishes_with_what_the_match_bound() -> None:
    kept = Kept()
    kept.subscribe(
        "when {type = overheating, room = $place} as alarm publish {type = alert, in = $place}"
    )
    kept.subscribe("{type = alert} as alerts")

    cause, derived = kept.publish({"@id": "e1", "type": "overheating", "room": 112})

    assert derived.event == Event.from_json({"@id": "e1>alarm", "type": "alert", "in": 112})
    assert isinstance(derived.record, Published)
    assert (derived.record.causes, derived.record.rules) == (("e1",), ("alarm",))
    assert (names([cause]), names([derived])) == (["alarm"], ["alerts"])
    assert kept.state.cursors["alarm"].waiting == 0


def test_what_is_derived_is_as_probable_as_all_matches_on_the_way() -> None:
    kept = Kept()
    kept.subscribe(
        "when {a = 1, b = 2} threshold 0.4 aggregation mean exact scored as x "
        "publish {c = 1, d = 3}"
    )
    kept.subscribe(
        "when {c = 1, d = 2} threshold 0.4 aggregation mean exact scored as y publish {e = 1}"
    )

    entries = kept.publish({"a": 1, "b": 3})

    probabilities = [one.record.probability for one in entries if isinstance(one.record, Published)]
    halves = [one.best.probability for one in told(entries)]
    assert probabilities[:3] == [1.0, halves[0], halves[0] * halves[1]]
    assert all(0 < one < 1 for one in halves)


def test_a_name_that_the_event_says_nothing_under_fails_that_rule_alone() -> None:
    kept = Kept()
    kept.subscribe("when {a = 1} as broken publish {room = $room}")
    kept.subscribe("when {a = 1} as whole publish {b = 1}")

    entries = kept.publish({"@id": "e1", "a": 1})

    assert Failed("broken", "e1", "the event says nothing under $room", number=0) in [
        entry.record for entry in entries
    ]
    assert [entry.event.id for entry in entries if entry.event] == ["e1", "e1>whole"]


def test_rules_that_go_on_for_ever_are_stopped_and_named() -> None:
    kept = Kept(limits=Limits(depth=4))
    kept.subscribe("when {type = ping} as serve publish {type = pong}")
    kept.subscribe("when {type = pong} as return publish {type = ping}")

    entries = kept.publish({"@id": "e1", "type": "ping"})

    assert len([entry for entry in entries if entry.event]) == 5
    [failed] = [entry.record for entry in entries if isinstance(entry.record, Failed)]
    assert failed.id == "serve"
    assert "more than 4 times: serve <- return" in failed.reason
    assert set(failed.rules) == {"serve", "return"}


def test_rules_that_multiply_are_stopped_before_they_fill_the_journal() -> None:
    kept = Kept(limits=Limits(depth=30, derived=50))
    for name in ("left", "right"):
        kept.subscribe(f"when {{a = 1}} as {name} publish {{a = 1}}")

    entries = kept.publish({"@id": "e1", "a": 1})

    assert len([entry for entry in entries if entry.event]) == 51
    reasons = {entry.record.reason for entry in entries if isinstance(entry.record, Failed)}
    assert reasons == {"more than 50 events derived from one"}


def test_a_binding_that_nothing_answers_binds_nothing() -> None:
    kept = Kept()
    kept.subscribe(
        "when {type = alarm, room = $room} exact scored aggregation mean threshold 0.4 as r "
        "publish {room = $room}"
    )

    entries = kept.publish({"@id": "e1", "type": "alarm", "colour": "red"})

    assert Failed("r", "e1", "the event says nothing under $room", number=0) in [
        entry.record for entry in entries
    ]


def test_each_event_may_lead_to_so_much() -> None:
    kept = Kept(limits=Limits(derived=2))
    kept.subscribe("when {a = 1} as r publish {b = 1}")

    entries = kept.publish(*[{"a": 1}] * 5)

    assert len([entry for entry in entries if entry.event]) == 10


def test_a_rule_may_be_throttled_like_any_subscription() -> None:
    kept = Kept()
    kept.subscribe("when {a = 1} at most once per 1 min as seldom publish {b = 1}")

    entries = kept.publish({"a": 1}, {"a": 1})

    assert len([entry for entry in entries if entry.event]) == 3


def test_an_unnamed_binding_is_taken_from_the_statement_that_answered() -> None:
    kept = Kept()
    kept.subscribe("when {room = 112} as alarm publish {where = $room}")

    entries = kept.publish({"@id": "e1", "room": ["9", "112"]})

    assert entries[1].event == Event.from_json({"@id": "e1>alarm", "where": "112"})


def _rearmed(record: object) -> bool:
    return isinstance(record, Published) and bool(record.rearmed)


def test_a_rule_and_its_text_mean_the_same() -> None:
    rule = parse("when {a = $x} as r publish {b = $x}")
    kept = Kept()
    kept.subscribe("when {a = $x} as r publish {b = $x}")

    assert kept.state.registry.get("r").subscription == rule
