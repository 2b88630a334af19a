"""Endpoints that are down, slow, wrong or unwilling, and what is sent to them."""

import json
import pickle
import socket
import time
from collections.abc import Iterator
from typing import ClassVar
from urllib.parse import parse_qs

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, QuerySolutions

from purport.errors import InvalidInput
from purport.sparql import Engine
from purport.sparql.change import Change
from purport.sparql.errors import (
    EndpointAnswersNonsense,
    EndpointFailed,
    EndpointRefused,
    EndpointTooSlow,
    EndpointUnreachable,
    LiteralNotKept,
    NotAddressable,
    StoreFailed,
)
from purport.sparql.graph_store import Dataset, GraphStore
from purport.sparql.terms import DEFAULT, Fact, as_kept
from purport.storage.sparql_endpoint import Endpoint
from tests.contracts.graph_store import ONE, TWO, A, B, G, P, added, empty, everything, typed
from tests.http_service import PostHandler, serving
from tests.storage.virtuoso_server import VirtuosoServer

FACT: Fact = (A, P, ONE, DEFAULT)
QUERY = "SELECT ?s WHERE { ?s <urn:p> ?o }"


def rows(*bindings: object) -> str:
    return json.dumps({"head": {"vars": ["s"]}, "results": {"bindings": bindings}})


NONSENSE = {
    "/html": "<html>Welcome</html>",
    "/empty": "",
    "/list": "[]",
    "/object": "{}",
    "/headless": '{"results": {"bindings": []}}',
    "/rowless": '{"head": {"vars": ["s"]}, "results": {}}',
    "/numbers": rows(1, 2),
    "/untyped": rows({"s": {"value": "x"}}),
    "/unknown": rows({"s": {"type": "thing", "value": "x"}}),
    "/no-iri": rows({"s": {"type": "uri", "value": "not an iri"}}),
    "/no-datatype": rows({"s": {"type": "literal", "value": "x", "datatype": "not an iri"}}),
    "/other": rows({"t": {"type": "uri", "value": "urn:a"}}),
    "/bytes": "\udcff\udcfe",
    "/half": rows()[:-3],
}


class Service(PostHandler):
    """Answers as its address asks it to, and keeps what it was sent."""

    sent: ClassVar[list[tuple[str, dict[str, list[str]], str | None]]] = []

    def answer(self, body: bytes) -> None:
        self.sent.append((self.path, parse_qs(body.decode()), self.headers["Authorization"]))
        if self.path == "/slow":
            time.sleep(1)
        if self.path == "/broken":
            self.connection.close()
            return
        asked = self.path[1:].partition("?")[0]
        status = int(asked) if asked.isdigit() else 200
        self.send_response(status)
        if self.path == "/cut":
            self.send_header("X-SPARQL-MaxRows", "10000")
        if self.path == "/short":
            self.send_header("Content-Length", "1000")
        self.end_headers()
        words = "Virtuoso 42000 Error:\n  SECURITY" + "!" * 5000
        said = NONSENSE.get(self.path, rows() if status == 200 else words)
        self.wfile.write(said.encode(errors="surrogateescape"))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(Service) as url:
        yield url


def uses(store: GraphStore) -> list[EndpointFailed]:
    """The error of everything that can be asked of a store."""
    errors = []
    for use in (
        lambda: store.query(QUERY),
        lambda: list(store.matching(None, P, None, None)),
        lambda: store.holds([FACT]),
        store.named_graphs,
        lambda: store.apply(added(FACT)),
    ):
        with pytest.raises(EndpointFailed) as failed:
            use()
        errors.append(failed.value)
    return errors


def test_an_endpoint_that_is_down_is_told_of() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}/sparql"

        for error in uses(Endpoint(url).build()):
            assert isinstance(error, EndpointUnreachable)
            assert isinstance(error, StoreFailed)
            assert str(error).startswith(f"the endpoint {url} does not answer: ")


