"""A broker and patterns in time: told as they come true, and not lost or doubled by a crash."""

import json
import threading
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from purport.broker.journal import JournalError
from purport.broker.records import Detected, Entry
from purport.broker.time_engine import HistoryLimits
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.errors import EventError, InvalidInput, NotSupportedYet
from purport.model.clock import ManualClock
from purport.storage.opening_history import open_sql_history
from purport.temporal.history import HistoryError
from tests.embedded.brokers import FullNowAndThen, told
from tests.storage.mariadb_server import MariadbServer
from tests.storage.postgres_server import PostgresServer
from tests.strategies.wine_cellar import cellar_file

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
CAUSE = "{type = vpn down, start after(10 s) {type = link down, port = $port}} as cause"
MISSING = "not {type = ack, order = $o} within 30 s after {type = request, order = $o} as missing"


def test_what_a_rule_publishes_of_an_absence_counts_in_other_patterns() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(clock=clock) as broker:
        broker.subscribe(
            "when not {type = reply, id = $id} within 1 s after {type = request, id = $id} "
            "as guard publish {type = alarm, id = $id}"
        )
        alarms = broker.subscribe("{type = alarm} as alarms")
        storm = broker.subscribe("{type = alarm} 3 times within 1 h as storm")
        for number in range(5):
            broker.publish({"type": "request", "id": number})
            clock.advance(timedelta(seconds=3))
            broker.publish({"type": "request", "id": "none, but time goes on"})
            broker.run_due()

        found = [one.match.event.interval for one in alarms.waiting()]
        starts = [one.start for one in found if one is not None and one.start is not None]
        assert len(list(storm.waiting())) >= 3

    assert len(starts) == len(found) >= 5
    assert starts == sorted(starts)


