"""Queries that are begun and answered later, against the same asked at once."""

from threading import Thread

import pytest
from hypothesis import event, given
from pyoxigraph import QueryBoolean, QuerySolutions, QueryTriples

from purport.sparql import Engine
from purport.sparql.graph_store import Answer
from purport.sparql.lazy_query import lazy_text
from tests.strategies.sparql import Case, Comparison, cases

_LATEST_SECONDS = 20.0
PRODUCT = " . ".join(f"?{name} <urn:p> ?{name}{name}" for name in "abcdefgh")
EAGER = [
    "ASK { %s FILTER(?aa + ?bb < 0) }",
    "ASK { %s FILTER(?aa + ?bb < 0) } GROUP BY ?a",
    "SELECT * { %s } ORDER BY ?a",
    "SELECT (COUNT(*) AS ?n) { %s }",
    "SELECT ?a ?n { ?a <urn:p> ?o OPTIONAL { SELECT ?a (COUNT(*) AS ?n) { %s } GROUP BY ?a } }",
    "CONSTRUCT { ?a <urn:q> ?b } WHERE { %s } ORDER BY ?c LIMIT 1",
    "CONSTRUCT WHERE { %s } ORDER BY ?c LIMIT 1",
    "DESCRIBE ?a WHERE { %s } ORDER BY ?c LIMIT 1",
    "PREFIX e: <urn:> SELECT (EXISTS { ?x e:p ?y } AS ?is) WHERE { { %s } MINUS { ?a e:p 1 } }",
]


@pytest.mark.parametrize("text", EAGER)
def test_to_begin_a_query_takes_no_longer_than_to_read_it(text: str) -> None:
    engine = Engine()
    facts = " . ".join(f"<urn:{number}> <urn:p> {number}" for number in range(200))
    engine.update(f"INSERT DATA {{ {facts} }}")
    thread = Thread(target=engine.begin, args=(text % PRODUCT,), daemon=True)

    thread.start()
    thread.join(_LATEST_SECONDS)

    assert not thread.is_alive()


def test_an_answer_is_of_the_time_when_it_was_begun() -> None:
    engine = Engine()
    engine.update("INSERT DATA { <urn:a> <urn:p> 1 }")
    texts = ("ASK { ?s ?p ?o }", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", "SELECT * { ?s ?p ?o }")
    begun = [engine.begin(text) for text in texts]
    engine.update("CLEAR ALL")

    is_there, counted, found = (one() for one in begun)

    assert isinstance(is_there, QueryBoolean) and is_there
    assert isinstance(counted, QuerySolutions) and next(counted)["n"].value == "1"
    assert isinstance(found, QuerySolutions) and len(list(found)) == 1


@given(cases)
def test_a_query_that_is_answered_later_has_the_same_answer(case: Case) -> None:
    engine = Engine()
    for text in (case.graph, *case.updates):
        engine.update(text)
    for one in case.subscribed:
        text, dataset = one.query.text, one.query.dataset
        if one.query.comparison is Comparison.PART:
            text = one.query.behind
        event("rewritten" if lazy_text(text) else "begins lazily")
        at_once, later = engine.query(text, dataset), engine.begin(text, dataset)()
        is_renamed = one.query.comparison is Comparison.RENAMED
        assert _told(later, is_renamed) == _told(at_once, is_renamed)


def _told(answer: Answer, is_renamed: bool) -> object:
    if isinstance(answer, QueryBoolean):
        return bool(answer)
    if isinstance(answer, QueryTriples):
        triples = sorted(map(str, answer))
        return len(triples) if is_renamed else triples
    rows = [tuple(map(str, one)) for one in answer]
    return [one.value for one in answer.variables], sorted(rows)
