"""Long bodies are read in threads, so that others are answered meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from threading import get_ident
from types import ModuleType
from typing import Any

import pytest

from purport.service import answering, bodies, door, events, protocol_request, sparql_protocol
from purport.service.bodies import JSON
from purport.service.events import JSON_LD, JSON_LINES
from purport.service.protocol_request import FORM, UPDATE
from tests.service.secured import Secured, secured

EVENTS = [{"a": number, "text": "x" * 1000} for number in range(100)]
TRIPLES = "".join(f'<urn:a{number}> <urn:p> "{"x" * 1000}" .' for number in range(100))
READERS: list[tuple[ModuleType, str]] = [
    (answering, "require_shallow"),
    (door, "require_shallow"),
    (events, "events_of"),
    (bodies, "json_as"),
    (protocol_request, "_pairs"),
    (sparql_protocol, "using"),
]


@pytest.fixture(scope="module")
def service() -> Iterator[Secured]:
    with secured() as made:
        yield made


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[int]]:
    """In which threads what is longer than an address was read, by what reads it."""
    found: dict[str, set[int]] = {}

    def watched(name: str, read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(text: Any, *others: Any) -> Any:
            if len(text) > 1000:
                found.setdefault(name, set()).add(get_ident())
            return read(text, *others)

        return reading

    for module, name in READERS:
        monkeypatch.setattr(module, name, watched(name, getattr(module, name)))
    return found


@pytest.mark.parametrize(
    ("path", "kind", "body", "readers"),
    [
        ("/events", JSON, json.dumps(EVENTS), {"require_shallow", "events_of"}),
        ("/events", JSON_LINES[0], "\n".join(map(json.dumps, EVENTS)), {"events_of"}),
        ("/events", JSON_LD, json.dumps(EVENTS), {"require_shallow", "events_of"}),
        ("/events", "text/turtle", TRIPLES, {"events_of"}),
        ("/update?using-graph-uri=urn:g", UPDATE, f"INSERT DATA {{ {TRIPLES} }}", {"using"}),
        ("/update", FORM, f"update=INSERT+DATA+%7B{TRIPLES}%7D", {"_pairs", "using"}),
        (
            "/subscriptions",
            JSON,
            json.dumps({"purport": f'{{text = "{"x" * 5_000}"}}{" " * 50_000}'}),
            {"require_shallow", "json_as"},
        ),
    ],
)
def test_no_long_body_is_read_in_the_event_loop(
    service: Secured,
    threads: dict[str, set[int]],
    path: str,
    kind: str,
    body: str,
    readers: set[str],
) -> None:
    answer = service.client().post(path, content=body, headers={"Content-Type": kind})

    assert answer.status_code in (200, 201), answer.text
    assert readers <= set(threads)
    assert all(service.loop_thread not in of_reader for of_reader in threads.values()), threads


def test_no_long_message_is_read_in_the_event_loop(
    service: Secured, threads: dict[str, set[int]]
) -> None:
    told = service.socket().ask({"text": "x" * 100_000})

    assert told["error"] == "bad_request"
    assert set(threads) == {"require_shallow"}
    assert service.loop_thread not in threads["require_shallow"]
