"""Events that become triples, and changes of answers that become events, as a service is set.

Behind each stands a durable subscription. What it is told is acknowledged when the broker has what
follows of it, which is the same each time: so a crash loses nothing and doubles nothing. Nor does
an answer that is told as a whole: what differs from the one before becomes events.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice

import msgspec

from purport.broker.access import Forbidden
from purport.broker.asked import is_query, written
from purport.broker.graph import require_query
from purport.broker.records import Overflow
from purport.broker.registry_text import RegistryLine
from purport.embedded.arguments import readable, require_topic
from purport.embedded.broker import Broker
from purport.embedded.subscriber import Subscriber
from purport.embedded.workers import Stopped
from purport.errors import InvalidInput, PurportError
from purport.model.notification import AnswerChange, Notification
from purport.service.change_events import answer_after, difference, events_of, is_change
from purport.service.event_triples import update_of
from purport.service.service import Service
from purport.service.settings import Changes, ServiceSettings, Triples
from purport.sparql.graph_store import WHOLE

_LOG = logging.getLogger("purport.service")
_PREFIXES = {Triples: "into-triples:", Changes: "into-events:"}
RESERVED = tuple(_PREFIXES.values())  # what no client's subscription is called
_LONGEST_WAIT_SECONDS = 5.0
_AT_ONCE = 256  # notifications that are looked at

Translate = Callable[[Notification], Awaitable[object]]


def register(broker: Broker, settings: ServiceSettings) -> None:
    """Have the subscriptions that are wanted, and no others that were once."""
    wanted = {line.id: (one, line) for one, line in _lines(settings)}
    for registration in broker.reserved_registrations():
        if registration.id.startswith(RESERVED) and registration.id not in wanted:
            broker.unsubscribe(registration.id, who=registration.owner)
    for one, line in wanted.values():
        with _told_of(one):
            broker.adopt_registry(msgspec.json.encode(line).decode())


def require_translatable(settings: ServiceSettings) -> None:
    """Raise what is wrong with what is to be translated, as far as no broker is needed to know."""
    for _ in _lines(settings):
        pass


def _lines(settings: ServiceSettings) -> Iterator[tuple[Triples | Changes, RegistryLine]]:
    """What is subscribed to for each translation."""
    translations: tuple[Triples | Changes, ...] = (*settings.triples, *settings.changes)
    for one in translations:
        with _told_of(one):
            _require_kind(one)
            if isinstance(one, Changes):
                require_topic(one.topic)
                require_query(one.of)
            text = written(readable(one.of, _id_of(one), WHOLE))
        yield one, RegistryLine(_id_of(one), text, one.owner, overflow=Overflow.REFUSE)


@contextmanager
def _told_of(one: Triples | Changes) -> Iterator[None]:
    """Say of which translation something is wrong."""
    try:
        yield
    except PurportError as error:
        table = "triples" if isinstance(one, Triples) else "changes"
        raise InvalidInput(f"{table}, {one.name!r}: {error}") from None


class Translating:
    """Translates for as long as the event loop runs."""

    def __init__(self, service: Service) -> None:
        self._service, self._broker = service, service.broker
        self._subscribers: list[Subscriber] = []

    async def begin(self) -> None:
        """Take up what waits, and what comes."""
        settings, loop = self._service.settings, asyncio.get_running_loop()
        translations: list[tuple[Triples | Changes, Translate]] = [
            *((one, partial(self._add_triples, one)) for one in settings.triples),
            *((one, partial(self._publish, one)) for one in settings.changes),
        ]
        for one, translate in translations:
            callback = partial(_translated, loop, translate)
            subscribe = partial(self._broker.subscriber, _id_of(one), callback, who=one.owner)
            self._subscribers.append(await asyncio.to_thread(subscribe))

    async def stop(self) -> None:
        """Take nothing any more; what is not done yet is done when the service runs again."""
        for subscriber in self._subscribers:
            await self._service.desk.clean_up(subscriber.close)

    async def _add_triples(self, wanted: Triples, notification: Notification) -> None:
        event = notification.match.event
        if not is_change(event.id):  # it came of triples
            update = partial(self._broker.update, update_of(event, wanted), publisher=wanted.owner)
            await self._service.desk.write(update)

    async def _publish(self, wanted: Changes, notification: Notification) -> None:
        if notification.change.is_whole:
            look = partial(_difference, self._broker, wanted, notification)
            notification = replace(notification, news=await self._service.desk.read(look))
        events = events_of(notification, wanted.name)
        if events:
            publisher = self._service.publisher
            await publisher.publish(events, topic=wanted.topic, publisher=wanted.owner)


def _difference(broker: Broker, wanted: Changes, notification: Notification) -> AnswerChange:
    """How a whole answer differs from what was told before it."""
    subscriber = broker.subscriber(_id_of(wanted), who=wanted.owner)
    subscriber.close()
    changes: list[AnswerChange] = []  # since the last whole answer
    end = notification.sequence
    while end > 0 and not (changes and changes[0].is_whole):
        begin = max(0, end - _AT_ONCE)
        told = islice(subscriber.replay(after=begin - 1), end - begin)
        some = [one.change for one in told if one.sequence < end]
        if not some:
            break
        last = max((at for at, one in enumerate(some) if one.is_whole), default=0)
        changes[:0], end = some[last:], begin
    if changes and not changes[0].is_whole:
        _LOG.warning("%s: the answer before is no longer kept: all of it is told", notification.id)
        return notification.change
    return difference(answer_after(changes), notification.change.added)


def _id_of(one: Triples | Changes) -> str:
    return _PREFIXES[type(one)] + one.name


def _require_kind(one: Triples | Changes) -> None:
    if is_query(one.of) is not isinstance(one, Changes):
        expected = "a SPARQL query" if isinstance(one, Changes) else "a subscription to events"
        raise InvalidInput(f"of: expected {expected}, got {one.of!r:.80}")


def _translated(
    loop: asyncio.AbstractEventLoop, translate: Translate, notification: Notification
) -> None:
    """Translate in the event loop, and wait until it is done; in a thread of the broker."""
    try:
        asyncio.run_coroutine_threadsafe(_patiently(translate, notification), loop).result()
    except (CancelledError, RuntimeError):  # the loop has ended
        raise Stopped from None


async def _patiently(translate: Translate, notification: Notification) -> None:
    """Translate, if need be again: a disk may be full for a while, or too much may wait."""
    wait = 0.1
    while True:
        try:
            await translate(notification)
        except (InvalidInput, Forbidden):
            raise
        except PurportError as error:
            _LOG.warning("%s waits to be translated: %s", notification.id, error)
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT_SECONDS)
        else:
            return
