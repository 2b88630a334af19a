"""A replay tells what the broker told of patterns in time."""

import random
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from purport import InvalidInput, parse
from purport.assembly import journal_to_read
from purport.broker.records import Detected
from purport.embedded.broker import Broker
from purport.errors import EventError
from purport.model.clock import ManualClock
from purport.model.event import Event
from purport.model.interval import time_of
from purport.model.subscription import Subscription
from purport.pipeline.jobs.replay import Replay
from purport.pipeline.journal.entries_in_files import EntriesInFiles
from purport.pipeline.journal.pattern_notifications import HappenedInFiles, notification_rows
from purport.pipeline.journal.replayable import replayable
from purport.pipeline.journal.stretch_rows import Span
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.session import spark_address
from purport.storage.opening import open_sqlite_journal
from purport.storage.stretches import StretchFolder, name_of
from tests.oracles.temporal_arrivals import Publication, Step
from tests.strategies.temporal import exact_subscriptions, streams
from tests.strategies.wine_cellar import lasting_cellar_file

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
EXACT = MatcherSettings(measure="exact", ontology=(lasting_cellar_file(),))
ASKED = [
    "{heat > 30} as hot",
    "{type = vpn down, start after(40 s) {type = link down, port = $port}} as cause",
    "{type = ack, interval during {type = open}} as inside",
    "{type = link down, start during {type = open}} as meanwhile",
    "{heat filter(>, last 2) {heat > 0, room = $room}} as rising",
    "{heat > 30, count(heat) over 60 s >= 3} as many",
    "{type = link down, port = $p} then {type = vpn down, port = $p} within 60 s as both",
    "{type = link down, port = $p} and {type = vpn down, port = $p} within 60 s as beside",
    "{type = link down, port = $p} 2 times within 90 s at most once per 2 min as again",
    "not {type = ack, port = $p} within 30 s after {type = link down, port = $p} as silent",
    "not {type = open} within 20 s after {type = vpn down} at most once per 3 min as closed",
    "not {type = ack} within 25 s after {type = open} expires 2026-01-01T12:15:00Z as early",
    "{type = vpn down~, start after(40 s) {type~ = link down}} as near",
    "{type = nothing, start after {heat > 0}} as never",
]
RULE = (
    "when not {type = ack, port = $p} within 30 s after {type = link down, port = $p} as rule "
    "publish {type = vpn down, port = $p}"
)
Told = tuple[str, int, datetime, str, float, list[tuple[str, str, float]]]


class Live:
    """A broker that is awake whenever something is due, and a clock that only goes on."""

    def __init__(self, broker: Broker, clock: ManualClock) -> None:
        self.broker, self._clock = broker, clock

    def pass_time(self, until: datetime) -> None:
        ledger = self.broker._ledger
        with ledger.lock:  # or the timer of the broker is quicker, and sees a later time
            while (deadline := ledger.next_deadline) is not None and deadline <= until:
                self._advance(deadline)
                self.broker.run_due()
            self._advance(until)

    def publish(self, *events: dict[str, Any] | Event, after: timedelta) -> None:
        """Publish as one change; no two are made at once."""
        with self.broker._ledger.lock:
            self.pass_time(self._clock.now() + max(after, timedelta(microseconds=1)))
            with suppress(EventError):
                self.broker.publish_all(events)
            self.pass_time(self._clock.now())

    def take(self, steps: Sequence[Step]) -> None:
        """Have it be told what comes in some steps."""
        for step in steps:
            if isinstance(step, Publication):
                self.publish(step.event, after=time_of(step.at) - self._clock.now())
            else:
                self.pass_time(time_of(step.now))

    def _advance(self, to: datetime) -> None:
        self._clock.advance(max(to - self._clock.now(), timedelta(0)))


