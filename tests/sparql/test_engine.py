"""Subscribed queries: exactly what changes, and nothing else."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode

from purport.errors import InvalidInput
from purport.sparql import Engine, MemoryStore
from purport.sparql.errors import NotAllowed, SparqlSyntaxError
from purport.sparql.graph_store import Answer, Dataset
from purport.sparql.standing_query import Binding
from purport.sparql.terms import Term
from tests.oracles.requery_engine import row
from tests.sparql.requery import Tally, play
from tests.strategies.sparql import Case, Query, Subscribed, requests

QUERIES = [
    "SELECT ?s ?o WHERE { ?s <urn:p> ?o }",
    "SELECT ?s WHERE { ?s <urn:p> ?o }",
    "SELECT DISTINCT ?s WHERE { ?s ?p ?o }",
    "SELECT * WHERE { <urn:a> <urn:p> ?o . ?o <urn:q> ?z }",
    "SELECT ?s ?v WHERE { ?s <urn:p> ?o OPTIONAL { ?s <urn:q> ?v } }",
    "SELECT ?s WHERE { { ?s <urn:p> 1 } UNION { ?s <urn:q> 1 } }",
    "SELECT ?s WHERE { ?s <urn:p> ?o MINUS { ?s <urn:q> 2 } }",
    "SELECT ?s WHERE { ?s <urn:p> ?o FILTER NOT EXISTS { ?s <urn:q> ?z FILTER EXISTS {?z ?y 0} } }",
    "SELECT ?s (COUNT(?o) AS ?n) WHERE { ?s <urn:p> ?o } GROUP BY ?s HAVING (COUNT(?o) > 1)",
    "SELECT (SUM(?o) AS ?n) WHERE { ?s <urn:p> ?o }",
    "SELECT ?s ?z WHERE { ?s <urn:p>+ ?z }",
    "SELECT ?s ?z WHERE { ?s (<urn:p>/^<urn:q>)|<urn:q> ?z }",
    "SELECT ?z WHERE { <urn:a> <urn:p>* ?z }",
    "SELECT ?s ?z WHERE { ?s !<urn:p> ?z }",
    "SELECT ?g ?s WHERE { GRAPH ?g { ?s <urn:p> ?o } }",
    "SELECT ?g WHERE { GRAPH ?g {} }",
    "SELECT ?s WHERE { GRAPH <urn:g> { {} UNION { ?s <urn:p> 1 } } }",
    "SELECT ?s WHERE { { ?s <urn:p> ?o FILTER(!BOUND(?z)) } ?s <urn:q> ?z }",
    "SELECT ?s FROM <urn:g> WHERE { ?s <urn:p> ?o }",
    "SELECT ?s WHERE { VALUES ?s { <urn:a> <urn:b> } ?s <urn:p> ?o BIND(STR(?o) AS ?t) "
    "FILTER(?t != '1') }",
    "SELECT ?s WHERE { { SELECT ?s WHERE { ?s <urn:p> ?o } ORDER BY ?s LIMIT 1 } }",
    "SELECT ?s WHERE { ?s <urn:p> 01 }",
    "SELECT ?s WHERE { ?s <urn:p> 'x'@en }",
    "ASK { <urn:a> <urn:p> ?o }",
    "CONSTRUCT { ?o <urn:r> ?s } WHERE { ?s <urn:p> ?o FILTER(isIRI(?o)) }",
    "DESCRIBE <urn:a>",
]  # fmt: skip


BEGINNING = "INSERT DATA { <urn:a> <urn:p> <urn:b>, 1 . <urn:b> <urn:q> 2 }"
FACTS = [
    "<urn:a> <urn:p> <urn:b>", "<urn:a> <urn:p> 1", "<urn:a> <urn:q> 2", "<urn:b> <urn:p> 1",
    "<urn:b> <urn:q> 1", "<urn:b> <urn:q> <urn:a>", "GRAPH <urn:g> { <urn:a> <urn:p> 1 }",
]  # fmt: skip

queries = st.lists(st.sampled_from(QUERIES), min_size=1, unique=True)


def followed(texts: list[str], beginning: str, updates: list[str]) -> Case:
    """Queries that are subscribed all the time."""
    subscribed = tuple(Subscribed(Query(text), 0, len(updates)) for text in texts)
    return Case(beginning, subscribed, tuple(updates))


@given(queries, st.lists(requests, max_size=6))
def test_notifications_are_the_difference_of_two_answers(
    texts: list[str], updates: list[str]
) -> None:
    play(followed(texts, BEGINNING, updates), Tally())


@given(
    queries,
    st.lists(st.sets(st.sampled_from(FACTS), min_size=1, max_size=2), min_size=20, max_size=40),
)
def test_facts_come_and_go_in_any_order_again_and_again(
    texts: list[str], changed: list[set[str]]
) -> None:
    there: set[str] = set()
    updates = []
    for facts in changed:
        went, came = sorted(facts & there), sorted(facts - there)
        updates.append(
            f"DELETE DATA {{ {' . '.join(went)} }} ; INSERT DATA {{ {' . '.join(came)} }}"
        )
        there ^= facts

    play(followed(texts, "INSERT DATA {}", updates), Tally())


def test_an_update_asks_only_the_queries_that_it_can_touch_and_are_not_kept() -> None:
    class Counting(MemoryStore):
        asked = 0

        def query(self, text: str, dataset: Dataset = Dataset()) -> Answer:  # noqa: B008
            self.asked += 1
            return super().query(text, dataset)

    store = Counting()
    engine = Engine(store)
    for number in range(100):
        engine.subscribe(f"SELECT ?v WHERE {{ <urn:lamp{number}> <urn:dim> ?v }}")
    engine.subscribe("SELECT ?v WHERE { <urn:lamp7> <urn:dim>+ ?v }")
    engine.subscribe("SELECT ?v WHERE { <urn:lamp7> <urn:dim>+ ?v }")
    engine.subscribe("SELECT ?v WHERE { <urn:lamp7> <urn:volume>+ ?v }")
    before = store.asked

    news = engine.update("INSERT DATA { <urn:lamp7> <urn:dim> 5 ; <urn:colour> 'red' }")

    assert store.asked - before == 1
    assert len(news) == 3


def test_the_initial_answer_and_all_changes_are_the_answer() -> None:
    engine = Engine()
    engine.update("INSERT DATA { <urn:a> <urn:p> 1 . <urn:b> <urn:p> 1 }")
    live = engine.subscribe("SELECT ?v WHERE { ?s <urn:p> ?v }")
    known = Counter(map(row, live.initial))

    for text in (
        "INSERT DATA { <urn:c> <urn:p> 1 }",
        "DELETE DATA { <urn:a> <urn:p> 1 } ; INSERT DATA { <urn:a> <urn:p> 2 }",
    ):
        for news in engine.update(text):
            known += Counter(map(row, news.added))
            known -= Counter(map(row, news.removed))

    assert sorted(known.values()) == [1, 2]


IRI, LITERAL = NamedNode("urn:a"), Literal("x")


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("SELECT ?o WHERE { <urn:a> <urn:p> ?o }", [], [{"o": LITERAL}]),
        ("ASK { <urn:a> <urn:p> ?o }", [{"answer": Literal(False)}], [{"answer": Literal(True)}]),
        (
            "CONSTRUCT { ?o <urn:r> ?s } WHERE { ?o <urn:p> ?s }",
            [],
            [{"subject": IRI, "predicate": NamedNode("urn:r"), "object": LITERAL}],
        ),
        (
            "DESCRIBE <urn:a>",
            [],
            [{"subject": IRI, "predicate": NamedNode("urn:p"), "object": LITERAL}],
        ),
    ],
    ids=["SELECT", "ASK", "CONSTRUCT", "DESCRIBE"],
)
def test_every_form_of_query_can_be_subscribed(
    text: str, before: list[Binding], after: list[Binding]
) -> None:
    engine = Engine()
    live = engine.subscribe(text)
    assert live.initial == before

    [came] = engine.update("INSERT DATA { <urn:a> <urn:p> 'x' }")
    [went] = engine.update("DELETE DATA { <urn:a> <urn:p> 'x' }")

    assert set(live.variables) == set(after[0])
    assert (came.sequence, came.added, came.removed) == (1, after, before)
    assert (went.sequence, went.added, went.removed) == (2, before, after)


def test_solutions_that_are_the_same_make_nodes_of_their_own() -> None:
    engine = Engine()
    live = engine.subscribe(
        "CONSTRUCT { [] <urn:of> ?v } WHERE { { SELECT ?v { ?s <urn:p> ?v } } }"
    )
    assert engine.how(live.id) == "kept up to date"
    known: set[Term] = set()
    counts = []

    for way, subject in (("INSERT", "a"), ("INSERT", "b"), ("DELETE", "a"), ("DELETE", "b")):
        [news] = engine.update(f"{way} DATA {{ <urn:{subject}> <urn:p> 1 }}")
        went = {one["subject"] for one in news.removed}
        assert went <= known
        known = known - went | {one["subject"] for one in news.added}
        counts.append(len(known))

    assert counts == [1, 2, 1, 0]


def test_variables_of_a_star_come_in_the_order_of_their_first_appearance() -> None:
    live = Engine().subscribe("SELECT * WHERE { ?z <urn:p> ?a . OPTIONAL { ?z <urn:q> ?m } }")

    assert live.variables == ("z", "a", "m")


def test_queries_that_differ_in_an_expression_s_constant_are_told_different_things() -> None:
    engine = Engine()
    ids = [
        engine.subscribe(f"SELECT ?w {{ ?s <urn:p> ?v FILTER(?v > {n}) BIND(?v * {n} AS ?w) }}").id
        for n in (1, 2, 3)
    ]

    news = engine.update("INSERT DATA { <urn:a> <urn:p> 3 }")

    assert {one.subscription_id: one.added for one in news} == {
        ids[0]: [{"w": Literal(3)}],
        ids[1]: [{"w": Literal(6)}],
    }


def test_nobody_is_told_when_nothing_changed() -> None:
    engine = Engine()
    engine.update("INSERT DATA { <urn:a> <urn:p> 1 }")
    engine.subscribe("SELECT ?s WHERE { ?s <urn:p> ?v }")

    assert engine.update("INSERT DATA { <urn:a> <urn:p> 1 }") == []
    assert engine.update("INSERT DATA { <urn:a> <urn:q> 1 }") == []
    assert engine.update("DELETE { ?s ?p ?o } INSERT { ?s ?p ?o } WHERE { ?s ?p ?o }") == []


def test_an_operation_sees_what_those_before_it_did_whatever_is_kept_for_queries() -> None:
    engine = Engine()
    engine.update("INSERT DATA { <urn:a> <urn:p> 1 ; <urn:q> 1 }")
    engine.subscribe("SELECT ?v { ?s <urn:p> ?v ; <urn:q> ?w }")

    [news] = engine.update(
        "INSERT DATA { <urn:a> <urn:p> 2 } ; "
        "INSERT { ?s <urn:r> ?v } WHERE { ?s <urn:p> ?v OPTIONAL { ?s <urn:r> ?w } } ; "
        "DELETE { <urn:a> <urn:p> ?v } INSERT { <urn:a> <urn:p> 3 } WHERE { <urn:a> <urn:p> ?v }"
    )

    assert (news.added, news.removed) == ([{"v": Literal(3)}], [{"v": Literal(1)}])
    assert engine.query("ASK { <urn:a> <urn:r> 2 }")


def test_who_has_unsubscribed_is_told_nothing() -> None:
    engine = Engine()
    first = engine.subscribe("SELECT ?s WHERE { ?s ?p ?o }")
    second = engine.subscribe("SELECT ?s WHERE { ?s ?p ?o }")
    engine.unsubscribe(first.id)

    news = engine.update("INSERT DATA { <urn:a> <urn:p> 1 }")

    assert [one.subscription_id for one in news] == [second.id]
    engine.unsubscribe(second.id)
    assert engine.update("INSERT DATA { <urn:a> <urn:p> 2 }") == []
    with pytest.raises(InvalidInput, match=first.id):
        engine.unsubscribe(first.id)


def test_queries_whose_default_graphs_are_named_ones_are_told_of_those() -> None:
    engine = Engine()
    engine.subscribe("SELECT ?s { ?s <urn:p> ?o }", Dataset(("urn:g",)))
    engine.subscribe("SELECT ?s FROM <urn:g> FROM <urn:h> { ?s <urn:p> ?o }")

    news = engine.update("INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> 1 } }")

    assert [one.added for one in news] == [[{"s": IRI}]] * 2
    assert engine.update("INSERT DATA { <urn:b> <urn:p> 1 }") == []


def test_empty_graphs_that_come_and_go_are_told() -> None:
    engine = Engine()
    engine.subscribe("SELECT ?g { GRAPH ?g {} }")
    graph = [{"g": NamedNode("urn:g")}]

    [created] = engine.update("CREATE GRAPH <urn:g>")
    assert engine.update("CLEAR GRAPH <urn:g>") == []
    [dropped] = engine.update("DROP GRAPH <urn:g>")
    [filled] = engine.update("INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> 1 } }")
    assert engine.update("DELETE WHERE { GRAPH ?g { ?s ?p ?o } }") == []
    [moved] = engine.update("MOVE <urn:g> TO <urn:h>")

    assert (created.added, dropped.removed, filled.added, moved.removed) == (graph,) * 4


def test_a_delayed_update_shows_what_did_not_happen() -> None:
    """SPS'16's lamp: it is dimmed when nobody was seen for ten seconds."""
    noon = datetime(2026, 11, 17, 12, tzinfo=UTC)
    engine = Engine()
    engine.advance_to(noon)
    engine.update("INSERT DATA { <urn:lamp> <urn:dim> 100 ; <urn:seen> 0 }")
    live = engine.subscribe("SELECT ?v WHERE { <urn:lamp> <urn:dim> ?v }")
    dim = (
        "DELETE { <urn:lamp> <urn:dim> ?v } INSERT { <urn:lamp> <urn:dim> 20 } "
        "WHERE { <urn:lamp> <urn:dim> ?v ; <urn:seen> 0 }"
    )

    assert engine.update(dim, at=noon + timedelta(seconds=10)) == []
    engine.update("INSERT DATA { <urn:x> <urn:y> 1 }", at=noon + timedelta(seconds=5))
    assert [one.at.second for one in engine.delayed()] == [5, 10]
    assert engine.advance_to(noon + timedelta(seconds=9)) == []
    [news] = engine.advance_to(noon + timedelta(seconds=10))

    assert (news.subscription_id, [row(one) for one in news.added]) == (
        live.id,
        [frozenset({("v", '"20"^^<http://www.w3.org/2001/XMLSchema#integer>')})],
    )
    assert engine.delayed() == []


def test_a_delayed_update_can_be_cancelled() -> None:
    noon = datetime(2026, 11, 17, 12, tzinfo=UTC)
    engine = Engine()
    engine.subscribe("SELECT ?s WHERE { ?s ?p ?o }")
    engine.update("INSERT DATA { <urn:a> <urn:p> 1 }", at=noon)

    engine.cancel(engine.delayed()[0].number)

    assert engine.advance_to(noon) == []
    with pytest.raises(InvalidInput, match="no delayed update 0"):
        engine.cancel(0)


@pytest.mark.parametrize(
    "text", ["SELECT ?s WHERE {", "INSERT DATA {}", "SELECT ex:a WHERE {}", "", "ASK"]
)
def test_what_is_no_query_is_told(text: str) -> None:
    with pytest.raises(SparqlSyntaxError):
        Engine().subscribe(text)


def test_services_beyond_this_machine_are_not_asked() -> None:
    with pytest.raises(NotAllowed, match="SERVICE"):
        Engine().query("SELECT ?s WHERE { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }")
    with pytest.raises(NotAllowed, match="LOAD"):
        Engine().update("LOAD <file:///etc/hosts>")


def test_an_update_that_fails_tells_nobody() -> None:
    engine = Engine()
    engine.subscribe("SELECT ?s WHERE { ?s ?p ?o }")

    with pytest.raises(InvalidInput):
        engine.update("INSERT DATA { <urn:a> <urn:p> 1 } ; DROP GRAPH <urn:g>")

    assert not engine.query("ASK { ?s ?p ?o }")
    assert len(engine.update("INSERT DATA { <urn:a> <urn:p> 1 }")) == 1
