"""Whatever is published, a broker can be opened again: what it cannot take is refused at once."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from purport.broker.time_engine import HistoryLimits
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.errors import EventError
from purport.model.clock import ManualClock
from tests.embedded.brokers import NOON, exact, quick_folder

ASKED = (
    "{v > 3, start after(1000000 days) {v < 5 km}}",
    "{type = a, end during {type = a}}",
    "{due after(10 s) {type = a}}",
    "{due during {type = a}}",
    "{v filter(>, last 2) {type = a}}",
    "{due filter(<, last 3) {type = a}}",
    "{type = a, interval overlaps {type = a}}",
    "{sum(v) over 5 min > 0}",
    "{avg(v) over 1000000 days > 25 °C}",
    "{min(v) over 5 min < 3 m}",
    "{max(v) over 5 min > 1}",
    "{count() over 5 min > 1, type = a}",
    "{type = a, v = $v} then {type = b, v = $v} within 99999999 days",
    "{v = $v} 2 times within 5 s",
    "{type = a, v = $v} and {v = $v} within 99999999 days",
    "not {type = b, v = $v} within 99999999 days after {type = a, v = $v}",
    "not {type = b} within 10 ms after {type = a}",
    "{type = a} or {v > 3}",
    "when {type = a, start after {v = $w}} as rule publish {type = b, v = $v}",
)
LIMITS = HistoryLimits(timedelta(days=365_000), timedelta(days=365_000), 3)

_numbers = st.sampled_from(
    [1.7e308, -1.7e308, 5e-324, -0.0, 10**308, -(10**308), 2**63, 2**64, 10**30, 10**400, 7, 2.5]
)
_texts = st.sampled_from(
    ["1.7e308 km", "1e308 °F", "9" * 400, "9" * 5000, "nan", "NaN", "inf", "1e999", "1/0", "5 dB",
     "3 km", "-1e308 mile", "80 °F", "5 parsec", "\ud800", "\0", "", "a", "b", "²", "5 h/0",
     "0001-01-01", "9999-12-31T23:59:59.999999Z", "9999-12-31T24:00:00Z", "2026-02-30",
     "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "-0001-01-01", "2026-11-18T12:00"]
)  # fmt: skip
_values = st.one_of(_numbers, _texts, st.booleans(), st.floats(), st.none(), st.text(max_size=3))
_times = st.one_of(
    _values,
    st.datetimes().map(lambda time: time.isoformat()),
    st.integers(-(10**12), 10**12),
    st.just(NOON.isoformat()),
)
_events = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["a", "a", "b"]),
        "v": st.one_of(_values, st.lists(_values, max_size=2)),
        "due": _times,
        "@id": st.sampled_from(["x", "y", "event-3", "x>rule", "\ud800"]),
        "PUB_ID": _values,
        "KBN_PUB_TYPE": st.sampled_from(["START", "END", "INSTANT", "start", "MIDDLE", ""]),
        "KBN_START_TIME": _times,
        "KBN_END_TIME": _times,
        "@start": _times,
        "@end": _times,
    },
)


def opened(folder: Path, clock: ManualClock, every: int = 1000) -> Broker:
    made = BrokerSettings(history=LIMITS, snapshot_every=every)
    return Broker.open(folder, matcher=exact, clock=clock, settings=made, durability="relaxed")


@settings(max_examples=30)
@given(st.lists(_events, max_size=8), st.sampled_from([1, 3, 1000]), st.booleans())
def test_a_broker_can_be_opened_again_whatever_was_published(
    events: Sequence[dict[str, object]], every: int, is_asked_first: bool
) -> None:
    clock = ManualClock(NOON)
    with quick_folder() as name:
        folder = Path(name)
        broker = opened(folder, clock, every)
        if is_asked_first:
            _ask(broker)
        for event in events:
            clock.advance(timedelta(seconds=1))
            try:
                broker.publish(event)
            except EventError as error:
                assert str(error)
        if not is_asked_first:
            _ask(broker)
            broker.publish({"type": "b"})
        broker.close()

        with opened(folder, clock) as again:
            assert len(again.registrations()) == len(ASKED)
            clock.advance(timedelta(seconds=1))
            again.publish({"type": "a", "v": 4})


def test_a_sum_that_no_number_holds_is_no_answer(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with Broker.open(tmp_path, clock=clock) as broker:
        sums = broker.subscribe("{sum(v) over 5 min > 0} as sums")
        for value in (1.7e308, 1.7e308, 10**308):
            broker.publish({"v": value})
        assert [one.match.event.id for one in sums.waiting()] == ["event-2"]

    with Broker.open(tmp_path, clock=clock) as broker:
        clock.advance(timedelta(minutes=6))
        broker.publish({"@id": "small", "v": 1})
        assert [one.match.event.id for one in broker.subscriber("sums").waiting()] == ["small"]


def test_an_absence_beyond_the_calendar_never_comes_to_its_end(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    last = "9999-12-31T23:59:59.999999Z"
    with Broker.open(tmp_path, clock=clock) as broker:
        broker.subscribe("not {type = b} within 5 s after {type = a} as missing")
        broker.publish({"type": "a", "@start": last, "@end": last})
        broker.publish({"type": "a"})
    with Broker.open(tmp_path, clock=clock) as broker:
        assert list(broker.subscriber("missing").waiting()) == []


def _ask(broker: Broker) -> None:
    for number, text in enumerate(ASKED):
        broker.subscribe(text, name=None if " as rule " in text else f"s{number}")