def events(
    drawn: random.Random, now: datetime, count: int, going_on: list[str]
) -> Iterator[dict[str, Any]]:
    """Some that have a time of their own, also an earlier one, and some that go on for a while."""
    for number in range(count):
        event: dict[str, Any] = {
            "type": drawn.choice(["link down", "vpn down", "ack", "open"]),
            "port": drawn.choice([1, 2]),
            "room": drawn.choice(["r1", "r2"]),
            "heat": drawn.choice([5, 21, 31, 39]),
        }
        time = now - timedelta(seconds=drawn.choice([0, 0, 0, 1, 10, 40]))
        match drawn.choice(["plain", "plain", "plain", "named", "whole", "start", "end"]):
            case "named":
                yield event | {"@id": f"ünï {now:%H:%M:%S} {number}"}
            case "whole":
                start = time - timedelta(seconds=drawn.choice([0, 7, 30]))
                yield event | {"@start": start.isoformat(), "@end": time.isoformat()}
            case "start":
                going_on.append(f"open {now:%H:%M:%S} {number}")
                yield event | {"type": "open", "@id": going_on[-1], "@start": time.isoformat()}
            case "end" if len(going_on) > 2:
                yield {"@id": going_on.pop(0), "@end": now.isoformat(), "port": 2}
            case _:
                yield event


def live(folder: Path, *, seed: int, before: int = 0) -> int:
    """A broker that is told this and that; gives where those who ask began to hear."""
    drawn, clock = random.Random(seed), ManualClock(NOON)
    with Broker.open(folder, clock=clock) as broker:
        one, going_on = Live(broker, clock), list[str]()

        def publish(times: int) -> None:
            for _ in range(times):
                some = list(events(drawn, clock.now(), drawn.randrange(1, 5), going_on))
                one.publish(*some, after=timedelta(seconds=drawn.choice([0, 1, 3, 20, 50])))

        publish(before)
        for text in [*ASKED, RULE]:
            broker.subscribe(text)
        began = broker.sequence
        publish(100)
        one.pass_time(clock.now() + timedelta(seconds=25))
        broker.publish({"type": "the end"})
    return began


def told(folder: Path) -> list[Told]:
    """What the broker told of patterns in time, by its journal."""
    with closing(journal_to_read(folder)) as journal:
        return sorted(
            (
                one.subscription,
                one.number,
                entry.time,
                Event.from_json(entry.record.event).id or "",
                one.best.probability,
                [(w.place, Event.from_json(w.event).id or "", w.probability)
                 for w in entry.record.witnesses],
            )
            for entry in journal.read()
            if isinstance(entry.record, Detected)
            for one in entry.record.told
            if one.subscription != "rule"
        )  # fmt: skip


def replayed(spark: SparkSession, folder: Path) -> list[Told]:
    found = spark.read.parquet(spark_address(folder)).where("parts is not null").collect()
    return sorted(
        (row.subscription, row.number, row.at.astimezone(UTC), row.event_id, row.probability,
         [tuple(part) for part in row.parts])
        for row in found
    )  # fmt: skip


@pytest.mark.parametrize(("seed", "before"), [(1, 0), (2, 40)])
def test_a_replay_tells_what_the_broker_told(
    spark: SparkSession, tmp_path: Path, seed: int, before: int
) -> None:
    began = live(tmp_path / "broker", seed=seed, before=before)
    with closing(open_sqlite_journal(tmp_path / "broker", stretch_size=began + 50)) as journal:
        assert journal.seal() is not None

    done = Replay(str(tmp_path / "broker"), replayable(ASKED), Span(after=began)).run(
        spark, tmp_path / "told"
    )

    expected = told(tmp_path / "broker")
    assert {name for name, *_ in expected} == {
        parse(text).name for text in ASKED[1:] if "never" not in text
    }
    assert replayed(spark, tmp_path / "told") == expected
    counts = {one.subscription: one.notifications for one in done.told}
    assert counts["hot"] > 0 and counts["never"] == 0


CAUSE = "{type = vpn down, start after(10 s) {type = link down, port = $port}} as cause"
MISSING = "not {type = ack} within 5 s after {type = request} as missing"