def test_a_connection_that_breaks_off_is_told_of(address: str) -> None:
    for error in uses(Endpoint(f"{address}/broken").build()):
        assert isinstance(error, EndpointUnreachable)
    with pytest.raises(EndpointUnreachable, match="breaks off"):
        Endpoint(f"{address}/short").build().query(QUERY)


def test_an_endpoint_that_is_slow_is_not_waited_for(address: str) -> None:
    store = Endpoint(f"{address}/slow", timeout_seconds=0.1).build()

    with pytest.raises(EndpointTooSlow, match=r"does not answer within 0\.1 seconds$"):
        store.query(QUERY)
    with pytest.raises(EndpointTooSlow):
        store.apply(added(FACT))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 503])
def test_a_refusal_has_its_status_and_a_little_of_its_words(address: str, status: int) -> None:
    for error in uses(Endpoint(f"{address}/{status}").build()):
        assert isinstance(error, EndpointRefused)
        assert error.status == status
        assert error.words.startswith("Virtuoso 42000 Error: SECURITY!!!")
        assert len(str(error)) < 700
        assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("path", NONSENSE)
def test_an_answer_that_is_none_is_refused(address: str, path: str) -> None:
    store = Endpoint(f"{address}{path}").build()

    with pytest.raises(EndpointAnswersNonsense, match="answers nonsense: "):
        store.query(QUERY)
    with pytest.raises(EndpointAnswersNonsense, match="answers nonsense: "):
        list(store.matching(None, P, None, None))


def test_triples_that_are_none_are_refused(address: str) -> None:
    with pytest.raises(EndpointAnswersNonsense, match="answers nonsense: "):
        Endpoint(f"{address}/html").build().query("CONSTRUCT WHERE { ?s ?p ?o }")


def test_a_boolean_is_no_row_of_solutions(oxigraph: str) -> None:
    with pytest.raises(EndpointAnswersNonsense):
        Endpoint(oxigraph).build()._rows("ASK {}")


def test_an_answer_that_was_cut_off_is_refused(address: str) -> None:
    with pytest.raises(EndpointAnswersNonsense, match=r"cuts its answer off .*MaxRows: 10000"):
        Endpoint(f"{address}/cut").build().query(QUERY)


def test_headers_are_sent_and_secrets_not_told(address: str) -> None:
    endpoint = Endpoint(f"{address}/500?key=secret", headers={"Authorization": "Bearer x"})

    with pytest.raises(EndpointFailed) as failed:
        endpoint.build().query(QUERY)

    assert "secret" not in str(failed.value)
    assert Service.sent[-1][2] == "Bearer x"


def test_updates_may_go_elsewhere(address: str) -> None:
    store = Endpoint(f"{address}/query", f"{address}/update").build()

    store.query(QUERY)
    store.apply(added(FACT))

    assert [path for path, _, _ in Service.sent[-2:]] == ["/query", "/update"]


def test_one_change_is_one_request_and_so_are_many_facts_that_are_asked_for(address: str) -> None:
    store = Endpoint(f"{address}/count").build()
    facts: list[Fact] = [(NamedNode(f"urn:s{n}"), P, ONE, G) for n in range(150)]

    before = len(Service.sent)
    store.apply(Change(frozenset(facts[:100]), frozenset(facts[100:]), frozenset({G})))
    store.holds(facts)

    assert len(Service.sent) == before + 2


def test_a_wrong_endpoint_is_refused_at_once() -> None:
    for wrong in (
        lambda: Endpoint("localhost:8890/sparql").build(),
        lambda: Endpoint("http://user:password@localhost/sparql").build(),
        lambda: Endpoint("http://localhost/sparql", default_graph="not an iri"),
        lambda: Endpoint("http://localhost/sparql", timeout_seconds=0),
        lambda: Endpoint("http://localhost/sparql", most_facts_per_request=0),
    ):
        with pytest.raises(InvalidInput):
            wrong()


