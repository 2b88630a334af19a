"""A replay tells what the broker told those who ask SPARQL queries."""

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from pyspark.sql import SparkSession

from purport import InvalidInput, Matcher
from purport.assembly import journal_to_read
from purport.broker.earlier_graph import EarlierGraph, graph_before
from purport.broker.records import AnswerTold, Updated
from purport.broker.retention import Retention
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.model.clock import ManualClock
from purport.pipeline.jobs.replay import Replay
from purport.pipeline.journal.replayable import NamedQuery, Replayable, replayable
from purport.pipeline.journal.stretch_rows import Span
from purport.pipeline.session import spark_address
from purport.sparql import Dataset
from purport.storage.opening import open_sqlite_journal

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
QUERIES = {
    "dims": "SELECT ?lamp ?dim WHERE { ?lamp <urn:dim> ?dim }",
    "bright": "SELECT ?lamp WHERE { ?lamp <urn:dim> ?dim FILTER(?dim > 5) }",
    "roads": "SELECT ?road (COUNT(?l) AS ?n) WHERE { ?l <urn:on> ?road ; <urn:dim> ?d } "
    "GROUP BY ?road",
    "dark": "SELECT ?l WHERE { ?l <urn:on> ?r FILTER NOT EXISTS { ?l <urn:dim> ?d } }",
    "some": "ASK { ?lamp <urn:dim> 9 }",
    "made": "CONSTRUCT { ?r <urn:has> ?d } WHERE { ?l <urn:on> ?r OPTIONAL { ?l <urn:dim> ?d } }",
    "graphs": "SELECT ?g (COUNT(?s) AS ?n) WHERE { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g",
    "in a graph": "SELECT ?lamp ?dim WHERE { ?lamp <urn:dim> ?dim }",
    "silent": "SELECT ?x WHERE { ?x <urn:never> <urn:said> }",
}
DATASETS = {"in a graph": Dataset(("urn:g0",), ())}
RULE = 'when {sensor = $lamp} as rule update "INSERT DATA { [] <urn:seen> $lamp }"'


class Heard(NamedTuple):
    """A notification, so that two can be compared: the order of bindings means nothing."""

    subscription: str
    number: int
    sequence: int
    added: str
    removed: str


def updates(drawn: random.Random) -> Iterator[str]:
    while True:
        lamp, road, dim = drawn.randrange(6), drawn.randrange(2), drawn.randrange(10)
        yield drawn.choice(
            [
                f"DELETE WHERE {{ <urn:l{lamp}> <urn:dim> ?d }} ; "
                f"INSERT DATA {{ <urn:l{lamp}> <urn:dim> {dim} }}",
                f"INSERT DATA {{ <urn:l{lamp}> <urn:on> <urn:r{road}> }}",
                f"DELETE WHERE {{ <urn:l{lamp}> ?p ?o }}",
                f"INSERT DATA {{ GRAPH <urn:g{road}> {{ [] <urn:dim> {dim} }} }}",
                "INSERT { _:b <urn:dim> ?u } WHERE { BIND(RAND() AS ?u) }",
                f"CLEAR SILENT GRAPH <urn:g{road}>",
            ]
        )


def live(folder: Path, *, count: int = 60, seed: int = 1, before: int = 0) -> int:
    """A broker that is told this and that; gives where those who ask began to hear."""
    drawn, clock = random.Random(seed), ManualClock(NOON)
    texts = updates(drawn)
    with Broker.open(folder, clock=clock, matcher=lambda: Matcher(measure="exact")) as broker:
        for _ in range(before):
            broker.update(next(texts))
        broker.subscribe(RULE)
        broker.subscribe("{sensor > 0} as sensed")
        for name, text in QUERIES.items():
            broker.subscribe(text, name=name, dataset=DATASETS.get(name, Dataset()))
        began = broker.sequence
        for number in range(count):
            clock.advance(timedelta(seconds=1))
            if number % 10 == 5:
                broker.publish({"sensor": number})
            later = timedelta(seconds=3) if number % 7 == 0 else None
            broker.update(next(texts), after=later)
    return began


def told(folder: Path) -> list[Heard]:
    """What the broker told those who ask, by its journal."""
    with closing(journal_to_read(folder)) as journal:
        return sorted(
            Heard(to.subscription, to.number, entry.sequence, _text(one.added), _text(one.removed))
            for entry in journal.read()
            if isinstance(entry.record, Updated | AnswerTold)
            for one in entry.record.told
            for to in one.to
        )


def replayed(spark: SparkSession, folder: Path) -> list[Heard]:
    rows = spark.read.parquet(spark_address(folder)).where("added is not null").collect()
    return sorted(
        Heard(one.subscription, one.number, one.sequence, _text(one.added), _text(one.removed))
        for one in rows
    )


def _text(bindings: tuple[Mapping[str, str], ...] | list[Mapping[str, str]]) -> str:
    return json.dumps(sorted(json.dumps(dict(one), sort_keys=True) for one in bindings))


