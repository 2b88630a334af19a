"""Which graphs queries read, and updates read and change."""

import pytest
from pyoxigraph import Literal, NamedNode, Quad, QueryBoolean, Store

from purport.broker.access import EVERY_GRAPH
from purport.broker.asked import Query
from purport.broker.graph_access import graphs_of_update, graphs_read
from purport.sparql import Dataset


@pytest.mark.parametrize(
    ("query", "graphs"),
    [
        ("SELECT * { ?s ?p ?o }", {"default"}),
        ("ASK {}", set()),
        ("SELECT * WHERE { GRAPH <urn:g> { ?s ?p ?o } }", {"urn:g"}),
        (
            "SELECT * { GRAPH <urn:g> { ?s ?p ?o } . GRAPH <urn:h> { ?s ?p ?o } }",
            {"urn:g", "urn:h"},
        ),
        ("SELECT * { GRAPH <urn:g> { ?s ?p ?o } ?s ?p 1 }", {"urn:g", "default"}),
        ("SELECT * { GRAPH ?g { ?s ?p ?o } }", {EVERY_GRAPH}),
        ("PREFIX u: <urn:> SELECT * FROM u:g FROM NAMED u:h { GRAPH u:x {} }", {"urn:g", "urn:h"}),
        ("BASE <http://a/> ASK { GRAPH <b> {} }", {"http://a/b"}),
        ("DESCRIBE <urn:x>", {"default"}),
        ("DESCRIBE ?x { GRAPH <urn:g> { ?x ?p ?o } }", {"default", "urn:g"}),
        ("SELECT (EXISTS { GRAPH <urn:g> { ?s ?p 1 } } AS ?e) { ?s ?p ?o }", {"default", "urn:g"}),
        ("CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <urn:g> { ?s ?p ?o } }", {"default", "urn:g"}),
        ("SELECT * { FILTER NOT EXISTS { ?s ?p ?o } }", {"default"}),
        ("SELECT * { { SELECT * { ?s ?p ?o } } }", {"default"}),
        ("# GRAPH <urn:no>\nSELECT * { ?s ?p 'FROM <urn:no>' }", {"default"}),
        ("SELECT * { GRAPH <urn:g> {", {"default", "urn:g"}),
        ("SELECT * { ?s <urn:from> 'x'@from ; u:graph 1 }", {"default"}),
        ("", set()),
    ],
)
def test_a_query_reads_what_it_names_or_the_default_graph(query: str, graphs: set[str]) -> None:
    assert graphs_read(Query(query)) == graphs


@pytest.mark.parametrize(
    ("query", "dataset", "graphs"),
    [
        ("SELECT * { ?s ?p ?o }", Dataset(("urn:g",), ()), {"urn:g"}),
        ("SELECT * { ?s ?p ?o }", Dataset(None, ("urn:h",)), {"default", "urn:h"}),
        ("SELECT * { GRAPH ?g { ?s ?p ?o } }", Dataset(("urn:g",)), {"urn:g", EVERY_GRAPH}),
        ("SELECT * { GRAPH ?g { ?s ?p ?o } }", Dataset((), ("urn:h",)), {"urn:h"}),
        ("SELECT * FROM <urn:f> { ?s ?p ?o }", Dataset(None, ("urn:h",)), None),
        ("DESCRIBE <urn:x>", Dataset(("urn:g",), ()), {"urn:g"}),
    ],
)
def test_the_graphs_of_a_dataset_are_read(
    query: str, dataset: Dataset, graphs: set[str] | None
) -> None:
    read = graphs_read(Query(query, dataset))
    assert read == graphs if graphs is not None else read >= {"urn:f", "urn:h"}


