"""What was told a moment ago is told from memory, as the journal would tell it."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from purport.broker.journal import MemoryJournal
from purport.broker.records import Entry, Resumed
from purport.broker.retention import Retention
from purport.embedded.broker import Broker
from purport.embedded.deliveries import Deliveries
from purport.embedded.recent import RecentEntries
from purport.embedded.settings import BrokerSettings
from purport.model.clock import ManualClock
from purport.storage.opening import open_sqlite_journal
from tests.embedded.brokers import NOON, exact, quick_folder

names = st.sampled_from(["one", "two"])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("publish"), names, st.integers(1, 4)),
        st.tuples(st.sampled_from(["take", "acknowledge"]), names, st.integers(1, 3)),
        st.tuples(st.sampled_from(["leave", "listen", "end", "compact"]), names, st.just(0)),
    ),
    max_size=30,
)


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(steps, st.integers(1, 12))
def test_it_is_what_the_journal_would_say(
    some: Sequence[tuple[str, str, int]], most_recent: int
) -> None:
    clock = ManualClock(NOON)
    kept = BrokerSettings(retention=Retention(most_age=timedelta(seconds=3)))
    with (
        quick_folder() as folder,
        Broker(
            open_sqlite_journal(Path(folder), stretch_size=4),
            matcher=exact,
            clock=clock,
            settings=kept,
        ) as broker,
    ):
        told = broker._listeners._deliveries
        told._recent = RecentEntries(most_recent)
        plain = Deliveries(broker._ledger, broker._journal, told._explain)
        listening = {}
        for step, name, count in some:
            clock.advance(timedelta(seconds=1))
            if name not in listening:
                asked = f"{{{name} > 0}} as {name}"
                listening[name] = broker.subscribe(asked, acknowledging="by hand", most_waiting=5)
            match step:
                case "publish":
                    broker.publish_all([{name: 1}] * count)
                case "take":
                    listening[name].take_some(count)
                case "acknowledge":
                    listening[name].acknowledge()
                case "leave":
                    listening[name].close()
                case "listen":
                    listening[name] = broker.subscriber(name, acknowledging="by hand")
                case "end":
                    broker.unsubscribe(name)
                    del listening[name]
                case "compact":
                    broker.compact()
            for each in listening:
                for after in range(-1, 20, 2):
                    assert told.told(each, after, 3) == plain.told(each, after, 3)
        assert len(told._recent._order) <= most_recent


def test_the_journal_is_not_read_for_what_was_told_a_moment_ago() -> None:
    class Unread(MemoryJournal):
        def told(self, subscription: str, after: int, most: int) -> Sequence[Entry]:
            raise AssertionError("it was read")

    with Broker(Unread(), matcher=exact) as broker:
        broker._listeners._deliveries._recent = RecentEntries()
        every = broker.subscribe("{a > 0} as every")
        assert every.take() is None
        broker.publish_all([{"a": 1}] * 3)

        assert [one.sequence for one in every.waiting()] == [0, 1, 2]
        assert every.take_some() == []


def test_what_is_received_or_too_old_is_forgotten() -> None:
    recent = RecentEntries(most=3)
    entries = [Entry(number, 0, Resumed("x")) for number in range(5)]
    for number in range(5):
        recent.add("x", number, entries[number])

    assert recent.told("x", 1, 9, last=4) == entries[2:]
    assert recent.told("x", 0, 9, last=4) is None
    recent.forget("x", 3)
    assert recent.told("x", 3, 9, last=4) == entries[4:]
    assert recent.told("x", 2, 9, last=4) is None
    recent.forget("x", 9)
    assert recent.told("x", 3, 9, last=4) is None


def test_after_a_gap_it_begins_anew() -> None:
    recent = RecentEntries()
    entries = [Entry(number, 0, Resumed("x")) for number in range(5)]
    for number in (0, 1, 3, 4):
        recent.add("x", number, entries[number])

    assert recent.told("x", 0, 9, last=4) is None
    assert recent.told("x", 2, 1, last=4) == entries[3:4]
    assert recent.told("x", 2, 9, last=5) is None
