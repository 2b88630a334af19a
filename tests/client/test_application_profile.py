import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, QuerySolutions, Store

from purport.client.application_profile import ApplicationProfile, Graphs
from purport.client.forced_bindings import with_values
from purport.errors import InvalidInput

XSD = "http://www.w3.org/2001/XMLSchema#"
PROFILE: dict[str, Any] = {
    "host": "city.example",
    "oauth": {"enable": False, "register": "https://login.example/register"},
    "sparql11protocol": {
        "protocol": "http",
        "port": 8000,
        "query": {"path": "/query", "method": "POST", "format": "JSON"},
        "update": {"path": "/update", "method": "POST", "format": "JSON"},
    },
    "sparql11seprotocol": {
        "protocol": "ws",
        "availableProtocols": {
            "ws": {"port": 9000, "path": "/subscribe"},
            "wss": {"port": 9443, "path": "/secure/subscribe"},
        },
    },
    "graphs": {"default-graph-uri": "http://city.example/lamps"},
    "namespaces": {"city": "http://city.example/#"},
    "extended": {"unknown": [1]},
    "updates": {
        "SET_DIM": {
            "sparql": "DELETE { ?lamp city:dim ?old } INSERT { ?lamp city:dim ?dim } "
            "WHERE { OPTIONAL { ?lamp city:dim ?old } }",
            "forcedBindings": {
                "lamp": {"type": "uri", "value": "city:lamp1"},
                "dim": {"type": "literal", "datatype": "xsd:integer", "value": 5},
            },
        }
    },
    "queries": {
        "LAMPS": {
            "sparql": "SELECT ?lamp ?name WHERE { ?lamp city:name ?name }",
            "forcedBindings": {"name": {"type": "literal", "language": "en", "value": "door"}},
        },
        "ELSEWHERE": {
            "sparql": "ASK { ?s ?p ?o }",
            "host": "other.example",
            "sparql11protocol": {"protocol": "https", "port": 8443},
            "graphs": {"default-graph-uri": ["urn:g", "urn:h"]},
        },
    },
}


def answers(text: str, store: Store | None = None) -> list[dict[str, object]]:
    found = (store or Store()).query(text)
    assert isinstance(found, QuerySolutions)
    names = [variable.value for variable in found.variables]
    return [{name: one[name] for name in names if one[name] is not None} for one in found]


def test_an_update_has_the_values_of_the_file_or_those_that_are_given() -> None:
    profile, store = ApplicationProfile(PROFILE), Store()

    store.update(profile.update("SET_DIM").text)
    store.update(profile.update("SET_DIM", {"lamp": "city:lamp2", "dim": "7"}).text)

    assert answers("SELECT ?l ?d { ?l ?p ?d } ORDER BY ?l", store) == [
        {"l": NamedNode("http://city.example/#lamp1"), "d": Literal(5)},
        {"l": NamedNode("http://city.example/#lamp2"), "d": Literal(7)},
    ]


def test_a_query_is_told_where_to_go_and_for_which_graphs() -> None:
    profile = ApplicationProfile(PROFILE)

    lamps, elsewhere = profile.query("LAMPS"), profile.query("ELSEWHERE")

    assert lamps.text == (
        "PREFIX city: <http://city.example/#>\n"
        'SELECT ?lamp ( "door"@en AS ?name ) WHERE { ?lamp city:name "door"@en }'
    )
    assert lamps.addresses.query == "http://city.example:8000/query"
    assert lamps.addresses.subscribe == "ws://city.example:9000/subscribe"
    assert lamps.addresses.register == "https://login.example/register"
    assert lamps.graphs == Graphs(("http://city.example/lamps",))
    assert elsewhere.addresses.update == "https://other.example:8443/update"
    assert elsewhere.graphs.default == ("urn:g", "urn:h")
    assert profile.queries == ("LAMPS", "ELSEWHERE")
    assert profile.updates == ("SET_DIM",)


def test_a_secure_profile_is_reached_below_its_path() -> None:
    secure = PROFILE | {
        "sparql11protocol": {
            "protocol": "https",
            "port": 8443,
            "query": {"path": "/secure/query"},
            "update": {"path": "/secure/update"},
        },
        "sparql11seprotocol": PROFILE["sparql11seprotocol"] | {"protocol": "wss"},
    }

    addresses = ApplicationProfile(secure).addresses

    assert addresses.base == "https://city.example:8443/secure"
    assert addresses.update == "https://city.example:8443/secure/update"
    assert addresses.subscribe == "wss://city.example:9443/secure/subscribe"


def test_a_profile_may_be_yaml(tmp_path: Path) -> None:
    path = tmp_path / "lamps.ysap"
    path.write_text(
        "host: localhost\nqueries:\n  ON:\n    sparql: 'ASK { ?x <urn:on> ?on }'\n"
        "    forcedBindings:\n      'on': {type: literal, datatype: 'xsd:boolean', value: true}\n"
    )
    as_json = tmp_path / "lamps.jsap"
    as_json.write_text(json.dumps(PROFILE))

    asked = ApplicationProfile.read(path).query("ON")

    assert asked.text == f'ASK {{ ?x <urn:on> "true"^^<{XSD}boolean> }}'
    assert ApplicationProfile.read(as_json).queries == ("LAMPS", "ELSEWHERE")