def test_named_graphs_alone_need_a_name_for_the_default_graph(address: str) -> None:
    with pytest.raises(InvalidInput, match="give the endpoint a default_graph"):
        Endpoint(f"{address}/any").build().query(QUERY, Dataset(None, ("urn:g",)))


def test_hidden_graphs_are_left_alone(oxigraph: str) -> None:
    whole = Endpoint(oxigraph).build()
    whole.apply(added((A, P, ONE, G), (A, P, TWO, NamedNode("urn:secret"))))
    store = Endpoint(
        oxigraph, default_graph="urn:default", hidden_graphs=frozenset({"urn:secret"})
    ).build()

    assert everything(store) == {(A, P, ONE, G)}
    assert store.named_graphs() == {G}
    answer = store.query("SELECT ?o WHERE { GRAPH ?g { ?s ?p ?o } }")
    assert isinstance(answer, QuerySolutions)
    assert [row["o"] for row in answer] == [ONE]
    for graph in (NamedNode("urn:secret"), NamedNode("urn:default")):
        with pytest.raises(NotAddressable, match="is left alone"):
            store.apply(added((A, P, B, graph)))
        assert store.holds([(A, P, TWO, graph)]) == set()
    empty(whole)


def test_a_long_change_that_fails_half_way_is_taken_back(oxigraph: str) -> None:
    store = Endpoint(oxigraph, most_facts_per_request=10).build()
    store.apply(added(FACT))
    facts: list[Fact] = [(NamedNode(f"urn:s{n}"), P, ONE, G) for n in range(95)]
    updated, count = store._updates.updated, iter(range(100))

    def fails_once(text: str) -> None:
        if next(count) == 5:
            raise EndpointRefused(oxigraph, 503, "busy")
        updated(text)

    store._updates.updated = fails_once  # type: ignore[method-assign]
    with pytest.raises(EndpointRefused, match="busy"):
        store.apply(added(*facts))

    assert everything(store) == {FACT}
    store.apply(added(*facts))
    assert everything(store) == {FACT, *facts}
    empty(store)


def test_a_literal_in_doubt_is_tried_out_once(oxigraph: str) -> None:
    store = Endpoint(oxigraph).build()
    doubtful, sent = as_kept(typed("1e30", "double")), list[str]()
    updated = store._literals._update

    def counted(text: str) -> None:
        sent.append(text)
        updated(text)

    store._literals._update = counted
    for subject in (A, B):
        store.apply(added((subject, P, doubtful, DEFAULT), (subject, P, ONE, DEFAULT)))

    assert len(sent) == 2  # it is written into a graph of its own, which is dropped
    assert store.named_graphs() == set()
    empty(store)


def test_languages_are_spelled_as_the_store_spells_them(oxigraph: str) -> None:
    [solution] = Endpoint(oxigraph).build().query("SELECT ('x'@en-GB AS ?x) {}")  # type: ignore[misc]

    assert solution["x"] == Literal("x", language="en-gb")


def test_an_engine_goes_on_after_an_endpoint_failed(oxigraph: str) -> None:
    store = Endpoint(oxigraph).build()
    engine = Engine(store)
    live = engine.subscribe("SELECT ?o WHERE { <urn:a> <urn:p> ?o }")
    updated = store._updates.updated

    def fails(text: str) -> None:
        raise EndpointUnreachable(oxigraph, "does not answer: gone")

    store._updates.updated = fails  # type: ignore[method-assign]
    with pytest.raises(EndpointUnreachable):
        engine.update("INSERT DATA { <urn:a> <urn:p> 1 }")
    store._updates.updated = updated  # type: ignore[method-assign]
    whole, news = engine.update("INSERT DATA { <urn:a> <urn:p> 2 }")

    assert live.initial == []
    assert (whole.sequence, whole.is_whole, whole.added) == (1, True, [])
    assert (news.sequence, news.is_whole) == (2, False)
    assert [row["o"] for row in news.added] == [TWO]
    with pytest.raises(NotAddressable):
        engine.update("INSERT DATA { _:b <urn:p> 2 }")
    assert everything(store) == {(A, P, TWO, DEFAULT)}
    empty(store)


