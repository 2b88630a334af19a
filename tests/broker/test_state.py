"""The state of a broker, as it follows from its journal."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from purport import InvalidInput, NotSupportedYet, parse
from purport.broker.journal import JournalError, MemoryJournal, Snapshot
from purport.broker.records import (
    Acknowledged,
    Entry,
    Paused,
    Record,
    Resumed,
    Subscribed,
    Unsubscribed,
)
from purport.broker.restart import restored
from purport.broker.state import BrokerState
from tests.broker.states import Kept, exact_engine

TEXTS = {
    "plain": "{a > 0} as plain",
    "seldom": "{a > 0} at most once per 3 s as seldom",
    "edge": "{b = 1, a > 1} on change as edge",
    "brief": "{a = 1} expires 2026-11-17T12:00:20Z as brief",
    "rule": "when {a = 2} as rule publish {c = $a}",
    "derived": "{c > 0} as derived",
}
names = st.sampled_from(sorted(TEXTS))
changes: st.SearchStrategy[Record] = st.one_of(
    names.map(lambda name: Subscribed(name, TEXTS[name], most_waiting=3)),
    st.builds(Unsubscribed, names),
    st.builds(Paused, names),
    st.builds(Resumed, names),
    st.builds(Acknowledged, names, st.integers(0, 5)),
)
readings = st.fixed_dictionaries({"a": st.integers(0, 3), "b": st.integers(0, 1)})
publications = st.tuples(st.lists(readings, min_size=1, max_size=4), st.integers(0, 4))
steps = st.lists(st.one_of(changes, publications), max_size=25)


def run(kept: Kept, some: list[object]) -> None:
    for step in some:
        if isinstance(step, tuple):
            events, seconds = step
            kept.publish(*events, after_seconds=seconds)
        else:
            kept.record(step)  # type: ignore[arg-type]


@example(
    [Subscribed(name, TEXTS[name]) for name in ("plain", "edge", "plain")],
    [([{"a": 2, "b": 1}], 0)],
)
@given(steps, steps)
def test_a_restored_state_has_the_same_future(before: list[object], after: list[object]) -> None:
    kept = Kept()
    run(kept, before)
    state = BrokerState([exact_engine()])
    state.restore(kept.state.snapshot())
    other = Kept(state, now=kept.now)

    seen = len(kept.entries)
    run(kept, after)
    run(other, after)

    assert other.entries == kept.entries[seen:]
    assert other.state.snapshot() == kept.state.snapshot()


@given(steps, st.data())
def test_restart_is_replay(some: list[object], data: st.DataObject) -> None:
    kept = Kept()
    run(kept, some)
    journal = MemoryJournal()
    journal.append(kept.entries)
    place = data.draw(st.integers(0, len(kept.entries)))
    if place:
        halfway = BrokerState([exact_engine()])
        for entry in kept.entries[:place]:
            halfway.apply(entry)
        journal.keep_snapshot(Snapshot(place, halfway.snapshot()))
        journal.drop(data.draw(st.integers(0, place)))

    state = restored(journal, [exact_engine()])

    assert state.snapshot() == kept.state.snapshot()


@given(steps)
def test_numbers_have_no_gaps_and_what_waits_is_bounded(some: list[object]) -> None:
    kept = Kept()
    next_number: dict[str, int] = {}
    for step in some:
        seen = len(kept.entries)
        run(kept, [step])
        for entry in kept.entries[seen:]:
            for one in getattr(entry.record, "told", ()):
                assert one.number == next_number.get(one.subscription, 0)
                next_number[one.subscription] = one.number + 1
    assert all(cursor.waiting <= 3 for cursor in kept.state.cursors.values())


def test_an_entry_that_is_missing_is_noticed() -> None:
    state = BrokerState([exact_engine()])

    with pytest.raises(JournalError, match="entry 1 of the journal is missing: 2 follows 0"):
        state.apply(Entry(2, 0, Resumed("x")))


def test_a_journal_whose_beginning_is_gone_needs_a_snapshot() -> None:
    journal = MemoryJournal()
    journal.append([Entry(1, 0, Resumed("x")), Entry(2, 0, Resumed("x"))])
    journal.drop(1)

    with pytest.raises(JournalError, match="does not begin at its first entry"):
        restored(journal, [exact_engine()])


def test_a_form_that_no_engine_runs_is_refused() -> None:
    state = BrokerState([exact_engine()])

    with pytest.raises(NotSupportedYet, match="a sequence"):
        state.require_runnable(parse("{a = 1} then {b = 1} within 10 s"))
    with pytest.raises(NotSupportedYet, match="update"):
        state.require_runnable(parse('when {a = 1} update "INSERT DATA { <urn:a> <urn:b> 1 }"'))


def test_versions_are_kept_and_found_by_their_time() -> None:
    kept = Kept()
    kept.subscribe("{a = 1} as x")
    kept.publish({"a": 1})
    kept.subscribe("{a = 2} as x", owner="ann")
    kept.publish({"a": 2})
    kept.subscribe("{a = 3} as x")

    registry = kept.state.registry
    assert [one.version for one in registry.versions("x")] == [1, 2, 3]
    assert registry.at("x", 2).text == "{a = 1} as x"
    assert registry.at("x", 4).text == "{a = 2} as x"
    assert registry.at("x", 6).text == "{a = 3} as x"
    assert registry.at("x", 4).owner == "ann"
    assert registry.version == 5
    with pytest.raises(InvalidInput, match="no subscription 'y'"):
        registry.get("y")
