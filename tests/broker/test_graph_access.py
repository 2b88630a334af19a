"""Which graphs queries and updates read."""

import pytest

from purport.broker.access import EVERY_GRAPH
from purport.broker.graph_access import graphs_read, graphs_read_by_update


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
        ("", set()),
    ],
)
def test_a_query_reads_what_it_names_or_the_default_graph(query: str, graphs: set[str]) -> None:
    assert graphs_read(query) == graphs


@pytest.mark.parametrize(
    ("update", "graphs"),
    [
        ("INSERT DATA { <urn:a> <urn:b> 1 ; <urn:c> 2 }", set()),
        ("INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:b> 1 } }", set()),
        ("INSERT { GRAPH <urn:g> { ?s ?p ?o } } WHERE { ?s ?p ?o }", {"default"}),
        ("INSERT { GRAPH ?g { ?s ?p ?o } } WHERE { GRAPH <urn:h> { ?s ?p ?o } }", {"urn:h"}),
        ("WITH <urn:w> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }", {"urn:w"}),
        ("WITH <urn:w> DELETE { ?s ?p ?o } USING <urn:u> WHERE { ?s ?p ?o }", {"urn:u"}),
        ("DELETE { ?s ?p ?o } USING NAMED <urn:u> WHERE { GRAPH ?g { ?s ?p ?o } }", {"urn:u"}),
        ("DELETE WHERE { GRAPH ?g { ?s ?p ?o } }", {EVERY_GRAPH}),
        (
            "PREFIX u: <urn:> COPY SILENT GRAPH u:a TO u:b ; MOVE DEFAULT TO u:c",
            {"urn:a", "default"},
        ),
        ("ADD u:a TO DEFAULT", None),
        ("CLEAR ALL ; DROP GRAPH <urn:g>", set()),
    ],
)
def test_an_update_reads_what_its_patterns_and_sources_name(
    update: str, graphs: set[str] | None
) -> None:
    prologue = "PREFIX u: <urn:> " if graphs is None else ""
    assert graphs_read_by_update(prologue + update) == ({"urn:a"} if graphs is None else graphs)
