"""Publishes for many at once: what comes while the journal is being written goes together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import NamedTuple

from purport.broker.known_events import origin_id
from purport.broker.links import Arrival
from purport.broker.records import Origin, Published
from purport.client.messages import EventReceipt
from purport.embedded.broker import Broker
from purport.embedded.incoming import Arrived
from purport.embedded.published_ids import PublishedId, given_id, published_id
from purport.model.event import Event
from purport.service.desk import Desk, Overloaded
from purport.service.remembered_ids import RememberedIds

_AT_ONCE = 1_000  # events, in one write
_Outcome = list[EventReceipt] | BaseException


@dataclass(frozen=True, slots=True, eq=False)
class _Request:
    """What somebody wants to have published, all or none."""

    events: Sequence[Event]
    topic: str
    publisher: str | None
    answer: asyncio.Future[list[EventReceipt]]

    @property
    def whose(self) -> tuple[str, str | None]:
        return self.topic, self.publisher


class _Place(NamedTuple):
    """Where the event of a receipt is among those that are published."""

    number: int
    is_repeated: bool = False


class Publisher:
    """Publishes events, each id once, in as few writes as possible.

    While one write is under way, further requests collect; then they go together. Each is answered
    when the journal has its events, and what is wrong with one concerns no other.
    """

    def __init__(
        self, broker: Broker, desk: Desk, *, remembered_ids: int, most_waiting: int
    ) -> None:
        self._broker, self._desk = broker, desk
        self._remembered_ids, self._most_waiting = remembered_ids, most_waiting
        self._remembered: RememberedIds | None = None
        self._waiting: list[_Request] = []
        self._writing: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Ask the journal what was published before, which may take seconds."""
        await self._desk.write(self._known)

    async def publish(
        self, events: Sequence[Event], *, topic: str = "", publisher: str | None = None
    ) -> list[EventReceipt]:
        """Publish events, all or none; when this returns, they are kept."""
        if len(self._waiting) >= self._most_waiting:
            raise Overloaded(f"{len(self._waiting):,} requests wait already: try again later")
        answer: asyncio.Future[list[EventReceipt]] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Request(events, topic, publisher, answer))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        return await answer

    async def arrive(self, neighbour: str, arrivals: Sequence[Arrival]) -> Arrived:
        """Publish what a neighbour tells, of it what is not known; when this returns, it is kept.

        An event with an id of its own is published once, at whatever broker somebody tries again.
        """
        arrive = partial(self._broker.neighbours.arrive, neighbour)
        return await self._desk.write(lambda: self._arrive(arrivals, arrive))

    def take(self, arrivals: Sequence[Arrival], publisher: str | None) -> Arrived:
        """The same of what a connector brings, in the thread that writes.

        Events that have no id of their own are named by their origins.
        """
        return self._arrive(arrivals, partial(self._broker.incoming.arrive, principal=publisher))

    def _arrive(
        self, arrivals: Sequence[Arrival], arrive: Callable[[Sequence[Arrival]], Arrived]
    ) -> Arrived:
        remembered, neighbours = self._known(), self._broker.neighbours
        fresh: list[Arrival] = []
        keys: dict[Origin, PublishedId] = {}
        seen: set[PublishedId] = set()
        for one in arrivals:
            is_named_so = one.event.id == origin_id(one.origin)
            key = None if one.rules or is_named_so else published_id(one.event, one.publisher)
            if key is None or (one.again is not None and neighbours.is_known(one.origin)):
                fresh.append(one)  # of what is known, that it was rerouted may not be
            elif remembered.find(key) is None and key not in seen:
                fresh.append(one)
                seen.add(key)
                keys[one.origin] = key
        arrived = arrive(fresh)
        for entry in arrived.entries:
            if isinstance(entry.record, Published) and entry.record.origin in keys:
                remembered.add(keys[entry.record.origin], entry.sequence)
        return arrived._replace(known=arrived.known + len(arrivals) - len(fresh))

    async def _write_all(self) -> None:
        """Write until nothing waits."""
        try:
            while requests := self._next():
                await self._write(requests)
        finally:
            self._writing = None

    async def _write(self, requests: list[_Request]) -> None:
        try:
            outcomes = await self._desk.write(lambda: self._published(requests))
        except BaseException as error:
            for one in requests:
                _answer(one, Overloaded(str(error)) if isinstance(error, Overloaded) else error)
            if not isinstance(error, Exception):
                raise
        else:
            for one, outcome in zip(requests, outcomes, strict=True):
                _answer(one, outcome)

    def _next(self) -> list[_Request]:
        """The requests that are written next, though whoever asked may have gone."""
        count = taken = 0
        for one in self._waiting:
            if taken and count + len(one.events) > _AT_ONCE:
                break
            taken, count = taken + 1, count + len(one.events)
        requests, self._waiting = self._waiting[:taken], self._waiting[taken:]
        return requests

    def _published(self, requests: Sequence[_Request]) -> list[_Outcome]:
        """What becomes of requests, in the thread that writes."""
        return [
            outcome
            for _, together in groupby(requests, key=lambda one: one.whose)
            for outcome in self._published_together(list(together))
        ]

    def _published_together(self, requests: Sequence[_Request]) -> Iterator[_Outcome]:
        """The same of requests of one publisher under one topic: in one write, if that can be."""
        try:
            yield from self._publish(requests)
        except Exception as error:  # noqa: BLE001 - each is told what is wrong with itself
            if len(requests) == 1:
                yield error
            else:
                for one in requests:
                    yield from self._published_together([one])

    def _publish(self, requests: Sequence[_Request]) -> list[list[EventReceipt]]:
        """Publish what was not published before, of all requests as one change."""
        topic, publisher = requests[0].whose
        remembered = self._known()
        fresh: list[Event] = []
        places: dict[PublishedId, int] = {}  # in `fresh`, of those with an id

        def place(event: Event) -> EventReceipt | _Place:
            key = published_id(event, publisher)
            if key is not None:
                if (before := remembered.find(key)) is not None:
                    return EventReceipt(given_id(event) or key.id, before, 0, repeated=True)
                if key in places:
                    return _Place(places[key], is_repeated=True)
                places[key] = len(fresh)
            fresh.append(event)
            return _Place(len(fresh) - 1)

        wanted = [[place(event) for event in request.events] for request in requests]
        receipts = [
            EventReceipt(one.event_id, one.sequence, one.notified)
            for one in self._broker.publish_all(fresh, topic=topic, publisher=publisher)
        ]
        for key, number in places.items():
            remembered.add(key, receipts[number].sequence)
        return [[_receipt(one, receipts) for one in told] for told in wanted]

    def _known(self) -> RememberedIds:
        """What was published before, by the journal when it is asked first."""
        if self._remembered is None:
            known = self._broker.published_ids(self._remembered_ids)
            self._remembered = RememberedIds(self._remembered_ids, known)
        return self._remembered


def _receipt(told: EventReceipt | _Place, receipts: Sequence[EventReceipt]) -> EventReceipt:
    if isinstance(told, EventReceipt):
        return told
    found = receipts[told.number]
    return EventReceipt(found.id, found.sequence, 0, repeated=True) if told.is_repeated else found


def _answer(request: _Request, outcome: _Outcome) -> None:
    if request.answer.done():  # whoever asked has gone
        return
    if isinstance(outcome, BaseException):
        request.answer.set_exception(outcome)
    else:
        request.answer.set_result(outcome)
