"""A replay tells what the broker told."""

import random
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from purport import InvalidInput, parse
from purport.assembly import journal_at, journal_to_read
from purport.broker.records import Entry, Published
from purport.embedded.broker import Broker
from purport.errors import UnusablePath
from purport.model.clock import ManualClock
from purport.pipeline.jobs.replay import Replay, Replayed
from purport.pipeline.journal.replayable import Replayable, replayable
from purport.pipeline.journal.stretch_rows import Span
from purport.pipeline.session import spark_address
from purport.storage.opening import open_sqlite_journal
from tests.storage.postgres_server import PostgresServer

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
ASKED = [
    "{device = laptop~} as near",
    "{device~ = laptop, heat > 25 °C} as warm",
    "{heat > 30} on change as change",
    "{room = r1, heat in [10, 20]} on change as range",
    "{state in (open, ajar)} on change as one_of",
    "{room = r1} at most once per 90 s as seldom",
    "{heat > 30, room = r2} at most once per 2 min on change as both",
    "{room = r3} expires 2026-01-01T12:10:00Z as early",
    "{sensor.floor = 2} as nested",
    "{type = alert} as derived",
    "{nobody = says this} as silent",
    "{heat != 21} as different",
]
RULE = "when {heat > 38, room = $room} as rule publish {type = alert, room = $room}"


