"""How much is done for an event that says a great deal: as much as it says, and no more."""

import sys
from types import FrameType

import pytest

from purport.matching.matcher import Matcher
from purport.model.event import Event
from purport.model.language.parse import parse

ASKED = [
    "{heat > 30}", "{device~ = laptop~}", "{heat in [3, 5]}", "{heat~ > 9000, device = laptop}",
]  # fmt: skip


def calls_for(matcher: Matcher, attributes: int) -> int:
    """The calls of functions, ours and Python's own, to match an event of new attributes."""
    event = Event.from_json({f"a{attributes}x{n}": n for n in range(attributes)})
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        found = matcher.match(event)
    finally:
        sys.setprofile(None)
    assert found == []
    return calls


@pytest.mark.parametrize("asked", ASKED)
def test_the_work_for_an_event_grows_no_faster_than_what_it_says(asked: str) -> None:
    matcher = Matcher()
    matcher.add(parse(asked))
    calls_for(matcher, 10)  # what is compiled once has been compiled

    few, many = calls_for(matcher, 100), calls_for(matcher, 800)

    assert many <= few * 8 * 1.3
