"""Which matches are told."""

from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import Event, Matcher, parse
from purport.broker.gate import Gate, asked_of, contraries
from purport.model.subscription import Options, Subscription


def test_at_most_once_per_time() -> None:
    options = Options(at_most_once_per=timedelta(seconds=1))
    gate = Gate().told(5_000_000)

    assert Gate().opens(options, 0)
    assert not gate.opens(options, 5_999_999)
    assert gate.opens(options, 6_000_000)


@given(st.lists(st.integers(0, 3_000_000), min_size=1), st.integers(1, 1_000_000))
def test_what_is_told_lies_at_least_so_far_apart(steps: list[int], microseconds: int) -> None:
    options = Options(at_most_once_per=timedelta(microseconds=microseconds))
    gate, at, told = Gate(), 0, []
    for step in steps:
        at += step
        if gate.opens(options, at):
            gate = gate.told(at)
            told.append(at)

    assert told[0] == steps[0]
    assert all(b - a >= microseconds for a, b in pairwise(told))


def test_on_change_tells_again_only_after_the_opposite() -> None:
    options = Options(on_change=True)
    gate = Gate().told(0)

    assert not gate.opens(options, 9)
    assert gate.rearmed().opens(options, 9)


@pytest.mark.parametrize(
    ("text", "matched", "opposite", "irrelevant"),
    [
        ("{room = 112, heat > 25}", {"room": 112, "heat": 26}, {"room": 112, "heat": 25},
         {"room": 113, "heat": 2}),
        ("{heat > 25, room = 112}", {"room": 112, "heat": 26}, {"room": 112, "heat": 25},
         {"room": 113, "heat": 2}),
        ("{door = front, state = open}", {"door": "front", "state": "open"},
         {"door": "front", "state": "closed"}, {"door": "back", "state": "closed"}),
        ("{heat in [18, 25]}", {"heat": 20}, {"heat": 26}, {"cold": 26}),
        ("{heat in [18, 25]}", {"heat": 20}, {"heat": 17}, {"cold": 17}),
        ("{state in (open, ajar)}", {"state": "ajar"}, {"state": "shut"}, {"door": "shut"}),
        ("{state != open}", {"state": "shut"}, {"state": "open"}, {"door": "open"}),
    ],
)  # fmt: skip
def test_the_opposite_is_of_the_same_thing(
    text: str,
    matched: dict[str, object],
    opposite: dict[str, object],
    irrelevant: dict[str, object],
) -> None:
    subscription = parse(f"{text} on change")

    def rearms(event: dict[str, object]) -> bool:
        return bool(Matcher(contraries(subscription)).match(Event.from_json(event)))

    assert Matcher([asked_of(subscription)]).match(Event.from_json(matched))
    assert (rearms(matched), rearms(opposite), rearms(irrelevant)) == (False, True, False)


def test_a_binding_at_the_end_is_no_condition() -> None:
    rule = parse("when {state = open, room = $room} on change as r publish {room = $room}")
    matcher = Matcher(contraries(rule))

    assert matcher.match(Event.from_json({"state": "closed", "room": 1}))
    assert not matcher.match(Event.from_json({"state": "open", "room": 1}))


def test_what_an_engine_is_asked_has_nothing_that_is_for_the_gate() -> None:
    subscription = parse(
        "{a = 1} threshold 0.7 expires 2030-01-01 at most once per 5 s on change as x"
    )

    asked = asked_of(subscription)

    assert asked == Subscription(subscription.pattern, Options(threshold=0.7))


def test_in_a_rule_a_reference_asks_for_anything_under_the_name() -> None:
    asked = asked_of(parse("when {type = alarm, room~ = $place} publish {place = $place}"))
    matcher = Matcher([asked])

    assert matcher.match(Event.from_json({"type": "alarm", "room": 112}))
    assert matcher.match(Event.from_json({"type": "alarm", "room": "kitchen"}))
    assert not matcher.match(Event.from_json({"type": "alarm", "colour": "red"}))
