"""Values refuse what they cannot be."""

from datetime import UTC, datetime, timedelta

import pytest

from purport import Event, Matcher, parse
from purport.model.clock import ManualClock, SystemClock
from purport.model.interval import Interval, read_instant
from purport.model.match import Mapping
from purport.model.notification import Notification
from purport.model.subscription import (
    Alternation,
    Approximation,
    Coincidence,
    Conjunction,
    Options,
    Post,
    Publish,
    Reference,
    Repetition,
    Sequence,
    Subscription,
)
from purport.model.term import Resource, Time
from purport.model.units import Quantity

NAIVE = datetime(2026, 1, 1)  # noqa: DTZ001 - the point is that it has no zone
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_an_interval_is_in_order_and_has_a_bound() -> None:
    assert Interval.at(NOON) == Interval(NOON, NOON)
    with pytest.raises(ValueError, match="before it starts"):
        Interval(NOON, NOON - timedelta(seconds=1))
    with pytest.raises(ValueError, match="a start or an end"):
        Interval(None, None)


def test_times_need_a_zone() -> None:
    for make in (Time, Interval.at, ManualClock):
        with pytest.raises(ValueError, match="time zone"):
            make(NAIVE)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2016-04-11", "2016-04-11T00:00:00+00:00"),
        ("2016-04-11Z", "2016-04-11T00:00:00+00:00"),
        ("2016-04-11+01:00", "2016-04-11T00:00:00+01:00"),
        ("2016-04-11T13:24:19", "2016-04-11T13:24:19+00:00"),
        ("2016-04-11T13:24:19-05:30", "2016-04-11T13:24:19-05:30"),
    ],
)
def test_a_date_is_its_first_moment_where_it_is_said(text: str, instant: str) -> None:
    assert read_instant(text) == datetime.fromisoformat(instant)


def test_numbers_are_finite_and_iris_absolute() -> None:
    for number in (float("nan"), float("inf"), 10**400):
        with pytest.raises(ValueError, match="too large"):
            Quantity(number)
    for text in ("", "no scheme", "a b:c", "<urn:x>"):
        with pytest.raises(ValueError, match="not an absolute IRI"):
            Resource(text)


def test_probabilities_and_options_stay_in_their_range() -> None:
    with pytest.raises(ValueError, match="probabilities"):
        Mapping((), 1.5)
    with pytest.raises(ValueError, match="threshold"):
        Options(threshold=-0.1)
    with pytest.raises(ValueError, match="top"):
        Options(top=0)


def test_patterns_have_parts_and_durations_have_a_length() -> None:
    one = parse("{a = 1}").pattern
    for make in (
        lambda: Conjunction(()),
        lambda: Alternation((one,)),
        lambda: Sequence((one,)),
        lambda: Coincidence((one,)),
        lambda: Coincidence((one, one), timedelta(0)),
        lambda: Repetition(one, 0, timedelta(seconds=1)),
        lambda: Repetition(one, 2, timedelta(0)),
        lambda: Subscription(one, name=" "),
        lambda: Approximation("no name"),
        lambda: Reference(""),
        lambda: Post("ftp://example.org"),
        lambda: Publish(()),
        lambda: Options(at_most_once_per=timedelta(0)),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            make()


def test_notifications_are_numbered_from_0() -> None:
    subscription = parse("{a = 1}")
    [match] = Matcher([subscription]).match(Event.from_json({"a": 1}))

    assert Notification("s1", 0, match).match.subscription == subscription
    with pytest.raises(ValueError, match="start at 0"):
        Notification("s1", -1, match)


def test_clocks_do_not_go_back() -> None:
    clock = ManualClock(NOON)

    assert clock.advance(timedelta(minutes=1)) == clock.now() == NOON + timedelta(minutes=1)
    with pytest.raises(ValueError, match="does not go back"):
        clock.advance(timedelta(seconds=-1))
    system = SystemClock()
    assert system.now() <= system.now()