def asked() -> Replayable:
    queries = [
        NamedQuery(name, text, DATASETS.get(name, Dataset())) for name, text in QUERIES.items()
    ]
    return Replayable([], queries)


def test_a_replay_tells_what_the_broker_told(spark: SparkSession, tmp_path: Path) -> None:
    began = live(tmp_path / "broker", before=20)
    with closing(open_sqlite_journal(tmp_path / "broker", stretch_size=25)) as journal:
        assert journal.seal() is not None and journal.seal() is not None
    job = Replay(str(tmp_path / "broker"), asked(), Span(after=began))

    done = job.run(spark, tmp_path / "told")

    expected = told(tmp_path / "broker")
    assert len({one.subscription for one in expected if one.number > 0}) == len(QUERIES) - 1
    found = replayed(spark, tmp_path / "told")
    assert [one for one in found if one.number] == [one for one in expected if one.number]
    whole = [one._replace(sequence=began) for one in expected if not one.number]
    assert [one for one in found if not one.number] == whole
    assert {one.subscription: one.notifications for one in done.told} == Counter(
        one.subscription for one in expected
    )


@pytest.mark.parametrize("drops", [False, True])
def test_a_part_begins_with_the_answer_as_it_was_then(
    spark: SparkSession, tmp_path: Path, drops: bool
) -> None:
    """Whether the graph of then follows from the beginning, or backwards from a later snapshot."""
    folder = tmp_path / "broker"
    live(folder, count=40)
    expected = told(folder)
    if drops:
        old = BrokerSettings(retention=Retention(most_age=timedelta(days=1)))
        with closing(open_sqlite_journal(folder, stretch_size=20)) as journal:
            assert journal.seal() is not None
        with Broker.open(folder, settings=old, matcher=lambda: Matcher(measure="exact")) as broker:
            for name in QUERIES:
                subscriber = broker.subscriber(name)
                list(subscriber.waiting())
                subscriber.acknowledge()
            broker.publish({"sensor": 0})
            assert broker.compact() > 0
    with closing(journal_to_read(folder)) as journal:
        middle = max(journal.first - 1, 30)

    given = replayable([f"broker:{folder}"])
    Replay(str(folder), given, Span(after=middle)).run(spark, tmp_path / "told")

    assert {one.name for one in given.queries} == set(QUERIES)
    later = [one for one in expected if one.sequence > middle]
    found = replayed(spark, tmp_path / "told")
    assert [one[2:] for one in found if one.number] == [one[2:] for one in later]
    for name in QUERIES:
        earlier = [one for one in expected if one.subscription == name and one.sequence <= middle]
        [whole] = [one for one in found if one.subscription == name and one.number == 0]
        assert whole.added == _text([json.loads(one) for one in _answer(earlier)])


def _answer(heard: list[Heard]) -> list[str]:
    """The answer after some notifications."""
    answer: Counter[str] = Counter()
    for one in heard:
        answer.update(json.loads(one.added))
        answer.subtract(json.loads(one.removed))
    return list(answer.elements())


def test_the_graph_before_an_entry_is_found_forwards_and_backwards(tmp_path: Path) -> None:
    folder = tmp_path / "broker"
    live(folder, count=30)
    graph = EarlierGraph()
    with closing(journal_to_read(folder)) as journal:
        assert journal.snapshot() is not None
        for entry in list(journal.read()):
            assert graph_before(journal, entry.sequence) == graph
            if isinstance(entry.record, Updated):
                graph.follow([entry.record])
        assert graph_before(journal, journal.last + 1) == graph


def test_events_and_queries_are_replayed_together(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "broker"
    live(folder, count=20)
    (tmp_path / "bright.rq").write_text(QUERIES["bright"])
    with Broker.open(folder, matcher=lambda: Matcher(measure="exact")) as broker:
        (tmp_path / "registry.jsonl").write_text(broker.export_registry())

    given = replayable([str(tmp_path / "bright.rq"), "{sensor > 0} as all", "ASK {}"])
    done = Replay(str(folder), given).run(spark, tmp_path / "told")

    assert [one.subscription for one in done.told] == ["all", "bright", "ASK {}"]
    assert all(one.notifications for one in done.told)
    whole = replayable([str(tmp_path / "registry.jsonl")])
    assert whole.names == ["sensed", *QUERIES]
    assert {one.name: one.dataset for one in whole.queries if one.dataset != Dataset()} == DATASETS


def test_a_query_that_is_none_is_told_before_spark_is_asked(tmp_path: Path) -> None:
    (tmp_path / "bad.rq").write_text("SELECT ?x WHERE {")

    with pytest.raises(InvalidInput, match="bad: line 1, column 18"):
        replayable([str(tmp_path / "bad.rq")])
    with pytest.raises(InvalidInput, match="more than one subscription is called 'ASK"):
        replayable(["ASK {}", "ASK {}"])
    with pytest.raises(InvalidInput, match="No such file"):
        replayable([str(tmp_path / "none.rq")])
