"""The SPARQL 1.1 Protocol, as clients see it over HTTP."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from purport.embedded.broker import Broker
from purport.service.settings import RequestLimits, ServiceSettings
from tests.embedded.brokers import exact
from tests.service.server_process import ServerProcess
from tests.service.serving import served, service_of

DATA = (
    "INSERT DATA { <urn:a> <urn:p> 1 . "
    "GRAPH <urn:g> { <urn:b> <urn:p> 2 } GRAPH <urn:h> { <urn:c> <urn:p> 3 } }"
)
SUBJECTS = "SELECT ?s WHERE { ?s <urn:p> ?o } ORDER BY ?s"
NAMED = "SELECT ?s WHERE { GRAPH ?g { ?s <urn:p> ?o } } ORDER BY ?s"
FORM = "application/x-www-form-urlencoded"
QUERY = "application/sparql-query"
UPDATE = "application/sparql-update"
PRODUCT = " . ".join(f"?{name} <urn:p> ?{name}{name}" for name in "abcdefgh")
CONSTRUCT = "CONSTRUCT WHERE { ?s ?p ?o }"


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker.in_memory(matcher=exact) as made:
        made.update(DATA)
        yield made


@pytest.fixture
def client(broker: Broker) -> Iterator[httpx.Client]:
    with served(service_of(broker)) as made:
        yield made


def subjects(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [one["s"]["value"] for one in answer.json()["results"]["bindings"]]


def problem(answer: httpx.Response) -> tuple[int, str]:
    told: dict[str, Any] = answer.json()
    assert told["status_code"] == answer.status_code and told["error_description"]
    return answer.status_code, told["error"]


@pytest.mark.parametrize("path", ["/query", "/sparql"])
@pytest.mark.parametrize("way", ["get", "form", "direct"])
def test_a_query_is_asked_in_three_ways(client: httpx.Client, path: str, way: str) -> None:
    asked = {
        "get": lambda: client.get(path, params={"query": SUBJECTS}),
        "form": lambda: client.post(path, data={"query": SUBJECTS}),
        "direct": lambda: client.post(
            path, content=SUBJECTS, headers={"Content-Type": f"{QUERY}; charset=UTF-8"}
        ),
    }

    assert subjects(asked[way]()) == ["urn:a"]


@pytest.mark.parametrize(
    ("text", "parameters", "expected"),
    [
        (SUBJECTS, [("default-graph-uri", "urn:g")], ["urn:b"]),
        (
            SUBJECTS,
            [("default-graph-uri", "urn:g"), ("default-graph-uri", "urn:h")],
            ["urn:b", "urn:c"],
        ),
        (NAMED, [], ["urn:b", "urn:c"]),
        (NAMED, [("named-graph-uri", "urn:h")], ["urn:c"]),
        (NAMED, [("default-graph-uri", "urn:g")], []),
        (SUBJECTS, [("named-graph-uri", "urn:g")], []),
        (SUBJECTS.replace("WHERE", "FROM <urn:h> WHERE"), [], ["urn:c"]),
        (
            SUBJECTS.replace("WHERE", "FROM <urn:h> WHERE"),
            [("default-graph-uri", "urn:g")],
            ["urn:b"],
        ),
    ],
)
def test_graph_parameters_say_what_a_query_sees(
    client: httpx.Client, text: str, parameters: list[tuple[str, str]], expected: list[str]
) -> None:
    address = httpx.QueryParams((("query", text), *parameters))
    graphs = httpx.QueryParams(tuple(parameters))

    assert subjects(client.get("/query", params=address)) == expected
    form = client.post("/query", content=str(address), headers={"Content-Type": FORM})
    assert subjects(form) == expected
    direct = client.post("/query", params=graphs, content=text, headers={"Content-Type": QUERY})
    assert subjects(direct) == expected


@pytest.mark.parametrize(
    ("text", "accept", "content_type"),
    [
        (SUBJECTS, "", "application/sparql-results+json"),
        (SUBJECTS, "*/*", "application/sparql-results+json"),
        (SUBJECTS, "application/json", "application/json"),
        (SUBJECTS, "application/sparql-results+xml", "application/sparql-results+xml"),
        (SUBJECTS, "text/csv", "text/csv; charset=utf-8"),
        (SUBJECTS, "text/csv;q=0.5, text/tab-separated-values", "text/tab-separated-values; "),
        (SUBJECTS, "text/html, application/xml;q=0.9, */*;q=0.8", "application/xml"),
        (SUBJECTS, "text/html, image/gif, *; q=.2, */*; q=.2", "application/sparql-results+json"),
        (SUBJECTS, "text/csv;q=0, text/*", "text/xml; charset=utf-8"),
        ("ASK {}", "application/sparql-results+xml", "application/sparql-results+xml"),
        ("ASK {}", "text/csv", "text/csv"),
        (CONSTRUCT, "", "text/turtle; charset=utf-8"),
        (CONSTRUCT, "application/n-triples", "application/n-triples"),
        (CONSTRUCT, "application/rdf+xml;q=0.9, text/turtle;q=0.2", "application/rdf+xml"),
        (CONSTRUCT, "application/ld+json", "application/ld+json"),
        (CONSTRUCT, "application/n-quads", "application/n-quads"),
        ("DESCRIBE <urn:a>", "application/trig", "application/trig"),
    ],
)
def test_an_answer_comes_in_the_format_that_is_asked_for_most(
    client: httpx.Client, text: str, accept: str, content_type: str
) -> None:
    answer = client.get("/query", params={"query": text}, headers={"Accept": accept})

    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith(content_type)
    assert answer.headers["vary"] == "Accept"


@pytest.mark.parametrize("text", [SUBJECTS, "ASK {}", CONSTRUCT])
def test_who_takes_no_format_that_there_is_is_told_which_there_are(
    client: httpx.Client, text: str
) -> None:
    answer = client.get("/query", params={"query": text}, headers={"Accept": "image/png"})

    assert problem(answer) == (406, "not_acceptable")
    assert "application/json" in answer.json()["error_description"]


@pytest.mark.parametrize(
    ("method", "path", "content_type", "body", "expected"),
    [
        ("GET", "/query", None, None, (400, "bad_request")),
        ("GET", "/query?query=", None, None, (400, "bad_request")),
        ("GET", "/query?query=ASK{}&query=ASK{}", None, None, (400, "bad_request")),
        ("GET", "/query?query=ASK{}&update=x", None, None, (400, "bad_request")),
        ("GET", "/query?query=%FF", None, None, (400, "bad_request")),
        ("GET", "/query?query=ASK{}&default-graph-uri=x", None, None, (400, "bad_request")),
        ("POST", "/query", FORM, b"", (400, "bad_request")),
        ("POST", "/query", FORM, b"query=ASK{}&query=ASK{}", (400, "bad_request")),
        ("POST", "/query", FORM, b"query=%FF", (400, "bad_request")),
        ("POST", "/query?query=ASK{}", QUERY, b"ASK {}", (400, "bad_request")),
        ("POST", "/query", QUERY, b"\xff", (400, "bad_request")),
        ("POST", "/query", QUERY, b"", (400, "bad_request")),
        ("POST", "/query", None, b"ASK {}", (415, "unsupported_media_type")),
        ("POST", "/query", "text/plain", b"ASK {}", (415, "unsupported_media_type")),
        ("POST", "/query", UPDATE, b"ASK {}", (415, "unsupported_media_type")),
        ("POST", "/query", f"{QUERY}; charset=latin-1", b"A", (415, "unsupported_media_type")),
        ("PUT", "/query", QUERY, b"ASK {}", (405, "method_not_allowed")),
        ("GET", "/update", None, None, (405, "method_not_allowed")),
        ("POST", "/update", FORM, b"", (400, "bad_request")),
        ("POST", "/update", FORM, b"query=ASK{}", (400, "bad_request")),
        ("POST", "/update", QUERY, b"ASK {}", (415, "unsupported_media_type")),
        ("POST", "/update", UPDATE, b"INSERT DATA { <urn:a> }", (400, "bad_request")),
        ("POST", "/update", UPDATE, b"LOAD <http://127.0.0.1:9/x>", (403, "not_allowed")),
        (
            "POST",
            "/query",
            QUERY,
            b"SELECT * WHERE { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
            (403, "not_allowed"),
        ),
    ],
)
def test_what_is_no_request_of_the_protocol_is_refused(
    client: httpx.Client,
    method: str,
    path: str,
    content_type: str | None,
    body: bytes | None,
    expected: tuple[int, str],
) -> None:
    headers = {} if content_type is None else {"Content-Type": content_type}

    answer = client.request(method, path, content=body, headers=headers)

    assert problem(answer) == expected
    if answer.status_code == 405:
        assert "POST" in answer.headers["allow"]


def test_a_malformed_query_is_refused_with_its_place(client: httpx.Client) -> None:
    answer = client.get("/query", params={"query": "SELECT ?s WHERE {\n ?s ?p }"})

    assert problem(answer) == (400, "bad_request")
    assert "line 2, column 9" in answer.json()["error_description"]


def test_a_large_answer_comes_whole(client: httpx.Client) -> None:
    values = " ".join(f"<urn:{number:06}>" for number in range(500))
    text = f"SELECT * WHERE {{ VALUES ?a {{ {values} }} VALUES ?b {{ {values} }} }} LIMIT 60000"

    answer = client.post("/query", data={"query": text}, headers={"Accept": "text/csv"})

    assert len(answer.text.splitlines()) == 60_001
    assert int(answer.headers["content-length"]) == len(answer.content) > 1024 * 1024


@pytest.mark.parametrize("verb", ["SELECT *", "CONSTRUCT { ?a ?b ?c }"])
def test_a_query_that_takes_too_long_is_given_up(broker: Broker, verb: str) -> None:
    values = " ".join(f"<urn:{number:06}>" for number in range(300))
    where = " ".join(f"VALUES ?{name} {{ {values} }}" for name in "abc")
    settings = ServiceSettings(limits=RequestLimits(query_seconds=0.3))
    with served(service_of(broker, settings)) as client:
        answer = client.post("/query", data={"query": f"{verb} WHERE {{ {where} }}"})

        assert problem(answer) == (503, "query_too_slow")
        assert subjects(client.get("/query", params={"query": SUBJECTS})) == ["urn:a"]


def test_queries_that_are_given_up_keep_nobody_out_but_other_queries(tmp_path: Path) -> None:
    """They go on in their threads: pyoxigraph cannot be told to end what has no solution."""
    settings = tmp_path / "service.toml"
    settings.write_text("[limits]\nquery_seconds = 0.2\nfirst_answer_seconds = 0.2\n")
    server = ServerProcess(tmp_path / "kept", "--config", str(settings))
    with httpx.Client(base_url=server.url) as client:
        facts = " . ".join(f"<urn:{number}> <urn:p> {number}" for number in range(100))
        client.post("/update", data={"update": f"INSERT DATA {{ {facts} }}"})
        counted = f"SELECT (COUNT(*) AS ?n) {{ {PRODUCT} }}"
        is_there = f"ASK {{ {PRODUCT} FILTER(?aa + ?hh < 0) }}"
        told = [
            client.post("/subscriptions", json={"sparql": f"SELECT ?a {{ {PRODUCT} }}"}),
            client.post("/query", data={"query": counted}),
            client.post("/query", data={"query": is_there}),
            client.post("/dry-run", json={"sparql": counted}),
            client.post("/subscriptions", json={"sparql": is_there}),
            client.post("/query", data={"query": SUBJECTS}),
        ]
        others = [
            client.get("/subscriptions"),
            client.get("/metrics"),
            client.get("/ready"),
            client.post("/events", json={"a": 1}),
        ]
    ended_with = server.stop()

    slow, refused = (503, "query_too_slow"), (429, "too_many_requests")
    assert [problem(answer) for answer in told] == [*[slow] * 5, refused]
    assert [answer.status_code for answer in others] == [200, 200, 200, 200]
    assert ended_with == 0 and "Traceback" not in server.log


def test_a_dry_run_that_takes_too_long_is_given_up(broker: Broker) -> None:
    broker.publish_all([{"a": number} for number in range(3)])
    settings = ServiceSettings(limits=RequestLimits(query_seconds=1e-6))
    with served(service_of(broker, settings)) as client:
        assert problem(client.post("/dry-run", json={"purport": "{a > 0}"}))[0] == 503
    with served(service_of(broker)) as client:
        assert len(client.post("/dry-run", json={"purport": "{a > 0}"}).json()["trials"]) == 2


@pytest.mark.parametrize("way", ["form", "direct"])
def test_an_update_answers_when_subscribers_are_told(
    client: httpx.Client, broker: Broker, way: str
) -> None:
    subscriber = broker.subscribe(SUBJECTS, name="subjects")
    text = "DELETE DATA { <urn:a> <urn:p> 1 } ; INSERT DATA { <urn:x> <urn:p> 1, 2 }"
    if way == "form":
        answer = client.post("/update", data={"update": text})
    else:
        answer = client.post("/update", content=text, headers={"Content-Type": UPDATE})

    assert answer.status_code == 200
    assert answer.json() == {
        "response": {
            "body": {"sequence": broker.sequence, "added": 2, "removed": 1, "notified": 1},
            "isJson": True,
        }
    }
    assert [len(one.added) for one in subscriber.waiting()] == [1, 2]


@pytest.mark.parametrize(
    ("text", "parameters", "expected"),
    [
        ("INSERT { ?s <urn:q> 1 } WHERE { ?s <urn:p> ?o }", "using-graph-uri=urn:g", ["urn:b"]),
        (
            "PREFIX u: <urn:> INSERT { ?s u:q 1 } WHERE { ?s u:p ?o } ; "
            "INSERT { ?s u:q 1 } WHERE { ?s u:p 3 }",
            "using-graph-uri=urn:g&using-graph-uri=urn:h",
            ["urn:b", "urn:c"],
        ),
        (
            "INSERT { ?s <urn:q> 1 } WHERE { GRAPH ?g { ?s <urn:p> ?o } }",
            "using-named-graph-uri=urn:h",
            ["urn:c"],
        ),
        ("INSERT { ?s <urn:q> 1 } WHERE { ?s <urn:p> ?o }", "using-named-graph-uri=urn:h", []),
        ("INSERT DATA { <urn:d> <urn:q> 1 }", "using-graph-uri=urn:g", ["urn:d"]),
        (
            "INSERT DATA { <urn:d> <urn:q> 1 } ; DELETE WHERE { ?s <urn:q> ?o }",
            "using-graph-uri=urn:g",
            ["urn:d"],
        ),
    ],
)
def test_using_parameters_say_what_the_patterns_of_an_update_see(
    client: httpx.Client, text: str, parameters: str, expected: list[str]
) -> None:
    answer = client.post(f"/update?{parameters}", content=text, headers={"Content-Type": UPDATE})

    assert answer.status_code == 200, answer.text
    asked = {"query": "SELECT ?s WHERE { ?s <urn:q> ?o } ORDER BY ?s"}
    assert subjects(client.get("/query", params=asked)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "WITH <urn:g> INSERT { ?s <urn:q> 1 } WHERE { ?s <urn:p> ?o }",
        "INSERT { ?s <urn:q> 1 } USING <urn:g> WHERE { ?s <urn:p> ?o }",
        "INSERT DATA { <urn:d> <urn:q> 1 } ; "
        "INSERT { ?s <urn:q> 1 } USING NAMED <urn:g> WHERE { ?s <urn:p> ?o }",
        "INSERT { ?s <urn:q> } WHERE { ?s <urn:p> ?o }",
    ],
)
def test_an_update_must_not_say_twice_which_graphs_it_sees(
    client: httpx.Client, broker: Broker, text: str
) -> None:
    sequence = broker.sequence

    answer = client.post("/update", data={"update": text, "using-graph-uri": "urn:h"})

    assert problem(answer) == (400, "bad_request")
    assert broker.sequence == sequence


def test_every_answer_is_json_that_says_so(client: httpx.Client) -> None:
    answer = client.post("/update", data={"update": "INSERT DATA { <urn:d> <urn:q> 1 }"})

    assert answer.headers["content-type"] == "application/json"
    assert msgspec.json.decode(answer.content) == answer.json()
