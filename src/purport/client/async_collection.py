"""The subscriptions or the rules of a server, in an event loop."""

from __future__ import annotations

from collections.abc import Awaitable
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

    def __call__(self, request: Request[T]) -> Awaitable[T]:
        """What a request comes to."""
        ...


class AsyncCollection:
    """Registrations on a server, each under its id: `client.subscriptions`, or `client.rules`."""

    def __init__(self, ask: Ask, requests: CollectionRequests) -> None:
        self._ask, self._requests = ask, requests

    async def all(self) -> tuple[SubscriptionState, ...]:
        """All of one's own."""
        page = await self._ask(self._requests.page())
        found = page.states
        while page.has_next and page.states:
            page = await self._ask(self._requests.page(found[-1].id))
            found += page.states
        return found

    async def get(self, identifier: str) -> SubscriptionState:
        """One of them, with how far its subscriber is."""
        return await self._ask(self._requests.get(identifier))

    async def add(self, wanted: SubscriptionRequest) -> SubscriptionState:
        """Register; the name, if there is one, must be free."""
        return await self._ask(self._requests.add(wanted))

    async def put(self, identifier: str, wanted: SubscriptionRequest) -> SubscriptionState:
        """Register under an id; of what is there already, a new version."""
        return await self._ask(self._requests.put(identifier, wanted))

    async def versions(self, identifier: str) -> tuple[SubscriptionState, ...]:
        """All versions of one, oldest first."""
        return await self._ask(self._requests.versions(identifier))

    async def change(self, identifier: str, patch: SubscriptionPatch) -> SubscriptionState:
        """Change what the patch has; the rest stays."""
        return await self._ask(self._requests.change(identifier, patch))

    async def pause(self, identifier: str) -> SubscriptionState:
        """Have it hear nothing until it is resumed."""
        return await self._ask(self._requests.pause(identifier))

    async def resume(self, identifier: str) -> SubscriptionState:
        """Have it hear again."""
        return await self._ask(self._requests.resume(identifier))

    async def delete(self, identifier: str) -> None:
        """End it."""
        await self._ask(self._requests.delete(identifier))

    async def acknowledge(self, identifier: str, sequence: int) -> SubscriptionStatus:
        """Say that everything through this number has arrived."""
        return await self._ask(self._requests.acknowledge(identifier, sequence))

    async def notifications(
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
        return await self._ask(self._requests.notifications(identifier, after, most, wait))

    async def explain(self, identifier: str, sequence: int, form: ExplanationForm = "text") -> str:
        """Why a notification was told."""
        return await self._ask(self._requests.explain(identifier, sequence, form))
