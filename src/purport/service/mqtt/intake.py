"""The way in: stretches of a spool are published in the broker, each message once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence

from purport.broker.drafting import BacklogFull
from purport.broker.journal import JournalError
from purport.broker.links import Arrival
from purport.embedded.broker import Broker
from purport.embedded.written_state import BrokerClosed
from purport.mqtt.message import Message
from purport.service.desk import Desk, Overloaded
from purport.service.mqtt.dead_letters import DeadLetter, DeadLetters
from purport.service.mqtt.reading import MessageReader, Placed, Stretch
from purport.service.mqtt.trouble import Trouble
from purport.service.publisher import Publisher
from purport.spool.errors import MessagesGone
from purport.spool.spool import Spool

_LOG = logging.getLogger("purport.service")
_AT_ONCE = 2_000  # messages, in one change of the journal
_MOST_BYTES = 8 << 20  # and no more of them than make so much, or what was synced at once
_LOOK_SECONDS = 1.0
_DROP_SECONDS = 1.0
_FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS = 0.05, 5.0
_LATER = (BacklogFull, JournalError, BrokerClosed, Overloaded)

Pending = list[tuple[Arrival, Placed]]


class Intake:
    """Reads a spool from where the journal says, for as long as the event loop runs."""

    def __init__(
        self,
        broker: Broker,
        desk: Desk,
        publisher: Publisher,
        *,
        reader: MessageReader,
        spool: Spool,
        dead_letters: DeadLetters,
        owner: str,
        trouble: Trouble,
    ) -> None:
        self._broker, self._desk, self._publisher = broker, desk, publisher
        self._reader, self._spool, self._dead = reader, spool, dead_letters
        self._owner, self._trouble = owner, trouble
        self._news, self._loop = asyncio.Event(), asyncio.get_running_loop()
        self._dropped_at = 0.0
        self._size = _AT_ONCE
        self.position = 0  # of the next message
        self.published = 0
        self.repeated = 0
        self.lost = 0  # dropped from a full spool before they were read

    def ring(self) -> None:
        """There is something new in the spool; from any thread."""
        if not self._news.is_set() and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._news.set)

    @property
    def lag(self) -> int:
        """How many messages wait in the spool."""
        return max(0, self._spool.end - self.position)

    async def run(self) -> None:
        """Publish what is there and what comes."""
        log, identity = self._reader.log, self._reader.identity
        incoming = self._broker.incoming
        known = await self._desk.watch(lambda: incoming.next_position(log, identity))
        self.position = max(known, self._spool.first)
        wait = _FIRST_WAIT_SECONDS
        while True:
            self._news.clear()
            try:
                is_more = await self._step()
            except Exception as error:  # noqa: BLE001 - whatever it is, it is tried again
                reason = str(error) or type(error).__name__
                self._trouble.note(f"what is in the spool cannot be read: {reason}")
                await asyncio.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT_SECONDS)
                continue
            wait = _FIRST_WAIT_SECONDS
            if not is_more:
                await self._sleep()

    async def _sleep(self) -> None:
        """Wait until there is something new, or for a while."""
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                await self._news.wait()
        except TimeoutError:
            return

    async def _step(self) -> bool:
        """Publish some of what waits; whether there may be more."""
        end = min(self._spool.end, self.position + _AT_ONCE)
        if self.position < end:
            stretch = await asyncio.to_thread(self._read, self.position, end)
            await self._publish(stretch.arrivals)
            self.position = stretch.end
        await self._drop()
        return self.position < self._spool.end

    def _read(self, begin: int, end: int) -> Stretch:
        messages: list[Message] = []
        size = 0
        try:
            for some in self._spool.read(begin, end):
                messages += some
                size += sum(len(one.payload) for one in some)
                if size >= _MOST_BYTES:
                    break
        except MessagesGone:
            first = self._spool.first
            if first <= begin:
                raise
            self.lost += first - begin
            return Stretch(first, [], [])
        stretch = self._reader.read(begin, messages)
        self._dead.add(stretch.dead)  # before what comes after them is in the journal
        return stretch

    async def _publish(self, pending: Pending) -> None:
        """Publish events; where some cannot be taken at once, fewer of them, again and again."""
        wait = _FIRST_WAIT_SECONDS
        while pending:
            some = pending[: self._size]
            try:
                await self._desk.write(lambda some=some: self._take(some))  # type: ignore[misc]
            except _LATER as error:
                if isinstance(error, BacklogFull) and self._size > 1:
                    self._size = max(1, len(some) // 2)
                    continue
                self._trouble.note(f"what comes waits in the spool: {error}")
                await asyncio.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT_SECONDS)
                continue
            except Exception as error:  # noqa: BLE001 - one message must not hold up all others
                if len(some) > 1:
                    self._size = len(some) // 2
                    continue
                self._bury(some, str(error) or type(error).__name__)
            self._trouble.clear()
            wait, self._size = _FIRST_WAIT_SECONDS, min(_AT_ONCE, 2 * self._size)
            pending = pending[len(some) :]

    def _take(self, some: Pending) -> None:
        """Publish events as one change, in the thread that writes."""
        incoming = self._broker.incoming
        topics = {arrival.topic for arrival, _ in some}
        closed = {one for one in topics if not incoming.may_publish(self._owner, one)}
        if closed:
            refused = [one for one in some if one[0].topic in closed]
            self._bury(refused, f"by the access rules, {self._owner!r} may not publish there")
        arrivals = [arrival for arrival, _ in some if arrival.topic not in closed]
        if arrivals:
            arrived = self._publisher.take(arrivals, self._owner)
            self.published += len(arrivals) - arrived.known - arrived.forbidden
            self.repeated += arrived.known

    def _bury(self, some: Sequence[tuple[Arrival, Placed]], reason: str) -> None:
        letters: list[DeadLetter] = [self._reader.dead_letter(one, reason) for _, one in some]
        self._dead.add(letters, are_late=True)

    async def _drop(self) -> None:
        """Give back the space of what is in the journal, from time to time."""
        if time.monotonic() - self._dropped_at >= _DROP_SECONDS:
            await asyncio.to_thread(self._spool.drop, self.position - 1)
            self._dropped_at = time.monotonic()
