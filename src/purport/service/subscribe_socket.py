"""Subscriptions over WebSockets: the SPARQL 1.1 Secure Event protocol, and ours beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

import msgspec
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketDisconnected

from purport.broker.access import Forbidden
from purport.broker.asked import Query, is_query
from purport.broker.registry import Registration
from purport.client.messages import (
    OverflowName,
    SocketRequest,
    SubscribedMessage,
    SubscribeMessage,
    UnsubscribedMessage,
    socket_notification,
)
from purport.embedded.arguments import require_unreserved
from purport.embedded.broker import Broker
from purport.embedded.message import message_of, results_of
from purport.embedded.subscriber import Acknowledging, Subscriber
from purport.errors import InvalidInput, NotFound, PurportError
from purport.model.language.parse import parse
from purport.model.notification import Notification
from purport.model.subscription import Rule, Subscription
from purport.service.deadline import require_answerable
from purport.service.delivery import Ending, Feed, Message, Outlet
from purport.service.problems import Refused, problem_message
from purport.service.registrations import OVERFLOWS, kind_of
from purport.service.service import Service
from purport.service.translating import RESERVED
from purport.sparql.graph_store import WHOLE, Dataset

_CLOSINGS = {  # how a client is told that it is cut off
    Ending.OVERFLOWED: (1013, "more waited than may: subscribe again, and read quicker"),
    Ending.FORBIDDEN: (1008, "what is subscribed to may not be heard any more"),
}


def routes(service: Service) -> list[BaseRoute]:
    """The route of the sockets."""

    async def subscribe(websocket: WebSocket) -> None:
        await Socket(service, websocket).run()

    return [WebSocketRoute("/subscribe", subscribe)]


class _Heard(NamedTuple):
    """A subscription that a socket hears, and what the client calls it."""

    feed: Feed
    alias: str | None
    who: str | None
    is_durable: bool


@dataclass(frozen=True, slots=True)
class _Begun:
    """A subscription that the broker has now."""

    subscriber: Subscriber
    next: int  # the number of what is told next


class Socket:
    """One client with its subscriptions; those that are not durable end with it."""

    def __init__(self, service: Service, websocket: WebSocket) -> None:
        self._service, self._websocket = service, websocket
        self._outlet = Outlet(websocket.send_text, service.delivery)
        self._heard: dict[str, _Heard] = {}
        self._task = asyncio.current_task()
        self._is_receiving = False
        self._cut_off_by: Ending | None = None
        self._last_words: object = None
        self._token = websocket.headers.get("Authorization")
        self._tokens: dict[str | None, str | None] = {}  # the last of each who has told one

    async def run(self) -> None:
        """Answer what the client says, until one of both goes."""
        await self._websocket.accept()
        sender = asyncio.create_task(self._outlet.run())
        try:
            while (told := await self._receive())["type"] != "websocket.disconnect":
                await self._hear(told.get("text") or told.get("bytes") or b"")
        except asyncio.CancelledError:
            if self._cut_off_by is None:
                raise
            if self._task is not None:
                self._task.uncancel()
        finally:
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)
            await asyncio.shield(self._leave())
        if self._cut_off_by is not None:
            with suppress(WebSocketDisconnect, WebSocketDisconnected):  # it has gone meanwhile
                if self._last_words is not None:
                    await self._websocket.send_text(_text(self._last_words))
                await self._websocket.close(*_CLOSINGS[self._cut_off_by])

    async def _receive(self) -> MutableMapping[str, Any]:
        """What the client says next; only while it is waited for can the client be cut off."""
        if self._cut_off_by is not None:
            raise asyncio.CancelledError
        self._is_receiving = True
        try:
            await self._outlet.room_for_answers()
            return await self._websocket.receive()
        finally:
            self._is_receiving = False

    async def _hear(self, text: str | bytes) -> None:
        alias = None
        try:
            request = _read(text)
            alias = request.subscribe and request.subscribe.alias
            await self._do(request)
        except Exception as error:  # noqa: BLE001 - whatever is wrong is told to who asked
            alias = alias or _alias_in(text)
            self._say(problem_message(error, alias))

    async def _do(self, request: SocketRequest) -> None:
        token = request.authorization
        if (asked := request.subscribe) is not None:
            await self._subscribe(asked, asked.authorization or token)
        elif (end := request.unsubscribe) is not None:
            await self._unsubscribe(end.spuid)
        elif (received := request.acknowledge) is not None:
            heard = self._named(received.spuid)
            subscriber = heard.feed.subscriber
            await self._service.desk.write(partial(subscriber.acknowledge, received.sequence))
        elif token is not None:
            self._let_in(token)
            self._token = token
        else:
            raise InvalidInput("expected one of subscribe, unsubscribe, acknowledge, authorization")

    def _let_in(self, token: str | None) -> str | None:
        """Who tells a token, under which they hear from now on what they hear here."""
        who = self._service.who_of(token)
        self._tokens[who] = token
        return who

    def _may_hear(self, who: str | None) -> bool:
        return self._service.lets_in(who, self._tokens[who])

    async def _subscribe(self, asked: SubscribeMessage, token: str | None) -> None:
        service = self._service
        who = self._let_in(token or self._token)
        most = service.settings.limits.subscriptions_per_socket
        if len(self._heard) >= most:
            raise Refused(429, "too_many_subscriptions", f"a socket has {most:,} at the most")
        asked, wanted = await service.desk.read(partial(_read_asked, asked))
        spuid = asked.name or f"sepa://subscription/{uuid4()}"
        if spuid in self._heard:
            raise InvalidInput(f"this socket hears {spuid!r} already")
        if isinstance(wanted, str):
            await require_answerable(service, who, Query(wanted, _dataset_of(asked)))
        begun = await service.desk.write(partial(_begin, service, asked, wanted, spuid, who))
        feed = Feed(
            begun.subscriber,
            self._outlet,
            _form(asked, spuid),
            self._end,
            acknowledges=asked.acknowledge == "sent",
            is_cut_off=_overflow_of(asked) == "disconnect",
            may_hear=partial(self._may_hear, who),
        )
        self._heard[spuid] = _Heard(feed, asked.alias, who, asked.durable)
        if asked.purport is not None or asked.durable:  # who goes on may be told nothing for long
            said = SubscribedMessage(spuid, begun.next, asked.alias)
            self._say({"subscribed": said})
        service.delivery.add(feed)

    async def _unsubscribe(self, spuid: str) -> None:
        heard = self._named(spuid)
        del self._heard[spuid]
        self._service.delivery.remove(heard.feed)
        await self._service.desk.clean_up(
            partial(_hear_no_more, self._service.broker, [heard], for_good=True)
        )
        self._say({"unsubscribed": UnsubscribedMessage(spuid, heard.alias)})

    def _named(self, spuid: str) -> _Heard:
        heard = self._heard.get(spuid)
        if heard is None:
            raise Refused(500, "sid_not_found", f"this socket has no subscription {spuid!r}")
        return heard

    def _end(self, feed: Feed, ending: Ending) -> None:
        """The broker has ended a subscription, too much waits for it, or it is forbidden."""
        spuid = feed.subscriber.id
        heard = self._heard.get(spuid)
        if heard is None or heard.feed is not feed:
            return
        if ending is not Ending.UNSUBSCRIBED:
            if ending is Ending.FORBIDDEN and self._last_words is None:
                self._last_words = self._why_forbidden(heard)
            if self._cut_off_by is None and self._is_receiving and self._task is not None:
                self._task.cancel()
            self._cut_off_by = self._cut_off_by or ending
            return
        del self._heard[spuid]
        self._service.delivery.remove(feed)
        self._say({"unsubscribed": UnsubscribedMessage(spuid, heard.alias)})

    def _why_forbidden(self, heard: _Heard) -> object:
        """What is said of a token under which nothing is heard any more, if that is why."""
        try:
            self._service.require_let_in(heard.who, self._tokens[heard.who])
        except Refused as error:
            return problem_message(error, heard.alias)
        return None

    async def _leave(self) -> None:
        """The client has gone: what is durable waits for it, the rest is over."""
        if not self._heard:
            return
        left = list(self._heard.values())
        self._heard.clear()
        for heard in left:
            self._service.delivery.remove(heard.feed)
        await self._service.desk.clean_up(partial(_hear_no_more, self._service.broker, left))

    def _say(self, message: object) -> None:
        self._outlet.put(Message(_text(message)))


def _text(message: object) -> str:
    return msgspec.json.encode(message).decode()


def _read(text: str | bytes) -> SocketRequest:
    """What a client says; `InvalidInput` if it is none of the messages that there are."""
    try:
        return msgspec.json.decode(text, type=SocketRequest)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidInput(f'expected a message such as {{"subscribe": ...}}: {error}') from None


def _alias_in(text: str | bytes) -> str | None:
    """The alias in a message that is otherwise wrong, if one can be read."""
    with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        match msgspec.json.decode(text):
            case {"subscribe": {"alias": str(alias)}} | {"unsubscribe": {"alias": str(alias)}}:
                return alias
    return None


def _read_asked(asked: SubscribeMessage) -> tuple[SubscribeMessage, Subscription | str]:
    """What is asked for, read; the name in a text is that of a durable one, or else its alias."""
    if (asked.purport is None) == (asked.sparql is None):
        raise InvalidInput("expected what to subscribe to: either sparql or purport")
    text = asked.sparql or asked.purport or ""
    if is_query(text) is not (asked.sparql is not None):
        said = "a SPARQL query under sparql, beginning with" if asked.sparql else "no query under"
        words = "SELECT, ASK, CONSTRUCT or DESCRIBE" if asked.sparql else "purport"
        raise InvalidInput(f"expected {said} {words}, got {text!r:.80}")
    if asked.sparql is None:
        wanted = parse(text)
        if isinstance(wanted, Rule):
            raise InvalidInput("expected a subscription, got a rule: POST /rules takes those")
        if wanted.name is not None and asked.name is None:
            if asked.durable:
                return msgspec.structs.replace(asked, name=wanted.name), wanted
            alias = wanted.name if asked.alias is None else asked.alias
            return msgspec.structs.replace(asked, alias=alias), replace(wanted, name=None)
        return asked, wanted
    return asked, text


def _begin(
    service: Service,
    asked: SubscribeMessage,
    wanted: Subscription | str,
    spuid: str,
    who: str | None,
) -> _Begun:
    """Have the broker begin with a subscription; in the desk's thread."""
    broker = service.broker
    if asked.name == "" or (asked.durable and asked.name is None):
        raise InvalidInput("a durable subscription has a name, by which it is found again")
    if asked.after is not None and not asked.durable:
        raise InvalidInput("only a durable subscription goes on after a number")
    before = _there_is(broker, spuid, who)
    if before is not None:
        require_unreserved(spuid, RESERVED)
        _require_same(before, asked, wanted)
        subscriber = _heard_again(broker, before, asked, who)
    else:
        if asked.durable:
            broker.require_keeper(who)
        subscriber = broker.subscribe(
            wanted,
            name=spuid,
            owner=who,
            durable=asked.durable,
            dataset=_dataset_of(asked),
            overflow=OVERFLOWS[_overflow_of(asked)],
            most_waiting=asked.most_waiting or service.settings.limits.most_waiting,
            acknowledging=Acknowledging.BY_HAND,
        )
    if asked.after is not None:
        return _Begun(subscriber, subscriber.go_on_after(asked.after) + 1)
    return _Begun(subscriber, subscriber.status.acknowledged + 1)


