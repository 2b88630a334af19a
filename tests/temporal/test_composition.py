"""Compositions: what they look at, and what they keep."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from purport import Event, parse
from purport.temporal import coincidence, composition, instance
from purport.temporal.agreeing import Agreeing, equality_keys
from purport.temporal.coincidence import CoincidenceNode
from purport.temporal.engine import TemporalEngine
from purport.temporal.instance import Instance, is_same
from purport.temporal.occurrence import Occurrence
from purport.temporal.time_index import TimeIndex
from purport.temporal.told import Detection
from tests.strategies.temporal import matcher

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)


def at(second: float) -> datetime:
    return NOON + timedelta(seconds=second)


def take(engine: TemporalEngine, name: str, start: float, end: float, **said: object) -> list[str]:
    """The ids of what is told when something has happened."""
    times = {"@start": at(start).isoformat(), "@end": at(end).isoformat()}
    event = Event.from_json({"@id": name, "type": name[0], **times, **said})
    return [one.event.id or "" for one in engine.take(event, at(end)).detections]


def asking(text: str) -> TemporalEngine:
    engine = TemporalEngine()
    engine.add("asked", parse(text))
    return engine


@pytest.fixture
def asked_whether_equal(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """All values that were compared, and all chains that were made longer."""
    seen: list[object] = []
    equal, longer = instance.is_same, composition._with

    def noting(*values: object) -> object:
        seen.append(values)
        return equal(*values)  # type: ignore[arg-type]

    def noting_longer(*parts: object) -> Instance:
        seen.append(parts)
        return longer(*parts)  # type: ignore[arg-type]

    monkeypatch.setattr(instance, "is_same", noting)
    monkeypatch.setattr(composition, "_with", noting_longer)
    return seen


@pytest.mark.parametrize(
    "text",
    [
        "{type = a, p = $p} then {type = b, p = $p}",
        "{type = a, p = $p} then {type = b, p = $p} within 2000 s",
        "{p = $p} 2 times within 2000 s",
        "{type = a, p = $p} and {type = b, p = $p}",
        "{type = a, p = $p} and {type = b, p = $p} within 2000 s",
        "not {type = a, p = $p} within 1 s after {type = b, p = $p}",
    ],
)
def test_what_gives_other_values_to_names_is_not_looked_at(
    text: str, asked_whether_equal: list[object]
) -> None:
    engine = asking(text)
    for number in range(500):
        take(engine, f"a{number}", number, number, p=number)
    asked_whether_equal.clear()

    for number in range(10):
        take(engine, f"b{number}", 600 + 2 * number, 600 + 2 * number, p=number)

    assert len(asked_whether_equal) <= 40


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("{type = a, p = $p} then {type = b, p = $p}", 40),
        ("{p = $p} 3 times within 2000 s", 40),
        ("{type = a, p = $p} and {type = b, p = $p}", 50),
        ("{type = a} and {p = $p} and {p = 1} within 2000 s", 70),
    ],
)
def test_what_cannot_be_better_is_not_looked_at(
    text: str, most: int, asked_whether_equal: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = CoincidenceNode._made

    def noting(*parts: object) -> Instance:
        asked_whether_equal.append(parts)
        return made(*parts)  # type: ignore[arg-type]

    monkeypatch.setattr(CoincidenceNode, "_made", noting)
    engine = asking(text)
    for number in range(500):
        take(engine, f"a{number}", number, number, p=1)
    asked_whether_equal.clear()

    told = [take(engine, f"b{number}", 600 + number, 600 + number, p=1) for number in range(10)]

    assert told == [[f"b{number}"] for number in range(10)]
    assert len(asked_whether_equal) <= most


def told_with(engine: TemporalEngine, *events: tuple[str, float, float, str]) -> list[list[str]]:
    """What each answer rests on, of events with ids, times and types."""
    told: list[Detection] = []
    for name, start, end, kind in events:
        times = {"@start": at(start).isoformat(), "@end": at(end).isoformat()}
        event = Event.from_json({"@id": name, "type": kind, **times})
        told += engine.take(event, at(end)).detections
    return [[part.instance.about.id for part in one.instance.parts] for one in told]


def test_a_coincidence_is_told_with_each_of_its_parts_in_the_order_of_their_ends() -> None:
    engine = asking("{type = a} and {type = b} and {type = c} within 10 s")

    told = told_with(engine, ("c", 1, 2, "c"), ("b", 0, 3, "b"), ("a", 3, 10, "a"))

    assert told == [["c", "b", "a"]]


def test_an_event_that_answers_several_parts_is_taken_where_the_others_are_missing() -> None:
    engine = asking("({type = a} or {type = b}) and {type = a} and {type = c}")

    assert told_with(engine, ("a", 1, 1, "a"), ("b", 2, 2, "b"), ("c", 3, 3, "c")) == [
        ["a", "b", "c"]
    ]


def test_equal_parts_are_answered_by_different_events() -> None:
    engine = asking("{type = a} and {type = b} and {type = a} within 10 s")

    told = told_with(
        engine, ("a1", 1, 1, "a"), ("b1", 2, 2, "b"), ("b2", 3, 3, "b"), ("a2", 4, 4, "a")
    )

    assert [one[-1] for one in told] == ["a2"]


@pytest.mark.parametrize("what", ["{0} 2 times within 20 s", "{0} and {0}", "{0} and {{type = a}}"])
def test_what_is_about_one_event_is_not_several(what: str) -> None:
    engine = asking(what.format("({type = a} or not {type = b} within 5 s after {type = a})"))

    assert take(engine, "a", 1, 1) == []
    assert engine.pass_time(at(60)) == ()


@pytest.mark.parametrize("word", ["and", "then"])
def test_what_names_something_else_is_found_by_its_time(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = asking(f"{{type = a, p = $p}} {word} {{type = b, q = $q}} within 2 s")
    for number in range(500):
        take(engine, f"a{number}", number, number, p=number)
    assert take(engine, "b1", 500, 500, q=1) == ["b1"]
    looked_into: list[object] = []
    between = TimeIndex.between

    def noting(*asked: object, **options: object) -> object:
        looked_into.append(asked)
        return between(*asked, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(TimeIndex, "between", noting)

    assert take(engine, "b2", 501, 501, q=2) == ["b2"]
    assert len(looked_into) <= 20

    engine.drop(before=at(501))
    assert take(engine, "b3", 501, 501, q=3) == []
    assert take(engine, "a500", 501.5, 501.5, p=7) == (["a500"] if word == "and" else [])
    assert take(engine, "b4", 502, 502, q=4) == ["b4"]


def test_what_is_less_likely_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = TemporalEngine(matcher)
    engine.add("asked", parse("{kind = hot~} and {kind = cold}"))
    for number in range(300):
        take(engine, f"a{number}", number, number, kind=("warm", "mild")[number % 2])
    tried: list[object] = []
    likeliest = coincidence._likeliest

    def noting(*asked: object) -> object:
        tried.append(asked)
        return likeliest(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(coincidence, "_likeliest", noting)

    assert take(engine, "b", 400, 400, kind="cold") == ["b"]
    assert len(tried) <= 2


def test_what_is_not_near_is_not_looked_at(asked_whether_equal: list[object]) -> None:
    engine = asking("{type = a, p = $p} and {type = b, p = $p} within 2 s")
    for number in range(500):
        take(engine, f"a{number}", number, number, p=1)
    asked_whether_equal.clear()

    assert take(engine, "b", 500, 500, p=1) == ["b"]
    assert len(asked_whether_equal) <= 4


def test_what_ended_first_may_have_begun_last() -> None:
    engine = asking("({type = a} then {type = b}) then {type = c} within 16 s")
    take(engine, "a2", 5, 6)
    take(engine, "a1", 0, 10)
    take(engine, "b", 20, 20)

    assert take(engine, "c", 21, 21) == ["c"]


def test_what_began_in_time_counts_though_it_ends_much_later() -> None:
    engine = asking("{type = a} then {type = b} within 10 s")
    take(engine, "a", 1, 1)
    take(engine, "x", 5000, 5000)

    assert take(engine, "b", 5, 6000) == ["b"]


def test_of_what_names_other_values_that_which_began_last_lets_later_steps_go_on() -> None:
    engine = TemporalEngine(allowance=timedelta(seconds=100))
    engine.add("asked", parse("{type = a, p = $p} then {type = b} then {type = c} within 10 s"))
    take(engine, "c", 16, 16)
    take(engine, "a2", 7, 8, p=2)
    take(engine, "a1", 1, 9, p=1)

    assert take(engine, "b", 10, 10) == ["c"]


def names_of(engine: TemporalEngine, steps: Sequence[tuple[str, int]]) -> list[str]:
    return [told for name, second in steps for told in take(engine, name, second, second)]


@pytest.mark.parametrize(
    "text",
    [
        "{type = a} then {type = b} then {type = c}",
        "({type = a} then {type = b}) then {type = c}",
    ],
)
def test_what_goes_on_from_what_was_dropped_is_forgotten(text: str) -> None:
    engine = asking(text)
    names_of(engine, [("a", 1), ("b", 3)])

    engine.drop(before=at(2))

    assert names_of(engine, [("c", 4)]) == []
    assert names_of(engine, [("a2", 5), ("b2", 6), ("c2", 7)]) == ["c2"]


def test_nothing_is_missed_after_what_was_dropped() -> None:
    engine = asking("not {type = b} within 10 s after {type = a}")
    names_of(engine, [("a", 1), ("x", 3)])

    engine.drop(before=at(2))

    assert engine.pass_time(at(60)) == ()


VALUES = [
    *(Event.from_json({"p": said}).statements[0].value
      for said in (5, 5.0, "5", "5 m", "500 cm", "5 s", "Hall", "hall ", "true", True, "2026-01-01",
                   "2026-01-01T00:00:00Z", "http://a.org/x", 20, "20 °C", "68 °F")),
]  # fmt: skip


@pytest.mark.parametrize("asked", VALUES, ids=str)
def test_all_that_agree_are_found_however_they_are_written(asked: object) -> None:
    index = Agreeing()
    for number, value in enumerate(VALUES):
        about = Occurrence(str(number), 0, 0, ())
        index.add(0, Instance(about, 0, 0, 1.0, 0, (), (("p", value),)))

    found = {one.about.id for one in index.between((("p", asked),), None, None)}  # type: ignore[arg-type]

    assert found == {
        str(number)
        for number, value in enumerate(VALUES)
        if is_same(value, asked)  # type: ignore[arg-type]
    }
    assert all(equality_keys(value) for value in VALUES)


def test_what_is_known_only_after_the_deadline_is_missing_all_the_same() -> None:
    engine = TemporalEngine(matcher, allowance=timedelta(seconds=20))
    text = "not {type = reply, start during {type = shift}} within 5 s after {type = request}"
    engine.add("asked", parse(text))

    take(engine, "request", 0, 0, type="request")
    take(engine, "reply", 3, 3, type="reply")
    take(engine, "shift", 1, 10, type="shift")  # told when it is over, and not before

    assert [one.event.id for one in engine.pass_time(at(60))] == ["request"]


def test_what_is_known_by_the_deadline_is_not_missing() -> None:
    engine = TemporalEngine(matcher, allowance=timedelta(seconds=20))
    text = "not {type = reply, start during {type = shift}} within 5 s after {type = request}"
    engine.add("asked", parse(text))

    take(engine, "request", 0, 0, type="request")
    take(engine, "reply", 3, 3, type="reply")
    take(engine, "shift", 1, 5, type="shift")

    assert engine.pass_time(at(60)) == ()
