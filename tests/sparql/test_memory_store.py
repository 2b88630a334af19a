"""The store in memory: what it keeps beside pyoxigraph, and copies, changes no answer."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyoxigraph import QuerySolutions, Store

from purport.sparql import Engine, MemoryStore
from purport.sparql.graph_store import WHOLE, Dataset, OxigraphStore
from purport.sparql.terms import fact_of
from tests.oracles.requery_engine import answer
from tests.strategies.sparql import requests

LOOKUPS = [
    "SELECT ?o { <urn:a> <urn:p> ?o }",
    "SELECT ?s ?o { <urn:a> <urn:p> ?s . ?s <urn:q> ?o }",
    "SELECT ?s { ?s <urn:p> 1 . <urn:a> <urn:q> ?z }",
    "SELECT ?o ?s { ?s <urn:p> ?o FILTER(?s = <urn:a>) }",
    "SELECT ?o { ?s <urn:p> ?o FILTER(<urn:a> = ?s) }",
    "SELECT * { <urn:a> <urn:p> ?x . ?y <urn:q> ?x . ?y <urn:p> ?z }",
    "SELECT ?o FROM <urn:g> { <urn:a> <urn:p> ?o }",
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(requests, max_size=12))
def test_what_is_changed_often_is_found_as_pyoxigraph_finds_it(
    monkeypatch: pytest.MonkeyPatch, updates: list[str]
) -> None:
    for name, value in (("_HOT", 1), ("_FEW", 2), ("_COPYING", 3)):
        monkeypatch.setattr(f"purport.sparql.memory_store.{name}", value)
    ours, theirs = MemoryStore(), Store()
    engine = Engine(ours)
    plain = OxigraphStore(theirs)
    for update in updates:
        change = engine.change_of(update)
        engine.apply(change)
        plain.apply(change)

        for text, dataset in product(LOOKUPS, (WHOLE, Dataset(("urn:g",)))):
            found = engine.query(text, dataset)
            assert isinstance(found, QuerySolutions)
            names = [one.value for one in found.variables]
            rows = Counter(frozenset((name, str(one[name])) for name in names) for one in found)
            assert rows == answer(theirs, text, dataset)
        assert set(ours.matching(None, None, None, None)) == set(map(fact_of, theirs))
        assert set(ours.named_graphs()) == set(theirs.named_graphs())


def test_a_store_that_is_given_is_never_copied() -> None:
    given_store = Store()
    store = MemoryStore(given_store)
    engine = Engine(store)

    for number in range(1_500):
        engine.update(f"DELETE WHERE {{ <urn:a> <urn:p> ?o }} ; "
                      f"INSERT DATA {{ <urn:a> <urn:p> {number} }}")  # fmt: skip

    assert store.renewals == 0
    assert len(given_store) == 1
