"""What two brokers tell each other over one connection, from both hellos until it breaks."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
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
    in_pieces,
    read_said,
    written,
)
from purport.service.overlay.wire import Wire, WireBroken

T = TypeVar("T")

_LOG = logging.getLogger("purport.service")
_AT_ONCE = 200  # events, that are looked up
_MESSAGE_BYTES = 128 * 1024  # of events, in one message
_WINDOW = 2_000  # events that are on their way
_WAITING_MESSAGES = 8  # with events, until the journal has them
_LOOK_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 5.0
_PROBE_SECONDS = 2.0
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
    connection, and known there.
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
        self._to_say: asyncio.Queue[Said] = asyncio.Queue()
        self._pieces = Pieces()
        self._came: asyncio.Queue[tuple[ToldEvent, ...]] = asyncio.Queue(_WAITING_MESSAGES)
        self._digests: deque[str] = deque()  # of interests that were told and not confirmed yet
        self._knows: str | None = peer.holds  # if what is known there has to be looked at
        self._acknowledged = -1
        self._left_out: deque[int] = deque()  # numbers of events that the other end cannot take
        self._is_acknowledged = asyncio.Event()
        self._pings, self._pongs = count(1), dict[int, asyncio.Event]()
        self._ending: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._speaking = asyncio.Lock()

    async def run(self) -> str:
        """Tell and hear until it is over; gives why it is."""
        parts = (self._hear, self._take, self._ask, self._tell, self._speak)
        tasks = [asyncio.ensure_future(part()) for part in parts]
        try:
            ends: list[asyncio.Future[Any]] = [*tasks, self._ending]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        if self._ending.done():
            await self._close(_GONE, self._ending.result())
            return self._ending.result()
        return await self._why([one for one in outcomes if isinstance(one, Exception)])

    def say(self, said: Said) -> None:
        """Say something as soon as it can be."""
        self._to_say.put_nowait(said)

    def end(self, reason: str) -> None:
        """Tell and hear no more."""
        if not self._ending.done():
            self._ending.set_result(reason)

    async def is_alive(self) -> bool:
        """Whether the other end answers."""
        number, came = next(self._pings), asyncio.Event()
        self._pongs[number] = came
        try:
            async with asyncio.timeout(_PROBE_SECONDS):
                await self._say(Said(ping=number))
                await came.wait()
        except (TimeoutError, WireBroken):
            return False
        finally:
            del self._pongs[number]
        return True

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

    async def _say(self, said: Said) -> None:
        """Say something, in pieces if the other end cannot take it at once."""
        async with self._speaking:
            for text in in_pieces(written(said), self.peer.message_bytes):
                await self._wire.send(text)

    async def _say_quietly(self, said: Said) -> None:
        try:
            async with asyncio.timeout(_PROBE_SECONDS):
                await self._say(said)
        except (TimeoutError, WireBroken):
            return

    async def _speak(self) -> None:
        """Say what is to be said besides."""
        while True:
            await self._say(await self._to_say.get())

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
                await self._take_interests(said.interests)
            if said.interested is not None:
                self._confirm(said.interested)
            if said.events:
                await self._came.put(said.events)
            if said.acknowledged is not None:
                await self._be_acknowledged(said.acknowledged)
            if said.states:
                self._around.take_states(self._link, said.states)
            if said.spare is not None:
                self._around.take_spare(self._link, said.spare)
            if said.ping is not None:
                await self._say(Said(pong=said.ping))
            if said.pong is not None and said.pong in self._pongs:
                self._pongs[said.pong].set()

    async def _take_interests(self, said: Interests) -> None:
        """Know what is wanted there; when the journal does, say so."""
        name = self._link.name
        digest = await self._patiently(partial(self._exchange.take_interests, name, said))
        self._link.figures.interests_received += len(said.wanted) + len(said.unwanted)
        self._around.ask_others(name)
        await self._say(Said(interested=digest))

    def _confirm(self, digest: str) -> None:
        """The other end knows what is wanted here, or has misheard."""
        expected = self._digests.popleft() if self._digests else None
        if expected is not None and expected != digest:
            self._digests.clear()
            self._knows = digest
            self._link.news.set()
        self._link.is_settled = not self._digests and self._knows is None

    async def _ask(self) -> None:
        """Say what is wanted here and by others, whenever that has changed."""
        link = self._link
        while True:
            link.news.clear()
            known, self._knows = self._knows, None
            interests = await self._exchange.interests_for(link.name, known)
            link.asked = await self._exchange.count_asked(link.name)
            if interests is not None:
                link.is_settled = False
                self._digests.append(interests.digest)
                link.figures.interests_sent += len(interests.wanted) + len(interests.unwanted)
                await self._say(Said(interests=interests))
            else:
                link.is_settled = not self._digests
            await link.news.wait()

    async def _take(self) -> None:
        """Have the journal take what comes, and say so."""
        while True:
            events = await self._came.get()
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
            await self._say(Said(acknowledged=events[-1].number))

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
        subscriber = await exchange.hear(name)
        try:
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
                for message in self._messages(some):
                    await self._say(message)
                if self._left_out:
                    await self._be_acknowledged(self._acknowledged)
                await self._until_acknowledged(position - _WINDOW)
        finally:
            await asyncio.shield(asyncio.to_thread(subscriber.close))
        self.end("its token is taken no more")

    def _messages(self, departures: Sequence[Departure]) -> Iterator[Said]:
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
                yield self._with(events)
                events, size = [], 0
            events.append(told)
            size += length
        if events:
            yield self._with(events)

    def _with(self, events: Sequence[ToldEvent]) -> Said:
        self._link.figures.events_sent += len(events)
        return Said(events=tuple(events))

    def _leave_out(self, told: ToldEvent, length: int) -> None:
        self._link.figures.events_too_long += 1
        self._left_out.append(told.number)
        _LOG.warning(
            "%r takes messages of %d bytes, and is not told an event of %d: %s",
            self._link.name, self.peer.longest, length, told.origin,
        )  # fmt: skip

    async def _until_acknowledged(self, number: int) -> None:
        while self._acknowledged < number:
            self._is_acknowledged.clear()
            await self._is_acknowledged.wait()

    async def _be_acknowledged(self, number: int) -> None:
        number = max(self._acknowledged, number)
        while self._left_out and self._left_out[0] <= number + 1:
            number = max(number, self._left_out.popleft())
        self._acknowledged = number
        self._is_acknowledged.set()
        await self._exchange.acknowledge(self._link.name, self._acknowledged)

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
