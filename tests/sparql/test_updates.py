"""What an update really changes, against pyoxigraph's own updates."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode, Store

from purport.errors import InvalidInput
from purport.sparql import Engine
from purport.sparql.change import Change
from purport.sparql.context_store import ContextStore
from purport.sparql.errors import NotAllowed, SparqlSyntaxError
from purport.sparql.memory_store import MemoryStore
from purport.sparql.terms import fact_of
from purport.sparql.updater import Updater
from tests.oracles.requery_engine import canonical, take_over
from tests.strategies.sparql import requests


def updater(store: Store | None = None) -> Updater:
    """What runs updates, over nothing or over what a store has."""
    kept = MemoryStore(store)
    return Updater(kept, ContextStore(kept), lambda: datetime(2026, 11, 17, tzinfo=UTC))


@given(st.lists(requests, max_size=6))
def test_updates_do_what_pyoxigraph_does_and_say_what_that_was(texts: list[str]) -> None:
    ours, theirs = Store(), Store()
    store = updater(ours)
    for text in texts:
        before, graphs_before = set(ours), set(ours.named_graphs())

        change = store.run(text)
        theirs.update(text)

        after, graphs_after = set(ours), set(ours.named_graphs())
        assert canonical(after) == canonical(theirs)
        assert graphs_after == set(theirs.named_graphs())
        assert change.added == set(map(fact_of, after - before))
        assert change.removed == set(map(fact_of, before - after))
        assert change.created == graphs_after - graphs_before
        assert change.dropped == graphs_before - graphs_after
        take_over(theirs, after, graphs_after)


def test_a_prologue_may_come_before_each_operation() -> None:
    store = updater()

    change = store.run(
        "PREFIX e: <urn:> INSERT DATA { e:a e:p 1 } ; PREFIX e: <urn:x> INSERT DATA { e:a e:p 1 }"
    )

    assert {str(subject) for subject, _, _, _ in change.added} == {"<urn:a>", "<urn:xa>"}


P1 = "<urn:a> <urn:p> 1 ."
TWO = "<urn:a> <urn:p> 1 . <urn:b> <urn:p> 2 ."
IN_G = "GRAPH <urn:g> { <urn:a> <urn:p> 1 }"
IN_BOTH = "GRAPH <urn:g> { <urn:a> <urn:p> 1 } GRAPH <urn:h> { <urn:b> <urn:p> 2 }"


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        # INSERT DATA, DELETE DATA
        ("", f"INSERT DATA {{ {P1} }}", P1),
        (P1, "DELETE DATA { <urn:a> <urn:p> 1 }", ""),
        (P1, "DELETE DATA { <urn:a> <urn:p> 01 }", ""),
        (P1, "DELETE DATA { <urn:a> <urn:p> 1.0 }", P1),
        (P1, "DELETE DATA { GRAPH <urn:g> { <urn:a> <urn:p> 1 } }", P1),
        ("", "INSERT DATA { _:x <urn:p> 1 . _:x <urn:q> 2 }", "_:y <urn:p> 1 ; <urn:q> 2 ."),
        ("", "INSERT DATA { <urn:a> <urn:p> [ <urn:q> (1) ] }",
         "<urn:a> <urn:p> [ <urn:q> (1) ] ."),
        ("", "PREFIX e: <urn:> PREFIX f: <urn:x> INSERT DATA { e:a e:p 1 } ; "
         "INSERT DATA { f:a e:p 1 }", f"{P1} <urn:xa> <urn:p> 1 ."),
        ("", "BASE <urn:z:> INSERT DATA { <urn:a> <urn:p> 1 }", P1),
        ("<http://e/a> <urn:p> <http://e/b> .",
         "BASE <http://e/> INSERT { ?s <urn:q> 1 } WHERE { ?s <urn:p> ?v FILTER(?v = <b>) }",
         "<http://e/a> <urn:p> <http://e/b> ; <urn:q> 1 ."),
        ("", "", ""),
        # DELETE WHERE
        (f"{P1} <urn:a> <urn:q> 1 .", "DELETE WHERE { ?s <urn:p> ?o . ?s <urn:q> ?o }", ""),
        (f"{P1} <urn:a> <urn:q> 2 .", "DELETE WHERE { ?s <urn:p> ?o . ?s <urn:q> ?o }",
         f"{P1} <urn:a> <urn:q> 2 ."),
        (f"{P1} {IN_BOTH}", "DELETE WHERE { GRAPH ?g { ?s ?p 1 } }",
         f"{P1} GRAPH <urn:h> {{ <urn:b> <urn:p> 2 }}"),
        (f"{P1} {IN_G}", "DELETE WHERE { ?s ?p ?o . GRAPH <urn:g> { ?s ?p ?o } }", ""),
        # templates
        (P1, "DELETE { ?s ?p ?o } INSERT { ?s ?p 2 } WHERE { ?s ?p ?o }", "<urn:a> <urn:p> 2 ."),
        (P1, "DELETE { ?s ?p ?o } INSERT { ?s ?p ?o } WHERE { ?s ?p ?o }", P1),
        (P1, "INSERT { ?o <urn:q> ?s } WHERE { ?s ?p ?o }", P1),  # a literal is no subject
        (P1, "INSERT { ?s ?o ?s } WHERE { ?s ?p ?o }", P1),  # nor a predicate
        (P1, "INSERT { GRAPH ?o { ?s ?p ?s } } WHERE { ?s ?p ?o }", P1),  # nor a graph
        (P1, "DELETE { ?s ?p ?o . ?s ?p ?none } WHERE { ?s ?p ?o }", ""),  # not bound: left out
        (P1, "INSERT { ?s <urn:q> ?v . ?s <urn:r> 1 } "
         "WHERE { ?s ?p ?o OPTIONAL { ?o <urn:p> ?v } }", f"{P1} <urn:a> <urn:r> 1 ."),
        (TWO, "INSERT { _:n <urn:q> ?o ; <urn:r> ?s } WHERE { ?s <urn:p> ?o }",
         f"{TWO} [] <urn:q> 1 ; <urn:r> <urn:a> . [] <urn:q> 2 ; <urn:r> <urn:b> ."),
        (TWO, "DELETE { ?s <urn:p> 2 } INSERT { <urn:c> <urn:q> [] } "
         "WHERE { ?s <urn:p> ?o }", f"{P1} <urn:c> <urn:q> [], [] ."),
        (P1, "INSERT { ?s <urn:q> ?n } WHERE { ?s <urn:p> ?o BIND(?o + 1 AS ?n) }",
         f"{P1} <urn:a> <urn:q> 2 ."),
        (f"{P1} <urn:a> <urn:p> 2 .", "INSERT { ?s <urn:n> ?n } WHERE "
         "{ SELECT ?s (COUNT(*) AS ?n) WHERE { ?s <urn:p> ?o } GROUP BY ?s }",
         f"{P1} <urn:a> <urn:p> 2 . <urn:a> <urn:n> 2 ."),
        (P1, "INSERT { ?s <urn:q> ?v } WHERE { VALUES (?s ?v) { (<urn:a> 1) (<urn:b> UNDEF) } }",
         f"{P1} <urn:a> <urn:q> 1 ."),
        # WITH, USING, USING NAMED
        (f"{P1} {IN_G}", "WITH <urn:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }", P1),
        (f"{P1} {IN_BOTH}", "WITH <urn:g> INSERT { ?s <urn:q> 3 . GRAPH <urn:h> { ?s <urn:q> 4 } } "
         "WHERE { ?s ?p ?o }", f"{P1} GRAPH <urn:g> {{ <urn:a> <urn:p> 1 ; <urn:q> 3 }} "
         "GRAPH <urn:h> { <urn:b> <urn:p> 2 . <urn:a> <urn:q> 4 }"),
        (IN_BOTH, "INSERT { ?s <urn:q> 3 } USING <urn:h> WHERE { ?s ?p ?o }",
         f"<urn:b> <urn:q> 3 . {IN_BOTH}"),
        (IN_BOTH, "INSERT { ?s <urn:q> 3 } USING <urn:g> USING <urn:h> WHERE { ?s ?p ?o }",
         f"<urn:a> <urn:q> 3 . <urn:b> <urn:q> 3 . {IN_BOTH}"),
        (f"{P1} {IN_BOTH}", "INSERT { ?s <urn:q> 3 } USING NAMED <urn:h> "
         "WHERE { GRAPH ?g { ?s ?p ?o } }", f"{P1} <urn:b> <urn:q> 3 . {IN_BOTH}"),
        (f"{P1} {IN_BOTH}", "INSERT { ?s <urn:q> 3 } USING NAMED <urn:h> WHERE { ?s ?p ?o }",
         f"{P1} {IN_BOTH}"),  # where no graph is the default one
        (f"{P1} {IN_BOTH}", "INSERT { ?s <urn:q> 3 } USING <urn:g> WHERE { GRAPH ?g { ?s ?p ?o } }",
         f"{P1} {IN_BOTH}"),  # and no graph is named
        (f"{P1} {IN_BOTH}", "WITH <urn:g> DELETE { ?s ?p ?o } USING <urn:h> WHERE { ?s ?p ?o }",
         f"{P1} {IN_BOTH}"),  # USING goes before WITH where something is looked for
        # graphs
        (f"{P1} {IN_BOTH}", "CLEAR DEFAULT", IN_BOTH),
        (f"{P1} {IN_BOTH}", "CLEAR NAMED", P1),
        (f"{P1} {IN_BOTH}", "CLEAR ALL", ""),
        (f"{P1} {IN_BOTH}", "CLEAR GRAPH <urn:h>", f"{P1} {IN_G}"),
        (f"{P1} {IN_BOTH}", "DROP DEFAULT", IN_BOTH),
        (f"{P1} {IN_BOTH}", "DROP NAMED", P1),
        (f"{P1} {IN_BOTH}", "DROP ALL", ""),
        (f"{P1} {IN_BOTH}", "DROP GRAPH <urn:h>", f"{P1} {IN_G}"),
        (P1, "DROP SILENT GRAPH <urn:g>", P1),
        (P1, "CREATE GRAPH <urn:g>", P1),
        (IN_G, "CREATE SILENT GRAPH <urn:g>", IN_G),
        (f"<urn:b> <urn:p> 2 . {IN_G}", "ADD <urn:g> TO DEFAULT", f"{TWO} {IN_G}"),
        (f"<urn:b> <urn:p> 2 . {IN_G}", "COPY <urn:g> TO DEFAULT", f"{P1} {IN_G}"),
        (f"<urn:b> <urn:p> 2 . {IN_G}", "MOVE <urn:g> TO DEFAULT", P1),
        (P1, "COPY DEFAULT TO GRAPH <urn:g>", f"{P1} {IN_G}"),
        (P1, "MOVE DEFAULT TO <urn:g>", IN_G),
        (IN_G, "ADD <urn:g> TO <urn:g>", IN_G),
        (IN_G, "COPY <urn:g> TO GRAPH <urn:g>", IN_G),
        (IN_G, "MOVE <urn:g> TO <urn:g>", IN_G),
        (P1, "MOVE DEFAULT TO DEFAULT", P1),
        (f"{P1} {IN_G}", "COPY SILENT <urn:none> TO <urn:g>", P1),  # nothing in its place
        # several at once: each sees what those before it did
        ("", f"INSERT DATA {{ {P1} }} ; INSERT {{ ?s <urn:q> ?o }} WHERE {{ ?s <urn:p> ?o }} ; "
         "DELETE WHERE { ?s <urn:p> ?o }", "<urn:a> <urn:q> 1 ."),
    ],
)  # fmt: skip
def test_every_form_of_update_does_what_it_says(before: str, text: str, after: str) -> None:
    ours, theirs, wanted = Store(), Store(), Store()
    store = updater(ours)
    store.run(f"INSERT DATA {{ {before} }}")
    take_over(theirs, ours, ours.named_graphs())
    wanted.update(f"INSERT DATA {{ {after} }}")

    store.run(text)
    theirs.update(text)

    assert canonical(ours) == canonical(wanted)
    assert canonical(theirs) == canonical(wanted)
    assert set(ours.named_graphs()) == set(theirs.named_graphs())


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


def test_a_number_in_the_place_of_a_node_is_compared_and_not_looked_up() -> None:
    store = updater()
    store.run("INSERT DATA { <urn:a> <urn:p> 1.0, <urn:b> }")

    for said in ("<urn:b>", "1", "<urn:c>", "2"):
        store.run(f"INSERT {{ ?s <urn:q> {said} }} WHERE {{ ?s <urn:p> ?v FILTER(?v = {said}) }}")

    change = store.change_of("DELETE WHERE { ?s <urn:q> ?said }")
    assert {str(value).partition("^^")[0] for _, _, value, _ in change.removed} == {
        "<urn:b>",
        '"1"',
    }


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


@pytest.fixture
def lamps(tmp_path: Path) -> str:
    """The address of a file with two triples."""
    path = tmp_path / "the lamps.ttl"
    path.write_text("<urn:a> <urn:p> 01 . <#b> <urn:p> [] .")
    return path.as_uri()


@pytest.mark.parametrize("silent", ["", "SILENT"])
def test_a_file_is_loaded_where_that_is_allowed(lamps: str, silent: str) -> None:
    engine = Engine(may_load=True)
    live = engine.subscribe("SELECT ?s WHERE { ?s <urn:p> ?o }")

    [news] = engine.update(f"LOAD {silent} <{lamps}>")

    assert news.subscription_id == live.id
    assert {one["s"] for one in news.added} == {NamedNode("urn:a"), NamedNode(f"{lamps}#b")}
    assert engine.query("ASK { <urn:a> <urn:p> 1 FILTER NOT EXISTS { GRAPH ?g { ?s ?p ?o } } }")


@pytest.mark.parametrize("silent", ["", "SILENT"])
def test_a_file_is_loaded_into_a_named_graph(lamps: str, silent: str) -> None:
    engine = Engine(may_load=True)
    live = engine.subscribe("SELECT ?g ?s WHERE { GRAPH ?g { ?s <urn:p> 1 } }")
    engine.subscribe("SELECT ?s WHERE { ?s ?p ?o }")

    [news] = engine.update(f"LOAD {silent} <{lamps}> INTO GRAPH <urn:g>")

    assert news.subscription_id == live.id
    assert news.added == [{"g": NamedNode("urn:g"), "s": NamedNode("urn:a")}]


def test_what_is_loaded_again_is_no_change(tmp_path: Path) -> None:
    path = tmp_path / "lamp.nt"
    path.write_text('<urn:a> <urn:p> "1" .')
    engine = Engine(may_load=True)
    engine.subscribe("SELECT ?s WHERE { ?s ?p ?o }")

    assert len(engine.update(f"LOAD <{path.as_uri()}>")) == 1
    assert engine.update(f"LOAD <{path.as_uri()}>") == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.ttl", "No such file"),
        ("broken.ttl", "line 1"),
        ("lamps.csv", "says no syntax of RDF"),
        (".", "says no syntax of RDF"),
    ],
)
@pytest.mark.parametrize("graph", ["", "INTO GRAPH <urn:g>"])
def test_what_cannot_be_loaded_is_told_or_passed_over_in_silence(
    tmp_path: Path, name: str, said: str, graph: str
) -> None:
    (tmp_path / "broken.ttl").write_text("<urn:a> <urn:p> 1 . <urn:b> <urn:p>")
    (tmp_path / "lamps.csv").write_text("<urn:a> <urn:p> 1 .")
    document = f"<{(tmp_path / name).as_uri()}>"

    _is_not_loaded(document, graph, said)


@pytest.mark.parametrize("document", ["http://127.0.0.1:9/lamps.ttl", "urn:lamps.ttl"])
def test_only_local_files_are_loaded(document: str) -> None:
    _is_not_loaded(f"<{document}>", "", "only local files")


def _is_not_loaded(document: str, graph: str, said: str) -> None:
    """Neither the document nor what stands beside it, unless it may be passed over."""
    engine = Engine(may_load=True)
    engine.subscribe("SELECT ?s WHERE { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }")
    beside = "INSERT DATA { <urn:c> <urn:p> 1 }"

    with pytest.raises(InvalidInput, match=said) as refused:
        engine.update(f"{beside} ; LOAD {document} {graph}")
    assert str(refused.value).startswith(f"{document} cannot be loaded: ")
    assert not engine.query("ASK { ?s ?p ?o }")

    [news] = engine.update(f"{beside} ; LOAD SILENT {document} {graph}")
    assert [one["s"] for one in news.added] == [NamedNode("urn:c")]
    assert not engine.query("ASK { GRAPH ?g {} }")


def test_silence_allows_nothing(lamps: str) -> None:
    with pytest.raises(NotAllowed, match="LOAD"):
        Engine().update(f"LOAD SILENT <{lamps}>")
