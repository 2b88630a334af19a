"""The live engine, against asking everything anew after each step."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from purport.errors import EventError, InvalidInput, NotSupportedYet
from purport.matching.matcher import Matcher
from purport.model import subscription as ast
from purport.model.event import Event, Statement
from purport.model.interval import Interval, time_of
from purport.model.language.parse import parse
from purport.model.subscription import Subscription
from purport.temporal.engine import Mark, Taken, TemporalEngine
from purport.temporal.told import Detection
from purport.temporal.windows import MOST_NAMED
from tests.oracles.temporal_arrivals import Passing, Publication, Step, Told, told_over_time
from tests.oracles.temporal_explained import is_explained
from tests.oracles.temporal_scan import Remembering, Scan
from tests.strategies.temporal import (
    aggregates,
    allowances,
    exact_subscriptions,
    matcher,
    near_subscriptions,
    plain_predicates,
    streams,
)

_MATCHER = Remembering(matcher())


def told_live(
    subscriptions: Sequence[Subscription], steps: Sequence[Step], allowance: int
) -> list[Told]:
    """What an engine tells of all steps."""
    engine = TemporalEngine(matcher, allowance=timedelta(microseconds=allowance))
    engine.add_all(named(subscriptions))
    return [
        one
        for number, step in enumerate(steps)
        for one in told_by(engine, number, step, subscriptions)
    ]


def named(subscriptions: Sequence[Subscription]) -> dict[str, Subscription]:
    return {str(number): one for number, one in enumerate(subscriptions)}


def told_by(
    engine: TemporalEngine, number: int, step: Step, subscriptions: Sequence[Subscription]
) -> list[Told]:
    """What an engine tells of a step; what it tells with it has to be why."""
    told = []
    for one in detections_of(engine, step):
        asked = int(one.subscription)
        assert is_explained(
            one.instance,
            subscriptions[asked],
            engine.history.all(),
            matcher=_MATCHER,
            watermark=engine.mark.watermark,
        )
        told.append(Told(number, asked, one.event.id or "", one.probability))
    return told


def detections_of(engine: TemporalEngine, step: Step) -> Sequence[Detection]:
    try:
        match step:
            case Publication(event, at):
                return engine.take(event, time_of(at)).detections
            case Passing(now):
                return engine.pass_time(time_of(now))
    except EventError:
        return ()


def by_place(told: Sequence[Told]) -> dict[tuple[int, int, str], float]:
    """How likely each is said to be; nothing is told twice."""
    found = {(one.step, one.subscription, one.event): one.probability for one in told}
    assert len(found) == len(told)
    return found


def whole(name: str, start: int, end: int) -> Publication:
    """Something that is told when it is over; its kind is the first letter of its id."""
    event = Event.from_json({"kind": name[0]})
    return Publication(Event(event.statements, name, Interval(time_of(start), time_of(end))), 0)


LONG_AND_SHORT = [whole("c", 3, 20), whole("c2", 3, 4), whole("b2", 4, 4), whole("b1", 5, 5)]
AFTER_BOTH = "{kind = x, start after {kind = b, start during {kind = c}}}"


@given(st.lists(exact_subscriptions, min_size=1, max_size=2), streams(), allowances)
@example(  # of b1, the latest, it is not known in time that it happened during c
    [parse(f"not {AFTER_BOTH} within 0.005 ms after {{kind = t}}")],
    [whole("t", 0, 6), *LONG_AND_SHORT, whole("x", 10, 10), whole("end", 500, 500)],
    100,
)
@example(
    [parse(f"{{kind = q, level filter(>, last 1) {AFTER_BOTH}}}")],
    [*LONG_AND_SHORT, whole("x", 10, 10), whole("q", 12, 12), whole("end", 500, 500)],
    100,
)
def test_exact_subscriptions_are_told_what_asking_anew_would_tell(
    subscriptions: list[Subscription], steps: list[Step], allowance: int
) -> None:
    anew = told_over_time(subscriptions, steps, matcher=_MATCHER, allowance=allowance)

    live = told_live(subscriptions, steps, allowance)

    assert by_place(live) == pytest.approx(by_place(anew), rel=1e-5)


@given(st.lists(near_subscriptions, min_size=1, max_size=2), streams(), allowances)
def test_approximate_subscriptions_are_told_what_asking_anew_would_tell(
    subscriptions: list[Subscription], steps: list[Step], allowance: int
) -> None:
    anew = told_over_time(subscriptions, steps, matcher=_MATCHER, allowance=allowance)

    live = told_live(subscriptions, steps, allowance)

    assert by_place(live) == pytest.approx(by_place(anew), rel=1e-5)


@given(st.lists(exact_subscriptions, min_size=1, max_size=2), streams(), allowances, st.data())
def test_an_engine_that_starts_again_goes_on_as_if_nothing_had_been(
    subscriptions: list[Subscription], steps: list[Step], allowance: int, data: st.DataObject
) -> None:
    middle = data.draw(st.integers(0, len(steps)))
    anew = told_over_time(subscriptions, steps, matcher=_MATCHER, allowance=allowance)
    engine = TemporalEngine(matcher, allowance=timedelta(microseconds=allowance))
    engine.add_all(named(subscriptions))
    told = [
        one
        for number in range(middle)
        for one in told_by(engine, number, steps[number], subscriptions)
    ]

    again = TemporalEngine(
        matcher,
        history=engine.history,
        allowance=timedelta(microseconds=allowance),
        mark=engine.mark,
    )
    again.add_all(named(subscriptions), dict.fromkeys(named(subscriptions), 0))
    for number in range(middle, len(steps)):
        told += told_by(again, number, steps[number], subscriptions)

    assert by_place(told) == pytest.approx(by_place(anew), rel=1e-5)


@given(st.lists(exact_subscriptions, min_size=2, max_size=2), streams(), st.data())
def test_what_happened_before_somebody_subscribed_counts_and_is_not_told(
    subscriptions: list[Subscription], steps: list[Step], data: st.DataObject
) -> None:
    middle = data.draw(st.integers(0, len(steps)))
    first, second = subscriptions
    engine = TemporalEngine(matcher)
    engine.add("0", first)
    told = [
        one
        for number in range(middle)
        for one in told_by(engine, number, steps[number], subscriptions)
    ]
    since = engine.sequence

    engine.add("1", second)
    for number in range(middle, len(steps)):
        told += told_by(engine, number, steps[number], subscriptions)

    arrived = {one.id for one in engine.history.all() if one.sequence <= since}
    anew = told_over_time(subscriptions, steps, matcher=_MATCHER, since=[0, middle])
    wanted = [one for one in anew if one.subscription == 0 or one.event not in arrived]
    assert by_place(told) == pytest.approx(by_place(wanted), rel=1e-5)


@given(st.lists(exact_subscriptions, min_size=2, max_size=4), streams())
def test_what_is_refused_leaves_nothing_behind(
    subscriptions: list[Subscription], steps: list[Step]
) -> None:
    engine = TemporalEngine(matcher)
    *others, first = subscriptions
    engine.add_all(named(others))
    before = engine.size
    refused = ast.Sequence((first.pattern, parse("{kind = b, level > $level}").pattern), None)

    for ask in (engine.check, lambda one: engine.add_all({"a": first, "b": one})):
        with pytest.raises(InvalidInput, match="refers to the value of another event"):
            ask(Subscription(refused))
        assert (engine.size, len(engine)) == (before, len(others))
    for step in steps:
        detections_of(engine, step)
    for name in named(others):
        engine.remove(name)
    assert engine.size == 0


@given(st.lists(exact_subscriptions, min_size=2, max_size=4), streams())
def test_who_unsubscribes_leaves_nothing_behind(
    subscriptions: list[Subscription], steps: list[Step]
) -> None:
    engine = TemporalEngine(matcher)
    engine.add_all(named(subscriptions))
    for number, step in enumerate(steps):
        told_by(engine, number, step, subscriptions)

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
    assert engine.next_deadline is None


def test_an_end_that_came_too_late_may_be_told_again() -> None:
    engine = TemporalEngine(allowance=timedelta(microseconds=1))
    said = whole("x", 0, 0).event.statements

    def take(start: int | None, end: int | None, said: tuple[Statement, ...] = ()) -> Taken:
        bounds = (None if time is None else time_of(time) for time in (start, end))
        return engine.take(Event(said, "x", Interval(*bounds)), time_of(50))

    take(1, None, said)
    engine.take(whole("y", 0, 9).event, time_of(50))
    first, again = take(None, 4, said), take(None, 4)

    assert first.occurrence == again.occurrence
    assert (again.occurrence.end, first.is_known, again.is_known) == (8, False, True)
    for end, other in ((9, ()), (0, ()), (4, whole("z", 0, 0).event.statements)):
        with pytest.raises(EventError):
            take(None, end, other)


def test_who_is_gone_does_not_move_time() -> None:
    engine = TemporalEngine()
    for name, seconds in (("soon", 1), ("later", 5)):
        engine.add(name, parse(f"not {{kind = z}} within {seconds} s after {{kind = b}}"))
    engine.take(whole("b", 0, 0).event, time_of(0))

    engine.remove("soon")

    assert engine.next_deadline == time_of(5_000_001)
    engine.pass_time(time_of(2_000_000))
    assert engine.watermark == time_of(0)


def test_who_hardly_resembles_the_event_around_is_none_of_the_last() -> None:
    engine = TemporalEngine(matcher)
    engine.add("s", parse("{level filter(=, last 1) {kind = $kind~}} threshold 0.3"))
    found: list[Detection] = []
    for name, kind, level in (("a", "hot", 0), ("b", "cold", 1), ("c", "warm", 0)):
        said = Event.from_json({"@id": name, "kind": kind, "level": level})
        found += engine.take(said, time_of(0)).detections

    assert [one.event.id for one in found] == ["c"]


def test_what_has_no_value_to_compare_is_among_the_last_all_the_same() -> None:
    asked = parse("{level~ filter(=, last 1) {start after {kind = hot}}} threshold 0.3")
    said: list[dict[str, object]] = [
        {"kind": "hot", "level": 1},
        {"kind": "hot", "level": 0},
        {"kind": "hot"},
        {"kind": "hot", "level": 0},
    ]
    steps = [instant(f"e{second}", second, **one) for second, one in enumerate(said)]

    assert told_live([asked], steps, 0) == []
    assert [one.event for one in told_live([asked], [*steps[:2], *steps[3:]], 0)] == ["e3"]


def test_what_happens_several_times_may_have_told_the_names_but_once() -> None:
    asked = parse("({kind = hot} or {level = $s}) 3 times within 9 s")
    said: list[dict[str, object]] = [
        {"kind": "hot", "level": 0},
        {"kind": "warm", "level": 1},
        {"kind": "hot", "level": 2},
    ]
    steps = [instant(f"e{second}", second, **one) for second, one in enumerate(said)]

    assert [one.event for one in told_live([asked], steps, 0)] == ["e2"]
    assert told_live([asked], [*steps[1:], instant("e3", 3, level=7)], 0) == []


def test_what_is_missing_is_known_no_sooner_than_what_it_should_have_come_after() -> None:
    missing = "not {kind = x} within 1 s after {kind = a, interval before {kind = b}}"
    asked = parse(f"not ({missing}) within 1 s after {{kind = a}}")
    steps = [instant("a", 1, kind="a"), instant("b", 3, kind="b"), instant("c", 9, kind="c")]

    assert [one.event for one in told_live([asked], steps, 0)] == ["a"]


def test_the_window_counts_an_event_as_it_is_best_read() -> None:
    asked = parse("{sum(level~) over 5 s = 3} threshold 0.3 top 2")
    steps = [instant("a", 1, level=1, degree=7), instant("b", 2, level=2)]

    assert [one.event for one in told_live([asked], steps, 0)] == ["b"]


def parts_of(text: str, *said: Mapping[str, object]) -> list[list[tuple[str, str]]]:
    """The places and events of all parts that are told with each answer; one event a second."""
    engine = TemporalEngine(matcher)
    engine.add("asked", parse(text))
    found: list[Detection] = []
    for second, one in enumerate(said):
        step = instant(f"e{second}", second, **one)
        found += engine.take(step.event, time_of(step.at)).detections
    return [
        [(part.place, part.instance.about.id) for part in one.instance.all_parts()] for one in found
    ]


def test_an_aggregate_names_the_events_that_it_was_taken_over_and_what_they_came_to() -> None:
    text = "{room = hall, avg(level) over 5 s > 25 °C}"
    said: list[dict[str, object]] = [
        {"room": "hall", "level": "24 °C"},
        {"room": "attic", "level": "90 °C"},
        {"room": "hall", "level": "broken"},
        {"room": "hall", "level": "80.6 °F"},
    ]

    place = "avg(level) over 5 s > 25 °C (25.5 °C from 2 values)"
    assert parts_of(text, *said) == [[(place, "e0"), (place, "e3")]]


def test_an_aggregate_of_the_event_alone_names_it() -> None:
    place = "max(level) over 5 s > 1 (2 from 1 value)"

    assert parts_of("{max(level) over 5 s > 1}", {"level": 2}) == [[(place, "e0")]]


def test_of_a_large_window_the_latest_are_named() -> None:
    told = parts_of("{count() over 1 min > 11}", *[{"kind": "hot"}] * 13)

    assert [[name for _, name in one] for one in told] == [
        [f"e{number}" for number in range(last - 9, last + 1)] for last in (11, 12)
    ]
    assert told[1][0][0] == "count() over 1 min > 11 (13)"


def test_of_a_large_window_the_greatest_is_named_with_the_latest() -> None:
    levels = [1, 9, *[2] * 11]

    told = parts_of("{max(level) over 1 min = 9}", *[{"level": level} for level in levels])

    assert [name for _, name in told[-1]] == ["e1", *[f"e{number}" for number in range(4, 13)]]


def test_an_aggregate_in_inner_braces_is_told_behind_its_witness() -> None:
    inner = "{kind = hot, count() over 5 s > 1}"
    told = parts_of(
        f"{{kind = cold, start after {inner}}}", {"kind": "hot"}, {"kind": "hot"}, {"kind": "cold"}
    )

    place = "count() over 5 s > 1 (2)"
    assert told == [[(f"start after {inner}", "e1"), (place, "e0"), (place, "e1")]]


def test_what_has_an_aggregate_is_heard_of_when_it_starts_like_any_event() -> None:
    asked = parse("not {kind = x, count() over 9 s > 0} within 5 s after {kind = a}")
    began = Event.from_json({"@id": "x", "@start": time_of(3_000_000).isoformat(), "kind": "x"})
    ended = Event.from_json({"@id": "x", "@end": time_of(30_000_000).isoformat()})
    steps = [
        instant("a", 1, kind="a"),
        Publication(began, 3_000_000),
        Publication(ended, 30_000_000),
    ]

    assert told_live([asked], steps, 0) == []


@given(
    aggregates(near=True),
    st.lists(plain_predicates(near=True), max_size=1),
    streams(most=14, is_plain=True),
)
def test_an_aggregate_names_the_latest_events_of_its_window(
    asked: ast.Predicate, plain: list[ast.Predicate], steps: list[Step]
) -> None:
    subscription = Subscription(ast.Conjunction((*plain, asked)), ast.Options(threshold=0.3))
    engine = TemporalEngine(matcher, allowance=timedelta(microseconds=100))
    engine.add("asked", subscription)
    told = [one for step in steps for one in detections_of(engine, step)]
    told += engine.go_on(Mark(200))

    assert isinstance(asked, ast.WindowAggregate)
    for one in told:
        about = one.instance.about
        scan = Scan.over(subscription, engine.history.all(), _MATCHER)
        window = scan.window(asked, tuple(plain), about, about.start)
        named = [part.instance.about.id for part in one.instance.parts]
        counted = [name for name, values in window if values]
        assert named[-1] == about.id
        assert set(named[:-1]) <= set(counted)
        assert len(set(named)) == len(named) <= MOST_NAMED
        if asked.function not in (ast.Function.MIN, ast.Function.MAX):
            assert named[:-1] == counted[1 - MOST_NAMED :]


@pytest.mark.parametrize(
    "text",
    [
        "{kind = vpn, start after(10 s) {kind = link, port = $port, count() over 10 s > 2}}",
        "{start after {kind = a, start during {level < $level, max(level) over 1 s > 2}}}",
        "{level filter(>, last 2) {room = $room, avg(level) over 10 s > 2}} then {kind = b}",
    ],
)
def test_an_aggregate_beside_a_reference_in_inner_braces_is_refused(text: str) -> None:
    with pytest.raises(NotSupportedYet, match=r"an aggregate beside a reference .*\(in \{[^{]*\$"):
        TemporalEngine(matcher).check(parse(text))


def instant(identifier: str, second: int, **said: object) -> Publication:
    at = time_of(second * 1_000_000)
    return Publication(
        Event.from_json(
            {"@id": identifier, "@start": at.isoformat(), "@end": at.isoformat(), **said}
        ),
        second * 1_000_000,
    )


def test_the_likeliest_of_the_answers_of_one_publication_is_told() -> None:
    asked = parse("{kind = hot~} or {start after {kind = hot~}}")
    steps = [instant("a", 1, kind="hot"), instant("b", 2, kind="warm")]

    told = told_live([asked], steps, 0)

    assert [(one.event, one.probability) for one in told] == [("a", 1.0), ("b", 1.0)]


def test_equal_inner_filters_are_evaluated_once() -> None:
    counting = Matcher(measure="exact")
    engine = TemporalEngine(lambda: counting)
    for number in range(1, 51):
        engine.add(f"after {number}", parse(f"{{start after({number} s) {{a < 8}}}}"))
        engine.add(f"last {number}", parse(f"{{a filter(<, last {number}) {{a < 8}}}}"))
        engine.add(f"then {number}", parse(f"{{a < 8}} then {{a < 8}} within {number} s"))
    before = counting.visited

    for second in range(20):
        step = instant(f"e{second}", second, a=second % 10)
        engine.take(step.event, time_of(step.at))

    assert len(counting.subscriptions) == len(engine.filters.asked) == 1
    assert counting.visited - before <= 20
