"""What an engine knows of what is over does not stay with it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from purport import Event, parse
from purport.temporal.conjunction import ConjunctionNode
from purport.temporal.engine import TemporalEngine
from purport.temporal.progress import Progress

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
MANY, FEW = 2_000, 600
MEANWHILE = "{type = x, start during {type = y}}"


def at(second: float) -> datetime:
    return NOON + timedelta(seconds=second)


def take(engine: TemporalEngine, second: float, **said: object) -> int:
    """How many are told when something happens."""
    return len(engine.take(Event.from_json(said), at(second)).detections)


def asking(text: str) -> TemporalEngine:
    engine = TemporalEngine()
    engine.add("asked", parse(text))
    return engine


@dataclass
class Someone:
    is_over: bool = False


def test_who_is_over_does_not_wait() -> None:
    progress, patient = Progress(), Someone()
    progress.wait(7, 0, patient, lambda: None)
    progress.add_deadline(7, patient)

    for _ in range(MANY):
        soon_over = Someone()
        progress.wait(5, 0, soon_over, lambda: None)
        progress.add_deadline(5, soon_over)
        soon_over.is_over = True

    assert len(progress) < 2 * FEW
    assert progress.next_deadline == 7
    progress.watermark = 7
    assert [time for _, time, _ in progress.due()][-1] == 7


@pytest.mark.parametrize(
    "text",
    ["{departure during {type = y}}", "not {type = y} within 1000 days after {type = x}"],
)
def test_what_was_dropped_does_not_wait_for_its_time(text: str) -> None:
    engine = asking(text)

    for second in range(MANY):
        take(engine, second, type="x", departure="2099-01-01T00:00:00Z")
        if second % 100 == 0:
            engine.drop(most=10)

    assert len(engine._progress) < 2 * FEW


def test_who_has_unsubscribed_does_not_wait_for_a_time() -> None:
    engine = TemporalEngine()
    for number in range(MANY // 20):
        engine.add("asked", parse("{departure during {type = y}}"))
        for second in range(20 * number, 20 * number + 20):
            take(engine, second, departure="2099-01-01T00:00:00Z")
        engine.remove("asked")
        engine.drop(most=0)

    assert len(engine._progress) < 2 * FEW


def test_deadlines_that_have_passed_are_over_though_nobody_asks_for_them() -> None:
    engine = asking("not {type = y} within 1 s after {type = x}")

    told = sum(take(engine, 10 * number, type="x") for number in range(MANY))

    assert told == MANY - 1
    assert len(engine._progress) < 2 * FEW


def test_the_end_of_what_goes_on_is_told_to_those_who_are_still_there() -> None:
    engine = asking(MEANWHILE)
    began = {"@id": "y", "type": "y", "level": 1, "@start": at(0).isoformat()}
    engine.take(Event.from_json(began), at(0))

    for number in range(5):
        engine.add(f"other {number}", parse(f"{{start during {{level < {number + 2}}}}}"))
        engine.remove(f"other {number}")
    assert len(engine._going_on["y"]) == 1
    assert take(engine, 3, type="x") == 1
    engine.take(Event.from_json({"@id": "y", "@end": at(4).isoformat()}), at(4))

    assert not engine._going_on
    assert take(engine, 5, type="x") == 0


def test_witnesses_are_filed_by_what_somebody_asks_for() -> None:
    engine = asking("{type = x, start after {type = y, room = $room}}")
    take(engine, 0, type="y", room="hall", floor=1)
    [inner] = [
        node
        for node in engine._network.nodes()
        if isinstance(node, ConjunctionNode) and node.answered is not None
    ]

    engine.add("other", parse("{type = x, floor filter(=) {type = y, floor = $floor}}"))
    engine.add("third", parse("{type = x, end after {type = y, floor = $floor}}"))
    assert len(inner._partitions) == 2
    engine.remove("other")
    assert len(inner._partitions) == 2
    engine.remove("third")

    assert len(inner._partitions) == 1
    assert take(engine, 1, type="x", room="hall") == 1
