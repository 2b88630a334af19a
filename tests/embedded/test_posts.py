"""Rules that post to a service."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from purport import Matcher
from purport.courier import Patience
from purport.embedded.broker import Broker
from purport.embedded.settings import BrokerSettings
from tests.http_service import PostHandler, serving

_SETTINGS = BrokerSettings(patience=Patience(tries=3, first_wait_seconds=0.02), closing_seconds=2)


@dataclass
class Service:
    """What a service was sent, and what it answers: the statuses of the next requests, then 200."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))


@contextmanager
def service(*statuses: int) -> Iterator[Service]:
    state = Service(statuses=list(statuses))

    class Handler(PostHandler):
        def answer(self, body: bytes) -> None:
            status = state.statuses.pop(0) if state.statuses else 200
            if status == 200:
                state.bodies.append(json.loads(body))
                state.keys.append(self.headers["Idempotency-Key"])
            self.send_response(status)
            self.end_headers()
            state.arrived.release()

    with serving(Handler) as address:
        state.url = f"{address}/alarms"
        yield state


def opened(folder: Path) -> Broker:
    return Broker.open(folder, matcher=lambda: Matcher(measure="exact"), settings=_SETTINGS)


def _await(state: Service, requests: int) -> None:
    for _ in range(requests):
        assert state.arrived.acquire(timeout=10)


def test_a_match_is_posted_under_its_id(tmp_path: Path) -> None:
    with service() as state, opened(tmp_path) as broker:
        broker.subscribe(f'when {{heat > 30}} as alarm post "{state.url}"')
        broker.publish({"@id": "e1", "heat": 31, "room": 112})
        _await(state, 1)

    [body] = state.bodies
    assert body["id"] == "alarm:0"
    assert state.keys == [f"alarm:0@{body['at']}"]
    assert body["event"] == {"@id": "e1", "heat": 31, "room": 112}
    assert body["mapping"] == [["heat", "31", 1.0]]


def test_a_service_that_is_down_is_tried_again(tmp_path: Path) -> None:
    with service(503, 503) as state, opened(tmp_path) as broker:
        broker.subscribe(f'when {{heat > 30}} as alarm post "{state.url}"')
        broker.publish({"@id": "e1", "heat": 31})
        _await(state, 3)

        assert [body["id"] for body in state.bodies] == ["alarm:0"]
        assert broker.failures() == []


def test_a_service_that_refuses_is_recorded_and_others_go_on(tmp_path: Path) -> None:
    with service(400) as state, opened(tmp_path) as broker:
        broker.subscribe(f'when {{heat > 30}} as alarm post "{state.url}"')
        every = broker.subscribe("{heat > 0} as every")
        broker.publish_all([{"@id": "e1", "heat": 31}, {"@id": "e2", "heat": 32}])
        _await(state, 2)

        assert [body["event"]["@id"] for body in state.bodies] == ["e2"]
        [failed] = broker.failures()
        assert (failed.subscription_id, failed.event_id) == ("alarm", "e1")
        assert "answers 400" in failed.reason
        assert len(list(every.waiting())) == 2


def test_what_was_not_posted_is_posted_after_a_restart(tmp_path: Path) -> None:
    with service(503, 503) as state:
        settings = BrokerSettings(patience=Patience(first_wait_seconds=60), closing_seconds=5)
        broker = Broker.open(tmp_path, matcher=lambda: Matcher(measure="exact"), settings=settings)
        broker.subscribe(f'when {{heat > 30}} as alarm post "{state.url}"')
        broker.publish({"@id": "e1", "heat": 31})
        _await(state, 1)
        broker.close()
        assert state.bodies == []

        with opened(tmp_path):
            _await(state, 2)

    assert [body["id"] for body in state.bodies] == ["alarm:0"]


def test_a_rule_that_goes_posts_no_more(tmp_path: Path) -> None:
    with service() as state, opened(tmp_path) as broker:
        broker.subscribe(f'when {{heat > 30}} as alarm post "{state.url}"')
        broker.publish({"heat": 31})
        _await(state, 1)
        broker.unsubscribe("alarm")
        broker.publish({"heat": 32})

    assert len(state.bodies) == 1