@pytest.mark.parametrize(
    "query",
    [
        r"SELECT * { GRAPH <urn:\u0073ecret> { ?s ?p ?o } }",
        r"SELECT * { GRAPH <urn:\U00000073ecret> { ?s ?p ?o } }",
        r"SELECT * FROM <urn:\u0073ecret> { ?s ?p ?o }",
        r"SELECT * FROM NAMED <urn:\u0073ecret> { GRAPH ?g { ?s ?p ?o } }",
        r"PREFIX u: <urn:\u0073ec> SELECT * { GRAPH u:ret { ?s ?p ?o } }",
        "PREFIX : <urn:> SELECT * { GRAPH:secret { ?s ?p ?o } }",
        "PREFIX : <urn:> PREFIX graph: <urn:> SELECT * { GRAPH:secret{ ?s ?p ?o } }",
        "PREFIX u: <urn:> SELECT * FROMu:secret { ?s ?p ?o }",
        "PREFIX u: <urn:> SELECT * FROM NAMEDu:secret { GRAPH ?g { ?s ?p ?o } }",
        "PREFIX u: <urn:> SELECT * FROMNAMEDu:secret { GRAPH ?g { ?s ?p ?o } }",
        "PREFIX u: <urn:ok:> PREFIXu:<urn:> SELECT * { GRAPH u:secret { ?s ?p ?o } }",
        "SELECT * { GRAPH<urn:secret>{ ?s ?p ?o } }",
        "SELECT * { BIND(trueAS ?t)GRAPH<urn:secret>{ ?s ?p ?o } }",
        "SELECT * { FILTER(1<2)GRAPH<urn:secret>{ ?s ?p ?o } }",
        "ASKFROM<urn:secret>{ ?s ?p ?o }",
    ],
)
def test_no_spelling_of_a_graph_goes_unseen(query: str) -> None:
    store = Store()
    store.add(Quad(NamedNode("urn:a"), NamedNode("urn:b"), Literal(1), NamedNode("urn:secret")))
    try:
        found = store.query(query)
    except SyntaxError:
        return  # then nobody can ask for it
    is_there = bool(found) if isinstance(found, QueryBoolean) else bool(list(found))
    assert is_there, "the query should read the graph, or it tests nothing"

    assert graphs_read(Query(query)) & {"urn:secret", EVERY_GRAPH}


@pytest.mark.parametrize(
    ("update", "graphs"),
    [
        ("INSERT DATA { <urn:a> <urn:b> 1 ; <urn:c> 2 }", {"default"}),
        ("INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:b> 1 } }", {"urn:g"}),
        (
            r"DELETE DATA { GRAPH u:g { <urn:a> <urn:b> 1 } <urn:a> <urn:b> 1 }",
            {"default", "urn:g"},
        ),
        ("INSERT { GRAPH <urn:g> { ?s ?p ?o } } WHERE { ?s ?p ?o }", {"default", "urn:g"}),
        ("INSERT { ?s ?p ?o } WHERE { GRAPH <urn:h> { ?s ?p ?o } }", {"default", "urn:h"}),
        (
            "INSERT { GRAPH ?g { ?s ?p ?o } } WHERE { GRAPH <urn:h> { ?s ?p ?o } }",
            {EVERY_GRAPH, "urn:h"},
        ),
        ("WITH <urn:w> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }", {"urn:w"}),
        ("WITH u:w DELETE { ?s ?p ?o } USING <urn:u> WHERE { ?s ?p ?o }", {"urn:u", "urn:w"}),
        (
            "DELETE { ?s ?p ?o } USING NAMED <urn:u> WHERE { GRAPH ?g { ?s ?p ?o } }",
            {"urn:u", "default"},
        ),
        ("DELETE WHERE { GRAPH ?g { ?s ?p ?o } }", {EVERY_GRAPH}),
        ("DELETEWHERE { ?s ?p ?o }", {EVERY_GRAPH}),
        ("INSERT { ?s ?p ?o }", {EVERY_GRAPH}),
        ("INSERT DATA { <urn:a> <urn:b>", {EVERY_GRAPH}),
        (
            "COPY SILENT GRAPH u:a TO u:b ; MOVE DEFAULT TO u:c",
            {"urn:a", "urn:b", "urn:c", "default"},
        ),
        ("ADD u:a TO DEFAULT", {"urn:a", "default"}),
        ("ADD u:a TO", {EVERY_GRAPH}),
        ("CLEAR ALL", {EVERY_GRAPH}),
        ("DROP SILENT NAMED", {EVERY_GRAPH}),
        ("CLEAR DEFAULT ; DROP GRAPH <urn:g> ; CREATE GRAPH u:h", {"default", "urn:g", "urn:h"}),
        ("LOAD <urn:x> INTO GRAPH <urn:g>", {"urn:g"}),
        ("", set()),
    ],
)
def test_an_update_needs_what_it_reads_and_what_it_names_to_be_changed(
    update: str, graphs: set[str]
) -> None:
    assert graphs_of_update(f"PREFIX u: <urn:> {update}") == graphs