def _there_is(broker: Broker, identifier: str, who: str | None) -> Registration | None:
    """What has an id; refused if it is another's, whatever one may manage."""
    taken = Refused(409, "exists", f"{identifier!r} is taken")
    try:
        found = broker.registration(identifier, who=who)
    except NotFound:
        return None
    except Forbidden:
        raise taken from None
    if found.owner != who:
        raise taken
    return found


def _require_same(
    before: Registration, asked: SubscribeMessage, wanted: Subscription | str
) -> None:
    """Raise `Refused` if what is there is not what a client could go on with."""
    spuid, kind = before.id, kind_of(before.subscription)
    if not (asked.durable and before.is_durable):
        raise Refused(409, "exists", f"{spuid!r} is there already; only a durable one is shared")
    if kind != ("query" if isinstance(wanted, str) else "subscription"):
        raise Refused(409, "exists", f"{spuid!r} is there already, as a {kind}")
    if before.webhook:
        told = f"{spuid!r} is there already, and posted to its webhook: it is told nowhere else"
        raise Refused(409, "exists", told)


def _heard_again(
    broker: Broker, before: Registration, asked: SubscribeMessage, who: str | None
) -> Subscriber:
    """What is there already, with what the message says of it; the rest stays as it is."""
    dataset = _dataset_of(asked)
    broker.change(
        before.id,
        text=asked.sparql or asked.purport,
        dataset=None if dataset == WHOLE else dataset,
        most_waiting=asked.most_waiting,
        overflow=None if asked.overflow is None else OVERFLOWS[asked.overflow],
        who=who,
    )
    return broker.subscriber(before.id, acknowledging=Acknowledging.BY_HAND, who=who)