def test_what_came_before_a_part_counts_and_is_not_told(
    spark: SparkSession, tmp_path: Path
) -> None:
    clock = ManualClock(NOON)
    with Broker.open(tmp_path / "broker", clock=clock) as broker:
        for name, kind in (
            ("link", "link down"), ("r 2", "request"),  # the past
            ("vpn", "vpn down"), ("r 6", "request"), ("last", "request"),
            ("later", "vpn down"),
        ):  # fmt: skip
            broker.publish({"@id": name, "type": kind, "port": 7})
            clock.advance(timedelta(seconds=2) if name != "last" else timedelta(minutes=1))
    asked = replayable([CAUSE, MISSING])

    def at(second: int) -> datetime:
        return NOON + timedelta(seconds=second)

    def of_part(span: Span, number: int) -> list[tuple[object, ...]]:
        output = tmp_path / f"told-{number}"
        Replay(str(tmp_path / "broker"), asked, span).run(spark, output)
        found = spark.read.parquet(spark_address(output)).collect()
        return sorted((row.event_id, row.sequence, row.at.astimezone(UTC)) for row in found)

    just_after = timedelta(microseconds=1)
    cause = ("vpn", 3, at(4))
    missing = [("last", 5, at(13) + just_after), ("r 6", 5, at(11) + just_after)]
    assert of_part(Span(after=2), 0) == [*missing, cause]
    assert of_part(Span(after=2, through=5), 1) == [cause]  # which ends before anything is missed
    assert of_part(Span(since=at(4), until=at(13)), 2) == [missing[1], cause]
    assert of_part(Span(after=3), 3) == missing
    assert of_part(Span(after=5), 4) == []


def test_what_is_no_pattern_for_a_broker_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="on change, of a pattern in time"):
        replayable(["{a = 1} then {a = 2} on change"])
    with Broker.open(tmp_path / "broker") as broker:
        broker.publish({"a": 1})
    asked = replayable(["{a isa B} then {a = 2} as classes"])

    with pytest.raises(InvalidInput, match=r"classes: .*ontology"):
        Replay(str(tmp_path / "broker"), asked).run(spark, tmp_path / "told")

    assert not list(tmp_path.glob("*told*"))


@given(st.lists(exact_subscriptions, min_size=1, max_size=4), streams(), st.data())
def test_any_tasks_tell_what_the_broker_told(
    asked: list[Subscription], steps: list[Step], data: st.DataObject
) -> None:
    subscriptions = [replace(one, name=str(number)) for number, one in enumerate(asked)]
    past, tasks = data.draw(st.integers(0, len(steps) // 2)), data.draw(st.integers(1, 2))
    clock = ManualClock(time_of(0))
    with TemporaryDirectory() as name:
        folder = Path(name)
        with Broker.open(folder, clock=clock, matcher=EXACT.matcher) as broker:
            one = Live(broker, clock)
            one.take(steps[:past])
            for subscription in subscriptions:
                broker.subscribe(subscription)
            began = broker.sequence
            one.publish({"nothing": "asked for"}, after=timedelta(0))
            one.take(steps[past:])
            broker.publish({"the": "end"})
        happened = happened_in(folder, began)

        found = [
            (row[0], row[1], time_of(row[3]), row[4], row[5], row[6])
            for task in range(tasks)
            for row in notification_rows(
                subscriptions, range(task, len(subscriptions), tasks), happened, EXACT
            )
        ]

        assert sorted(found) == told(folder)


def happened_in(folder: Path, began: int) -> HappenedInFiles:
    """All that a journal has, in one file: what came after an entry, and what came before."""
    with closing(journal_to_read(folder)) as journal:
        last = journal.last
        rows = list(journal.kept.read(0, last))
    StretchFolder(folder).write(1, last, [rows])
    paths = (folder / name_of(1, last),)
    past, part = Span(through=began), Span(after=began)
    return HappenedInFiles(EntriesInFiles(paths, past), EntriesInFiles(paths, part), rows[-1].at)
