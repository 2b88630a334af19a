"""Clients that were made for SEPA, as they were published, against `purport serve`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
import trustme

from tests.service.sepa_clients import Failed, SepaClient, sepa_js, sepy
from tests.service.server_process import ServerProcess, running_server

Running = Callable[..., AbstractContextManager[SepaClient]]

BOTH = pytest.mark.parametrize("running", [sepy, sepa_js])
XSD_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
WHERE = ("<urn:test:1>", "<urn:test:2>", "<urn:test:3>")
KEY = "k" * 64
_NUMBERS = count(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running_server(tmp_path_factory.mktemp("broker")) as found:
        yield found


@pytest.fixture
def dim() -> str:
    """A property that no other test uses."""
    return f"urn:test:dim:{next(_NUMBERS)}"


def profile_of(server: ServerProcess, folder: Path) -> Path:
    """An application profile, as these clients read it: where a server is, and named texts."""
    safe = server.url.startswith("https:")
    schemes, path = (("https", "wss"), "/secure") if safe else (("http", "ws"), "")
    profile = {
        "host": "127.0.0.1",
        "oauth": {
            "enable": safe,
            "register": f"{server.url}/oauth/register",
            "tokenRequest": f"{server.url}/oauth/token",
        },
        "sparql11protocol": {
            "protocol": schemes[0],
            "port": server.port,
            "query": {"path": f"{path}/query", "method": "POST", "format": "JSON"},
            "update": {"path": f"{path}/update", "method": "POST", "format": "JSON"},
        },
        "sparql11seprotocol": {
            "protocol": schemes[1],
            "availableProtocols": {
                schemes[1]: {"port": server.subscribe_port, "path": f"{path}/subscribe"}
            },
        },
        "namespaces": {"lamp": "urn:test:lamp:"},
        "updates": {
            "switch": {
                "sparql": "INSERT DATA { ?lamp lamp:is ?state }",
                "forcedBindings": {
                    "lamp": {"type": "uri", "value": ""},
                    "state": {"type": "literal", "value": ""},
                },
            }
        },
        "queries": {
            "states": {
                "sparql": "SELECT ?state WHERE { ?lamp lamp:is ?state }",
                "forcedBindings": {"lamp": {"type": "uri", "value": ""}},
            }
        },
    }
    written = folder / "lamps.jsap"
    written.write_text(json.dumps(profile))
    return written


def begun(client: SepaClient, server: ServerProcess, folder: Path) -> SepaClient:
    client.ask("begin", profile=str(profile_of(server, folder)))
    return client


def insert(lamp: int, dim: str, value: int) -> str:
    return f"INSERT DATA {{ <urn:test:{lamp}> <{dim}> {value} }}"


def lamps(dim: str) -> str:
    return f"SELECT ?lamp ?value WHERE {{ ?lamp <{dim}> ?value }}"


def row(lamp: int, value: int) -> dict[str, dict[str, str]]:
    return {
        "lamp": {"type": "uri", "value": f"urn:test:{lamp}"},
        "value": {"type": "literal", "value": str(value), "datatype": XSD_INTEGER},
    }


def told(client: SepaClient) -> tuple[str, list[Any], list[Any]]:
    """The next notification: under which alias, what came, what went."""
    while (heard := client.hear())["event"] != "notification":
        pass
    content = heard["content"]
    if "addedResults" in content:
        parts = (content[f"{part}Results"]["results"]["bindings"] for part in ("added", "removed"))
    else:
        parts = (content[part] for part in ("added", "removed"))
    return heard["alias"], *parts


@BOTH
def test_a_subscriber_is_told_the_answer_and_then_what_changes(
    running: Running, server: ServerProcess, tmp_path: Path, dim: str
) -> None:
    with running() as client:
        begun(client, server, tmp_path)
        client.ask("update", text=insert(1, dim, 5))

        spuid = client.ask("subscribe", text=lamps(dim), alias="lamps")["spuid"]
        first = told(client)
        client.ask("update", text=insert(2, dim, 7))
        second = told(client)
        client.ask("update", text=f"DELETE WHERE {{ <urn:test:1> <{dim}> ?value }}")
        third = told(client)

    assert spuid.startswith("sepa://subscription/")
    assert first == ("lamps", [row(1, 5)], [])
    assert second == ("lamps", [row(2, 7)], [])
    assert third == ("lamps", [], [row(1, 5)])


@BOTH
def test_several_subscriptions_are_told_apart_until_one_is_ended(
    running: Running, server: ServerProcess, tmp_path: Path, dim: str
) -> None:
    with running() as client:
        begun(client, server, tmp_path)
        for lamp in (1, 2, 3):
            query = f"SELECT ?value WHERE {{ <urn:test:{lamp}> <{dim}> ?value }}"
            client.ask("subscribe", text=query, alias=f"lamp {lamp}")
        beginnings = [told(client) for _ in range(3)]

        client.ask("unsubscribe", alias="lamp 2")
        for lamp in (1, 2, 3):
            client.ask("update", text=insert(lamp, dim, lamp))
        changes = [told(client) for _ in range(2)]

    assert sorted(beginnings) == [(f"lamp {lamp}", [], []) for lamp in (1, 2, 3)]
    assert [alias for alias, _, _ in sorted(changes, key=lambda one: one[0])] == [
        "lamp 1",
        "lamp 3",
    ]


@BOTH
def test_queries_are_answered_whatever_is_written_in_them(
    running: Running, server: ServerProcess, tmp_path: Path, dim: str
) -> None:
    with running() as client:
        begun(client, server, tmp_path)
        client.ask("update", text=f"INSERT DATA {{ <urn:test:1> <{dim}> 'Küche 台所'@de }}")

        answer = client.ask("query", text=f"SELECT ?name WHERE {{ ?lamp <{dim}> ?name }}")
        is_there = client.ask("query", text=f"ASK {{ ?lamp <{dim}> 'Küche 台所'@de }}")

    name = {"type": "literal", "value": "Küche 台所", "xml:lang": "de"}
    assert answer == {"head": {"vars": ["name"]}, "results": {"bindings": [{"name": name}]}}
    assert is_there["boolean"] is True


@BOTH
def test_what_is_wrong_with_a_query_or_an_update_is_told(
    running: Running, server: ServerProcess, tmp_path: Path
) -> None:
    with running() as client:
        begun(client, server, tmp_path)

        with pytest.raises(Failed, match="400"):
            client.ask("query", text="SELECT ?lamp WHERE {")
        with pytest.raises(Failed, match="bad_request"):
            client.ask("update", text="INSERT DATA { ?lamp <urn:test:dim> 5 }")


@BOTH
def test_what_a_profile_names_is_run_with_forced_bindings(
    running: Running, server: ServerProcess, tmp_path: Path
) -> None:
    lamp = {"lamp": f"lamp:l{next(_NUMBERS)}"}
    with running() as client:
        begun(client, server, tmp_path)
        client.ask("named_update", name="switch", bindings={**lamp, "state": "on"})

        answer = client.ask("named_query", name="states", bindings=lamp)
        client.ask("named_subscribe", name="states", alias="named", bindings=lamp)
        first = told(client)
        client.ask("named_update", name="switch", bindings={**lamp, "state": "broken"})
        second = told(client)

    assert [one["state"]["value"] for one in answer["results"]["bindings"]] == ["on"]
    assert [one["state"]["value"] for one in first[1]] == ["on"]
    assert [one["state"]["value"] for one in second[1]] == ["broken"]


@BOTH
def test_a_subscriber_hears_of_the_graphs_that_it_names(
    running: Running, server: ServerProcess, tmp_path: Path, dim: str
) -> None:
    graph = f"{dim}:graph"
    with running() as client:
        begun(client, server, tmp_path)
        client.ask("subscribe", text=lamps(dim), alias="lamps", graphs=[graph])
        first = told(client)

        client.ask("update", text=insert(1, dim, 5))
        client.ask("update", text=f"INSERT DATA {{ GRAPH <{graph}> {{ <urn:test:2> <{dim}> 7 }} }}")
        second = told(client)

    assert (first, second) == (("lamps", [], []), ("lamps", [row(2, 7)], []))


def test_sepa_js_speaks_of_all_its_subscriptions_over_one_socket(
    server: ServerProcess, tmp_path: Path, dim: str
) -> None:
    with sepa_js() as client:
        begun(client, server, tmp_path)
        before = open_sockets(server)

        for lamp in range(5):
            client.ask("subscribe", text=lamps(dim), alias=f"lamp {lamp}")

        assert open_sockets(server) == before + 1
        for lamp in range(5):
            client.ask("unsubscribe", alias=f"lamp {lamp}")
        wait_until(lambda: open_sockets(server) == before)


def test_sepa_js_makes_events_of_each_message(
    server: ServerProcess, tmp_path: Path, dim: str
) -> None:
    with sepa_js() as client:
        begun(client, server, tmp_path)
        spuid = client.ask("subscribe", text=lamps(dim), alias="lamps")["spuid"]
        client.ask("update", text=insert(1, dim, 5))
        over = client.ask("unsubscribe", alias="lamps")

        heard = [client.hear() for _ in range(8)]

    events = [one["event"] for one in heard]
    assert events[:4] == ["subscribed", "notification", "added", "removed"]
    assert events[4:] == ["notification", "added", "removed", "unsubscribed"]
    first, second = heard[1]["content"], heard[4]["content"]
    assert first == {
        "spuid": spuid,
        "alias": "lamps",
        "sequence": 0,
        "addedResults": {"head": {"vars": ["lamp", "value"]}, "results": {"bindings": []}},
        "removedResults": {"head": {"vars": ["lamp", "value"]}, "results": {"bindings": []}},
    }
    assert second["sequence"] == 1
    assert second["addedResults"]["results"]["bindings"] == [row(1, 5)]
    assert over["unsubscribed"]["spuid"] == spuid


def test_sepa_js_knows_by_the_alias_which_subscription_is_wrong(
    server: ServerProcess, tmp_path: Path, dim: str
) -> None:
    with sepa_js() as client:
        begun(client, server, tmp_path)
        client.ask("subscribe", text=lamps(dim), alias="right")

        with pytest.raises(Failed) as failed:
            client.ask("subscribe", text="SELECT ?lamp WHERE {", alias="wrong")
        client.ask("update", text=insert(1, dim, 5))

        assert told(client) == ("right", [], [])
        assert told(client) == ("right", [row(1, 5)], [])

    problem = failed.value.body
    assert (problem["error"], problem["status_code"]) == ("bad_request", 400)
    assert problem["alias"] == "wrong"
    assert problem["error_description"]


def test_sepa_js_subscribes_again_when_the_server_is_back(tmp_path: Path, dim: str) -> None:
    with sepa_js() as client:
        with running_server(tmp_path / "broker") as server:
            begun(client, server, tmp_path)
            client.ask("subscribe", text=lamps(dim), alias="lamps")
            assert told(client) == ("lamps", [], [])
        ports = ("--port", str(server.port), "--subscribe-port", str(server.subscribe_port))

        with running_server(tmp_path / "broker", *ports):
            again = told(client)
            client.ask("update", text=insert(1, dim, 5))
            change = told(client)

    assert (again, change) == (("lamps", [], []), ("lamps", [row(1, 5)], []))


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def safe_server(
    tmp_path_factory: pytest.TempPathFactory, authority: trustme.CA
) -> Iterator[ServerProcess]:
    """A server with TLS, at which some may register."""
    folder = tmp_path_factory.mktemp("safe")
    certificate = authority.issue_cert("127.0.0.1")
    certificate.private_key_pem.write_to_path(str(folder / "key.pem"))
    for part in certificate.cert_chain_pems:
        part.write_to_path(str(folder / "chain.pem"), append=True)
    (folder / "signing.key").write_text(KEY)
    settings = folder / "service.toml"
    settings.write_text(f"""
