"""The subscriptions or the rules of a server."""

from __future__ import annotations

from typing import Protocol, TypeVar

from purport.client.collection_requests import CollectionRequests, ExplanationForm
from purport.client.messages import (
    NotificationMessage,
    SubscriptionPatch,
    SubscriptionRequest,
    SubscriptionState,
    SubscriptionStatus,
)
from purport.client.request import Request

T = TypeVar("T")


class Ask(Protocol):
    """Sends a request, and gives what it comes to."""

    def __call__(self, request: Request[T]) -> T:
        """What a request comes to."""
        ...


class Collection:
    """Registrations on a server, each under its id: `client.subscriptions`, or `client.rules`."""

    def __init__(self, ask: Ask, requests: CollectionRequests) -> None:
        self._ask, self._requests = ask, requests

    def all(self) -> tuple[SubscriptionState, ...]:
        """All of one's own."""
        page = self._ask(self._requests.page())
        found = page.states
        while page.has_next and page.states:
            page = self._ask(self._requests.page(found[-1].id))
            found += page.states
        return found

    def get(self, identifier: str) -> SubscriptionState:
        """One of them, with how far its subscriber is."""
        return self._ask(self._requests.get(identifier))

    def add(self, wanted: SubscriptionRequest) -> SubscriptionState:
        """Register; the name, if there is one, must be free."""
        return self._ask(self._requests.add(wanted))

    def put(self, identifier: str, wanted: SubscriptionRequest) -> SubscriptionState:
        """Register under an id; of what is there already, a new version."""
        return self._ask(self._requests.put(identifier, wanted))

    def versions(self, identifier: str) -> tuple[SubscriptionState, ...]:
        """All versions of one, oldest first."""
        return self._ask(self._requests.versions(identifier))

    def change(self, identifier: str, patch: SubscriptionPatch) -> SubscriptionState:
        """Change what the patch has; the rest stays."""
        return self._ask(self._requests.change(identifier, patch))

    def pause(self, identifier: str) -> SubscriptionState:
        """Have it hear nothing until it is resumed."""
        return self._ask(self._requests.pause(identifier))

    def resume(self, identifier: str) -> SubscriptionState:
        """Have it hear again."""
        return self._ask(self._requests.resume(identifier))

    def delete(self, identifier: str) -> None:
        """End it."""
        self._ask(self._requests.delete(identifier))

    def acknowledge(self, identifier: str, sequence: int) -> SubscriptionStatus:
        """Say that everything through this number has arrived."""
        return self._ask(self._requests.acknowledge(identifier, sequence))

    def notifications(
        self,
        identifier: str,
        *,
        after: int | None = None,
        most: int | None = None,
        wait: float | None = None,
    ) -> tuple[NotificationMessage, ...]:
        """Notifications after a number, oldest first; none is acknowledged by that.

        If there is none yet, one is waited for, at most so many seconds.
        """
        return self._ask(self._requests.notifications(identifier, after, most, wait))

    def explain(self, identifier: str, sequence: int, form: ExplanationForm = "text") -> str:
        """Why a notification was told."""
        return self._ask(self._requests.explain(identifier, sequence, form))
