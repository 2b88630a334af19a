"""A broker with an ontology: what queries are told, what the journal has, what a restart finds."""

import random
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from pyoxigraph import QuerySolutions

from purport.assembly import journal_to_read
from purport.broker.asked import Query
from purport.broker.earlier_graph import graph_before
from purport.broker.graph import Graph, recorded_change
from purport.broker.rdf_text import binding_texts
from purport.broker.records import Updated
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from purport.ontology.ontology import Ontology
from tests.strategies.told_ontologies import CLASSES, INDIVIDUALS, KNOTTED, PROPERTIES

SETTINGS = BrokerSettings(infers=True, snapshot_every=7)
ONTOLOGY = Ontology.of_axioms(KNOTTED.axioms)
MEMBERS = "SELECT ?x ?c { ?x a ?c }"
QUERY = Query(MEMBERS)


def updates(seed: int, count: int) -> list[str]:
    drawn = random.Random(seed)
    texts = []
    for _ in range(count):
        one, other = drawn.choices(INDIVIDUALS, k=2)
        relation, kind = drawn.choice(PROPERTIES), drawn.choice(CLASSES)
        texts.append(
            drawn.choice(
                [
                    f"INSERT DATA {{ <{one}> a <{kind}> }}",
                    f"INSERT DATA {{ <{one}> <{relation}> <{other}> }}",
                    f"DELETE WHERE {{ <{one}> ?p ?o }}",
                    f"DELETE {{ <{one}> <{relation}> ?o }} INSERT {{ <{one}> a <{kind}> }} "
                    f"WHERE {{ <{one}> <{relation}> ?o }} ; INSERT DATA {{ <{other}> a <{kind}> }}",
                ]
            )
        )
    return texts


def test_the_journal_has_what_was_asserted_and_told_what_follows(tmp_path: Path) -> None:
    with Broker.open(tmp_path, ontology=ONTOLOGY, settings=SETTINGS) as broker:
        members = broker.subscribe(MEMBERS, name="members")
        broker.update("INSERT DATA { <urn:a> a <urn:A> }")
        first, second = members.waiting()

    assert first.change.is_whole
    assert sorted(str(one["c"]) for one in second.added) == ["<urn:A>", "<urn:B>", "<urn:C>"]
    [updated] = _updates(tmp_path)
    assert len(updated.added) == 1
    with closing(journal_to_read(tmp_path)) as journal:
        assert len(graph_before(journal, journal.last + 1).facts) == 1


def test_a_restart_and_a_replay_find_what_was_told(tmp_path: Path) -> None:
    for seed in range(3):
        texts = updates(seed, 24)
        with Broker.open(tmp_path / str(seed), ontology=ONTOLOGY, settings=SETTINGS) as broker:
            broker.subscribe(MEMBERS, name="members")
            for text in texts[:12]:
                broker.update(text)
            before = _rows(broker)
        with Broker.open(tmp_path / str(seed), ontology=ONTOLOGY, settings=SETTINGS) as broker:
            assert _rows(broker) == before
            for text in texts[12:]:
                broker.update(text)
            after = _rows(broker)
        assert _replayed(tmp_path / str(seed)) == after


def _replayed(folder: Path) -> list[str]:
    """The answer after a journal, all of which is told as it was."""
    graph, told = Graph(ONTOLOGY), 0
    graph.subscribe("members", QUERY)
    for updated in _updates(folder):
        news = graph.make(recorded_change(updated))
        again = [
            (_sorted(binding_texts(one.added)), _sorted(binding_texts(one.removed))) for one in news
        ]
        assert again == [(_sorted(one.added), _sorted(one.removed)) for one in updated.told]
        told += len(news)
    assert told > 5
    return _sorted(binding_texts(graph.whole_answer(QUERY)))


def _updates(folder: Path) -> list[Updated]:
    with closing(journal_to_read(folder)) as journal:
        return [one.record for one in journal.read(0) if isinstance(one.record, Updated)]


def _rows(broker: Broker) -> list[str]:
    found = broker.query(MEMBERS)
    assert isinstance(found, QuerySolutions)
    return _sorted({"x": str(one["x"]), "c": str(one["c"])} for one in found)


def _sorted(bindings: Iterable[Mapping[str, str]]) -> list[str]:
    return sorted(str(sorted(one.items())) for one in bindings)