[listen.tls]
certificate = "{folder}/chain.pem"
key = "{folder}/key.pem"

[auth]
signing_keys = ["{folder}/signing.key"]

[[auth.identities]]
name = "kitchen"
register_again = true
""")
    with running_server(folder / "broker", "--config", str(settings)) as found:
        yield found


@pytest.fixture
def ca(authority: trustme.CA, tmp_path: Path) -> Path:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return path


def registered(client: SepaClient, server: ServerProcess, folder: Path) -> SepaClient:
    profile = profile_of(server, folder)
    client.ask("begin_secure", profile=str(profile), identity="kitchen")
    return client


def expired_token() -> str:
    """A token of the service whose time is over."""
    claims = {"iss": "purport", "sub": "kitchen", "exp": 1_700_000_000}
    return jwt.encode(claims, KEY.encode(), algorithm="HS256")


@BOTH
def test_a_client_registers_gets_a_token_and_does_everything_with_it(
    running: Running, safe_server: ServerProcess, tmp_path: Path, ca: Path, dim: str
) -> None:
    with running(ca) as client:
        registered(client, safe_server, tmp_path)
        client.ask("update", text=insert(1, dim, 5))

        spuid = client.ask("subscribe", text=lamps(dim), alias="lamps")["spuid"]
        first = told(client)
        client.ask("update", text=f"DELETE WHERE {{ ?lamp <{dim}> ?value }}")
        second = told(client)
        client.ask("unsubscribe", alias="lamps")
        answer = client.ask("query", text=lamps(dim))

    assert spuid.startswith("sepa://subscription/")
    assert first == ("lamps", [row(1, 5)], [])
    assert second == ("lamps", [], [row(1, 5)])
    assert answer["results"]["bindings"] == []


@BOTH
def test_who_is_not_known_cannot_register(
    running: Running, safe_server: ServerProcess, tmp_path: Path, ca: Path
) -> None:
    profile = str(profile_of(safe_server, tmp_path))
    with running(ca) as client, pytest.raises(Failed) as failed:
        client.ask("begin_secure", profile=profile, identity="cellar")
        client.ask("update", text="CLEAR ALL")

    assert failed.value.kind == "RegistrationFailedException" or failed.value.status == 403


def test_sepy_is_told_that_its_token_has_expired_and_gets_another(
    safe_server: ServerProcess, tmp_path: Path, ca: Path, dim: str
) -> None:
    with sepy(ca) as client:
        registered(client, safe_server, tmp_path)
        client.ask("update", text=insert(1, dim, 5))
        client.ask("use_token", token=expired_token())

        with pytest.raises(Failed) as failed:
            client.ask("update", text=insert(2, dim, 7))
        client.ask("update", text=insert(3, dim, 9))
        answer = client.ask("query", text=lamps(dim))

    assert failed.value.kind == "TokenExpiredException"
    rows = answer["results"]["bindings"]
    assert sorted(one["lamp"]["value"] for one in rows) == ["urn:test:1", "urn:test:3"]


def test_sepa_js_gets_another_token_by_itself_when_its_own_has_expired(
    safe_server: ServerProcess, tmp_path: Path, ca: Path, dim: str
) -> None:
    with sepa_js(ca) as client:
        registered(client, safe_server, tmp_path)

        client.ask("use_token", token=expired_token())
        client.ask("update", text=insert(1, dim, 5))
        client.ask("use_token", token=expired_token())
        answer = client.ask("query", text=lamps(dim))
        client.ask("use_token", token=expired_token())
        client.ask("subscribe", text=lamps(dim), alias="lamps")
        first = told(client)

    assert answer["results"]["bindings"] == [row(1, 5)]
    assert first == ("lamps", [row(1, 5)], [])


def open_sockets(server: ServerProcess) -> int:
    """How many WebSockets a server has."""
    lines = httpx.get(f"{server.url}/metrics").text.splitlines()
    [told] = [line for line in lines if line.startswith("purport_open_sockets ")]
    return int(float(told.split()[1]))


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait for what happens in another process."""
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)
