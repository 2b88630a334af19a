"""A service that is posted to, for as long as a test needs one."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.http_service import PostHandler, serving


@dataclass
class Service:
    """What a service was sent, and what it answers: the statuses of the next requests, then 200."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)  # of its answers
    arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    may_answer: threading.Event = field(default_factory=threading.Event)

    def await_requests(self, count: int) -> None:
        """Wait until it has answered so many more."""
        for _ in range(count):
            assert self.arrived.acquire(timeout=10)


@contextmanager
def service(*statuses: int, is_stuck: bool = False) -> Iterator[Service]:
    """A service that answers so; one that is stuck answers when it may."""
    state = Service(statuses=list(statuses))
    if not is_stuck:
        state.may_answer.set()

    class Handler(PostHandler):
        def answer(self, body: bytes) -> None:
            if not state.may_answer.is_set():
                state.arrived.release()
                state.may_answer.wait(10)
            status = state.statuses.pop(0) if state.statuses else 200
            if status == 200:
                state.bodies.append(json.loads(body))
                state.keys.append(self.headers["Idempotency-Key"])
            self.send_response(status)
            for name, value in state.headers.items():
                self.send_header(name, value)
            self.end_headers()
            state.arrived.release()

    with serving(Handler) as address:
        state.url = f"{address}/alarms"
        try:
            yield state
        finally:
            state.may_answer.set()
