"""What is dropped is forgotten: live as in the history, and once told is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from purport.errors import EventError
from purport.model.event import Event
from purport.model.interval import time_of
from purport.model.language.parse import parse
from purport.model.subscription import Subscription
from purport.temporal.engine import TemporalEngine
from purport.temporal.history import EventHistory, MemoryHistory
from purport.temporal.occurrence import Occurrence
from tests.oracles.temporal_arrivals import Arrivals, Passing, Publication, Step
from tests.oracles.temporal_scan import Remembering
from tests.strategies.temporal import (
    LATEST,
    allowances,
    exact_subscriptions,
    matcher,
    near_subscriptions,
    streams,
)

Told = tuple[int, int, str]  # the step, the subscription and the event


@dataclass(frozen=True, slots=True)
class Drop:
    """What ended before a time is dropped, and the oldest beyond a count."""

    before: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class Restart:
    """An engine goes on from the history, and from what it is told of the one before."""


Move = Step | Drop | Restart
DROPS = st.builds(
    Drop, st.none() | st.integers(0, LATEST + 1), st.none() | st.integers(0, 3)
) | st.builds(Drop, st.integers(0, LATEST + 1), st.none())


@st.composite
def moves(draw: st.DrawFn) -> list[Move]:
    """Streams of events, with drops at any moment, and seldom a restart."""
    found: list[Move] = []
    for step in draw(streams(9)):
        if draw(st.sampled_from([False, False, True])):
            found.append(draw(DROPS))
        if draw(st.sampled_from([False] * 7 + [True])):
            found.append(Restart())
        found.append(step)
    return found


def named(subscriptions: Sequence[Subscription]) -> dict[str, Subscription]:
    return {str(number): one for number, one in enumerate(subscriptions)}


def told_anew(
    subscriptions: Sequence[Subscription], steps: list[Move], allowance: int
) -> list[Told]:
    """What asking everything anew would tell after each step, of what is kept.

    A drop tells nothing: what answers after it, and did not before, counts as told.
    """
    arrivals = Arrivals(subscriptions, Remembering(matcher()), allowance)
    done: set[tuple[int, str]] = set()
    told: list[Told] = []

    def look(number: int, *, is_told: bool = True) -> None:
        for place, subscription in enumerate(subscriptions):
            for name in sorted(arrivals.answers(subscription)):
                if (place, name) not in done:
                    done.add((place, name))
                    if is_told:
                        told.append((number, place, name))

    for number, step in enumerate(steps):
        try:
            match step:
                case Publication(event, at):
                    arrivals.take(event, at)
                case Passing(now):
                    for _ in arrivals.pass_time(now):
                        look(number)
                case Drop():
                    for name in _gone(arrivals.occurrences, step):
                        arrivals.forget(name)
                        done.difference_update([one for one in done if one[1] == name])
        except EventError:
            continue
        look(number, is_told=not isinstance(step, Drop))
    return told


def _gone(occurrences: list[Occurrence], drop: Drop) -> list[str]:
    ended = sorted((one.end, one.id) for one in occurrences if one.end is not None)
    by_age = [name for end, name in ended if drop.before is not None and end < drop.before]
    by_count = 0 if drop.most is None else len(ended) - drop.most
    return [name for _, name in ended[: max(len(by_age), by_count)]]


def told_live(
    subscriptions: Sequence[Subscription], steps: list[Move], allowance: int
) -> list[Told]:
    """What an engine tells."""

    def begun(history: MemoryHistory) -> TemporalEngine:
        return TemporalEngine(matcher, history=history, allowance=timedelta(microseconds=allowance))

    history = MemoryHistory()
    engine = begun(history)
    engine.add_all(named(subscriptions))
    told: list[Told] = []
    for number, step in enumerate(steps):
        try:
            match step:
                case Publication(event, at):
                    detections = engine.take(event, time_of(at)).detections
                case Passing(now):
                    detections = engine.pass_time(time_of(now))
                case Drop(before, most):
                    engine.drop(before=None if before is None else time_of(before), most=most)
                    continue
                case Restart():
                    engine = _restarted(engine, begun(history), named(subscriptions))
                    continue
        except EventError:
            continue
        told += [(number, int(one.subscription), one.event.id or "") for one in detections]
    return told


def _restarted(
    before: TemporalEngine, after: TemporalEngine, subscriptions: dict[str, Subscription]
) -> TemporalEngine:
    after.mark = before.mark
    after.add_all(subscriptions, dict.fromkeys(subscriptions, 0), before.told_of_dropped)
    return after


@given(st.lists(exact_subscriptions, min_size=1, max_size=2), moves(), allowances)
def test_exact_subscriptions_are_told_what_asking_for_what_is_kept_would_tell(
    subscriptions: list[Subscription], steps: list[Move], allowance: int
) -> None:
    anew = told_anew(subscriptions, steps, allowance)

    assert sorted(told_live(subscriptions, steps, allowance)) == sorted(anew)


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(near_subscriptions, min_size=1, max_size=2), moves(), allowances)
def test_near_subscriptions_are_told_what_asking_for_what_is_kept_would_tell(
    subscriptions: list[Subscription], steps: list[Move], allowance: int
) -> None:
    anew = told_anew(subscriptions, steps, allowance)

    assert sorted(told_live(subscriptions, steps, allowance)) == sorted(anew)


def at(second: float) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)


def take(
    engine: TemporalEngine, name: str, start: float | None = None, end: float | None = None
) -> list[str]:
    """Who is told of an event whose kind is the first letter of its id."""
    said = {"@id": name} if start is None else {"@id": name, "type": name[0]}
    times = {"@start": start, "@end": end}
    said |= {key: at(time).isoformat() for key, time in times.items() if time is not None}
    return [one.event.id or "" for one in engine.take(Event.from_json(said), at(100)).detections]


def engine_of(text: str, history: EventHistory | None = None) -> TemporalEngine:
    engine = TemporalEngine(history=history)
    engine.add("s", parse(text))
    return engine


def test_what_goes_on_is_not_told_again_when_others_are_dropped() -> None:
    engine = engine_of("{type = x} or {type = y}")
    take(engine, "a1", 0, 1)
    told = [*take(engine, "x1", 5), *take(engine, "a2", 3, 20), *take(engine, "a3", 21, 22)]

    assert engine.drop(before=at(10)) == 1
    assert told == ["x1"]
    assert take(engine, "x1", None, 30) == []


def test_who_rested_on_what_is_dropped_is_not_told_again_after_a_restart() -> None:
    engine = engine_of("{type = x, start during {type = y}}")
    take(engine, "y1", 1, 6)
    told = take(engine, "x1", 5, 7)
    engine.drop(before=at(7))
    kept = engine.told_of_dropped
    again = TemporalEngine(history=engine.history, mark=engine.mark)
    again.add_all({"s": parse("{type = x, start during {type = y}}")}, {"s": 0}, kept)

    assert (told, kept) == (["x1"], {"s": ["x1"]})
    assert take(again, "y2", 3, 9) == []


def test_what_is_published_again_after_it_was_dropped_is_told_again() -> None:
    engine = engine_of("{type = x} or {type = y}")
    told = [*take(engine, "x1", 5, 5), *take(engine, "x1", 5, 5), *take(engine, "y1", 6, 6)]

    engine.drop(most=1)

    assert told == ["x1", "y1"]
    assert take(engine, "x1", 7, 7) == ["x1"]
    assert take(engine, "y1", 6, 6) == []


def test_what_was_dropped_is_no_witness_though_another_ended_just_then() -> None:
    engine = engine_of("{type = x, start after {type = a}}")
    take(engine, "a1", 0, 1)
    take(engine, "b1", 0, 1)

    assert engine.drop(most=1) == 1
    assert [one.id for one in engine.history.all()] == ["b1"]
    assert take(engine, "x1", 5, 5) == []


def test_what_was_dropped_is_no_witness_of_those_that_say_the_same() -> None:
    engine = engine_of("{start after {type = a, room = $room}}")
    for name, time in (("a1", 1), ("a2", 2)):
        said = {"@id": name, "type": "a", "room": name, "@start": at(time).isoformat()}
        engine.take(Event.from_json({**said, "@end": said["@start"]}), at(100))

    engine.drop(most=1)

    for room, is_told in (("a1", False), ("a2", True)):
        found = engine.take(Event.from_json({"type": "x", "room": room}), at(100)).detections
        assert bool(found) is is_told


def test_what_goes_on_waits_on_though_it_began_before_what_is_dropped() -> None:
    engine = engine_of("{type = x, start during {type = y}}")
    take(engine, "x1", 0)
    take(engine, "o1", 1, 1)
    take(engine, "o2", 12, 12)

    assert engine.drop(before=at(10)) == 1
    assert take(engine, "y1", -1, 15) == ["x1"]


def test_what_waits_leaves_when_it_is_dropped_itself() -> None:
    engine = engine_of("{type = x, start during {type = y}}")
    take(engine, "x1", 5, 6)
    take(engine, "o1", 7, 7)

    assert engine.drop(most=1) == 1
    assert take(engine, "y1", 4, 15) == []


def test_nothing_is_missing_after_what_was_dropped() -> None:
    engine = engine_of("not {type = z} within 30 s after {type = b}")
    take(engine, "b1", 0, 0)

    engine.drop(most=0)

    assert engine.next_deadline is None
    assert engine.pass_time(at(31)) == ()


def test_a_sequence_follows_on_what_is_left_of_its_beginnings() -> None:
    engine = engine_of("{type = a} then {type = b} then {type = c} within 20 s")
    take(engine, "a1", 0, 5)
    take(engine, "a2", 1, 3)
    take(engine, "b1", 6, 6)

    engine.drop(before=at(4))

    assert take(engine, "c1", 20, 20) == ["c1"]
    assert take(engine, "c2", 21, 21) == []


class Counted(MemoryHistory):
    """A history that counts what is read from it."""

    read = 0

    def find(self, identifier: str) -> Occurrence | None:
        self.read += 1
        return super().find(identifier)

    def all(self) -> Iterator[Occurrence]:
        for one in super().all():
            self.read += 1
            yield one


@pytest.mark.parametrize(
    "text",
    [
        "{type = x, start after(5 s) {type = a}, start during {type = y}}",
        "{type = x, end filter(=, last 2) {type = a}}",
        "{type = a} then {type = x} within 9 s",
        "{type = a} and {type = x} within 9 s",
        "{type = a, count() over 5 s > 3}",
        "{type = x, interval during {type = y}} or {type = a} 3 times within 2 s",
    ],
)
def test_to_drop_little_reads_nothing_of_what_is_kept(text: str) -> None:
    history = Counted()
    engine = engine_of(text, history)
    for number in range(50):
        take(engine, f"{'axy'[number % 3]}{number}", number, number + 1)
    history.read = 0

    assert engine.drop(most=45) == 5
    assert history.read == 0
