"""Which events of other brokers are known, against a set, and after a snapshot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.broker import known_events
from purport.broker.known_events import KnownEvents
from purport.broker.records import Origin

origins = st.builds(
    Origin, st.sampled_from(("north", "south")), st.sampled_from("ab"), st.integers(1, 50_000)
)


@given(st.lists(origins), st.lists(origins))
def test_what_was_added_is_known_and_nothing_else(
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
        assert (one in known) == (one in again) == (one in set(added))


def test_the_oldest_of_a_broker_are_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_events, "MOST_BLOCKS", 2)
    monkeypatch.setattr(known_events, "MOST_EPOCHS", 2)
    known = KnownEvents()
    for sequence in (1, 20_000, 40_000):
        known.add(Origin("north", "a", sequence))
    assert [Origin("north", "a", one) in known for one in (1, 20_000, 40_000)] == [
        False, True, True,
    ]  # fmt: skip

    for epoch in "bc":
        known.add(Origin("north", epoch, 1))
    assert [Origin("north", one, 40_000) in known for one in "abc"] == [False, False, False]
    assert [Origin("north", one, 1) in known for one in "abc"] == [False, True, True]
