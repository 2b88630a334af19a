"""Messages of the overlay's protocol: as they were, through pieces of any size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.broker.links import Arrival
from purport.broker.records import Origin
from purport.covering.interest import Interest
from purport.embedded.neighbours import Departure
from purport.model.event import Event
from purport.service.overlay.messages import (
    Interests,
    NotSpoken,
    Pieces,
    Refusal,
    Said,
    ToldEvent,
    in_pieces,
    read_hello,
    read_said,
    written,
)
from tests.strategies.temporal import contents

texts = st.text(max_size=200)
arrivals = st.builds(
    Arrival,
    st.builds(Event, contents.map(tuple), st.text("ab@>", min_size=1)),
    st.builds(Origin, texts, texts, st.integers(0, 2**53)),
    texts,
    st.none() | texts,
    st.lists(texts, max_size=2).map(tuple),
    st.lists(texts, max_size=2).map(tuple),
    st.floats(0, 1),
)
interests = st.builds(
    Interests,
    texts,
    st.lists(st.builds(Interest, texts, st.integers(0, 99)), max_size=3).map(tuple),
    st.lists(texts, max_size=3).map(tuple),
    st.booleans(),
)


@given(arrivals, st.integers(0, 2**53))
def test_an_event_arrives_as_it_was_told(arrival: Arrival, number: int) -> None:
    told = ToldEvent.of(Departure(number, arrival))

    [again] = read_said(written(Said(events=(told,)))).events

    assert again.number == number and again.arrival() == arrival


@given(interests, st.integers(150, 1_000))
def test_what_goes_in_pieces_is_put_together_again(said: Interests, message_bytes: int) -> None:
    pieces = Pieces()
    texts = list(in_pieces(written(Said(interests=said)), message_bytes))

    assert all(len(text.encode()) <= message_bytes for text in texts)
    *before, last = [pieces.take(read_said(text)) for text in texts]
    assert not any(before)
    assert last is not None and last.interests == said


def test_what_is_too_long_in_pieces_is_refused() -> None:
    pieces = Pieces(longest=100)
    with pytest.raises(NotSpoken, match="longer than 100 bytes"):
        for text in in_pieces("x" * 500, 200):
            pieces.take(read_said(text))


def test_a_hello_of_another_version_is_told_apart_whatever_else_it_says() -> None:
    with pytest.raises(
        NotSpoken, match=r"north speaks version 1 .* south speaks version 2"
    ) as found:
        read_hello('{"overlay": 2, "name": "south", "to": 7}', "north")
    assert found.value.code == "version"
    assert read_hello('{"refused": {"code": "c", "reason": "r"}}', "north") == Refusal("c", "r")