def events(drawn: random.Random, count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        event: dict[str, Any] = {
            "device": drawn.choice(["laptop", "notebook", "computer", "kettle"]),
            "room": drawn.choice(["r1", "r2", "r3"]),
            "heat": drawn.choice([5, 15, 21, 25.5, 31, 39, "30 °C", "90 °F"]),
        }
        if drawn.random() < 0.3:
            event["sensor"] = {"floor": drawn.choice([1, 2, [1, 2]]), "note": 'a "b"\n'}
        if drawn.random() < 0.3:
            event["state"] = drawn.choice(["open", "ajar", "shut"])
        if drawn.random() < 0.1:
            event["@id"] = f"ünï {number % 7}"
        yield event


def live(folder: Path, seed: int) -> None:
    """A broker that is told this and that, while time passes."""
    drawn, clock = random.Random(seed), ManualClock(NOON)
    with Broker.open(folder, clock=clock) as broker:
        for text in [*ASKED, RULE]:
            broker.subscribe(text)
        for _ in range(60):
            broker.publish_all(events(drawn, drawn.randrange(1, 9)))
            clock.advance(timedelta(seconds=drawn.choice([0, 1, 30, 100])))


def seal(folder: Path, through: int) -> None:
    """Seal a part of a journal, as a broker would after a while."""
    with closing(open_sqlite_journal(folder, stretch_size=through)) as journal:
        assert journal.seal() is not None


def told(folder: Path) -> list[tuple[object, ...]]:
    """What the broker told, by its journal."""
    with closing(journal_to_read(folder)) as journal:
        return sorted(row for entry in journal.read() for row in _told_in(entry))


def _told_in(entry: Entry) -> Iterator[tuple[object, ...]]:
    if isinstance(entry.record, Published):
        assert entry.event is not None
        for one in entry.record.told:
            best = one.best
            if one.subscription != "rule":
                yield (
                    one.subscription, one.number, entry.sequence, entry.time, entry.event.id,
                    best.probability, list(best.mapping), list(best.similarities),
                )  # fmt: skip


def rows(spark: SparkSession, folder: Path) -> list[tuple[object, ...]]:
    found: list[Row] = spark.read.parquet(spark_address(folder)).collect()
    return sorted((*row[:3], row.at.astimezone(UTC), *row[4:8]) for row in found)


def asked() -> Replayable:
    return replayable(ASKED)


def test_a_replay_tells_what_the_broker_told(spark: SparkSession, tmp_path: Path) -> None:
    live(tmp_path / "broker", seed=1)
    seal(tmp_path / "broker", through=80)

    replayed = Replay(str(tmp_path / "broker"), asked()).run(spark, tmp_path / "told")

    expected = told(tmp_path / "broker")
    assert len({name for name, *_ in expected}) == len(ASKED) - 1
    assert rows(spark, tmp_path / "told") == expected
    counts = {one.subscription: one.notifications for one in replayed.told}
    assert counts == {
        parse(text).name: sum(name == parse(text).name for name, *_ in expected) for text in ASKED
    }
    assert list(counts) == [parse(text).name for text in ASKED]
    assert replayed.first == 1


def test_without_others_the_registered_subscriptions_are_replayed_while_the_broker_runs(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / "broker"
    live(folder, seed=2)
    with Broker.open(folder) as broker:
        broker.pause("near")
        given = replayable([f"broker:{folder}"])
        Replay(str(folder), given).run(spark, tmp_path / "told")

    expected = [row for row in told(folder) if row[0] not in ("near", "early")]
    assert rows(spark, tmp_path / "told") == expected


def test_a_part_is_replayed_as_if_the_subscriptions_began_there(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / "broker"
    clock = ManualClock(NOON)
    with Broker.open(folder, clock=clock) as broker:
        for heat in (31, 32, 20, 33, 34, 35):
            broker.publish({"heat": heat})
            clock.advance(timedelta(minutes=1))
    subscriptions = replayable(["{heat > 30} on change as change", "{heat > 0} as all"])

    def replayed(span: Span, number: int) -> tuple[Replayed, dict[str, list[int]]]:
        output = tmp_path / f"told-{number}"
        done = Replay(str(folder), subscriptions, span).run(spark, output)
        found: dict[str, list[int]] = {}
        for name, _, sequence, *_ in rows(spark, output):
            found.setdefault(str(name), []).append(sequence)  # type: ignore[arg-type]
        return done, found

    spans = [
        Span(after=1, through=5),
        Span(since=NOON + timedelta(minutes=3), until=NOON + timedelta(minutes=5)),
        Span(after=6),
    ]
    results = [replayed(span, number) for number, span in enumerate(spans)]

    assert [found for _, found in results] == [
        {"change": [2, 4], "all": [2, 3, 4, 5]},
        {"change": [4], "all": [4, 5]},
        {},
    ]
    assert [(done.first, done.last) for done, _ in results] == [(2, 5), (4, 5), (7, 6)]


def test_a_journal_in_postgres_is_replayed_too(
    spark: SparkSession, postgres: PostgresServer, tmp_path: Path
) -> None:
    place, stretches = postgres.new_place(), tmp_path / "broker" / "stretches"
    with Broker.open(tmp_path / "broker", journal=place) as broker:
        broker.subscribe("{heat > 30} as hot")
        broker.publish_all([{"heat": heat} for heat in (31, 20, 32)])
    with closing(journal_at(place, stretches=stretches)) as journal:
        assert journal.seal(all_of_it=True) is not None
    with Broker.open(tmp_path / "broker", journal=place) as broker:
        broker.publish({"heat": 33})
        given = replayable([f"broker:{place}"])
        Replay(place, given, stretches=stretches).run(spark, tmp_path / "told")

    assert [row[2] for row in rows(spark, tmp_path / "told")] == [2, 4, 5]
    with pytest.raises(InvalidInput, match="name the folder of its stretches"):
        Replay(place, given).run(spark, tmp_path / "more")


def test_what_cannot_be_replayed_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"the replay of a rule \(when\)"):
        replayable([RULE])
    with pytest.raises(InvalidInput, match="more than one subscription is called 'a'"):
        replayable(["{a = 1} as a", "{a = 2} as a"])
    with pytest.raises(InvalidInput, match="there is no journal here"):
        Replay(str(tmp_path), asked()).run(spark, tmp_path / "told")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(InvalidInput, match="expected an empty folder"):
        Replay(str(tmp_path), asked()).run(spark, tmp_path / "full")


def test_a_place_that_is_lost_meanwhile_is_told_in_our_words(
    spark: SparkSession, tmp_path: Path
) -> None:
    with Broker.open(tmp_path / "broker") as broker:
        broker.publish_all([{"heat": 31}] * 10)
    above = tmp_path / "above"
    above.mkdir()

    def lose(step: str) -> None:
        if step.startswith("matching") and above.is_dir():
            above.rmdir()
            above.touch()

    replay = Replay(str(tmp_path / "broker"), asked())
    with pytest.raises(UnusablePath, match=f"^{above}/told: {above} is not a folder$"):
        replay.run(spark, above / "told", lose)


def test_a_damaged_stretch_is_told_and_leaves_nothing_behind(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / "broker"
    with closing(journal_at(folder)) as journal:
        assert journal.last == 0
    with Broker.open(folder) as broker:
        broker.publish_all([{"heat": 31}] * 10)
    seal(folder, through=10)
    [path] = (folder / "stretches").glob("*.parquet")
    path.write_bytes(path.read_bytes()[:-100])

    with pytest.raises(InvalidInput, match="not a whole stretch of a journal"):
        Replay(str(folder), asked()).run(spark, tmp_path / "told")

    assert not list(tmp_path.glob("*told*"))
