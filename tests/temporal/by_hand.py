"""Things that happened, written down by hand, and who answers a subscription.

A scan of everything says who; an engine that hears of it says the same, and so does a history.
"""

import math
from collections.abc import Sequence
from datetime import timedelta

import pytest

from purport import Event, parse
from purport.model.subscription import Conjunction, Subscription
from purport.temporal.engine import Mark, TemporalEngine
from purport.temporal.history import MemoryHistory
from purport.temporal.occurrence import Occurrence, Report
from purport.temporal.stored_answers import StoredAnswers
from purport.temporal.told import Detection
from tests.oracles.temporal_scan import Remembering, answers
from tests.strategies import temporal

MATCHER = Remembering(temporal.matcher())
_LONG = timedelta(days=1)


def one(
    identifier: str, start: int, end: int | None, *, is_in_parts: bool = False, **said: object
) -> Occurrence:
    """Something that happened; its kind is the first letter of its id, if nothing else is said."""
    content = Event.from_json({"kind": identifier[0], **said}).statements
    return Occurrence(identifier, start, end, content, is_in_parts=is_in_parts)


def found(text: str, *occurrences: Occurrence, watermark: float = math.inf) -> dict[str, float]:
    """Who answers a subscription, and how likely; in it 1 µs is 0.001 ms."""
    subscription = parse(text)
    scanned = answers(subscription, occurrences, matcher=MATCHER, watermark=watermark)
    if watermark == math.inf:
        for some in (occurrences, occurrences[::-1]):
            assert told_live(subscription, some) == set(scanned), text
        if isinstance(subscription.pattern, Conjunction):
            assert asked_of_history(subscription, occurrences) == pytest.approx(scanned), text
    return scanned


def answering(text: str, *occurrences: Occurrence, watermark: float = math.inf) -> str:
    """The ids of those who answer a subscription, in order."""
    return " ".join(sorted(found(text, *occurrences, watermark=watermark)))


def told_live(subscription: Subscription, occurrences: Sequence[Occurrence]) -> set[str]:
    """Who is told by an engine when all has happened."""
    engine = TemporalEngine(temporal.matcher, allowance=_LONG)
    engine.add("asked", subscription)
    told: list[Detection] = []
    for each in occurrences:
        if not each.is_late:
            for report in _reports(each):
                told += engine.take_report(report).detections
    told += engine.go_on(Mark(_LONG // timedelta(microseconds=1)))
    return {detection.event.id or "" for detection in told}


def _reports(each: Occurrence) -> list[Report]:
    if each.end is None or not each.is_in_parts:
        return [Report.of(each.id, each.start, each.end, each.statements)]
    return [
        Report.of(each.id, each.start, None, each.statements),
        Report.of(each.id, None, each.end, ()),
    ]


def asked_of_history(
    subscription: Subscription, occurrences: Sequence[Occurrence]
) -> dict[str, float]:
    """Who answers, as a history says, and how likely."""
    history = MemoryHistory()
    history.keep(occurrences, 1)
    stored = StoredAnswers(history, temporal.matcher())
    asked = ((each.id, stored.answer(subscription, each)) for each in occurrences)
    return {name: probability for name, probability in asked if probability is not None}
