"""Events that are known: as a set would have it, within bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.broker.known_events import KnownEvents
from purport.broker.records import Origin

BLOCK = 8_192
origins = st.builds(Origin, st.sampled_from("ab"), st.sampled_from("xy"), st.integers(0, 4 * BLOCK))


def bounded(monkeypatch: pytest.MonkeyPatch, *, most: int, of_all: int) -> KnownEvents:
    monkeypatch.setattr("purport.broker.known_events.MOST_BLOCKS", most)
    monkeypatch.setattr("purport.broker.known_events.MOST_OF_ALL", of_all)
    return KnownEvents()


def size(known: KnownEvents) -> int:
    return sum(len(one.blocks) for one in known.kept())


@given(st.lists(origins), st.lists(origins))
def test_what_was_added_is_known_and_nothing_else_after_a_snapshot_too(
    added: list[Origin], others: list[Origin]
) -> None:
    known, again = KnownEvents(), KnownEvents()
    for one in added:
        known.add(one)
    for kept in known.kept():
        again.restore(kept)

    for broker, epoch in {(one.broker, one.epoch) for one in (*added, *others)}:
        sequences = [one.sequence for one in added if (one.broker, one.epoch) == (broker, epoch)]
        end = max(sequences, default=-1) + 1
        assert known.end(broker, epoch) == again.end(broker, epoch) == end
    for one in (*added, *others):
        assert (one in known) == (one in again) == (one in added)
    assert list(again.kept()) == list(known.kept())


def test_what_is_older_than_all_that_is_remembered_is_known_once_it_has_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = bounded(monkeypatch, most=4, of_all=100)
    for place in range(1, 6):
        known.add(Origin("a", "x", place * BLOCK))
    old = Origin("a", "x", 2)
    assert old not in known and Origin("a", "x", BLOCK) not in known

    known.add(old)
    assert old in known and size(known) == 4
    known.add(Origin("a", "x", 9 * BLOCK))
    assert old in known


def test_epochs_of_a_broker_share_its_room(monkeypatch: pytest.MonkeyPatch) -> None:
    known = bounded(monkeypatch, most=4, of_all=100)
    known.add(Origin("b", "x", 1))
    for epoch in range(40):
        for place in range(3):
            known.add(Origin("a", str(epoch), place * BLOCK))

    assert size(known) == 5
    assert all(Origin("a", "39", place * BLOCK) in known for place in range(3))
    assert Origin("b", "x", 1) in known


def test_brokers_share_the_room_of_all_and_who_was_silent_longest_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = bounded(monkeypatch, most=4, of_all=10)
    for number in range(50):
        known.add(Origin("busy", "x", number % 4 * BLOCK))
        known.add(Origin(f"name {number}", "x", 1))

    assert size(known) == 10
    assert all(Origin("busy", "x", place * BLOCK) in known for place in range(4))
    assert Origin("name 49", "x", 1) in known and Origin("name 1", "x", 1) not in known
