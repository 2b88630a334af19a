"""Queries that would have more rows made at a time than may be."""

import pytest

from purport.sparql import Engine
from purport.sparql.errors import TooManyRows
from purport.sparql.row_limit import at_most

PATTERNS = [
    "{ ?a <urn:p> ?x . ?b <urn:p> ?y FILTER(?x + ?y < 0) }",
    "{ ?a <urn:p> ?x OPTIONAL { ?b <urn:p> ?y } }",
    "{ { SELECT DISTINCT ?a { ?a <urn:p> ?x } } { SELECT DISTINCT ?b { ?b <urn:p> ?y } } }",
    "{ ?a <urn:p> ?x FILTER NOT EXISTS { ?b <urn:p> ?y } }",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_query_of_too_many_rows_is_not_begun_and_the_engine_goes_on(pattern: str) -> None:
    engine = Engine()
    facts = " . ".join(f"<urn:{number}> <urn:p> {number}" for number in range(30))
    engine.update(f"INSERT DATA {{ {facts} }}")

    with at_most(500), pytest.raises(TooManyRows, match="more than 500"):
        engine.subscribe(f"SELECT * WHERE {pattern}")
    with at_most(500):
        live = engine.subscribe("SELECT ?a { ?a <urn:p> ?x . ?a <urn:p> ?y }")
    told = engine.update("INSERT DATA { <urn:30> <urn:p> 30 }")

    assert engine.kept_facts == 31 and len(live.initial) == 30
    assert [one.subscription_id for one in told] == [live.id]
