"""`purport publish`, `subscribe`, `update` and `query`, against a server that stands in."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.stand_in import StandIn, standing_in
from tests.commands import Run

SELECT = "SELECT ?x ?y {}"


@pytest.fixture
def server() -> Iterator[StandIn]:
    with standing_in() as server:
        yield server


def test_an_event_is_published(run: Run, server: StandIn) -> None:
    done = run("publish", '{"a": 1}', "--topic", "city", "--server", server.url)

    assert (done.status, done.output) == (0, "1 published, 2 notifications\n")
    assert server.asked == [("POST", "/events", {"topic": "city"}, '[{"a": 1}]')]


def test_an_event_on_several_lines_is_published_as_it_is(run: Run, server: StandIn) -> None:
    said = "one\u2028two\x85three\x0bfour".replace("\x0b", "\\u000b")

    done = run("publish", f'{{"said":\r\n "{said}"\n}}', "--server", server.url)

    assert done.status == 0
    assert server.asked[0][3] == f'[{{"said":   "{said}" }}]'


def test_events_come_from_the_input_in_batches(run: Run, server: StandIn) -> None:
    lines = '{"a": 1}\n\n{"a": 2}\n{"a": 3}'

    done = run("publish", "-", "--batch", "2", "--json", "--server", server.url, given=lines)

    assert [json.loads(line)["id"] for line in done.output.splitlines()] == ["e0", "e1", "e0"]
    assert [body for _, _, _, body in server.asked] == ['[{"a": 1},{"a": 2}]', '[{"a": 3}]']


def test_a_line_that_is_no_event_is_named_and_those_before_it_are_published(
    run: Run, server: StandIn, tmp_path: Path
) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text('{"a": 1}\n{"a":\n')

    done = run("publish", path, "--server", server.url)

    assert done.status == 2
    assert "line 2: not valid JSON" in done.errors
    assert len(server.asked) == 1
    assert run("publish", "nowhere.jsonl", "--server", server.url).status == 2


def test_answers_are_printed_as_lines_or_as_json(run: Run, server: StandIn) -> None:
    asked = run.below("query")

    lines = asked(SELECT, "--server", server.url)
    from_input = asked("-", "--json", "--server", server.url, given=SELECT)

    assert lines.output == "?x\t?y\n<urn:a>\t\n"
    assert json.loads(from_input.output) == {"x": {"type": "uri", "value": "urn:a"}}
    assert asked("ASK {}", "--server", server.url).output == "true\n"
    triples = asked("CONSTRUCT {} {}", "--server", server.url).output
    assert triples == "<urn:a> <urn:b> <urn:c> .\n"


def test_an_update_says_what_came_of_it(run: Run, server: StandIn) -> None:
    done = run("update", "CLEAR ALL", "--delay", "10 s", "--server", server.url)

    assert done.output == "waits until 2026-01-02T03:04:05+00:00 as number 7\n"
    assert server.asked[0][2] == {"delay": "10.0 s"}
    wrong = run("update", "CLEAR ALL", "--delay", "soon", "--server", server.url)
    assert (wrong.status, "expected a duration such as 10 s" in wrong.errors) == (2, True)


def test_a_profile_names_queries_and_binds_their_variables(
    run: Run, server: StandIn, tmp_path: Path
) -> None:
    profile = tmp_path / "lamps.jsap"
    query = {
        "sparql": "SELECT ?x { ?x <urn:p> ?y }",
        "forcedBindings": {"y": {"type": "literal", "datatype": "xsd:integer"}},
        "graphs": {"default-graph-uri": "urn:g"},
    }
    port = int(server.url.rpartition(":")[2])
    asked = {
        "host": "127.0.0.1",
        "sparql11protocol": {"port": port},
        "sparql11seprotocol": {"availableProtocols": {"ws": {"port": port, "path": "/subscribe"}}},
        "queries": {"LAMPS": query},
    }
    profile.write_text(json.dumps(asked))

    options = ("--profile", profile, "--name", "LAMPS", "--bind", "y=5")
    done = run("query", *options)
    told = run("subscribe", *options, "--count", 1)
    unbound = run("query", *options[:4])

    assert done.status == told.status == 0
    bound = 'SELECT ?x { ?x <urn:p> "5"^^<http://www.w3.org/2001/XMLSchema#integer> }'
    assert server.asked == [("POST", "/query", {"default-graph-uri": "urn:g"}, bound)]
    assert server.heard[0]["subscribe"] == {"sparql": bound, "default-graph-uri": ["urn:g"]}
    assert unbound.status == 2
    assert "queries.LAMPS.forcedBindings.y.value: missing" in unbound.errors


def test_notifications_are_printed_and_acknowledged(run: Run, server: StandIn) -> None:
    server.told = [[3, 4]]

    done = run(
        "subscribe", "{a = 1}", "--name", "hot", "--durable", "--count", 2, "--server", server.url
    )

    assert done.output == '3  0.50  {"device":"laptop"}\n4  0.50  {"device":"laptop"}\n'
    assert server.heard[1] == {"acknowledge": {"spuid": "hot", "sequence": 3}}


def test_an_answer_is_told_as_what_came_and_went(run: Run, server: StandIn) -> None:
    done = run("subscribe", SELECT, "--until-end", "--server", server.url)

    assert done.output == ("0  the whole answer\n+  ?x = <urn:a>\n1\n+  ?x = <urn:a>\n")


def test_json_lines_are_as_they_were_told(run: Run, server: StandIn) -> None:
    done = run("subscribe", "{a = 1}", "--json", "--count", 1, "--server", server.url)

    told = json.loads(done.output)
    assert (told["sequence"], told["event"], told["probability"]) == (0, {"device": "laptop"}, 0.5)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("query",), "what is the query? Give it as a text, or by --profile FILE --name NAME"),
        (("query", "ASK {}", "--bind", "a=1"), "only what a --profile names has variables"),
        (("query", "ASK {}", "--server", "there"), "expected an address with http://"),
        (("query", "ASK {}", "--client-id", "me"), "a client id and a client secret"),
        (("query", "ASK {}", "--ca", "none.pem"), "none.pem: No such file"),
        (("query", "--profile", "none.jsap", "--name", "A"), "none.jsap: No such file"),
        (("subscribe", "{a = 1}", "--durable"), "a durable subscription needs a name"),
        (("subscribe", "{a = 1}", "--overflow", "weep"), "--overflow: expected one of drop"),
    ],
)
def test_what_is_typed_wrongly_is_told_in_one_line(
    run: Run, arguments: tuple[str, ...], problem: str
) -> None:
    done = run(*arguments)

    assert done.status == 2
    assert problem in done.errors
    assert done.errors.count("\n") == 1


def test_a_refusal_of_the_input_is_2_and_trouble_of_the_server_is_1(
    run: Run, server: StandIn
) -> None:
    server.refusal = {"error": "bad_request", "status_code": 400, "error_description": "line 1"}
    refused = run("query", SELECT, "--server", server.url)
    server.refusal = {"error": "failed", "status_code": 500}
    failed = run("query", SELECT, "--server", server.url)
    nobody = run("query", SELECT, "--server", "http://127.0.0.1:1")

    assert (refused.status, failed.status, nobody.status) == (2, 1, 1)
    assert refused.errors == "purport: the server refuses (400 bad_request): line 1\n"
    assert nobody.errors.startswith("purport: http://127.0.0.1:1/query does not answer")


def test_the_environment_says_where_the_server_is_and_keeps_secrets(
    run: Run, server: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.token = "of the environment"
    monkeypatch.setenv("PURPORT_SERVER", server.url)
    monkeypatch.setenv("PURPORT_TOKEN", "of the environment")

    assert run("query", "ASK {}").output == "true\n"
    monkeypatch.delenv("PURPORT_TOKEN")
    assert run("query", "ASK {}").status == 1
    monkeypatch.setenv("PURPORT_CLIENT_ID", "me")
    monkeypatch.setenv("PURPORT_CLIENT_SECRET", "secret")
    assert run("query", "ASK {}").output == "true\n"
    assert "secret" not in run("query", "--help").output.replace("CLIENT_SECRET", "").replace(
        "--client-secret", ""
    ).replace("The secret of", "")
