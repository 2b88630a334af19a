"""Inferred facts: what is seen is what follows from what was asserted, after any updates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Store

from purport.sparql import Engine, MemoryStore
from purport.sparql.terms import Fact, fact_of, quad_of
from tests.oracles.naive_inference import visible
from tests.oracles.requery_engine import take_over
from tests.sparql.follower import Follower
from tests.sparql.requery import named_graphs_of, quads_of
from tests.strategies.inferring import Operation, facts, requests
from tests.strategies.sparql import Query
from tests.strategies.told_ontologies import KNOTTED, ToldOntology, ontologies

QUERIES = (
    "SELECT * { ?s ?p ?o }",
    "SELECT * { GRAPH ?g { ?s ?p ?o } }",
    "SELECT ?x { ?x a <urn:A> . ?x <urn:p> ?y . ?y a <urn:B> }",
    "SELECT ?x ?y { ?x a <urn:A> OPTIONAL { ?x <urn:q> ?y } }",
    "SELECT ?c (COUNT(*) AS ?n) { ?x a ?c } GROUP BY ?c",
    "SELECT ?x { ?x a <urn:C> FILTER NOT EXISTS { ?x <urn:p> ?x } }",
    "SELECT ?x ?y { ?x <urn:p>+ ?y }",
)


def seen(engine: Engine) -> set[Fact]:
    return set(map(fact_of, quads_of(engine)))


@given(ontologies, requests)
def test_what_is_seen_and_told_is_what_follows_from_what_was_asserted(
    ontology: ToldOntology, texts: list[list[Operation]]
) -> None:
    play(ontology, texts)


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_facts_that_follow_in_several_ways_and_in_circles(
    steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("purport.sparql.inference._STEPS", steps)
    told = 0

    @given(requests)
    def agree(texts: list[list[Operation]]) -> None:
        nonlocal told
        told += play(KNOTTED, texts)

    agree()
    assert told > 0


@given(ontologies, st.sets(facts, max_size=8))
def test_what_a_store_has_already_is_taken_up(ontology: ToldOntology, some: set[Fact]) -> None:
    base = MemoryStore.filled(map(quad_of, some))

    engine = Engine(base, ontology=ontology)

    assert seen(engine) == visible(ontology.axioms, some)
    assert set(base.matching(None, None, None, None)) == some


@given(ontologies, requests)
def test_a_base_has_what_is_asserted_and_no_more(
    ontology: ToldOntology, texts: list[list[Operation]]
) -> None:
    base, asserted = MemoryStore(), set[Fact]()
    engine = Engine(base, ontology=ontology)
    for operations in texts:
        for one in operations:
            asserted = one.run(asserted, visible(ontology.axioms, asserted))
        text = " ; ".join(one.text for one in operations)

        change = engine.change_of(text)
        engine.apply(change)

        assert set(base.matching(None, None, None, None)) == asserted
    engine.resync()
    assert seen(engine) == visible(ontology.axioms, asserted)


def play(ontology: ToldOntology, texts: list[list[Operation]]) -> int:
    """Run updates and compare with what follows, all of it anew; how often somebody was told."""
    engine, theirs = Engine(ontology=ontology), Store()
    asserted: set[Fact] = set()
    take_over(theirs, map(quad_of, visible(ontology.axioms, asserted)), ())
    assert seen(engine) == set(map(fact_of, theirs))
    followers = [Follower(Query(text), engine.subscribe(text), theirs) for text in QUERIES]
    count = 0
    for operations in texts:
        for one in operations:
            asserted = one.run(asserted, visible(ontology.axioms, asserted))

        told = engine.update(" ; ".join(one.text for one in operations))

        graphs = named_graphs_of(engine)
        take_over(theirs, map(quad_of, visible(ontology.axioms, asserted)), graphs)
        assert seen(engine) == set(map(fact_of, theirs))
        count += sum([follower.hear(told) for follower in followers])
    return count
