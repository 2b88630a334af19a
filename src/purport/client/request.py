"""What a server is asked over HTTP, and how its answer is read; nothing is sent here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import msgspec

from purport.client.errors import ServerAnswersNonsense, ServerRefused
from purport.client.messages import ProblemMessage

T = TypeVar("T")

JSON = "application/json"
_LONGEST_WORDS = 500
_FIRST_FAILURE = 300  # redirects are not followed: a POST would become a GET


@dataclass(frozen=True, slots=True)
class Answered:
    """What a server has answered."""

    status: int
    body: bytes
    media_type: str = ""
    retry_after: str | None = None
    has_next: bool = False  # there is more of it


@dataclass(frozen=True, slots=True)
class Request(Generic[T]):
    """One request; `read` makes of the answer what was asked for, or raises `ValueError`."""

    method: str
    url: str
    read: Callable[[Answered], T]
    content: bytes | None = None
    media_type: str = JSON
    accept: str = JSON
    parameters: Sequence[tuple[str, str]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    def all_headers(self) -> dict[str, str]:
        """Its headers; what is sent has a type."""
        kind = {} if self.content is None else {"Content-Type": self.media_type}
        return {"Accept": self.accept, **kind, **self.headers}

    def result(self, answered: Answered) -> T:
        """What was asked for; `ServerRefused` or `ServerAnswersNonsense` if that is not told."""
        if answered.status >= _FIRST_FAILURE:
            raise refusal(answered)
        try:
            return self.read(answered)
        except (ValueError, msgspec.MsgspecError) as error:
            raise ServerAnswersNonsense(self.url, str(error)) from None


def refusal(answered: Answered) -> ServerRefused:
    """Why a request was refused; not every server says it in the words of ours."""
    wait = _seconds(answered.retry_after)
    try:
        problem = msgspec.json.decode(answered.body, type=ProblemMessage)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        words = answered.body.decode(errors="replace").strip()[:_LONGEST_WORDS]
        return ServerRefused(answered.status, "refused", words, retry_after=wait)
    return ServerRefused(
        answered.status, problem.error, problem.error_description, retry_after=wait
    )


def json_reader(kind: type[T]) -> Callable[[Answered], T]:
    """Reads an answer in JSON."""
    decoder = msgspec.json.Decoder(kind)
    return lambda answered: decoder.decode(answered.body)


def nothing(answered: Answered) -> None:
    """Reads an answer of which only the status counts."""


def _seconds(text: str | None) -> float | None:
    return float(text) if text and text.isascii() and text.isdigit() else None
