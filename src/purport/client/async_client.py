"""A client of a Purport server, for event loops."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from purport.client.addresses import Addresses
from purport.client.answers import Answer
from purport.client.async_collection import AsyncCollection
from purport.client.async_notifications import AsyncNotifications
from purport.client.collection_requests import CollectionRequests
from purport.client.conversation import PATIENCE
from purport.client.login import Asking, Login, Session, alone
from purport.client.messages import (
    CredentialsMessage,
    DelayedUpdateState,
    DryRunAnswer,
    DryRunRequest,
    EventReceipt,
    TokenMessage,
    UpdateDone,
)
from purport.client.reach import (
    HTTP_FAILURES,
    TIMEOUT_SECONDS,
    Reach,
    answered,
    http_request,
    unreachable,
)
from purport.client.request import Answered, Request
from purport.client.requests import Publishable, Requests
from purport.client.subscribing import SubscribeOptions, conversation_about
from purport.courier import Patience

T = TypeVar("T")


class AsyncClient:
    """Speaks to a server, as `Client` does; each method is awaited.

    `server` is the address of its HTTP, or `Addresses`. With credentials, tokens are fetched and
    renewed by itself. What goes wrong is a `ServerUnreachable`, a `ServerRefused` or, of what was
    not even sent, an `InvalidInput`.
    """

    def __init__(
        self,
        server: str | Addresses = "http://127.0.0.1:8000",
        *,
        subscribe_url: str | None = None,
        token: str | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        ca: Path | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        patience: Patience = PATIENCE,
    ) -> None:
        self._reach = Reach(Addresses.at(server, subscribe_url), timeout_seconds, ca)
        self._requests = Requests(self._reach.addresses)
        self._session = Session(self._requests, Login(token, client_id, client_secret))
        self._patience = patience
        self._http = self._reach.async_http()
        base = self._reach.addresses.base
        self.subscriptions = AsyncCollection(self.ask, CollectionRequests(base, "subscriptions"))
        self.rules = AsyncCollection(self.ask, CollectionRequests(base, "rules"))

    def __repr__(self) -> str:
        return f"<client of {self._reach.addresses.base}>"

    async def publish(self, event: Publishable, *, topic: str = "") -> EventReceipt:
        """Publish an event; when this returns, the server's journal has it."""
        return await self.ask(self._requests.publish(event, topic))

    async def publish_all(
        self, events: Iterable[Publishable], *, topic: str = ""
    ) -> tuple[EventReceipt, ...]:
        """Publish several events: all of them, or none."""
        return await self.ask(self._requests.publish_all(events, topic))

    async def update(
        self,
        text: str,
        *,
        at: datetime | None = None,
        delay: timedelta | None = None,
        using: Iterable[str] = (),
        using_named: Iterable[str] = (),
    ) -> UpdateDone:
        """Run a SPARQL update, at once or at a time; a delayed one has a number."""
        asked = self._requests.update(
            text, at=at, delay=delay, using=using, using_named=using_named
        )
        return await self.ask(asked)

    async def query(
        self, text: str, *, default_graphs: Iterable[str] = (), named_graphs: Iterable[str] = ()
    ) -> Answer:
        """The answer to a SPARQL query: bindings, true or false, or triples."""
        asked = self._requests.query(text, default_graphs=default_graphs, named_graphs=named_graphs)
        return await self.ask(asked)

    async def subscribe(self, text: str, **options: Unpack[SubscribeOptions]) -> AsyncNotifications:
        """Subscribe to events, or to the answer of a SPARQL query; then iterate.

        A durable one has a name, outlives the connection and is acknowledged as notifications are
        taken, or by hand. Any other one ends when it is closed. `SubscribeOptions` are all there
        are.
        """
        address = self._reach.addresses.subscribe
        conversation = conversation_about(text, address, self._patience, **options)
        return await AsyncNotifications(conversation, self._reach, self._fresh_token).open()

    async def dry_run(self, asked: DryRunRequest) -> DryRunAnswer:
        """What a subscription or a rule would be told, or do; nothing is changed."""
        return await self.ask(self._requests.dry_run(asked))

    async def delayed(self) -> tuple[DelayedUpdateState, ...]:
        """The updates that wait for their time."""
        return await self.ask(self._requests.delayed())

    async def cancel(self, number: int) -> None:
        """Have a delayed update not run."""
        await self.ask(self._requests.cancel(number))

    async def register(self, identity: str) -> CredentialsMessage:
        """Fetch credentials for somebody whom the server knows; they are given out only once."""
        return await self._run(alone(self._requests.register(identity)))

    async def fetch_token(self, client_id: str, client_secret: str) -> TokenMessage:
        """Fetch a token; a client that has credentials does so by itself."""
        return await self._run(alone(self._requests.token(client_id, client_secret)))

    async def ask(self, request: Request[T]) -> T:
        """What a request comes to."""
        return await self._run(self._session.asked(request))

    async def close(self) -> None:
        """Close the connections; subscriptions have their own."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def _fresh_token(self, is_refused: bool) -> str | None:
        return await self._run(self._session.token(is_refused=is_refused))

    async def _run(self, asking: Asking[T]) -> T:
        """Send what is to be sent, until it is clear what was asked for."""
        try:
            request = next(asking)
            while True:
                request = asking.send(await self._send(request))
        except StopIteration as end:
            result: T = end.value
            return result

    async def _send(self, request: Request[Any]) -> Answered:
        try:
            return answered(await self._http.request(**http_request(request)))
        except HTTP_FAILURES as error:
            raise unreachable(request.url, error) from None
