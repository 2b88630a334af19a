"""What can be asked of subscriptions or of rules; both are asked alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

import msgspec

from purport.client.messages import (
    AcknowledgeRequest,
    NotificationList,
    NotificationMessage,
    SubscriptionList,
    SubscriptionPatch,
    SubscriptionRequest,
    SubscriptionState,
    SubscriptionStatus,
)
from purport.client.request import Request, json_reader, nothing

ExplanationForm = Literal["text", "json", "svg"]

_STATE = json_reader(SubscriptionState)


@dataclass(frozen=True, slots=True)
class Page:
    """Some of many."""

    states: tuple[SubscriptionState, ...]
    has_next: bool


class CollectionRequests:
    """Requests to `/subscriptions`, or to `/rules`."""

    def __init__(self, base: str, kind: Literal["subscriptions", "rules"]) -> None:
        self._url = f"{base}/{kind}"
        self._kind = kind

    def page(self, after: str = "") -> Request[Page]:
        """Some of them, by their ids."""
        read = json_reader(SubscriptionList)
        return Request(
            "GET",
            self._url,
            lambda answered: Page(getattr(read(answered), self._kind), answered.has_next),
            parameters=[("after", after)] if after else [],
        )

    def get(self, identifier: str) -> Request[SubscriptionState]:
        """One of them, with how far its subscriber is."""
        return Request("GET", self._one(identifier), _STATE)

    def add(self, wanted: SubscriptionRequest) -> Request[SubscriptionState]:
        """A new one, under a name that is free."""
        return Request("POST", self._url, _STATE, msgspec.json.encode(wanted))

    def put(self, identifier: str, wanted: SubscriptionRequest) -> Request[SubscriptionState]:
        """A new one, or a new version of the one of that id."""
        return Request("PUT", self._one(identifier), _STATE, msgspec.json.encode(wanted))

    def versions(self, identifier: str) -> Request[tuple[SubscriptionState, ...]]:
        """All versions of one."""
        read = json_reader(SubscriptionList)
        return Request(
            "GET",
            self._one(identifier, "versions"),
            lambda answered: getattr(read(answered), self._kind),
        )

    def change(self, identifier: str, patch: SubscriptionPatch) -> Request[SubscriptionState]:
        """Another version."""
        return Request("PATCH", self._one(identifier), _STATE, msgspec.json.encode(patch))

    def pause(self, identifier: str) -> Request[SubscriptionState]:
        """No notification until it is resumed."""
        return Request("POST", self._one(identifier, "pause"), _STATE)

    def resume(self, identifier: str) -> Request[SubscriptionState]:
        """Notifications again."""
        return Request("POST", self._one(identifier, "resume"), _STATE)

    def delete(self, identifier: str) -> Request[None]:
        """Gone."""
        return Request("DELETE", self._one(identifier), nothing)

    def acknowledge(self, identifier: str, sequence: int) -> Request[SubscriptionStatus]:
        """All through this number has arrived."""
        body = msgspec.json.encode(AcknowledgeRequest(sequence))
        read = json_reader(SubscriptionStatus)
        return Request("POST", self._one(identifier, "acknowledge"), read, body)

    def notifications(
        self, identifier: str, after: int | None, most: int | None, wait: float | None
    ) -> Request[tuple[NotificationMessage, ...]]:
        """Those after a number."""
        read = json_reader(NotificationList)
        asked = (("after", after), ("most", most), ("wait", wait))
        return Request(
            "GET",
            self._one(identifier, "notifications"),
            lambda answered: read(answered).notifications,
            parameters=[(name, str(value)) for name, value in asked if value is not None],
        )

    def explain(self, identifier: str, sequence: int, form: ExplanationForm) -> Request[str]:
        """Why a notification was told, as a text, as JSON or as a picture."""
        return Request(
            "GET",
            self._one(identifier, "notifications", str(sequence), "explanation"),
            lambda answered: answered.body.decode(),
            accept="*/*",
            parameters=[("form", form)],
        )

    def _one(self, identifier: str, *more: str) -> str:
        return "/".join((self._url, quote(identifier, safe=""), *more))
