"""Objects are numbered as the events that they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.errors import EventError
from purport.model.event import Event
from purport.pipeline.archive.local_statements import LocalStatements
from tests.matching.test_batches import objects


@given(st.lists(objects, max_size=8))
def test_objects_say_what_the_events_say_that_they_are(told: list[dict[str, object]]) -> None:
    ours, theirs = LocalStatements(), LocalStatements()

    for offset, one in enumerate(told):
        event = Event.from_json(one)
        assert ours.said(one, "s", offset) == theirs.said(event, "s", offset)

    assert list(ours.rows()) == list(theirs.rows())
    assert len(ours) == len(list(ours.rows())) - 1


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ({"a": 10**400}, "'a': the number is too large"),
        ({" ": "x"}, "an attribute has an empty name"),
        ({"@odd": 1}, "the key '@odd' is reserved"),
        ({"a": "half of \ud800"}, "the text is not UTF-8"),
        ({"a": float("inf")}, "the number is too large"),
        (dict.fromkeys(map(str, range(10_001)), 1), "at most 10,000 statements"),
    ],
)
def test_what_is_no_event_is_refused(told: dict[str, object], complaint: str) -> None:
    with pytest.raises(EventError, match=complaint):
        LocalStatements().said(told, "s", 1)
