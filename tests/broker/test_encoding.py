"""Entries as a journal on disk keeps them."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport import Event, Statement
from purport.broker.encoding import EncodedEntry, checksum_of, decoded, encoded, is_whole
from purport.broker.journal import JournalError
from purport.broker.records import (
    Acknowledged,
    Addressee,
    Answered,
    AnswerTold,
    Cancelled,
    Delivery,
    Detected,
    Entry,
    Failed,
    Overflow,
    Paused,
    Published,
    Resumed,
    Scheduled,
    Subscribed,
    TimePassed,
    Told,
    ToldChange,
    Unsubscribed,
    Updated,
    UpdateFailed,
    Witness,
)
from purport.sparql import Dataset
from tests.strategies.terms import attributes, terms

events = st.builds(
    Event,
    st.lists(st.builds(Statement, attributes, terms), max_size=5).map(tuple),
    st.one_of(st.none(), st.text(st.characters(codec="utf-8"), min_size=1)),
)
probabilities = st.floats(0, 1)
texts = st.text(st.characters(codec="utf-8"))
lines = st.lists(texts, max_size=3).map(tuple)
answered = st.builds(
    Answered,
    probabilities,
    st.lists(st.integers(0, 9), max_size=3).map(tuple),
    st.lists(probabilities, max_size=3).map(tuple),
)
told = st.lists(
    st.builds(Told, texts, st.integers(0), answered, st.lists(answered, max_size=2).map(tuple)),
    max_size=3,
).map(tuple)
witnesses = st.lists(st.builds(Witness, texts, texts, probabilities), max_size=3).map(tuple)
about_events = st.one_of(
    st.builds(Published, told, lines, texts, st.none() | texts, lines, lines, probabilities),
    st.builds(Detected, texts, lines, told, witnesses, lines, lines),
    st.builds(TimePassed, st.integers(0, 2**60)),
    st.builds(Failed, texts, texts, texts, lines),
)
bindings = st.lists(st.dictionaries(texts, texts, max_size=3), max_size=3).map(tuple)
addressees = st.lists(st.builds(Addressee, texts, st.integers(0)), max_size=3).map(tuple)
changes = st.lists(
    st.builds(ToldChange, addressees, bindings, bindings, st.booleans()), max_size=3
).map(tuple)
about_the_graph = st.one_of(
    st.builds(Updated, texts, lines, lines, lines, lines, changes, st.none() | texts),
    st.builds(Updated, texts, delayed=st.none() | st.integers(1), causes=lines, rules=lines),
    st.builds(AnswerTold, changes),
    st.builds(Scheduled, texts, st.integers(0, 2**60), st.none() | texts),
    st.builds(Cancelled, st.integers(1)),
    st.builds(UpdateFailed, st.integers(1), texts),
)
about_subscriptions = st.one_of(
    st.builds(
        Subscribed,
        texts,
        texts,
        st.none() | texts,
        st.booleans(),
        st.sampled_from(Delivery),
        st.integers(1),
        st.sampled_from(Overflow),
    ),
    st.builds(Unsubscribed, texts, st.sampled_from(["asked", "expired", "ended"])),
    st.builds(Paused, texts, st.sampled_from(["asked", "overflow", "forbidden"])),
    st.builds(Resumed, texts),
    st.builds(Acknowledged, texts, st.integers(), st.booleans()),
)
entries = st.builds(
    Entry,
    st.integers(1, 2**60),
    st.integers(0, 2**60),
    st.one_of(about_events, about_the_graph, about_subscriptions),
    st.none() | events,
)


@given(entries)
def test_an_entry_is_read_as_it_was_written(entry: Entry) -> None:
    assert decoded(encoded(entry)) == entry


@given(entries, st.data())
def test_an_entry_that_was_changed_is_known_to_be(entry: Entry, data: st.DataObject) -> None:
    kept = encoded(entry)
    place = data.draw(st.integers(0, len(kept.record) - 1))
    flipped = bytearray(kept.record)
    flipped[place] ^= data.draw(st.integers(1, 255))

    assert is_whole(kept)
    assert not is_whole(kept._replace(record=bytes(flipped)))
    assert not is_whole(kept._replace(sequence=kept.sequence + 1))
    with pytest.raises(JournalError, match=f"entry {entry.sequence} of the journal is damaged"):
        decoded(kept._replace(record=bytes(flipped)))


def test_a_version_yet_to_come_is_refused() -> None:
    kept = _kept(7, {"type": "resumed", "id": "x"})

    with pytest.raises(JournalError, match="is of version 7; this Purport reads versions up to 6"):
        decoded(kept)


def test_records_of_version_2_are_read_as_they_are() -> None:
    kept = _kept(2, {"type": "published", "told": [["hot", 4, [0.9, [0], [1.0]], []]]})

    assert decoded(kept).record == Published((Told("hot", 4, Answered(0.9, (0,), (1.0,))),))


def test_records_of_version_1_are_read() -> None:
    kept = _kept(1, {"type": "published", "told": [["hot", 4, 0.9, [0, 1], [1.0, 0.8]]]})

    record = decoded(kept).record

    assert record == Published((Told("hot", 4, Answered(0.9, (0, 1), (1.0, 0.8))),))
    assert decoded(_kept(1, {"type": "acknowledged", "id": "x", "through": 3})).record == (
        Acknowledged("x", 3)
    )


def _kept(version: int, record: dict[str, object]) -> EncodedEntry:
    text = msgspec.json.encode(record)
    return EncodedEntry(1, 0, version, None, text, checksum_of(1, 0, version, None, text))


def test_a_dataset_is_kept_and_who_has_none_is_written_as_ever() -> None:
    some = Entry(1, 0, Subscribed("a", "ASK {}", dataset=Dataset(("urn:g",), ())))
    none = Entry(1, 0, Subscribed("a", "ASK {}"))

    assert decoded(encoded(some)) == some and decoded(encoded(none)) == none
    assert encoded(none).record == b'{"type":"subscribed","id":"a","text":"ASK {}"}'
