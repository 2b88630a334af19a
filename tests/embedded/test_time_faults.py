"""A broker and its history of events, when that is lost, of another journal, full or out of reach.

What is published is told of, or somebody is told that it cannot be: nothing is silently lost.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from purport.broker.journal import MemoryJournal
from purport.broker.retention import Retention
from purport.broker.time_engine import HistoryLimits
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.embedded.written_state import BrokerClosed
from purport.model.clock import ManualClock
from purport.storage.opening_history import open_sqlite_history
from purport.temporal.engine import TemporalEngine
from purport.temporal.history import HistoryError, MemoryHistory
from purport.temporal.occurrence import Occurrence
from purport.temporal.unsaved_history import UnsavedHistory
from tests.contracts.event_history import occurrence
from tests.embedded.brokers import NOON, exact, told
from tests.storage.postgres_server import PostgresServer

CAUSE = "{type = vpn down, start after(1 h) {type = link down}} as cause"
LINK = {"@id": "link", "type": "link down"}
VPN = {"@id": "vpn", "type": "vpn down"}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
def begun(tmp_path: Path, clock: ManualClock) -> Path:
    """A folder of a broker that has seen half of what it was asked for."""
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        broker.subscribe(CAUSE)
        broker.publish(LINK)
    clock.advance(timedelta(seconds=1))
    return tmp_path


def remove(folder: Path, names: str) -> None:
    for path in folder.glob(names):
        path.unlink()


# ---- a history that is lost, moved, or another ----


def test_a_history_that_is_lost_is_made_anew_from_the_journal(
    begun: Path, clock: ManualClock
) -> None:
    remove(begun, "history.sqlite*")

    with Broker.open(begun, matcher=exact, clock=clock) as broker:
        broker.publish(VPN)

        assert told(broker, "cause") == ["vpn"]
    with closing(open_sqlite_history(begun / "history.sqlite")) as history:
        assert [one.id for one in history.all()] == ["link", "vpn"]


def test_a_history_may_be_moved_into_a_database(
    begun: Path, clock: ManualClock, postgres: PostgresServer
) -> None:
    with Broker.open(begun, history=postgres.new_place(), matcher=exact, clock=clock) as broker:
        broker.publish(VPN)

        assert told(broker, "cause") == ["vpn"]


def test_an_older_copy_of_a_history_is_brought_up_to_date(begun: Path, clock: ManualClock) -> None:
    copy = (begun / "history.sqlite").read_bytes()
    with Broker.open(begun, matcher=exact, clock=clock) as broker:
        broker.subscribe(
            "{type = c, start after {type = b, start after {type = link down}}} as all"
        )
        broker.publish({"type": "b"})
    clock.advance(timedelta(seconds=1))
    remove(begun, "history.sqlite*")
    (begun / "history.sqlite").write_bytes(copy)

    with Broker.open(begun, matcher=exact, clock=clock) as broker:
        broker.publish({"@id": "c", "type": "c"})

        assert told(broker, "all") == ["c"]


def test_what_came_too_late_stays_so_in_a_history_that_is_made_anew(
    begun: Path, clock: ManualClock
) -> None:
    with Broker.open(begun, matcher=exact, clock=clock) as broker:
        before = (NOON - timedelta(minutes=5)).isoformat()
        broker.publish({"@id": "late", "type": "link up", "@start": before, "@end": before})
    remove(begun, "history.sqlite*")

    with Broker.open(begun, matcher=exact, clock=clock) as broker:
        broker.subscribe("{type = vpn down, start after {type = link up}} as up")
        broker.publish(VPN)

        assert told(broker, "up") == []
    with closing(open_sqlite_history(begun / "history.sqlite")) as history:
        assert history.late() == 1


def test_what_the_journal_has_dropped_is_said_to_be_missing(
    tmp_path: Path, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    short = BrokerSettings(retention=Retention(most_age=timedelta(minutes=1)))
    with Broker.open(tmp_path, matcher=exact, clock=clock, settings=short) as broker:
        broker.subscribe(CAUSE)
        broker.publish(LINK)
        broker.compact()
        clock.advance(timedelta(minutes=2))
        broker.publish({"type": "noise"})
        assert broker.compact()
    remove(tmp_path, "history.sqlite*")

    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        broker.publish(VPN)
        assert told(broker, "cause") == []

    assert "is missing from the history of events" in caplog.text


def test_a_history_beside_a_journal_that_is_shorter_is_refused(
    begun: Path, clock: ManualClock
) -> None:
    remove(begun, "journal*")

    with Broker.open(begun, matcher=exact, clock=clock) as broker:
        with pytest.raises(HistoryError, match="this journal ends with entry 0; it is made anew"):
            broker.subscribe(CAUSE)

        remove(begun, "history.sqlite*")
        broker.subscribe(CAUSE)


def test_a_history_of_another_journal_is_refused(begun: Path, clock: ManualClock) -> None:
    remove(begun, "journal*")

    with Broker.open(begun, matcher=exact, clock=clock) as broker:
        for _ in range(5):
            broker.publish({"type": "link down"})
        with pytest.raises(HistoryError, match="of another journal: entry 2"):
            broker.subscribe(CAUSE)


def test_what_happened_before_a_broker_was_opened_counts_for_who_asks_then(
    tmp_path: Path, clock: ManualClock
) -> None:
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        broker.publish(LINK)
    clock.advance(timedelta(seconds=1))

    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        broker.subscribe(CAUSE)
        broker.publish(VPN)

        assert told(broker, "cause") == ["vpn"]


def test_a_history_that_cannot_be_had_keeps_a_broker_from_being_opened(
    clock: ManualClock,
) -> None:
    journal = _Kept()
    Broker(journal, matcher=exact, clock=clock).subscribe(CAUSE)  # and the process ends

    def nowhere() -> MemoryHistory:
        raise HistoryError("the database is gone")

    with pytest.raises(HistoryError, match="gone"):
        Broker(journal, history=nowhere, matcher=exact, clock=clock)


# ---- what fails while events are taken up ----


class _Kept(MemoryJournal):
    """It can be opened again."""

    def close(self) -> None:
        """Nothing is lost."""


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, kind: type, name: str) -> Iterator[None]:
    """What a method does fails, as when a database is gone."""

    def gone(*_: object, **__: object) -> Any:
        raise HistoryError("the database is gone")

    with monkeypatch.context() as patched:
        patched.setattr(kind, name, gone)
        yield


@pytest.mark.parametrize(
    ("kind", "name"),
    [(TemporalEngine, "take"), (TemporalEngine, "add_all"), (MemoryHistory, "all")],
)
def test_a_broker_whose_engine_fails_says_so_and_tells_when_it_is_opened_again(
    kind: type, name: str, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = _Kept()
    broker = Broker(journal, matcher=exact, clock=clock)
    broker.subscribe(CAUSE)
    if kind is TemporalEngine and name == "take":
        broker.publish(LINK)
        clock.advance(timedelta(seconds=1))
        with failing(monkeypatch, kind, name), pytest.raises(HistoryError, match="gone"):
            broker.publish(VPN)
    else:
        with failing(monkeypatch, kind, name), pytest.raises(HistoryError, match="gone"):
            broker.publish(LINK)

    acts: list[Callable[[], object]] = [
        lambda: broker.publish(LINK),
        lambda: broker.subscribe("{type = a}"),
        lambda: broker.registrations(),
    ]
    for act in acts:
        with pytest.raises(BrokerClosed, match="could not follow its own journal: open it again"):
            act()
    broker.close()

    with Broker(journal, matcher=exact, clock=clock) as again:
        if name != "take":
            again.publish(LINK)
            clock.advance(timedelta(seconds=1))
            again.publish(VPN)
        assert told(again, "cause") == ["vpn"]


def test_a_folder_can_be_opened_again_in_the_process_whose_broker_failed(
    begun: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = Broker.open(begun, matcher=exact, clock=clock)
    with failing(monkeypatch, TemporalEngine, "take"), pytest.raises(HistoryError):
        broker.publish(VPN)

    with Broker.open(begun, matcher=exact, clock=clock) as again:
        assert told(again, "cause") == ["vpn"]
    broker.close()


def test_a_history_that_cannot_be_asked_refuses_an_event_and_nothing_else(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Broker(_Kept(), matcher=exact, clock=clock) as broker:
        broker.subscribe(CAUSE)
        broker.publish({"type": "link down"})
        clock.advance(timedelta(seconds=1))
        with failing(monkeypatch, MemoryHistory, "find"):
            with pytest.raises(HistoryError, match="gone"):
                broker.publish(VPN)
            broker.publish({"type": "vpn down"})

        assert told(broker, "cause") == ["event-3"]


def test_what_rules_derive_from_events_without_ids_needs_no_question_to_the_history(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Broker(_Kept(), matcher=exact, clock=clock) as broker:
        broker.subscribe(CAUSE)
        broker.subscribe("when {type = x} as rule publish {type = vpn down}")
        broker.publish({"type": "link down"})
        clock.advance(timedelta(seconds=1))
        with failing(monkeypatch, MemoryHistory, "find"):
            broker.publish({"type": "x"})

        assert told(broker, "cause") == ["event-4>rule"]


def test_what_somebody_calls_like_a_derived_event_is_found() -> None:
    lasting = MemoryHistory()
    named = [occurrence("a>b", 1, None, 1), occurrence("a", 1, 2, 2), occurrence("event-1>b", 1, 2)]
    lasting.keep(named, applied=2)
    history = UnsavedHistory(lasting)
    history.keep([occurrence("event-9", 1, 2, 9), Occurrence("b", 1, 2, (), 3)], applied=9)

    assert [history.find(one.id) for one in named] == named
    assert history.find("event-9>b") is None


# ---- full disks and clocks that jump ----


def limit(broker: Broker, pages: int) -> None:
    """Let the file of its history grow by so many pages at most."""
    times = broker._ledger._state.time
    writer = times._opened._writer  # type: ignore[union-attr]
    with writer.transaction() as connection:
        used = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {used + pages}")


def test_a_history_on_a_full_disk_loses_nothing_that_was_acknowledged(
    tmp_path: Path, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    often = BrokerSettings(snapshot_every=1)
    broker = Broker.open(tmp_path, matcher=exact, clock=clock, settings=often)
    broker.subscribe(CAUSE)
    limit(broker, 0)
    broker.publish({**LINK, "said": "x" * 100_000})
    clock.advance(timedelta(seconds=1))
    broker.publish(VPN)

    assert told(broker, "cause") == ["vpn"]
    said = f"a snapshot could not be kept: {tmp_path / 'history.sqlite'}: database or disk is full"
    assert said in caplog.text
    broker.close()

    with Broker.open(tmp_path, matcher=exact, clock=clock, settings=often) as again:
        again.publish({"@id": "more", "type": "vpn down"})
        assert told(again, "cause") == ["more"]
    with closing(sqlite3.connect(tmp_path / "history.sqlite")) as history:
        assert history.execute("SELECT count(*) FROM history_events").fetchone() == (3,)


class _SetClock:
    """A clock that somebody sets, back too."""

    def __init__(self) -> None:
        self.time = NOON

    def now(self) -> Any:
        return self.time


def test_a_clock_that_jumps_back_does_not_turn_the_order_of_events(tmp_path: Path) -> None:
    clock = _SetClock()
    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        broker.subscribe(CAUSE)
        missing = "not {type = reply} within 30 s after {type = request} as missing"
        broker.subscribe(missing)
        for second, kind in ((0, "link down"), (-3600, "vpn down"), (-7200, "request")):
            clock.time = NOON + timedelta(seconds=second)
            receipt = broker.publish({"@id": kind, "type": kind})
            assert receipt.late_by is None
        assert told(broker, "cause") == ["vpn down"]

    with Broker.open(tmp_path, matcher=exact, clock=clock) as broker:
        assert told(broker, "cause") == []
        broker.publish({"@id": "again", "type": "vpn down"})
        assert told(broker, "cause") == ["again"]
        clock.time = NOON + timedelta(seconds=29)
        broker.run_due()
        assert told(broker, "missing") == []
        clock.time = NOON + timedelta(seconds=31)
        broker.run_due()
        assert told(broker, "missing") == ["request"]


def test_a_publisher_is_told_that_its_event_came_too_late(
    tmp_path: Path, clock: ManualClock
) -> None:
    made = BrokerSettings(history=HistoryLimits(allowance=timedelta(seconds=2)))
    with Broker.open(tmp_path, matcher=exact, clock=clock, settings=made) as broker:
        broker.subscribe(CAUSE)

        def published(*seconds: int) -> list[timedelta | None]:
            times = [(NOON - timedelta(seconds=one)).isoformat() for one in seconds]
            events = [{"type": "a", "@start": one, "@end": one} for one in times]
            return [one.late_by for one in broker.publish_all(events)]

        assert broker.publish(LINK).late_by is None
        assert published(1, 2, 5, 0) == [None, None, timedelta(seconds=3), None]
        assert broker.publish({"type": "a"}).late_by is None
    with closing(open_sqlite_history(tmp_path / "history.sqlite")) as history:
        assert history.late() == 1