@pytest.mark.parametrize(
    ("changes", "name", "problem"),
    [
        ({"host": None}, "LAMPS", "p, host: missing; expected a text"),
        ({"queries": {"A": {}}}, "A", "p, queries.A.sparql: missing; expected a text"),
        ({"queries": []}, "A", r"p, queries: expected an object, got \[\]"),
        ({}, "LAMP", "p, queries: no 'LAMP'; did you mean 'LAMPS'?"),
        ({"namespaces": {"a": "> DROP"}}, "LAMPS", "p, namespaces.a: '> DROP' is no IRI"),
        ({"namespaces": {"a: <b> #": "urn:x"}}, "LAMPS", "cannot be a prefix"),
        (
            {"sparql11protocol": {"port": "80"}}, "LAMPS",
            "p, sparql11protocol.port: expected the number of a port, got '80'",
        ),
        (
            {"queries": {"A": {"sparql": "ASK { ?a ?b ?c }", "forcedBindings": {"a": {}}}}}, "A",
            "p, queries.A.forcedBindings.a.value: missing; expected a value",
        ),
        (
            {"sparql11seprotocol": {"protocol": "wss", "availableProtocols": {"ws": {}}}}, "LAMPS",
            "p, sparql11seprotocol.availableProtocols.wss: missing",
        ),
        ({"graphs": {"default-graph-uri": "g"}}, "LAMPS", "p, graphs.default-graph-uri: expected"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_path(
    changes: dict[str, Any], name: str, problem: str
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        ApplicationProfile(PROFILE | changes, "p").query(name)


def test_only_variables_of_the_file_can_be_bound_and_iris_are_iris() -> None:
    profile = ApplicationProfile(PROFILE, "p")

    with pytest.raises(InvalidInput, match="forcedBindings: no variable 'Lamp'; did you mean"):
        profile.update("SET_DIM", {"Lamp": "city:a"})
    with pytest.raises(InvalidInput, match=r"forcedBindings\.lamp: .* is no IRI"):
        profile.update("SET_DIM", {"lamp": "urn:a> } ; DROP ALL ; INSERT DATA { <urn:b"})


@given(st.text(), st.sampled_from([{}, {"language": "de"}, {"datatype": "urn:kind"}]))
def test_a_text_is_bound_as_exactly_that_term(text: str, kind: dict[str, str]) -> None:
    member = {"type": "literal", **kind}
    query = {"sparql": "SELECT ?x {}", "forcedBindings": {"x": member}}
    profile = ApplicationProfile({"host": "h", "queries": {"Q": query}})

    asked = profile.query("Q", {"x": text})

    datatype = NamedNode(kind["datatype"]) if "datatype" in kind else None
    wanted = Literal(text, datatype=datatype, language=kind.get("language"))
    assert answers(asked.text) == [{"x": wanted}]


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Z"])))
def test_an_iri_is_bound_as_exactly_that_term_or_refused(text: str) -> None:
    query = {"sparql": "SELECT ?x {}", "forcedBindings": {"x": {"type": "uri"}}}
    profile = ApplicationProfile({"host": "h", "queries": {"Q": query}})

    try:
        asked = profile.query("Q", {"x": f"urn:{text}"})
    except InvalidInput:
        return

    assert answers(asked.text) == [{"x": NamedNode(f"urn:{text}")}]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { FILTER(BOUND(?x)) }",
        "SELECT (COUNT(?x) AS ?n) { } GROUP BY ?x ORDER BY ?x",
        "SELECT DISTINCT ?x ?y { VALUES ?y { 1 } FILTER(?y<?x||?x=?y) } ORDER BY DESC(?y) ?x $x",
        "SELECT ?x { { SELECT ?x ?forced0 { BIND(1 AS ?forced0) { SELECT ?x {} } } } }",
        "SELECT ?x { BIND(?x AS ?z) # ?x stays here\n BIND('?x' AS ?w) }",
        "SELECT ?y { BIND(?x-1 AS ?y) }",
        "SELECT ?x FROM <urn:g> { GRAPH ?g { ?s ?p ?x } }",
    ],
)
def test_wherever_a_variable_stands_the_text_can_be_read_and_means_the_value(text: str) -> None:
    bound = with_values(text, {"x": Literal(7)})

    for one in answers(bound):
        assert one.get("x", Literal(7)) == Literal(7)


def test_a_variable_that_the_text_gives_a_value_can_be_given_no_other() -> None:
    with pytest.raises(InvalidInput, match=r"\?x is computed in the text"):
        with_values("SELECT ?x { BIND(1 AS ?x) }", {"x": Literal(7)})
    with pytest.raises(InvalidInput, match=r"\?x has VALUES in the text"):
        with_values("SELECT ?x { VALUES (?y ?x) { (1 2) } }", {"x": Literal(7)})
