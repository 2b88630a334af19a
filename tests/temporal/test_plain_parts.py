"""What single events must say for a pattern in time, against what its engine filters them by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import parse
from purport.model.language.write import write
from purport.model.subscription import Subscription
from purport.temporal.engine import TemporalEngine
from purport.temporal.plain_parts import plain_parts
from tests.strategies.temporal import exact_subscriptions, matcher, near_subscriptions


@given(st.one_of(exact_subscriptions, near_subscriptions))
def test_they_are_what_the_engine_has_all_filters_ask(subscription: Subscription) -> None:
    engine = TemporalEngine(matcher)
    engine.add("it", subscription)
    parts = plain_parts(subscription)

    if parts is not None:
        assert set(parts) == set(engine.filters.asked) and not engine.filters.lets_all_pass
        assert all(parse(write(one)) == one for one in parts)


@given(exact_subscriptions)
def test_what_is_exact_wants_all_events_only_if_a_filter_lets_all_pass(
    subscription: Subscription,
) -> None:
    engine = TemporalEngine(matcher)
    engine.add("it", subscription)

    assert (plain_parts(subscription) is None) == engine.filters.lets_all_pass


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("{a = 1} then {b = 2} within 10 s", ["{a = 1}", "{b = 2}"]),
        ("{a = 1, start after(10 s) {b = $a, c = 3}}", ["{c = 3}", "{a = 1}"]),
        ("not {a = 1} within 10 s after {b = 2}", ["{a = 1}", "{b = 2}"]),
        ("{avg(heat) over 5 min > 25, room = hall}", ["{room = hall}"]),
        ("{a = x~} 3 times within 2 s threshold 0.7", ["{a = x~} threshold 0.7"]),
        ("{interval overlaps {a = 1}}", None),
        ("{room = $r} then {room = $r} within 10 s", None),
    ],
)
def test_they_are_in_every_brace(text: str, parts: list[str] | None) -> None:
    found = plain_parts(parse(text))

    assert (None if found is None else [write(one) for one in found]) == parts
