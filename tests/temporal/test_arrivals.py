"""What is told as events are published, worked out by hand: the oracle says the same."""

import pytest
from hypothesis import given, settings

from purport import Event, EventError, parse
from purport.model import subscription as ast
from purport.model.interval import Interval, time_of
from purport.temporal.occurrence import Occurrence
from tests.oracles.temporal_arrivals import (
    Arrivals,
    Passing,
    Publication,
    Step,
    Told,
    told_over_time,
)
from tests.strategies import temporal
from tests.temporal.by_hand import MATCHER, found, one


def publication(identifier: str, start: int | None, end: int | None, at: int = 0) -> Publication:
    bounds = (None if bound is None else time_of(bound) for bound in (start, end))
    said = one(identifier, 0, 0).statements
    return Publication(Event(said, identifier, Interval(*bounds)), at)


def arrived(*steps: Step, allowance: int = 0, text: str = "{kind = x}") -> Arrivals:
    arrivals = Arrivals([parse(text)], MATCHER, allowance)
    for step in steps:
        if isinstance(step, Publication):
            arrivals.take(step.event, step.at)
        else:
            list(arrivals.pass_time(step.now))
    return arrivals


def test_what_is_older_than_the_watermark_is_late_and_what_is_as_old_is_not() -> None:
    arrivals = arrived(publication("x", 0, 9), publication("y", 0, 9), publication("z", 0, 8))

    assert {each.id: each.is_late for each in arrivals.occurrences} == {
        "x": False,
        "y": False,
        "z": True,
    }
    assert arrivals.watermark == 9


def test_an_allowance_holds_the_watermark_back() -> None:
    steps = publication("x", 0, 9), publication("y", 0, 7), publication("z", 0, 6)
    arrivals = arrived(*steps, allowance=2)

    assert [each.id for each in arrivals.occurrences if each.is_late] == ["z"]
    assert arrivals.watermark == 7


def test_a_late_end_is_at_the_watermark() -> None:
    arrivals = arrived(publication("x", 1, None), publication("y", 0, 9), publication("x", None, 4))

    assert (arrivals.known["x"].end, arrivals.known["x"].is_late) == (9, False)
    assert arrivals.take(publication("x", None, 4).event, 0) is None


def test_events_without_a_time_come_one_after_the_other() -> None:
    untimed = [Publication(Event(one(name, 0, 0).statements, name), 5) for name in ("a", "b", "c")]
    arrivals = arrived(*untimed)

    assert [each.start for each in arrivals.occurrences] == [5, 6, 7]


@pytest.mark.parametrize(
    "wrong",
    [
        publication("q", None, 5),
        publication("x", None, 0),
        publication("y", 0, 5),
        publication("y", None, 3),
        publication("x", 1, 5),
    ],
)
def test_wrong_reports_change_nothing(wrong: Publication) -> None:
    arrivals = arrived(publication("x", 1, None), publication("y", 0, 3))
    before = arrivals.occurrences, arrivals.watermark

    with pytest.raises(EventError):
        arrivals.take(wrong.event, wrong.at)

    assert (arrivals.occurrences, arrivals.watermark) == before


def test_time_that_passes_decides_absences_and_makes_what_comes_too_late() -> None:
    text = "not {kind = y} within 0.005 ms after {kind = x}"

    assert arrived(publication("x", 0, 10), Passing(14), text=text).watermark == 10
    assert arrived(publication("x", 0, 10), Passing(15), text=text).watermark == 10
    arrivals = arrived(publication("x", 0, 10), Passing(16), publication("y", 0, 15), text=text)
    assert arrivals.watermark == 16
    assert arrivals.known["y"].is_late
    waiting = arrived(publication("x", 0, 10), Passing(16), allowance=2, text=text)
    assert waiting.watermark == 8


def test_time_that_passes_moves_nothing_where_no_deadline_is_pending() -> None:
    assert arrived(publication("x", 0, 10), Passing(99)).watermark == 10


def test_each_answer_is_told_once_when_its_last_event_has_come() -> None:
    subscriptions = [
        parse("{kind = x, start after {kind = y}}"),
        parse("not {kind = z} within 0.005 ms after {kind = x}"),
    ]
    steps = [
        publication("x", 10, 20),
        publication("y", 0, 9),
        publication("y2", 0, 8),
        publication("w", 0, 25),
        publication("w2", 0, 26),
    ]

    told = told_over_time(subscriptions, steps, matcher=MATCHER, allowance=0)
    patient = told_over_time(subscriptions, steps, matcher=MATCHER, allowance=15)

    assert told == [Told(4, 1, "x", 1.0)]
    assert patient == [Told(1, 0, "x", 1.0)]


def told_and_true(text: str, *events: Occurrence) -> tuple[set[str], set[str]]:
    """Who is told of as events arrive in this order, and who answers in the end."""
    subscription = parse(text)
    steps = [Publication(each.event, 0) for each in events]
    told = told_over_time([subscription], steps, matcher=MATCHER)
    return {each.event for each in told}, set(found(text, *events))


def test_the_last_events_are_those_that_were_known_at_the_moment() -> None:
    text = "{kind = x, level filter(>, last 1) {kind = y, start during {kind = z}}}"
    low, high = one("y1", 0, 3, level=1), one("y2", 4, 5, level=9)
    x, later = one("x", 6, 6, level=5), one("z2", 4, 9)

    assert told_and_true(text, one("z1", 0, 3), low, high, x, later) == ({"x"}, {"x"})


def test_what_is_missing_is_what_was_not_known_in_time() -> None:
    text = "not {kind = y, start during {kind = z}} within 0.003 ms after {kind = x}"
    events = one("x", 0, 1), one("y", 2, 3), one("w", 5, 5), one("z", 2, 9)

    assert told_and_true(text, *events) == ({"x"}, {"x"})


# ---- any subscription to any events ----


@pytest.mark.parametrize("near", [False, True])
def test_whatever_is_told_is_told_in_the_end_where_nothing_can_be_taken_back(near: bool) -> None:
    @settings(max_examples=60)
    @given(
        temporal.conjunctions(near=near, depth=2, is_positive=True)
        | temporal.patterns(near=near, depth=1, is_positive=True),
        temporal.streams(is_plain=True),
        temporal.allowances,
    )
    def check(pattern: ast.Pattern, steps: list[Step], allowance: int) -> None:
        subscription = ast.Subscription(pattern)
        arrivals = Arrivals([subscription], MATCHER, allowance)
        told: dict[str, float] = {}
        for step in steps:
            assert isinstance(step, Publication)
            arrivals.take(step.event, step.at)
            told |= arrivals.answers(subscription)

        assert told.keys() == arrivals.answers(subscription).keys()

    check()
