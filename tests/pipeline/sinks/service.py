"""A service on loopback that takes matches, and fails as it is told to."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tests.http_service import PostHandler, serving


@dataclass(frozen=True)
class Answer:
    """How one request is answered; without a status, the connection is cut."""

    status: int | None = 200
    headers: dict[str, str] = field(default_factory=dict)
    after_seconds: float = 0.0


@dataclass(frozen=True)
class Request:
    """What came."""

    headers: dict[str, str]
    matches: list[dict[str, Any]]
    answered: int | None

    @property
    def ids(self) -> list[str]:
        return [match["id"] for match in self.matches]


@dataclass
class Service:
    """What came, and what the next requests are answered with; later ones are welcome."""

    url: str = ""
    answers: list[Answer] = field(default_factory=list)
    always: Answer = field(default_factory=Answer)
    requests: list[Request] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def taken(self) -> list[str]:
        """The ids of matches in requests that were answered with success."""
        return [one for request in self.requests if request.answered == 200 for one in request.ids]

    def take(self, headers: dict[str, str], body: bytes) -> Answer:
        matches = msgspec.json.decode(body)["matches"]
        with self.lock:
            answer = self.answers.pop(0) if self.answers else self.always
            self.requests.append(Request(headers, matches, answer.status))
        return answer


@contextmanager
def running(service: Service) -> Iterator[Service]:
    """The service, up."""

    class Handler(PostHandler):
        def answer(self, body: bytes) -> None:
            answer = service.take(dict(self.headers), body)
            time.sleep(answer.after_seconds)
            if answer.status is None:
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()

    with serving(Handler) as address:
        service.url = f"{address}/hook"
        yield service
