"""The live engine, against asking everything anew after each step."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from purport import Event, parse
from purport.errors import EventError
from purport.matching.matcher import Matcher
from purport.model.interval import time_of
from purport.model.subscription import Subscription
from purport.temporal.engine import TemporalEngine
from tests.oracles.temporal_scan import Passing, Publication, Step, told_over_time
from tests.strategies.temporal import (
    FewWords,
    allowances,
    exact_subscriptions,
    near_subscriptions,
    streams,
)


def matcher() -> Matcher:
    return Matcher(measure=FewWords())


def told_live(
    subscriptions: Sequence[Subscription], steps: Sequence[Step], allowance: int
) -> list[tuple[int, int, str]]:
    """The step, the subscription and the event of all that is told."""
    engine = TemporalEngine(matcher, allowance=timedelta(microseconds=allowance))
    engine.add_all(named(subscriptions))
    return [one for number, step in enumerate(steps) for one in told_by(engine, number, step)]


def named(subscriptions: Sequence[Subscription]) -> dict[str, Subscription]:
    return {str(number): one for number, one in enumerate(subscriptions)}


def told_by(engine: TemporalEngine, number: int, step: Step) -> list[tuple[int, int, str]]:
    try:
        match step:
            case Publication(event, at):
                detections = engine.take(event, time_of(at)).detections
            case Passing(now):
                detections = engine.pass_time(time_of(now))
    except EventError:
        return []
    return [(number, int(one.subscription), one.event.id or "") for one in detections]


@given(st.lists(exact_subscriptions, min_size=1, max_size=2), streams(), allowances)
def test_exact_subscriptions_are_told_what_asking_anew_would_tell(
    subscriptions: list[Subscription], steps: list[Step], allowance: int
) -> None:
    anew = told_over_time(subscriptions, steps, matcher=matcher(), allowance=allowance)

    live = told_live(subscriptions, steps, allowance)

    assert sorted(live) == sorted((one.step, one.subscription, one.event) for one in anew)


@given(st.lists(near_subscriptions, min_size=1, max_size=2), streams(), allowances)
def test_approximate_subscriptions_are_told_what_asking_anew_would_tell(
    subscriptions: list[Subscription], steps: list[Step], allowance: int
) -> None:
    anew = told_over_time(subscriptions, steps, matcher=matcher(), allowance=allowance)

    live = told_live(subscriptions, steps, allowance)

    assert sorted(live) == sorted((one.step, one.subscription, one.event) for one in anew)


@given(st.lists(exact_subscriptions, min_size=1, max_size=2), streams(), allowances, st.data())
def test_an_engine_that_starts_again_goes_on_as_if_nothing_had_been(
    subscriptions: list[Subscription], steps: list[Step], allowance: int, data: st.DataObject
) -> None:
    middle = data.draw(st.integers(0, len(steps)))
    anew = told_over_time(subscriptions, steps, matcher=matcher(), allowance=allowance)
    engine = TemporalEngine(matcher, allowance=timedelta(microseconds=allowance))
    engine.add_all(named(subscriptions))
    told = [one for number in range(middle) for one in told_by(engine, number, steps[number])]

    again = TemporalEngine(
        matcher,
        history=engine.history,
        allowance=timedelta(microseconds=allowance),
        mark=engine.mark,
    )
    again.add_all(named(subscriptions), dict.fromkeys(named(subscriptions), 0))
    for number in range(middle, len(steps)):
        told += told_by(again, number, steps[number])

    assert sorted(told) == sorted((one.step, one.subscription, one.event) for one in anew)


@given(st.lists(exact_subscriptions, min_size=2, max_size=2), streams(), st.data())
def test_what_happened_before_somebody_subscribed_counts_and_is_not_told(
    subscriptions: list[Subscription], steps: list[Step], data: st.DataObject
) -> None:
    middle = data.draw(st.integers(0, len(steps)))
    first, second = subscriptions
    engine = TemporalEngine(matcher)
    engine.add("0", first)
    told = [one for number in range(middle) for one in told_by(engine, number, steps[number])]
    since = engine.sequence

    engine.add("1", second)
    for number in range(middle, len(steps)):
        told += told_by(engine, number, steps[number])

    arrived = {one.id for one in engine.history.all() if one.sequence <= since}
    anew = told_over_time(subscriptions, steps, matcher=matcher())
    wanted = [
        (one.step, one.subscription, one.event)
        for one in anew
        if one.subscription == 0 or one.event not in arrived
    ]
    assert sorted(told) == sorted(wanted)


@given(st.lists(exact_subscriptions, min_size=2, max_size=4), streams())
def test_who_unsubscribes_leaves_nothing_behind(
    subscriptions: list[Subscription], steps: list[Step]
) -> None:
    engine = TemporalEngine(matcher)
    engine.add_all(named(subscriptions))
    for number, step in enumerate(steps):
        told_by(engine, number, step)

    for name in named(subscriptions):
        engine.remove(name)

    assert engine.size == 0


def test_who_asks_for_another_number_of_mappings_leaves_the_others_what_they_ask() -> None:
    engine = TemporalEngine(lambda: Matcher(measure="exact"))
    for top in (2, 3):
        engine.add(str(top), parse(f"{{x = 1, start after(10 s) {{y = 2}}}} top {top}"))

    engine.remove("3")

    at = datetime(2026, 1, 1, tzinfo=UTC)
    engine.take(Event.from_json({"y": 2}), at)
    [found] = engine.take(Event.from_json({"x": 1}), at + timedelta(seconds=3)).detections
    assert found.subscription == "2"