class TestVirtuosoItself:
    @pytest.fixture
    def store(self, virtuoso: VirtuosoServer) -> Iterator[GraphStore]:
        store = virtuoso.endpoint("urn:purport:default").build()
        yield store
        empty(store)

    def test_without_the_grant_updates_are_refused_with_its_words(
        self, virtuoso: VirtuosoServer, store: GraphStore
    ) -> None:
        virtuoso.refuse_updates()
        try:
            with pytest.raises(EndpointRefused, match="No permission") as refused:
                store.apply(added(FACT))
        finally:
            virtuoso.allow_updates()
        assert refused.value.status == 500

        store.apply(added(FACT))
        assert everything(store) == {FACT}

    @pytest.mark.parametrize(
        "value",
        [
            typed("123456.789", "double"),
            typed("0.1234567", "double"),
            typed("0.30000000000000004", "double"),
            typed("NaN", "double"),
            typed("9223372036854775808", "integer"),
            typed("0.1234567890123456789", "decimal"),
            typed("5", "long"),
            typed("2026-11-18T12:00:00.123456789Z", "dateTime"),
        ],
        ids=str,
    )
    def test_a_literal_that_would_become_another_is_refused_before_it_is_written(
        self, store: GraphStore, value: Literal
    ) -> None:
        with pytest.raises(LiteralNotKept, match="would keep"):
            store.apply(added((A, P, B, DEFAULT), (A, P, value, DEFAULT)))

        assert everything(store) == set()
        assert store.named_graphs() == set()

    @pytest.mark.parametrize(
        "value",
        [typed("P1D", "duration"), typed("abc", "integer"), typed("9" * 30, "integer")],
        ids=str,
    )
    def test_a_literal_that_it_cannot_read_is_refused_in_its_words(
        self, store: GraphStore, value: Literal
    ) -> None:
        with pytest.raises(EndpointRefused, match=r"Virtuoso .* Error"):
            store.apply(added((A, P, B, DEFAULT), (A, P, value, DEFAULT)))

        assert everything(store) == set()

    @pytest.mark.parametrize(
        "value",
        [
            typed("0.1", "float"),
            typed("5", "int"),
            typed("1.5E-7", "double"),
            typed("-INF", "double"),
            typed("2026", "gYear"),
            typed("AQI=", "base64Binary"),
        ],
        ids=str,
    )
    def test_a_doubtful_literal_is_tried_out_and_kept(
        self, store: GraphStore, value: Literal
    ) -> None:
        fact: Fact = (A, P, as_kept(value), DEFAULT)

        store.apply(added(fact))

        assert everything(store) == {fact}

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (typed("1", "integer"), typed("1", "decimal")),
            (typed("true", "boolean"), typed("1", "integer")),
            (
                typed("2026-11-18T12:00:00Z", "dateTime"),
                typed("2026-11-18T13:00:00+01:00", "dateTime"),
            ),
        ],
        ids=str,
    )
    def test_values_that_it_takes_for_one_are_kept_once(
        self, store: GraphStore, first: Literal, second: Literal
    ) -> None:
        store.apply(added((A, P, first, DEFAULT)))
        store.apply(added((A, P, second, DEFAULT)))

        assert everything(store) == {(A, P, first, DEFAULT)}
        assert store.holds([(A, P, second, DEFAULT)]) == {(A, P, second, DEFAULT)}

    def test_its_blank_nodes_can_be_seen(self, virtuoso: VirtuosoServer, store: GraphStore) -> None:
        virtuoso.run("SPARQL INSERT { GRAPH <urn:g> { [] <urn:p> 1 } } WHERE {};")

        [(subject, _, value, graph)] = everything(store)

        assert isinstance(subject, BlankNode)
        assert (value, graph) == (ONE, G)
        virtuoso.run("SPARQL CLEAR GRAPH <urn:g>;")
