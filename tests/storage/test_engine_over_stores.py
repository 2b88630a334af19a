"""The whole engine over every store: who is told what does not depend on where the facts are."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from purport.errors import InvalidInput
from purport.sparql import Dataset, Engine
from purport.sparql.errors import SparqlSyntaxError
from purport.sparql.graph_store import WHOLE, GraphStore
from purport.sparql.standing_query import Binding
from purport.storage.oxigraph_disk import DiskStore
from purport.storage.sparql_endpoint import Endpoint
from tests.contracts.graph_store import empty, everything
from tests.oracles.requery_engine import Row, row
from tests.storage.virtuoso_server import VirtuosoServer

QUERIES: list[tuple[str, Dataset]] = [
    ("SELECT ?s ?o WHERE { ?s <urn:dim> ?o }", WHOLE),
    ("SELECT ?s WHERE { ?s <urn:dim> ?o FILTER(?o > 4) }", WHOLE),
    ("SELECT ?s ?r ?o WHERE { ?s <urn:in> ?r . ?s <urn:dim> ?o }", WHOLE),
    ("SELECT ?s ?name WHERE { ?s <urn:dim> ?o OPTIONAL { ?s <urn:name> ?name } }", WHOLE),
    ("SELECT ?r (COUNT(?s) AS ?n) WHERE { ?s <urn:in> ?r } GROUP BY ?r", WHOLE),
    ("SELECT ?s WHERE { ?s <urn:dim> ?o FILTER NOT EXISTS { ?s <urn:in> ?r } }", WHOLE),
    ("SELECT DISTINCT ?r WHERE { ?s <urn:in> ?r }", WHOLE),
    ("SELECT ?g ?s ?o WHERE { GRAPH ?g { ?s <urn:dim> ?o } }", WHOLE),
    ("SELECT ?o WHERE { GRAPH <urn:g> { ?s <urn:dim> ?o } }", WHOLE),
    ("SELECT ?s ?o WHERE { ?s <urn:dim> ?o }", Dataset(("urn:g",))),
    ("ASK { <urn:l1> <urn:dim> 5 }", WHOLE),
    ("CONSTRUCT { ?r <urn:has> ?s } WHERE { ?s <urn:in> ?r }", WHOLE),
    ("SELECT ?s ?o WHERE { ?s <urn:dim> ?o } ORDER BY DESC(?o) ?s LIMIT 1", WHOLE),
    ("SELECT (COUNT(*) AS ?count) WHERE { ?s <urn:dim> ?o }", WHOLE),
]
SEQUENCES = {
    "data": [
        "INSERT DATA { <urn:l1> <urn:dim> 5 ; <urn:in> <urn:r1> . <urn:l2> <urn:dim> 5 }",
        "INSERT DATA { <urn:l1> <urn:dim> 5 ; <urn:name> 'Küche'@de }",
        "DELETE DATA { <urn:l1> <urn:dim> 5 } ; INSERT DATA { <urn:l1> <urn:dim> 6 }",
        "DELETE DATA { <urn:l9> <urn:dim> 5 }",
        "INSERT DATA { <urn:l3> <urn:dim> 2.5 , 1.5e0 , 07 ; <urn:is-on> true }",
    ],
    "patterns": [
        "INSERT DATA { <urn:l1> <urn:dim> 1 ; <urn:in> <urn:r1> . "
        "<urn:l2> <urn:dim> 2 ; <urn:in> <urn:r1> }",
        "DELETE { ?s <urn:dim> ?o } INSERT { ?s <urn:dim> 9 } "
        "WHERE { ?s <urn:in> <urn:r1> ; <urn:dim> ?o }",
        "DELETE { ?s <urn:dim> ?o } INSERT { ?s <urn:dim> ?n } "
        "WHERE { ?s <urn:dim> ?o BIND(?o + 1 AS ?n) }",
        "INSERT { ?s <urn:in> ?r } WHERE { VALUES (?s ?r) { (<urn:l3> <urn:r2>) } }",
        "DELETE WHERE { ?s <urn:in> ?r }",
    ],
    "graphs": [
        "INSERT DATA { GRAPH <urn:g> { <urn:l1> <urn:dim> 1 } <urn:l1> <urn:dim> 2 }",
        "ADD DEFAULT TO <urn:h>",
        "WITH <urn:g> DELETE { ?s <urn:dim> ?o } INSERT { ?s <urn:dim> 4 } "
        "WHERE { ?s <urn:dim> ?o }",
        "INSERT { ?s <urn:dim> ?o } USING <urn:g> WHERE { ?s <urn:dim> ?o }",
        "INSERT { GRAPH ?g { ?s <urn:seen> ?g } } WHERE { GRAPH ?g { ?s <urn:dim> ?o } }",
        "COPY <urn:g> TO <urn:h>",
        "MOVE <urn:h> TO DEFAULT",
        "CLEAR GRAPH <urn:g>",
        "DROP ALL",
    ],
}
FAILING = [
    "INSERT DATA { <urn:l1> <urn:dim> 1 } ; DROP GRAPH <urn:not-there>",
    "INSERT DATA { <urn:l1> <urn:dim }",
]


@pytest.fixture(params=["disk", "oxigraph", "virtuoso"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GraphStore]:
    if request.param == "disk":
        disk = DiskStore(tmp_path)
        yield disk
        disk.close()
        return
    if request.param == "oxigraph":
        endpoint = Endpoint(request.getfixturevalue("oxigraph"))
    else:
        server: VirtuosoServer = request.getfixturevalue("virtuoso")
        endpoint = server.endpoint("urn:purport:default")
    yield (store := endpoint.build())
    empty(store)


@pytest.mark.parametrize("updates", SEQUENCES.values(), ids=SEQUENCES)
def test_an_engine_tells_the_same_over_any_store(store: GraphStore, updates: list[str]) -> None:
    here, there = Engine(), Engine(store)
    for number, (text, dataset) in enumerate(QUERIES):
        live = [one.subscribe(text, dataset, id=f"q{number}") for one in (here, there)]
        assert multiset(live[0].initial) == multiset(live[1].initial)

    for update in updates:
        expected, found = told(here, update), told(there, update)
        assert found == expected, update

    for number, (text, dataset) in enumerate(QUERIES):
        again = [one.subscribe(text, dataset) for one in (here, there)]
        assert multiset(again[0].initial) == multiset(again[1].initial), number


@pytest.mark.parametrize("update", FAILING)
def test_an_update_that_fails_changes_nothing(store: GraphStore, update: str) -> None:
    engine = Engine(store)
    engine.update("INSERT DATA { <urn:l1> <urn:dim> 5 }")
    engine.subscribe("SELECT ?o WHERE { <urn:l1> <urn:dim> ?o }")
    before = everything(store)

    with pytest.raises((InvalidInput, SparqlSyntaxError)):
        engine.update(update)

    assert everything(store) == before
    [news] = engine.update("INSERT DATA { <urn:l1> <urn:dim> 7 }")
    assert (news.sequence, len(news.added), len(news.removed)) == (1, 1, 0)


def told(engine: Engine, update: str) -> dict[tuple[str, int], tuple[Counter[Row], Counter[Row]]]:
    return {
        (one.subscription_id, one.sequence): (multiset(one.added), multiset(one.removed))
        for one in engine.update(update)
    }


def multiset(bindings: Sequence[Binding]) -> Counter[Row]:
    """Bindings as what can be counted."""
    return Counter(map(row, bindings))
