"""Objects are numbered as the events that they are."""

from random import Random

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


@given(st.lists(objects, max_size=8), st.randoms(use_true_random=False))
def test_the_first_places_do_not_depend_on_the_order_of_events(
    told: list[dict[str, object]], drawn: Random
) -> None:
    placed = [(one, f"s{number % 3}", number) for number, one in enumerate(told)]
    orders = []
    for _ in range(2):
        local = LocalStatements()
        for one in placed:
            local.said(*one)
        orders.append({row: place for _, row, place in local.rows()})
        drawn.shuffle(placed)

    assert orders[0] == orders[1]


def test_what_an_event_says_that_is_refused_gets_no_number() -> None:
    local = LocalStatements()

    with pytest.raises(EventError):
        local.said({"a": "word", "b": "half of \ud800"}, "s", 1)

    assert len(local) == 0


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