def _hear_no_more(broker: Broker, left: Iterable[_Heard], *, for_good: bool = False) -> None:
    """Hear no more; those that are durable go on without this client, unless it is for good."""
    for one in left:
        if one.is_durable and not for_good:
            one.feed.finish()
        else:
            with suppress(PurportError):  # the broker was closed
                broker.end(one.feed.subscriber)


def _overflow_of(asked: SubscribeMessage) -> OverflowName:
    """What happens when too much waits: changes of an answer make no sense with gaps in them."""
    if asked.overflow is not None:
        return asked.overflow
    return "disconnect" if asked.sparql is not None and not asked.durable else "drop oldest"


def _dataset_of(asked: SubscribeMessage) -> Dataset:
    return Dataset(_graphs(asked.default_graph_uri), _graphs(asked.named_graph_uri))


def _graphs(given: str | list[str] | None) -> tuple[str, ...] | None:
    if given is None:
        return None
    return (given,) if isinstance(given, str) else tuple(given) or None


def _form(asked: SubscribeMessage, spuid: str) -> Callable[[Notification], str]:
    """How notifications are told: of queries as the protocol says, of events as everywhere."""
    alias = asked.alias
    if asked.sparql is None:
        return lambda told: socket_notification(spuid, alias, message_of(told)).decode()
    called = {"spuid": spuid} if alias is None else {"spuid": spuid, "alias": alias}

    def told_change(notification: Notification) -> str:
        change = notification.change
        message = {
            **called,
            "sequence": notification.sequence,
            "addedResults": results_of(change.variables, change.added),
            "removedResults": results_of(change.variables, change.removed),
        }
        if notification.missed:
            message["missed"] = notification.missed
        if change.is_whole and notification.sequence > 0:
            message["whole"] = True  # what was told before is over
        return msgspec.json.encode({"notification": message}).decode()

    return told_change