def test_a_clock_that_is_wrong_does_not_make_others_late() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(clock=clock) as broker:
        broker.subscribe("{type = b, start after(10 s) {type = a}} as pattern")
        wrong = "2099-01-01T00:00:00Z"
        broker.publish({"type": "c", "@start": wrong, "@end": wrong})
        clock.advance(timedelta(microseconds=1))
        receipts = [broker.publish({"type": kind}) for kind in ("a", "b")]

        assert [one.late_by for one in receipts] == [None, None]
        assert len(told(broker, "pattern")) == 1


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [
        ({"allowance": timedelta(seconds=-1)}, "allowance is a time of up to 1,000 years"),
        ({"allowance": None}, "allowance is a time"),
        ({"allowance": 5}, "allowance is a time"),
        ({"allowance": timedelta.max}, "allowance is a time"),
        ({"most_age": timedelta(days=-3)}, "most_age is a time"),
        ({"most_ahead": "1 d"}, "most_ahead is a time"),
        ({"most_events": -1}, "most_events is a number of events, got -1"),
        ({"most_events": 1.5}, "most_events is a number of events, got 1.5"),
    ],
)
def test_limits_that_are_none_are_refused(limits: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        HistoryLimits(**limits)


def test_a_cause_is_found_with_the_event_that_it_was() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(clock=clock) as broker:
        causes = broker.subscribe(CAUSE)
        for port in (7, 9):
            broker.publish({"@id": f"link {port}", "type": "link down", "port": port})
        clock.advance(timedelta(seconds=10))
        broker.publish({"@id": "vpn", "type": "vpn down", "port": 9})

        [found] = causes.waiting()

    assert found.match.event.id == "vpn"
    assert [one.event.id for one in found.match.evidence] == ["link 9"]
    assert "link 9" in found.match.explain()
    assert '"evidence"' in found.match.explain("json")


def test_an_aggregate_is_found_with_the_events_of_its_window_also_after_a_restart(
    tmp_path: Path,
) -> None:
    clock = ManualClock(NOON)
    with Broker.open(tmp_path, clock=clock) as broker:
        broker.subscribe("{room = hall, avg(degrees) over 5 min > 25} as hot")
        for name, degrees in (("a", 24), ("b", 30)):
            broker.publish({"@id": name, "room": "hall", "degrees": degrees})
            clock.advance(timedelta(seconds=1))
        told_live = [one.match.explain() for one in broker.subscriber("hot").replay()]

    with Broker.open(tmp_path, clock=clock) as broker:
        [found] = broker.subscriber("hot").waiting()
        explained = found.match.explain()
        as_json = json.loads(found.match.explain("json"))

    place = "avg(degrees) over 5 min > 25 (27 from 2 values)"
    assert told_live == [explained]
    assert f"{place}  <->  b" in explained
    assert [(one["place"], one["event"]["@id"]) for one in as_json["evidence"]] == [
        (place, "a"),
        (place, "b"),
    ]


def test_an_aggregate_beside_a_reference_in_inner_braces_is_refused() -> None:
    with (
        Broker.in_memory() as broker,
        pytest.raises(NotSupportedYet, match="an aggregate beside a reference"),
    ):
        broker.subscribe("{type = vpn, start after {port = $port, count() over 10 s > 2}} as storm")


def test_inner_filters_ask_an_ontology(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(clock=clock, ontology=cellar_file(tmp_path)) as broker:
        stained = broker.subscribe(
            "{type = stain, start after(10 s) {spilt isa Claret, table = $table}} as stained"
        )
        dark = broker.subscribe("{spilt has hasColour = Red} 2 times within 1 min as dark")
        for name, spilt in (("one", "Merlot"), ("two", "beer"), ("three", "Chateau")):
            broker.publish({"@id": name, "spilt": spilt, "table": name})
        clock.advance(timedelta(seconds=5))
        for name in ("one", "two", "three"):
            broker.publish({"@id": f"stain {name}", "type": "stain", "table": name})
        broker.publish({"@id": "four", "spilt": "Chateau", "table": 4})

        assert [
            (one.match.event.id, [other.event.id for other in one.match.evidence])
            for one in stained.waiting()
        ] == [("stain one", ["one"]), ("stain three", ["three"])]
        assert [one.match.event.id for one in dark.waiting()] == ["four"]


def test_what_happened_before_the_first_pattern_was_asked_for_counts() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(clock=clock) as broker:
        broker.publish({"type": "link down", "port": 7})
        broker.subscribe(CAUSE)
        clock.advance(timedelta(seconds=1))
        broker.publish({"@id": "vpn", "type": "vpn down", "port": 7})

        assert told(broker, "cause") == ["vpn"]


def test_an_absence_is_noticed_when_its_time_is_up_and_after_a_restart(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with Broker.open(tmp_path, clock=clock) as broker:
        broker.subscribe(MISSING)
        broker.publish({"@id": "a", "type": "request", "order": 1})
        broker.publish({"@id": "b", "type": "request", "order": 2})
        clock.advance(timedelta(seconds=5))
        broker.publish({"type": "ack", "order": 2})

    clock.advance(timedelta(seconds=25))
    with Broker.open(tmp_path, clock=clock) as broker:
        assert told(broker, "missing") == []  # an answer just now is in time

        clock.advance(timedelta(microseconds=1))
        broker.run_due()

        assert told(broker, "missing") == ["a"]


def test_what_was_told_is_not_told_again_when_what_it_rested_on_is_dropped(
    tmp_path: Path,
) -> None:
    clock = ManualClock(NOON)
    limits = HistoryLimits(most_age=timedelta(seconds=5))
    settings = BrokerSettings(history=limits, snapshot_every=1)
    with Broker.open(tmp_path, clock=clock, settings=settings) as broker:
        broker.subscribe("{type = x, start during {type = y}} as during")
        broker.subscribe("{type = x} or {type = y} as either")
        for name, kind in (("y1", "y"), ("x1", "x")):
            broker.publish({"@id": name, "type": kind, "@start": clock.now().isoformat()})
            clock.advance(timedelta(seconds=1))
        broker.publish({"@id": "y1", "@end": clock.now().isoformat()})
        for _ in range(10):
            clock.advance(timedelta(seconds=1))
            broker.publish({"type": "noise"})

    with Broker.open(tmp_path, clock=clock, settings=settings) as broker:
        started = (NOON - timedelta(seconds=5)).isoformat()
        broker.publish(
            {"@id": "y2", "type": "y", "@start": started, "@end": clock.now().isoformat()}
        )
        broker.publish({"@id": "x1", "@end": clock.now().isoformat()})

        assert told(broker, "during") == ["x1"]
        assert told(broker, "either") == ["y1", "x1", "y2"]


def test_a_thread_notices_what_is_missing_by_itself() -> None:
    heard = threading.Event()
    with Broker.in_memory() as broker:
        broker.subscribe(
            "not {type = pong} within 50 ms after {type = ping}", lambda _: heard.set()
        )
        broker.publish({"type": "ping"})

        assert heard.wait(20)


def test_rules_go_on_from_patterns_and_name_what_they_found() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(clock=clock) as broker:
        broker.subscribe(
            "when {type = login failed, user = $user} 3 times within 5 s as guard "
            "publish {type = alarm, user = $user}"
        )
        alarms = broker.subscribe("{type = alarm} as alarms")
        for user in ("ann", "bob", "ann", "ann", "bob"):
            broker.publish({"type": "login failed", "user": user})
            clock.advance(timedelta(seconds=1))

        [alarm] = alarms.waiting()

    assert [str(one) for one in alarm.match.event.statements] == ["type: alarm", "user: ann"]
    assert alarm.causes


def test_a_pattern_comes_from_those_of_its_events_that_went_through_most_rules() -> None:
    with Broker.in_memory(clock=ManualClock(NOON)) as broker:
        broker.subscribe("when {type = x} as first publish {type = one}")
        broker.subscribe("when {type = one} as second publish {type = two}")
        both = broker.subscribe("{type = one, start with {type = two}} as both")
        now = NOON.isoformat()
        broker.publish({"@id": "x", "type": "x", "@start": now, "@end": now})

        [found] = both.waiting()

    assert (found.match.event.id, found.causes) == ("x>first", ("x>first", "x"))


def test_rules_that_feed_on_their_own_patterns_are_stopped() -> None:
    clock = ManualClock(NOON)
    with Broker.in_memory(clock=clock) as broker:
        broker.subscribe("when {type = a, start after {type = a}} as echo publish {type = a}")
        broker.publish({"type": "a"})
        clock.advance(timedelta(seconds=1))
        broker.publish({"type": "a"})

        assert any("went on from one another" in one.reason for one in broker.failures())


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ({"@id": "x", "@end": "2026-11-18T12:00:05Z"}, "nobody said that it began"),
        ({"@id": "known", "type": "other", "@start": 1.0, "@end": 2.0}, "told before"),
        ({"@id": "open", "@end": "2026-11-18T10:00:00Z"}, "before it starts"),
    ],
)
def test_what_contradicts_what_is_known_is_refused_and_nothing_else(
    event: dict[str, object], message: str
) -> None:
    with Broker.in_memory(clock=ManualClock(NOON)) as broker:
        broker.subscribe(CAUSE)
        broker.publish({"@id": "known", "type": "a", "@start": NOON.isoformat()})
        broker.publish({"@id": "open", "type": "a", "@start": NOON.isoformat()})
        before = broker.sequence

        with pytest.raises(EventError, match=message):
            broker.publish(event)

        assert broker.sequence == before
        broker.publish({"@id": "fine", "type": "a"})


def test_a_start_and_its_end_may_be_published_at_once() -> None:
    with Broker.in_memory(clock=ManualClock(NOON)) as broker:
        broker.subscribe("{end after {type = b}} as ended")
        broker.publish({"type": "b", "@start": NOON.isoformat(), "@end": NOON.isoformat()})
        broker.publish_all(
            [
                {"@id": "x", "type": "a", "@start": (NOON + timedelta(seconds=1)).isoformat()},
                {"@id": "x", "@end": (NOON + timedelta(seconds=2)).isoformat()},
            ]
        )

        assert told(broker, "ended") == ["x"]


def kbn(kind: str, second: int, **said: object) -> dict[str, object]:
    time = (NOON + timedelta(seconds=second)).isoformat()
    return {"PUB_ID": "f1", "KBN_PUB_TYPE": kind, f"KBN_{kind}_TIME": time, **said}


def test_a_start_and_an_end_as_kbn_writes_them_are_one_event(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with Broker.open(tmp_path, clock=clock) as broker:
        broker.subscribe("{type = fan on, end after {type = b}} as ended")
        broker.publish({"type": "b"})
        assert broker.publish(kbn("START", 2, type="fan on")).event_id == "f1"
    with Broker.open(tmp_path, clock=clock) as broker:
        assert broker.publish(kbn("END", 3)).event_id == "f1"

        [found] = broker.subscriber("ended").waiting()

    assert found.match.event.to_json() == (
        b'{"@id":"f1","@start":"2026-11-18T12:00:02+00:00","@end":"2026-11-18T12:00:03+00:00",'
        b'"type":"fan on"}'
    )


def test_what_kbn_named_before_anybody_asked_for_time_is_known_by_that_name() -> None:
    with Broker.in_memory(clock=ManualClock(NOON)) as broker:
        broker.publish({"type": "b"})
        broker.publish_all([kbn("START", 2, type="fan on"), {"type": "noise"}])
        broker.subscribe("{type = fan on, end after {type = b}} as ended")
        broker.publish(kbn("END", 3))

        assert told(broker, "ended") == []  # it began before, and is not told
        assert broker.publish(kbn("END", 3)).event_id == "f1"
        with pytest.raises(EventError, match="told before"):
            broker.publish(kbn("END", 4))


def test_an_event_that_is_published_again_is_known(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    said = {"@id": "mine", "type": "vpn down", "port": 7}
    link = {"@id": "link", "type": "link down", "port": 7}
    with Broker.open(tmp_path, clock=clock) as broker:
        broker.subscribe(CAUSE)
        broker.publish_all([link, link, said])
        assert told(broker, "cause") == ["mine"]
        for _ in range(2):
            clock.advance(timedelta(seconds=20))
            assert broker.publish(said).late_by is None

        with pytest.raises(EventError, match="told before"):
            broker.publish({**said, "port": 8})
    with Broker.open(tmp_path, clock=clock) as broker:
        broker.publish(said)
        assert told(broker, "cause") == []


def test_on_change_is_not_for_patterns() -> None:
    with Broker.in_memory() as broker, pytest.raises(NotSupportedYet, match="on change"):
        broker.subscribe("{type = a, start after {type = b}} on change")


def test_old_events_are_forgotten(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    limits = BrokerSettings(history=HistoryLimits(most_events=2), snapshot_every=1)
    with Broker.open(tmp_path, clock=clock, settings=limits) as broker:
        broker.subscribe("{type = b, start after {type = a}} as late")
        for name in ("a", "c", "d", "e", "b"):
            clock.advance(timedelta(seconds=1))
            broker.publish({"@id": name, "type": name})

        assert told(broker, "late") == []


@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_a_history_may_be_in_a_database_beside_a_folder(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    server: PostgresServer | MariadbServer = request.getfixturevalue(kind)
    clock, place = ManualClock(NOON), server.new_place()
    settings = BrokerSettings(snapshot_every=1)
    with Broker.open(tmp_path, history=place, clock=clock, settings=settings) as broker:
        broker.subscribe(CAUSE)
        broker.publish({"@id": "link", "type": "link down", "port": 7})
        server.end_connections()  # while nothing waits for it
        clock.advance(timedelta(seconds=1))
        broker.publish({"@id": "vpn", "type": "vpn down", "port": 7})

        assert told(broker, "cause") == ["vpn"]

    with closing(open_sql_history(place)) as history:
        assert [one.id for one in history.all()] == ["link", "vpn"]
    with Broker.open(tmp_path, history=place, clock=clock) as broker:
        broker.publish({"@id": "again", "type": "vpn down", "port": 7})

        assert told(broker, "cause") == ["again"]
    assert not (tmp_path / "history.sqlite").exists()


def test_who_subscribes_is_told_that_the_history_cannot_be_had(tmp_path: Path) -> None:
    nobody = "postgresql://nobody@127.0.0.1:1/nothing"
    with Broker.open(tmp_path, history=nobody) as broker:
        with pytest.raises(HistoryError, match="nobody"):
            broker.subscribe(CAUSE)

        assert broker.publish({"type": "vpn down"}).notified == 0
        assert broker.registrations() == []


@pytest.mark.parametrize("wrong", ["history.sqlite", 7])
def test_an_address_of_a_history_is_one_of_a_database(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(InvalidInput, match="address of a database"):
        Broker.open(tmp_path, history=wrong)


class _FullWhenFound(FullNowAndThen):
    """Takes publications, but not what is found by them; it may be opened again."""

    is_failing = True

    def append(self, entries: Sequence[Entry]) -> None:
        self.is_full = self.is_failing and any(isinstance(one.record, Detected) for one in entries)
        super().append(entries)

    def close(self) -> None:
        """What is kept stays."""


@pytest.fixture
def failing() -> _FullWhenFound:
    return _FullWhenFound()


@pytest.fixture
def failed(failing: _FullWhenFound) -> Broker:
    """A broker that could not tell what it had found, since the disk was full by then."""
    clock = ManualClock(NOON)
    broker = Broker(failing, clock=clock)
    broker.subscribe(CAUSE)
    broker.publish({"type": "link down", "port": 7})
    clock.advance(timedelta(seconds=1))
    broker.publish({"@id": "vpn", "type": "vpn down", "port": 7})  # which is kept all the same
    assert told(broker, "cause") == []
    failing.is_failing = False
    return broker


def test_what_was_found_when_the_disk_was_full_is_told_later(failed: Broker) -> None:
    with failed as broker:
        broker.publish({"type": "noise"})

        assert told(broker, "cause") == ["vpn"]


def test_what_was_found_when_the_disk_was_full_is_told_though_the_broker_is_closed_first(
    failed: Broker, failing: _FullWhenFound
) -> None:
    failed.close()

    with Broker(failing, clock=ManualClock(NOON + timedelta(seconds=1))) as again:
        assert told(again, "cause") == ["vpn"]


def test_what_was_found_when_the_process_ended_is_told_after_a_restart(
    failed: Broker, failing: _FullWhenFound
) -> None:
    with Broker(failing, clock=ManualClock(NOON + timedelta(seconds=1))) as again:
        assert told(again, "cause") == ["vpn"]
        again.publish({"type": "noise"})
        assert told(again, "cause") == []
    with pytest.raises(JournalError, match="is next"):  # the journal went on without it
        failed.close()
