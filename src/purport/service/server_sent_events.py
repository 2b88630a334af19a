"""Notifications as server-sent events, which every browser understands and takes up again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import Receive, Scope, Send

from purport.embedded.broker import Broker
from purport.embedded.message import message_of
from purport.embedded.subscriber import Acknowledging, Subscriber
from purport.errors import InvalidInput, NotFound, PurportError
from purport.model.notification import Notification
from purport.service.delivery import Ending, Feed, Message, Outlet
from purport.service.operation import NOT_THERE, PROBLEMS, Answer, Content, Operation, resources
from purport.service.registrations import SUBSCRIPTIONS
from purport.service.service import Service

EVENTS = Operation(
    "GET",
    "/subscriptions/{id}/events",
    "streamNotifications",
    "What waits and what comes, as server-sent events; it ends with the subscription",
    headers=("Last-Event-ID",),
    answers=(Answer(200, "The stream.", (Content("text/event-stream"),)), NOT_THERE, *PROBLEMS),
)
_HEARTBEAT_SECONDS = 15.0
_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


def routes(service: Service) -> list[BaseRoute]:
    """The route of the streams."""

    async def events(request: Request) -> Response:
        who = await service.who(request)
        identifier = request.path_params["id"]
        after = _number_in(request.headers.get("Last-Event-ID"))
        if request.method == "HEAD":  # nothing is sent, so nothing counts as received
            await service.desk.read(partial(SUBSCRIPTIONS.find, service.broker, identifier, who))
            return Response(headers=_HEADERS, media_type=EventStream.media_type)
        begin = partial(_subscriber, service.broker, identifier, who, after)
        subscriber = await service.desk.read(begin)
        token = request.headers.get("Authorization")
        may_hear = partial(_may_hear, service, identifier, who, token)
        return EventStream(service, subscriber, may_hear)

    return resources({EVENTS: events})


class EventStream(Response):
    """What waits for a subscription and what comes, until it ends or the client goes.

    What was sent counts as received; a client that comes back with `Last-Event-ID` is told
    everything after that again, as far as the journal still has it.
    """

    media_type = "text/event-stream"

    def __init__(
        self, service: Service, subscriber: Subscriber, may_hear: Callable[[], bool]
    ) -> None:
        super().__init__(headers=_HEADERS)
        del self.headers["content-length"]
        self._service, self._subscriber, self._may_hear = service, subscriber, may_hear
        self._has_ended = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def write(text: str) -> None:
            body = text.encode()
            await send({"type": "http.response.body", "body": body, "more_body": True})

        delivery = self._service.delivery
        outlet = Outlet(write, delivery)
        feed = Feed(self._subscriber, outlet, _form, self._end, may_hear=self._may_hear)
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        outlet.put(Message(": hello\n\n"))
        delivery.add(feed)
        tasks = [
            asyncio.create_task(outlet.run()),
            asyncio.create_task(_until_gone(receive)),
            asyncio.create_task(_beat(outlet)),
            asyncio.create_task(self._has_ended.wait()),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            delivery.remove(feed)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.shield(self._service.desk.clean_up(feed.finish))
        if self._has_ended.is_set():
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _end(self, feed: Feed, ending: Ending) -> None:
        self._has_ended.set()


def _subscriber(broker: Broker, identifier: str, who: str | None, after: int | None) -> Subscriber:
    SUBSCRIPTIONS.find(broker, identifier, who)
    subscriber = broker.subscriber(identifier, acknowledging=Acknowledging.BY_HAND, who=who)
    if after is not None:
        subscriber.go_on_after(after)
    return subscriber


def _may_hear(service: Service, identifier: str, who: str | None, token: str | None) -> bool:
    """Whether somebody who heard of a subscription, which may be another's, still may."""
    try:
        service.broker.registration(identifier, who=who)
    except NotFound:  # it has ended, which is told in its own way
        return True
    except PurportError:
        return False
    return service.lets_in(who, token)


def _form(notification: Notification) -> str:
    body = message_of(notification).decode()
    return f"id: {notification.sequence}\nevent: notification\ndata: {body}\n\n"


def _number_in(text: str | None) -> int | None:
    if text is None or not text.strip():
        return None
    try:
        number = int(text)
    except ValueError:
        number = -2
    if number < -1:
        raise InvalidInput(
            f"Last-Event-ID: expected the number of a notification, got {text!r:.80}"
        )
    return number


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _beat(outlet: Outlet) -> None:
    """Say something from time to time, so that nothing in between takes the stream for dead."""
    while True:
        await asyncio.sleep(_HEARTBEAT_SECONDS)
        outlet.put(Message(":\n\n"))
