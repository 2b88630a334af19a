"""Pages of other origins, as their browsers see the service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from purport.service.cors import Origins
from purport.service.settings import CrossOrigin, ServiceSettings
from tests.service.secured import Secured, bearing, known, secured
from tests.service.server_process import ServerProcess, running_server

PAGE, LOCAL, STRANGER = (
    "https://city.example",
    "http://localhost:3000",
    "https://elsewhere.example",
)
UPDATE = {"update": "INSERT DATA { <urn:a> <urn:p> 1 }"}
ASKED = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization, content-type",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that was told nothing about pages."""
    with running_server(tmp_path_factory.mktemp("kept")) as made:
        yield made


@pytest.fixture(scope="module")
def named() -> Iterator[Secured]:
    with secured(cors=CrossOrigin((f"{PAGE}/",))) as made:
        yield made


def opens(address: str, origin: str | None, name: str | None = None) -> bool:
    """Whether somebody from an origin opens a WebSocket."""
    told = None if origin is None else Origin(origin)
    try:
        with connect(address, origin=told, additional_headers=bearing(name)):
            return True
    except InvalidStatus as refused:
        assert refused.response.status_code == 403
        return False


@pytest.mark.parametrize("path", ["/query", "/update", "/updates/1", "/nothing"])
def test_a_preflight_is_answered(server: ServerProcess, path: str) -> None:
    answer = httpx.options(f"{server.url}{path}", headers={"Origin": LOCAL, **ASKED})

    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == LOCAL
    assert "DELETE" in answer.headers["access-control-allow-methods"]
    assert answer.headers["access-control-allow-headers"] == "authorization, content-type"
    assert answer.headers["access-control-max-age"] == "86400"
    assert "access-control-allow-credentials" not in answer.headers


def test_pages_of_others_ask_nothing_of_an_open_server(server: ServerProcess) -> None:
    from_elsewhere = {"Origin": STRANGER}
    with httpx.Client(base_url=server.url) as client:
        preflight = client.options("/update", headers={**from_elsewhere, **ASKED})
        form = client.post("/update", data=UPDATE, headers=from_elsewhere)
        plain = client.post("/update", data=UPDATE, headers={"Origin": "null"})
        look = client.get("/query", params={"query": "ASK {}"}, headers=from_elsewhere)
        written = client.get("/query", params={"query": "ASK { <urn:a> ?p ?o }"})

    assert preflight.status_code == 204
    for one in (form, plain, look):
        assert (one.status_code, one.json()["error"]) == (403, "origin_not_allowed")
    for one in (preflight, form, plain, look):
        assert not any("allow" in name for name in one.headers if name != "allow")
    assert written.json()["boolean"] is False


def test_programs_and_pages_of_this_machine_ask_an_open_server(server: ServerProcess) -> None:
    for headers in ({}, {"Origin": LOCAL}, {"Origin": server.url}, {"Origin": "http://[::1]"}):
        assert httpx.post(f"{server.url}/update", data=UPDATE, headers=headers).status_code == 200


def test_sockets_look_at_the_origin_likewise(server: ServerProcess, named: Secured) -> None:
    of_named = f"ws://127.0.0.1:{named.port}/subscribe"

    assert [opens(server.subscribe_url, one) for one in (None, LOCAL, STRANGER, "null")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert [opens(of_named, one) for one in (None, PAGE, LOCAL)] == [True, True, False]


def test_answers_and_errors_can_be_read_by_pages_that_may_ask(named: Secured) -> None:
    client = named.client()
    answers = [
        client.get("/query", params={"query": text}, headers={"Origin": PAGE})
        for text in ("ASK {}", "ASK")
    ]
    refused = client.post("/events", content=b"[" * 100, headers={"Origin": PAGE})
    without = client.get("/query", params={"query": "ASK {}"})

    assert [one.status_code for one in (*answers, refused)] == [200, 400, 400]
    for one in (*answers, refused):
        assert one.headers["access-control-allow-origin"] == PAGE
        assert "Location" in one.headers["access-control-expose-headers"]
        assert "Origin" in one.headers["vary"]
    assert "access-control-allow-origin" not in without.headers
    assert without.headers["vary"] == "Accept, Origin"


def test_any_page_may_ask_where_all_need_a_token_until_they_do_not() -> None:
    with secured(auth=known("ann")) as service:
        client = service.client("ann", params={"query": "ASK {}"})
        allowed = client.get("/query", headers={"Origin": STRANGER})
        opened = opens(f"ws://127.0.0.1:{service.port}/subscribe", STRANGER, "ann")
        service.reload(auth=known("ann", anonymous=True))
        refused = client.get("/query", headers={"Origin": STRANGER})
        service.reload(cors=CrossOrigin((STRANGER,)))
        named = client.get("/query", headers={"Origin": STRANGER})

    assert (allowed.status_code, opened) == (200, True)
    assert allowed.headers["access-control-allow-origin"] == "*"
    assert [refused.status_code, named.status_code] == [403, 200]


def test_origins_stand_in_the_settings(tmp_path: Path) -> None:
    path = tmp_path / "service.toml"
    path.write_text('[cors]\norigins = ["https://city.example"]\nmax_age_seconds = 7\n')
    with running_server(tmp_path / "kept", "--config", str(path)) as server:
        preflights = [
            httpx.options(f"{server.url}/query", headers={"Origin": one, **ASKED})
            for one in (PAGE, LOCAL)
        ]

    told = [one.headers.get("access-control-allow-origin") for one in preflights]
    assert told == [PAGE, None]
    assert preflights[0].headers["access-control-max-age"] == "7"


@pytest.mark.parametrize(
    ("named", "origin", "is_let_in"),
    [
        ("*", "null", True),
        ("null", "null", True),
        ("https://City.example", "https://city.example", True),
        ("https://city.example", "https://city.example:444", False),
        ("https://city.example:*", "https://city.example", True),
        ("https://city.example:*", "https://city.example:444", True),
        ("https://city.example:*", "http://city.example:444", False),
        ("https://city.example:*", "https://city.example.org:444", False),
        ("https://city.example:*", "https://city.example:444.org", False),
        ("http://[::1]:*", "http://[::1]:80", True),
        ("http://[::1]:*", "http://[::1]", True),
        ("http://[::1]:*", "http://[::2]", False),
    ],
)
def test_an_origin_is_that_which_is_named(named: str, origin: str, is_let_in: bool) -> None:
    settings = ServiceSettings(cors=CrossOrigin((named,)))

    assert Origins(settings.cross_origin())._may_ask(origin) is is_let_in
