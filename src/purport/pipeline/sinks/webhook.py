"""Matches POSTed as JSON to a service, from the workers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Annotated

import msgspec
import pyarrow as pa

from purport.courier import Courier, Tries
from purport.errors import InvalidInput
from purport.model.event_lines import DeadLetter
from purport.pipeline.found_matches import Found, Matches
from purport.pipeline.notes import Notes, task_name
from purport.pipeline.sinks.match_message import MatchMessage, match_messages, short_hash
from purport.posting import PostFailed, address_parts, posted, shown
from purport.settings import read_options

_HEADER_NAME = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_OURS = (
    "connection", "content-length", "content-type", "host", "idempotency-key", "transfer-encoding",
)  # fmt: skip


class WebhookOptions(Tries, frozen=True):
    """What can be said of a webhook; `token_variable` names an environment variable."""

    per_request: Annotated[int, msgspec.Meta(ge=1)] = 100
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    token_variable: str | None = None

    def __repr__(self) -> str:
        return f"WebhookOptions(per_request={self.per_request}, ...)"  # headers may be secret


@dataclass(frozen=True, slots=True)
class Webhook:
    """A service that is sent `{"matches": [...]}`, several matches in a request.

    A match may come twice, after a crash, under the same id. What the service does not take in all
    its tries is a dead letter, and the stream goes on.
    """

    url: str = field(repr=False)
    options: WebhookOptions = field(default_factory=WebhookOptions)

    @property
    def place(self) -> str:
        """The address; of what follows a question mark, where tokens stand, only a hash."""
        start, mark, query = self.url.partition("?")
        return f"{shown(start)}?{short_hash(query)}" if mark else shown(start)

    @property
    def home(self) -> None:
        """Nowhere: a service keeps nothing for a job."""

    def claim(self, job: str) -> None:
        """Make sure that it can be posted to; whether the service is up does not matter yet."""
        self.require_usable()

    def require_usable(self) -> None:
        """Raise `InvalidInput` if the address, an option or a header cannot be used."""
        address_parts(self.url)
        read_options(WebhookOptions, msgspec.structs.asdict(self.options), shown(self.url))
        self._headers()

    def write(self, matches: Matches, batch: int, notes: Notes) -> None:
        """Post the matches of one batch."""
        endpoint = Endpoint(self.url, self._headers(), self.options)

        def deliver(found: Found) -> None:
            notes.refuse(endpoint.undelivered(found), task_name("undelivered"))

        matches.pass_to(deliver)

    def _headers(self) -> Mapping[str, str]:
        """The headers of the user's, with the token; `InvalidInput` names what is wrong in them."""
        headers, variable = dict(self.options.headers), self.options.token_variable
        if variable is not None:
            if variable not in os.environ:
                raise InvalidInput(f"{self.place}: no environment variable {variable!r}")
            if "authorization" in map(str.lower, headers):
                raise InvalidInput(f"{self.place}: both a token and a header Authorization")
            headers["Authorization"] = f"Bearer {os.environ[variable].strip()}"
        for name, value in headers.items():
            if not _HEADER_NAME.fullmatch(name) or name.lower() in _OURS:
                raise InvalidInput(f"{self.place}: {name!r} is no header that can be given")
            if not (value.isascii() and value.isprintable()):
                raise InvalidInput(f"{self.place}: the header {name!r} is not all printable ASCII")
        return headers


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What a worker needs to deliver matches."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    options: WebhookOptions

    def post(self, body: bytes, key: str) -> None:
        """Send one request, under a key by which it is known again when it comes twice."""
        headers = {**self.headers, "Idempotency-Key": key}
        timeout = self.options.timeout_seconds
        with posted(self.url, body, timeout_seconds=timeout, headers=headers):
            pass  # what a service says beside its status is nothing to us

    def undelivered(self, found: Iterable[pa.RecordBatch]) -> Iterator[DeadLetter]:
        """Deliver matches; gives those that could not be."""
        courier = Courier(self.post, self.options)
        messages = chain.from_iterable(map(match_messages, found))
        while together := list(islice(messages, self.options.per_request)):
            body = msgspec.json.encode({"matches": together})
            try:
                courier.deliver(body, short_hash(*(one.id for one in together)))
            except PostFailed as error:
                for message in together:
                    yield _dead_letter(message, f"not delivered: the service {error}")


def _dead_letter(message: MatchMessage, reason: str) -> DeadLetter:
    text = msgspec.json.encode(message).decode()  # whole, so that it can still be delivered
    return DeadLetter(message.source, message.offset, reason, text)
