"""Things that happened, written down by hand, and who answers a subscription by a scan of them."""

import math

from purport import Event, parse
from purport.temporal.occurrence import Occurrence
from tests.oracles.temporal_scan import Remembering, answers
from tests.strategies import temporal

MATCHER = Remembering(temporal.matcher())


def one(
    identifier: str, start: int, end: int | None, *, is_in_parts: bool = False, **said: object
) -> Occurrence:
    """Something that happened; its kind is the first letter of its id, if nothing else is said."""
    content = Event.from_json({"kind": identifier[0], **said}).statements
    return Occurrence(identifier, start, end, content, is_in_parts=is_in_parts)


def found(text: str, *occurrences: Occurrence, watermark: float = math.inf) -> dict[str, float]:
    """Who answers a subscription, and how likely; in it 1 µs is 0.001 ms."""
    return answers(parse(text), occurrences, matcher=MATCHER, watermark=watermark)


def answering(text: str, *occurrences: Occurrence, watermark: float = math.inf) -> str:
    """The ids of those who answer a subscription, in order."""
    return " ".join(sorted(found(text, *occurrences, watermark=watermark)))
