"""What an update really changes, against pyoxigraph's own updates."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode, Store

from purport.errors import InvalidInput
from purport.sparql.change import Change
from purport.sparql.context_store import ContextStore
from purport.sparql.errors import NotAllowed, SparqlSyntaxError
from purport.sparql.graph_store import MemoryStore
from purport.sparql.terms import fact_of
from purport.sparql.updating import Updater

nodes = st.sampled_from(["<urn:a>", "<urn:b>", "<urn:c>"])
predicates = st.sampled_from(["<urn:p>", "<urn:q>"])
objects = st.one_of(nodes, st.integers(0, 2).map(str), st.just('"x"@en'))
graphs = st.sampled_from(["<urn:g>", "<urn:h>"])
triples = st.tuples(nodes, predicates, objects).map(" ".join)
blocks = st.lists(triples, min_size=1, max_size=3).map(" . ".join)
quads = st.one_of(
    blocks, st.tuples(graphs, blocks).map(lambda one: f"GRAPH {one[0]} {{ {one[1]} }}")
)
many_quads = st.lists(quads, min_size=1, max_size=3).map(lambda some: " ".join(_ended(some)))
wheres = st.sampled_from(
    [
        "{ ?s ?p ?o }",
        "{ ?s <urn:p> ?o }",
        "{ ?s <urn:p> ?o . ?s <urn:q> ?v }",
        "{ GRAPH ?g { ?s <urn:p> ?o } }",
        "{ ?s <urn:p> ?o FILTER(?o = <urn:b> || ?o > 0) }",
        "{ ?s ?p ?o OPTIONAL { GRAPH ?g { ?s ?p2 ?o2 } } }",
        "{ { SELECT ?s (COUNT(*) AS ?o) WHERE { ?s ?p ?x } GROUP BY ?s } }",
    ]
)
heads = st.sampled_from(
    [
        "DELETE { ?s <urn:p> ?o } INSERT { ?s <urn:p> 2 }",
        "DELETE { ?s <urn:p> ?o }",
        "INSERT { ?s <urn:q> ?o }",
        "INSERT { GRAPH ?g { ?s <urn:q> 1 } }",
        "DELETE { GRAPH <urn:g> { ?s <urn:p> ?o } } INSERT { GRAPH <urn:h> { ?s <urn:p> ?o } }",
        "INSERT { ?s <urn:q> ?o . GRAPH <urn:h> { ?s <urn:p> ?o } ?s <urn:p> 0 }",
    ]
)
withs = st.sampled_from(["", "", "WITH <urn:g> "])
usings = st.sampled_from(
    ["", "", "USING <urn:g> ", "USING NAMED <urn:g> ", "USING <urn:h> USING NAMED <urn:g> "]
)
places = st.one_of(st.just("DEFAULT"), graphs, graphs.map(lambda one: f"GRAPH {one}"))
updates = st.one_of(
    many_quads.map(lambda text: f"INSERT DATA {{ {text} }}"),
    many_quads.map(lambda text: f"DELETE DATA {{ {text} }}"),
    wheres.filter(lambda text: all(word not in text for word in ("FILT", "OPT", "SEL"))).map(
        lambda text: f"DELETE WHERE {text}"
    ),
    st.tuples(withs, heads, usings, wheres).map(lambda one: "{}{} {}WHERE {}".format(*one)),
    st.sampled_from(["CLEAR ALL", "CLEAR NAMED", "DROP DEFAULT", "DROP ALL", "CLEAR DEFAULT"]),
    graphs.map(lambda one: f"CLEAR SILENT GRAPH {one}"),
    graphs.map(lambda one: f"DROP SILENT GRAPH {one}"),
    graphs.map(lambda one: f"CREATE SILENT GRAPH {one}"),
    st.tuples(st.sampled_from(["ADD", "MOVE", "COPY"]), places, places).map(
        lambda one: f"{one[0]} SILENT {one[1]} TO {one[2]}"
    ),
)  # fmt: skip
requests = st.lists(updates, min_size=1, max_size=3).map(" ;\n".join)


def updater(store: Store | None = None) -> Updater:
    """What runs updates, over nothing or over what a store has."""
    kept = MemoryStore(store)
    return Updater(kept, ContextStore(kept), lambda: datetime(2026, 11, 17, tzinfo=UTC))


def _ended(some: list[str]) -> list[str]:
    return [one if one.startswith("GRAPH") else f"{one} ." for one in some]


@given(st.lists(requests, max_size=6))
def test_updates_do_what_pyoxigraph_does_and_say_what_that_was(texts: list[str]) -> None:
    ours, theirs = Store(), Store()
    store = updater(ours)
    for text in texts:
        before, graphs_before = set(theirs), set(theirs.named_graphs())

        change = store.run(text)
        theirs.update(text)

        after, graphs_after = set(theirs), set(theirs.named_graphs())
        assert set(ours) == after
        assert change.added == set(map(fact_of, after - before))
        assert change.removed == set(map(fact_of, before - after))
        assert set(ours.named_graphs()) == graphs_after
        assert change.created == graphs_after - graphs_before
        assert change.dropped == graphs_before - graphs_after


@pytest.mark.parametrize("way", ["ADD", "MOVE", "COPY"])
def test_a_graph_that_is_not_there_cannot_be_brought_elsewhere(way: str) -> None:
    with pytest.raises(InvalidInput, match="there is no graph <urn:g>"):
        updater().run(f"{way} <urn:g> TO DEFAULT")
    assert not updater().run(f"{way} SILENT <urn:g> TO DEFAULT")


@given(requests, requests)
def test_a_request_that_fails_half_way_changes_nothing(first: str, second: str) -> None:
    ours = Store()
    store = updater(ours)
    store.run(first)
    before, graphs_before = set(ours), set(ours.named_graphs())

    with pytest.raises(NotAllowed):
        store.run(f"{second} ; LOAD <file:///nowhere.ttl>")

    assert set(ours) == before
    assert set(ours.named_graphs()) == graphs_before


def test_what_exists_is_not_added_and_what_does_not_is_not_removed() -> None:
    store = updater()
    store.run("INSERT DATA { <urn:a> <urn:p> 1 }")

    assert not store.run("INSERT DATA { <urn:a> <urn:p> 1 }")
    assert not store.run("DELETE DATA { <urn:a> <urn:p> 2 }")
    assert not store.run("DELETE { ?s ?p ?o } INSERT { ?s ?p ?o } WHERE { ?s ?p ?o }")


def test_one_request_is_one_change() -> None:
    store = updater()

    change = store.run("INSERT DATA { <urn:a> <urn:p> 1, 2 } ; DELETE DATA { <urn:a> <urn:p> 1 } ;")

    assert [str(value) for _, _, value, _ in change.added] == [
        '"2"^^<http://www.w3.org/2001/XMLSchema#integer>'
    ]
    assert change.removed == frozenset()


def test_a_node_without_a_name_is_one_in_all_graphs() -> None:
    store = updater()

    change = store.run("INSERT DATA { _:x <urn:p> 1 . GRAPH <urn:g> { _:x <urn:p> 2 } }")

    assert len({subject for subject, _, _, _ in change.added}) == 1
    assert change.created == {NamedNode("urn:g")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("INSERT {", "line 1, column 9: the text ends here, expected }"),
        ("SELECT ?x WHERE {}", "line 1, column 1: found 'SELECT', expected an update"),
        ("INSERT DATA { <urn:a> <urn:p> }", "line 1, column 31: "),
        ("INSERT DATA { <urn:a> <urn:p> 1 }\n DELETE DATA {}", "line 2, column 2: found 'DELETE'"),
        ("INSERT DATA { ?x <urn:p> 1 }", "Variables are not allowed in INSERT DATA"),
        ("CLEAR GRAPH ?g", "line 1, column 13: found '?g', expected an IRI"),
        ("INSERT DATA { ex:a <urn:p> 1 }", "line 1, column "),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, said: str) -> None:
    with pytest.raises(SparqlSyntaxError) as error:
        updater().run(text)

    assert said in str(error.value)


def test_a_graph_that_is_not_there_is_told() -> None:
    with pytest.raises(InvalidInput, match="there is no graph <urn:g>"):
        updater().run("DROP GRAPH <urn:g>")
    with pytest.raises(InvalidInput, match="there is a graph <urn:g> already"):
        updater().run("CREATE GRAPH <urn:g> ; CREATE GRAPH <urn:g>")


def test_a_change_is_undone_by_its_opposite() -> None:
    store = updater()
    change = store.run("INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> 1 } }")

    assert change.then(change.undone()) == Change()
