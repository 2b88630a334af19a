"""What covers what among subscriptions to events in time, against scans of all that happened."""

from collections.abc import Sequence
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from purport.covering.covers import covers
from purport.errors import EventError
from purport.model.interval import time_of
from purport.model.subscription import Subscription
from purport.temporal.asked import is_in_time
from purport.temporal.engine import TemporalEngine
from tests.oracles.temporal_arrivals import Publication, Step, told_over_time
from tests.oracles.temporal_scan import Remembering
from tests.strategies.covering import Pair
from tests.strategies.covering_in_time import pairs_in_time
from tests.strategies.temporal import allowances, matcher, streams

_MATCHER = Remembering(matcher())


def _scanned(pair: Pair, steps: Sequence[Step], allowance: int) -> list[set[str]]:
    """The events that each of a pair is told of, by scanning all that happened after each step.

    They are asked together: what a clock makes late depends on what all wait for.
    """
    in_time = [one for one in pair if is_in_time(one.pattern)]
    told = told_over_time(in_time, steps, matcher=_MATCHER, allowance=allowance)
    return [
        {found.event for found in told if in_time[found.subscription] is one}
        if is_in_time(one.pattern)
        else _published(one, steps)
        for one in pair
    ]


def _published(asked: Subscription, steps: Sequence[Step]) -> set[str]:
    """The events of which some publication by itself answers."""
    events = (step.event for step in steps if isinstance(step, Publication))
    return {
        event.id or ""
        for event in events
        if any(one.probability >= 0.5 for one in _MATCHER.mappings(event, asked, 1))
    }


def _told_live(pair: Pair, steps: Sequence[Step], allowance: int) -> list[set[str]]:
    """The events that an engine tells each of a pair of."""
    engine = TemporalEngine(matcher, allowance=timedelta(microseconds=allowance))
    engine.add_all(dict(zip(("general", "specific"), pair, strict=True)))
    told: dict[str, set[str]] = {"general": set(), "specific": set()}
    for step in steps:
        try:
            found = (
                engine.take(step.event, time_of(step.at)).detections
                if isinstance(step, Publication)
                else engine.pass_time(time_of(step.now))
            )
        except EventError:
            continue
        for one in found:
            told[one.subscription].add(one.event.id or "")
    return list(told.values())


@given(pairs_in_time, st.data())
def test_what_a_pattern_is_told_of_no_cover_of_it_misses(pair: Pair, data: st.DataObject) -> None:
    if not covers(*pair):
        return
    for _ in range(3):
        steps, allowance = data.draw(streams()), data.draw(allowances)
        general, specific = _scanned(pair, steps, allowance)
        assert specific <= general


@given(pairs_in_time.filter(lambda pair: is_in_time(pair.general.pattern)), st.data())
def test_an_engine_tells_who_asks_for_more_of_all_that_it_tells_others(
    pair: Pair, data: st.DataObject
) -> None:
    if not covers(*pair):
        return
    for _ in range(3):
        steps, allowance = data.draw(streams(most=9)), data.draw(allowances)
        general, specific = _told_live(pair, steps, allowance)
        assert specific <= general
