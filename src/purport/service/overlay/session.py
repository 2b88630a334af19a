"""What two brokers tell each other over one connection, from both hellos until it breaks."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any, Protocol, TypeVar

from purport.broker.links import Arrival
from purport.covering.topology import LinkState
from purport.embedded.neighbours import Departure
from purport.errors import EventError, PurportError
from purport.service.overlay.exchange import Exchange
from purport.service.overlay.link import Link
from purport.service.overlay.messages import (
    Hello,
    Interests,
    NotSpoken,
    Pieces,
    Refusal,
    Said,
    ToldEvent,
    read_said,
)
from purport.service.overlay.outgoing import Outgoing
from purport.service.overlay.window import Waiting, Window
from purport.service.overlay.wire import Wire, WireBroken

T = TypeVar("T")

_LOG = logging.getLogger("purport.service")
_AT_ONCE = 200  # events, that are looked up
_MESSAGE_BYTES = 128 * 1024  # of events, in one message
_LOOK_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 5.0
_PROBE_SECONDS = 2.0
_FIRST_DOUBT_SECONDS = 0.05  # when the other end knows otherwise again; twice as long each time
_GONE, _UNDERSTOOD_NOT = 1001, 1002


class Around(Protocol):
    """What a session tells of that concerns other links too."""

    def ask_others(self, neighbour: str) -> None:
        """A neighbour wants otherwise than before, which others may have to know."""

    def take_states(self, link: Link, states: Sequence[LinkState]) -> None:
        """Brokers have said something of their links."""

    def take_spare(self, link: Link, is_spare: bool) -> None:
        """A neighbour could do without a link, or no longer."""


class Session:
    """Interests go one way as soon as they change, and events the other as soon as they are there.

    What the other end acknowledges is in its journal. What it does not is told again on the next
    connection, and known there. Hearing waits for nothing but the wire, and is never waited for:
    how much is on its way is for either end to keep small.
    """

    def __init__(
        self,
        wire: Wire,
        peer: Hello,
        link: Link,
        exchange: Exchange,
        *,
        is_ours: bool,
        may_go_on: Callable[[], bool],
        around: Around,
    ) -> None:
        """`is_ours`: it was opened here. `around` is told what concerns other links too."""
        self.peer, self.is_ours, self.address = peer, is_ours, wire.address
        self.is_understood = True  # what the other end says; or else it is not tried again soon
        self._wire, self._link, self._exchange = wire, link, exchange
        self._may_go_on, self._around = may_go_on, around
        self._outgoing = Outgoing(wire, peer.message_bytes)
        self._pieces = Pieces()
        self._came, self._window = Waiting(), Window()
        self._asked: asyncio.Queue[Interests] = asyncio.Queue()
        self._digest: str | None = None  # of interests that were told and are not confirmed yet
        self._knows: str | None = peer.holds  # if what is known there has to be looked at
        self._doubts = 0  # how often running it knew otherwise
        self._acknowledged = -1
        self._has_more = asyncio.Event()  # acknowledged
        self._left_out: deque[int] = deque()  # numbers of events that the other end cannot take
        self._pings, self._pongs = count(1), dict[int, asyncio.Future[bool]]()
        self._ending: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def run(self) -> str:
        """Tell and hear until it is over; gives why it is."""
        parts = (
            self._hear, self._be_asked, self._take, self._ask, self._tell, self._outgoing.run,
            self._keep_acknowledged,
        )  # fmt: skip
        tasks = [asyncio.ensure_future(part()) for part in parts]
        try:
            ends: list[asyncio.Future[Any]] = [*tasks, self._ending]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            for pong in self._pongs.values():
                pong.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        if self._ending.done():
            await self._close(_GONE, self._ending.result())
            return self._ending.result()
        return await self._why([one for one in outcomes if isinstance(one, Exception)])

    def say(self, said: Said) -> None:
        """Say something as soon as it can be."""
        try:
            self._outgoing.say(said)
        except WireBroken as error:
            self.end(str(error))

    def end(self, reason: str) -> None:
        """Tell and hear no more."""
        if not self._ending.done():
            self._ending.set_result(reason)

    async def is_alive(self) -> bool:
        """Whether the other end answers."""
        number = next(self._pings)
        self._pongs[number] = pong = asyncio.get_running_loop().create_future()
        self.say(Said(ping=number))
        await asyncio.wait((pong,), timeout=_PROBE_SECONDS)
        del self._pongs[number]
        return pong.done() and not pong.cancelled()

    async def _why(self, errors: Sequence[Exception]) -> str:
        for error in errors:
            if isinstance(error, NotSpoken):
                self.is_understood = False
                await self._say_quietly(Said(refused=Refusal(error.code, str(error))))
                await self._close(_UNDERSTOOD_NOT, str(error))
                return f"it says what is not understood: {error}"
        for error in errors:
            if not isinstance(error, WireBroken):
                self.is_understood = False
                _LOG.error("the link to %r failed", self._link.name, exc_info=error)
                await self._close(_GONE, "something went wrong")
                return f"something went wrong here: {error}"
        await self._close(_GONE, "")
        return str(errors[0]) if errors else "it ended"

    async def _close(self, code: int, reason: str) -> None:
        try:
            async with asyncio.timeout(_PROBE_SECONDS):
                await self._wire.close(code, reason)
        except (TimeoutError, WireBroken):
            return

    async def _say_quietly(self, said: Said) -> None:
        with suppress(TimeoutError, WireBroken):
            async with asyncio.timeout(_PROBE_SECONDS):
                await self._outgoing.send(said)

    async def _hear(self) -> None:
        """Hear what the other end says."""
        while True:
            said = self._pieces.take(read_said(await self._wire.receive()))
            if said is None:
                continue
            if said.refused is not None:
                raise WireBroken(f"{self._link.name} refuses: {said.refused.reason}")
            if said.error is not None:
                raise WireBroken(f"{self._link.name} refuses: {said.error_description}")
            if said.interests is not None:
                self._asked.put_nowait(said.interests)
            if said.interested is not None:
                self._confirm(said.interested)
            if said.events and not self._came.put(said.events):
                raise NotSpoken("more events than may be on their way")
            if said.acknowledged is not None:
                self._be_acknowledged(said.acknowledged)
            if said.states:
                self._around.take_states(self._link, said.states)
            if said.spare is not None:
                self._around.take_spare(self._link, said.spare)
            if said.ping is not None:
                self.say(Said(pong=said.ping))
            if said.pong is not None and said.pong in self._pongs:
                pong = self._pongs[said.pong]
                if not pong.done():
                    pong.set_result(True)

    async def _be_asked(self) -> None:
        """Know what is wanted there; when the journal does, say so."""
        name = self._link.name
        while True:
            said = await self._asked.get()
            digest = await self._patiently(partial(self._exchange.take_interests, name, said))
            self._link.figures.interests_received += len(said.wanted) + len(said.unwanted)
            self._around.ask_others(name)
            self.say(Said(interested=digest))

    def _confirm(self, digest: str) -> None:
        """The other end knows what is wanted here, or has misheard."""
        if self._digest is None:
            return
        is_known, self._digest = self._digest == digest, None
        self._knows = None if is_known else digest
        self._doubts = 0 if is_known else self._doubts + 1
        self._link.news.set()

    async def _ask(self) -> None:
        """Say what is wanted here and by others, whenever that has changed.

        What changes until the last of it is confirmed is said at once then.
        """
        link = self._link
        link.meet(await self._exchange.meet(link.name, self.peer.judges))
        while True:
            if self._doubts > 1:
                wait = _FIRST_DOUBT_SECONDS * 2.0 ** min(self._doubts, 20)
                await asyncio.sleep(min(wait, _LONGEST_WAIT_SECONDS))
            link.news.clear()
            if self._digest is None:
                await self._say_what_is_wanted()
            await link.news.wait()

    async def _say_what_is_wanted(self) -> None:
        link = self._link
        known, self._knows = self._knows, None
        interests = await self._exchange.interests_for(link.name, known)
        link.asked = await self._exchange.count_asked(link.name)
        if interests is None:
            link.is_settled = not link.news.is_set()
            return
        link.is_settled = False
        self._digest = interests.digest
        link.figures.interests_sent += len(interests.wanted) + len(interests.unwanted)
        await self._outgoing.tell(Said(interests=interests))

    async def _take(self) -> None:
        """Have the journal take what comes, and say so."""
        while True:
            events = await self._came.first()
            arrivals = list(self._arrivals(events))
            figures, name = self._link.figures, self._link.name
            arrived = await self._patiently(partial(self._exchange.arrive, name, arrivals))
            figures.events_received += len(events)
            figures.events_known += arrived.known
            if arrived.forbidden:
                figures.events_forbidden += arrived.forbidden
                _LOG.warning(
                    "%r may not publish %d of the events that it tells", name, arrived.forbidden
                )
            self._came.drop()
            self.say(Said(acknowledged=events[-1].number))

    def _arrivals(self, events: Sequence[ToldEvent]) -> Iterator[Arrival]:
        for one in events:
            try:
                yield one.arrival()
            except EventError as error:
                self._link.figures.events_unreadable += 1
                _LOG.warning("%r tells what is no event: %s", self._link.name, error)

    async def _tell(self) -> None:
        """Tell what waits, so much ahead of what is acknowledged and no more."""
        exchange, name = self._exchange, self._link.name
        self._acknowledged = position = await exchange.acknowledged(name)
        async with exchange.hearing(name) as subscriber:
            while self._may_go_on():
                subscriber.bell.still()
                some = await exchange.departures(name, position, _AT_ONCE)
                if not some:
                    await subscriber.bell.heard(_LOOK_SECONDS)
                    continue
                if some[0].number > position + 1:
                    self._link.figures.events_dropped += some[0].number - position - 1
                    self._acknowledged = some[0].number - 1  # as if it had them
                position = some[-1].number
                for events in self._messages(some):
                    await self._window.room()
                    self._window.tell(events)
                    self._link.figures.events_sent += len(events)
                    await self._outgoing.tell(Said(events=tuple(events)))
                if self._left_out:
                    self._be_acknowledged(self._acknowledged)
        self.end("its token is taken no more")

    def _messages(self, departures: Sequence[Departure]) -> Iterator[list[ToldEvent]]:
        """Events in messages of some size; what is too long for the other end is left out."""
        events: list[ToldEvent] = []
        size = 0
        for one in departures:
            told = ToldEvent.of(one)
            length = len(bytes(told.event))
            if length > self.peer.longest - _MESSAGE_BYTES:
                self._leave_out(told, length)
                continue
            if events and size + length > _MESSAGE_BYTES:
                yield events
                events, size = [], 0
            events.append(told)
            size += length
        if events:
            yield events

    def _leave_out(self, told: ToldEvent, length: int) -> None:
        self._link.figures.events_too_long += 1
        self._left_out.append(told.number)
        _LOG.warning(
            "%r takes messages of %d bytes, and is not told an event of %d: %s",
            self._link.name, self.peer.longest, length, told.origin,
        )  # fmt: skip

    def _be_acknowledged(self, number: int) -> None:
        number = max(self._acknowledged, number)
        while self._left_out and self._left_out[0] <= number + 1:
            number = max(number, self._left_out.popleft())
        self._acknowledged = number
        self._window.acknowledge(number)
        self._has_more.set()

    async def _keep_acknowledged(self) -> None:
        """Have the journal know what the other end has."""
        kept = -1
        while True:
            await self._has_more.wait()
            self._has_more.clear()
            if kept != self._acknowledged:
                kept = self._acknowledged
                await self._patiently(partial(self._exchange.acknowledge, self._link.name, kept))

    async def _patiently(self, do: Callable[[], Awaitable[T]]) -> T:
        """Do something, if need be again: a disk may be full for a while, or too much may wait."""
        wait = 0.05
        while True:
            try:
                return await do()
            except PurportError as error:
                _LOG.warning("what %r says waits: %s", self._link.name, error)
                await asyncio.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT_SECONDS)
