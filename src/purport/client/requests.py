"""What a Purport server can be asked over HTTP, besides subscriptions and rules."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec

from purport.client.addresses import Addresses
from purport.client.answers import N_TRIPLES, RESULTS_JSON, Answer, read_answer
from purport.client.messages import (
    CredentialsMessage,
    DelayedUpdates,
    DelayedUpdateState,
    DryRunAnswer,
    DryRunRequest,
    EventReceipt,
    EventReceipts,
    RegisterAnswer,
    RegisterMessage,
    RegisterRequest,
    TokenAnswer,
    TokenMessage,
    UpdateAnswer,
    UpdateDone,
)
from purport.client.request import Answered, Request, json_reader, nothing
from purport.errors import InvalidInput
from purport.model.event import Event

Publishable = Event | Mapping[str, Any] | str | bytes

_FORM = "application/x-www-form-urlencoded"
_UPDATE = json_reader(UpdateAnswer)
_RECEIPTS = json_reader(EventReceipts)


class Requests:
    """Requests to one server."""

    def __init__(self, addresses: Addresses) -> None:
        self._at = addresses

    def publish(self, event: Publishable, topic: str = "") -> Request[EventReceipt]:
        """An event for the journal, and for those whom it concerns."""
        return Request(
            "POST",
            f"{self._at.base}/events",
            _first_receipt,
            _event_json(event),
            parameters=_topic(topic),
        )

    def publish_all(
        self, events: Iterable[Publishable], topic: str = ""
    ) -> Request[tuple[EventReceipt, ...]]:
        """Several events: all of them, or none."""
        if isinstance(events, str | bytes | Mapping | Event):
            raise InvalidInput(f"expected several events, such as a list, got {events!r:.80}")
        return Request(
            "POST",
            f"{self._at.base}/events",
            lambda answered: _RECEIPTS(answered).events,
            b"[" + b",".join(map(_event_json, events)) + b"]",
            parameters=_topic(topic),
        )

    def update(
        self,
        text: str,
        *,
        at: datetime | None = None,
        delay: timedelta | None = None,
        using: Iterable[str] = (),
        using_named: Iterable[str] = (),
    ) -> Request[UpdateDone]:
        """A SPARQL update, at once or later."""
        if at is not None and delay is not None:
            raise InvalidInput("an update runs at a time, or after a while: not both")
        if at is not None and at.tzinfo is None:
            raise InvalidInput(f"expected a time with its zone, got {at!r}")
        parameters = [
            *([] if at is None else [("at", at.isoformat())]),
            *([] if delay is None else [("delay", f"{delay.total_seconds()} s")]),
            *(("using-graph-uri", graph) for graph in using),
            *(("using-named-graph-uri", graph) for graph in using_named),
        ]
        return Request(
            "POST",
            self._at.update,
            lambda answered: _UPDATE(answered).done(),
            _encoded(text),
            "application/sparql-update",
            parameters=parameters,
        )

    def query(
        self,
        text: str,
        *,
        default_graphs: Iterable[str] = (),
        named_graphs: Iterable[str] = (),
    ) -> Request[Answer]:
        """A SPARQL query."""
        return Request(
            "POST",
            self._at.query,
            lambda answered: read_answer(answered.body, answered.media_type),
            _encoded(text),
            "application/sparql-query",
            f"{RESULTS_JSON}, {N_TRIPLES};q=0.9",
            [
                *(("default-graph-uri", graph) for graph in default_graphs),
                *(("named-graph-uri", graph) for graph in named_graphs),
            ],
        )

    def dry_run(self, asked: DryRunRequest) -> Request[DryRunAnswer]:
        """What a subscription or a rule would do; nothing is changed."""
        url, body = f"{self._at.base}/dry-run", msgspec.json.encode(asked)
        return Request("POST", url, json_reader(DryRunAnswer), body)

    def delayed(self) -> Request[tuple[DelayedUpdateState, ...]]:
        """The updates that wait for their time."""
        read = json_reader(DelayedUpdates)
        return Request("GET", f"{self._at.base}/updates", lambda answered: read(answered).updates)

    def cancel(self, number: int) -> Request[None]:
        """A delayed update shall not run."""
        return Request("DELETE", f"{self._at.base}/updates/{number:d}", nothing)

    def register(self, identity: str) -> Request[CredentialsMessage]:
        """Credentials for somebody whom the server knows."""
        read = json_reader(RegisterAnswer)
        return Request(
            "POST",
            self._at.register,
            lambda answered: read(answered).credentials,
            msgspec.json.encode(RegisterRequest(RegisterMessage(identity))),
        )

    def token(self, client_id: str, client_secret: str) -> Request[TokenMessage]:
        """A token for credentials."""
        basic = base64.b64encode(f"{client_id}:{client_secret}".encode()).decode()
        return Request(
            "POST",
            self._at.token,
            _token,
            b"grant_type=client_credentials",
            _FORM,
            headers={"Authorization": f"Basic {basic}"},
        )


def _topic(topic: str) -> list[tuple[str, str]]:
    return [("topic", topic)] if topic else []


def _event_json(event: Publishable) -> bytes:
    """An event as JSON, or JSON as it stands, of which the server says what is wrong with it."""
    if isinstance(event, Event):
        return event.to_json()
    if isinstance(event, str | bytes):
        return _encoded(event) if isinstance(event, str) else event
    try:
        return msgspec.json.encode(event)
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        raise InvalidInput(f"an event that is no JSON: {error}") from None


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"a text that is no Unicode, at place {error.start}") from None


def _first_receipt(answered: Answered) -> EventReceipt:
    receipts = _RECEIPTS(answered).events
    if not receipts:
        raise ValueError("no receipt for the event")
    return receipts[0]


def _token(answered: Answered) -> TokenMessage:
    told = msgspec.json.decode(answered.body, type=TokenAnswer)
    if told.token is not None:
        return told.token
    if not told.access_token:
        raise ValueError("no token in the answer")
    return TokenMessage(told.access_token, told.token_type, told.expires_in)
