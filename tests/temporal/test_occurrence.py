"""What publications tell of time, and what is known of an event by that."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from purport.errors import EventError
from purport.model.event import Event, Statement
from purport.model.interval import Interval, time_of
from purport.model.term import Text
from purport.model.units import Quantity
from purport.temporal.occurrence import Occurrence, Report, ReportPart, report_of, told_id

HOUR = timedelta(hours=1)
HOT = Statement(Text("kind"), Text("hot"))
HALL = Statement(Text("room"), Text("hall"))


def bounded(start: int | None, end: int | None, *said: Statement) -> Event:
    bounds = (None if one is None else time_of(one) for one in (start, end))
    return Event(said, "e", Interval(*bounds))


@pytest.mark.parametrize(
    ("start", "end", "part", "time"),
    [
        (1, 4, ReportPart.WHOLE, 4),
        (3, 3, ReportPart.WHOLE, 3),
        (1, None, ReportPart.START, 1),
        (None, 4, ReportPart.END, 4),
    ],
)
def test_bounds_say_which_part_is_told_and_when_it_could_be(
    start: int | None, end: int | None, part: ReportPart, time: int
) -> None:
    report = report_of(bounded(start, end, HOT), at=99)

    assert report == Report(part, "e", start, end, (HOT,))
    assert report.time == time


def test_an_event_without_a_time_happens_when_it_is_published() -> None:
    assert report_of(Event((HOT,), "e"), at=7) == Report(ReportPart.WHOLE, "e", 7, 7, (HOT,))


def test_the_end_of_an_unnamed_event_is_refused() -> None:
    with pytest.raises(EventError, match="needs an id"):
        report_of(Event((HOT,), None, Interval(None, time_of(3))), at=0)


@pytest.mark.parametrize(
    ("told", "part", "start", "end"),
    [
        ({"KBN_START_TIME": 2}, ReportPart.START, 2000, None),
        ({"kbn_end_time": 5}, ReportPart.END, None, 5000),
        ({"KBN_START_TIME": 2, "KBN_END_TIME": 5}, ReportPart.WHOLE, 2000, 5000),
        ({"KBN_PUB_TYPE": "START", "KBN_START_TIME": 2}, ReportPart.START, 2000, None),
        (
            {"KBN_PUB_TYPE": "start", "KBN_START_TIME": 2, "KBN_END_TIME": 5},
            ReportPart.START,
            2000,
            None,
        ),
        ({"KBN_PUB_TYPE": "END", "KBN_END_TIME": "5"}, ReportPart.END, None, 5000),
        ({"KBN_PUB_TYPE": "INSTANT", "KBN_START_TIME": 2}, ReportPart.WHOLE, 2000, 2000),
        ({"KBN_PUB_TYPE": "INSTANT", "KBN_END_TIME": 5}, ReportPart.WHOLE, 5000, 5000),
        ({"KBN_PUB_TYPE": "INSTANT"}, ReportPart.WHOLE, 7, 7),
        (
            {"KBN_PUB_TYPE": "INSTANT", "KBN_START_TIME": 5, "KBN_END_TIME": 5},
            ReportPart.WHOLE,
            5000,
            5000,
        ),
        ({"KBN_START_TIME": "1970-01-01T00:00:01Z"}, ReportPart.START, 1_000_000, None),
        (
            {"KBN_START_TIME": datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)},
            ReportPart.START,
            1_000_000,
            None,
        ),
        ({}, ReportPart.WHOLE, 7, 7),
    ],
)
def test_the_attributes_of_kbn_say_the_same_as_bounds_and_are_not_part_of_the_content(
    told: dict[str, object], part: ReportPart, start: int | None, end: int | None
) -> None:
    event = Event.from_json({"PUB_ID": "e", "kind": "hot", **told})

    assert report_of(event, at=7) == Report(part, "e", start, end, (HOT,))


def test_an_interval_and_an_id_go_before_what_attributes_say() -> None:
    said = Event.from_json({"PUB_ID": "other", "KBN_START_TIME": 9}).statements

    assert report_of(Event(said, "e"), at=7).id == "e"
    timed = report_of(Event(said, "e", Interval.at(time_of(3))), at=7)
    assert (timed.start, timed.end, timed.statements) == (3, 3, said)


@pytest.mark.parametrize(
    "told",
    [
        {"KBN_PUB_TYPE": "START"},
        {"KBN_PUB_TYPE": "START", "KBN_END_TIME": 5},
        {"KBN_PUB_TYPE": "END", "KBN_START_TIME": 5},
        {"KBN_PUB_TYPE": "MIDDLE", "KBN_START_TIME": 5},
        {"KBN_PUB_TYPE": "MIDDLE"},
        {"KBN_START_TIME": 6, "KBN_END_TIME": 5},
        {"KBN_PUB_TYPE": "INSTANT", "KBN_START_TIME": 5, "KBN_END_TIME": 6},
        {"KBN_START_TIME": "0001-01-01T00:00:00+01:00"},
        {"KBN_END_TIME": "9999-12-31T23:30:00-01:00"},
        {"KBN_START_TIME": "noon"},
        {"KBN_START_TIME": "--5"},
        {"KBN_START_TIME": 1e300},
        {"KBN_START_TIME": True},
        {"KBN_START_TIME": Quantity(5, None), "KBN_END_TIME": "5 s"},
    ],
)
def test_attributes_of_kbn_that_say_nothing_sensible_are_refused(told: dict[str, object]) -> None:
    with pytest.raises(EventError):
        report_of(Event.from_json({"PUB_ID": "e", **told}), at=7)


def test_times_that_utc_does_not_have_are_refused() -> None:
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    report = report_of(Event((HOT,), "e", Interval(first, last)), at=0)
    assert report.start is not None and report.end is not None
    assert (time_of(report.start), time_of(report.end)) == (first, last)

    for bound in (first.replace(tzinfo=timezone(HOUR)), last.replace(tzinfo=timezone(-HOUR))):
        with pytest.raises(EventError, match="is not between the years 1 and 9999"):
            report_of(Event((HOT,), "e", Interval.at(bound)), at=0)


def test_the_id_of_an_event_is_its_own_or_the_one_that_kbn_names() -> None:
    named = Event.from_json({"PUB_ID": "f1", "kind": "hot"})

    assert told_id(named) == "f1"
    assert told_id(named.with_id("e")) == "e"
    assert told_id(Event((HOT,))) is None
    assert told_id(Event.from_json({"PUB_ID": ""})) is None
    assert told_id(Event(named.statements, None, Interval.at(time_of(3)))) is None


def test_a_start_and_an_end_make_one_event() -> None:
    begun = report_of(bounded(1, None, HOT), at=0).begun("e", 3)
    ended = report_of(bounded(None, 4, HALL, HOT), at=0).ends(begun)

    assert begun == Occurrence("e", 1, None, (HOT,), 3, is_in_parts=True)
    assert ended == Occurrence("e", 1, 4, (HOT, HALL), 3, is_in_parts=True)
    assert ended.event == bounded(1, 4, HOT, HALL)


def test_what_the_start_says_twice_stays_as_it_is() -> None:
    begun = report_of(bounded(1, None, HOT, HOT), at=0).begun("e", 0)
    ended = report_of(bounded(None, 4, HALL), at=0).ends(begun)

    assert ended is not None and ended.statements == (HOT, HOT, HALL)
    assert report_of(bounded(1, None, HOT, HOT), at=0).ends(ended) is None


def test_an_event_may_end_when_it_starts() -> None:
    begun = report_of(bounded(3, None, HOT), at=0).begun("e", 0)
    ended = report_of(bounded(None, 3), at=0).ends(begun)

    assert ended is not None and (ended.start, ended.end) == (3, 3)


@pytest.mark.parametrize(
    "again",
    [bounded(1, None, HOT), bounded(None, 4, HALL), bounded(1, 4, HOT, HALL)],
)
def test_what_is_told_again_adds_nothing(again: Event) -> None:
    known = Occurrence("e", 1, 4, (HOT, HALL), is_in_parts=True)

    assert report_of(again, at=0).ends(known) is None


def test_what_was_told_without_a_time_may_be_told_again_later() -> None:
    said = Event((HOT,), "e")
    known = report_of(said, at=3).begun("e", 1)

    assert report_of(said, at=9).ends(known) is None
    assert report_of(said, at=3).ends(known) is None
    for other in (Event((HALL,), "e"), bounded(9, 9, HOT)):
        with pytest.raises(EventError, match="told before"):
            report_of(other, at=9).ends(known)


@pytest.mark.parametrize(
    "other",
    [
        bounded(2, None, HOT),
        bounded(None, 5, HALL),
        bounded(1, 5, HOT, HALL),
        bounded(1, 4, HOT),
        bounded(1, None, HALL),
        bounded(None, 4, Statement(Text("room"), Text("attic"))),
        Event((HOT, HALL), "e"),
    ],
)
def test_what_contradicts_an_earlier_report_is_refused(other: Event) -> None:
    known = Occurrence("e", 1, 4, (HOT, HALL), is_in_parts=True)

    with pytest.raises(EventError, match="told before"):
        report_of(other, at=0).ends(known)


def test_an_end_without_a_start_is_refused() -> None:
    with pytest.raises(EventError, match="nobody said that it began"):
        report_of(bounded(None, 4, HOT), at=0).begun("e", 0)


def test_an_end_before_the_start_is_refused() -> None:
    begun = report_of(bounded(3, None, HOT), at=0).begun("e", 0)

    with pytest.raises(EventError, match="before it starts"):
        report_of(bounded(None, 2), at=0).ends(begun)
