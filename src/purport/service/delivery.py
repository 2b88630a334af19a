"""From subscribers to clients: one thread makes messages, and an event loop sends them.

Each client has an outlet that takes so many messages and no more. What it does not take waits in
the broker, where every subscription says what happens when too much waits. So one slow client
delays nobody else, and the event loop never waits for a disk.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from enum import Enum, auto
from typing import NamedTuple

from purport.embedded.subscriber import Subscriber
from purport.model.notification import Notification

_LOG = logging.getLogger("purport.service")

MOST_WAITING = 64  # messages that an outlet takes before they are sent
_AT_ONCE = 64  # feeds, before others have their turn
_LOOK_SECONDS = 1.0  # a subscription may end by itself, when its time is up

Send = Callable[[str], Awaitable[None]]


class Ending(Enum):
    """Why a client hears no more of a subscription."""

    UNSUBSCRIBED = auto()
    OVERFLOWED = auto()  # more waited for it than may, and so it was to be cut off
    FORBIDDEN = auto()  # the client may not hear it any more


class Message(NamedTuple):
    """What a client is sent; if it is a notification, of which feed, under which number."""

    text: str
    feed: Feed | None = None
    number: int = -1


class Feed:
    """One subscription as one client hears it."""

    def __init__(
        self,
        subscriber: Subscriber,
        outlet: Outlet,
        form: Callable[[Notification], str],
        on_end: Callable[[Feed, Ending], None],
        *,
        acknowledges: bool = True,
        is_cut_off: bool = False,
        may_hear: Callable[[], bool] = lambda: True,
    ) -> None:
        """`on_end` is called in the event loop; what was sent is acknowledged, or left to hand.

        Whether the client still `may_hear` is asked each time that something waits.
        """
        self.subscriber, self.outlet, self.on_end = subscriber, outlet, on_end
        self._form, self._acknowledges, self._is_cut_off = form, acknowledges, is_cut_off
        self._may_hear = may_hear
        self.sent_through = -1  # the event loop says so
        self._acknowledged_through = -1
        self.is_closed = False

    def take(self) -> list[Message]:
        """What waits, as far as the outlet takes it; in the thread of delivery."""
        if self.has_sent:
            self._acknowledged_through = self.sent_through
            self.subscriber.acknowledge(self._acknowledged_through)
        if not self._may_hear():
            return []
        room = self.outlet.room
        taken = self.subscriber.take_some(room) if room else []
        messages = self._messages(taken)
        self.outlet.expected += len(messages)
        if len(messages) == room:
            self.outlet.park(self)
        return messages

    def _messages(self, taken: Sequence[Notification]) -> list[Message]:
        """What is sent of notifications; one that cannot be told is taken again, and what follows.

        It raises what is wrong with the first.
        """
        messages: list[Message] = []
        for one in taken:
            try:
                messages.append(Message(self._form(one), self, one.sequence))
            except Exception:
                self.subscriber.go_on_after(one.sequence - 1)
                if not messages:
                    raise
                break
        return messages

    def finish(self) -> None:
        """Hear no more, of what is delivered no more; what was sent is acknowledged first."""
        if self.has_sent:
            self.subscriber.acknowledge(self.sent_through)
        self.subscriber.close()

    @property
    def has_sent(self) -> bool:
        """Whether something was sent that counts for the broker as waiting."""
        return self._acknowledges and self.sent_through > self._acknowledged_through

    def ending(self) -> Ending | None:
        """Why it is over, if it is."""
        if self.subscriber.has_ended:
            return Ending.UNSUBSCRIBED
        registration = self.subscriber.registration
        if not self._may_hear() or registration.pause_reason == "forbidden":
            return Ending.FORBIDDEN
        if self._is_cut_off and registration.pause_reason == "overflow":
            return Ending.OVERFLOWED
        return None


class Outlet:
    """What waits to be sent to one client; `run` sends it, for as long as there is a client."""

    def __init__(self, send: Send, delivery: Delivery, most: int = MOST_WAITING) -> None:
        self._send, self._delivery, self._most = send, delivery, most
        self._waiting: deque[Message] = deque()
        self._emptied = asyncio.Event()
        self._idle: asyncio.Future[None] | None = None  # while nothing is there to be sent
        self.parked: dict[Feed, None] = {}  # those for which there was no room
        self.expected = 0  # how many notifications were taken: the thread of delivery counts
        self._has_ended = False
        self._sent = 0  # and how many of them were sent: the event loop does

    @property
    def room(self) -> int:
        """How many notifications it takes besides those that wait."""
        return self._most - (self.expected - self._sent)

    def park(self, feed: Feed) -> None:
        """Have a feed rung when there is room for it."""
        self.parked[feed] = None
        if self.room:  # by now: all may have been sent before it was parked
            self._delivery.ring(feed)

    def put(self, message: Message) -> None:
        """Have a message sent after those that wait; in the event loop."""
        self._waiting.append(message)
        if self._idle is not None:
            self._idle.set_result(None)
            self._idle = None

    async def room_for_answers(self) -> None:
        """Wait until not too much waits: who asks on and does not read has to wait as well."""
        while len(self._waiting) > 2 * self._most and not self._has_ended:
            self._emptied.clear()
            await self._emptied.wait()

    async def run(self) -> None:
        """Send what comes, one message after the other."""
        try:
            await self._run()
        finally:
            self._has_ended, self._idle = True, None
            self._emptied.set()

    async def _run(self) -> None:
        while True:
            if not self._waiting:
                self._idle = asyncio.get_running_loop().create_future()
                await self._idle
            heard: dict[Feed, None] = {}
            while self._waiting:
                message = self._waiting.popleft()
                if message.feed is not None:
                    self._sent += 1
                    if message.feed.is_closed:
                        continue
                await self._send(message.text)
                if message.feed is not None:
                    message.feed.sent_through = message.number
                    heard[message.feed] = None
            self._emptied.set()
            while self.parked:
                heard[self.parked.popitem()[0]] = None
            self._delivery.ring(*heard)


class Delivery:
    """The thread that takes what waits for the feeds that were rung.

    It looks at many feeds at once, while the broker is `undisturbed`: to wait for who publishes
    before each look would take longer than all the looks.
    """

    def __init__(
        self,
        undisturbed: Callable[[], AbstractContextManager[object]] = nullcontext,
        look_seconds: float = _LOOK_SECONDS,
    ) -> None:
        self._undisturbed, self._look_seconds = undisturbed, look_seconds
        self._later: dict[Feed, None] = {}  # could not be told, and are looked at again
        self._failing: set[Feed] = set()  # of which the log says so already
        self._rung: deque[Feed] = deque()
        self._feeds: set[Feed] = set()
        self._wake = threading.Event()
        self._is_closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="purport delivery", daemon=True)

    def add(self, feed: Feed) -> None:
        """Deliver what waits for a feed, and what comes; in the event loop that is to send."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._thread.start()
        self._feeds.add(feed)
        feed.subscriber.bell.tell(lambda: self.ring(feed))
        self.ring(feed)

    def remove(self, feed: Feed) -> None:
        """Deliver no more; whoever has the feed finishes it, and may have to wait for that."""
        feed.is_closed = True
        self._feeds.discard(feed)
        self._failing.discard(feed)

    def ring(self, *feeds: Feed) -> None:
        """Look what waits for feeds; from any thread."""
        if feeds:
            self._rung.extend(feeds)
            if not self._wake.is_set():  # which is quicker than to set it again
                self._wake.set()

    def close(self) -> None:
        """Deliver nothing any more."""
        self._is_closed = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        look_at = time.monotonic()
        while not self._is_closed:
            self._wake.wait(max(0.0, look_at - time.monotonic()))
            self._wake.clear()
            if time.monotonic() >= look_at:
                look_at = time.monotonic() + self._look_seconds
                self._rung.extend(tuple(self._feeds)[:1])  # one look tells what has expired
                self._rung.extend(self._later)
                self._later.clear()
            feeds = self._all_rung()
            for first in range(0, len(feeds), _AT_ONCE):
                with self._undisturbed():
                    messages, endings = self._taken(feeds[first : first + _AT_ONCE])
                if messages or endings:
                    self._hand_over(messages, endings)

    def _taken(self, feeds: Sequence[Feed]) -> tuple[list[Message], list[tuple[Feed, Ending]]]:
        """What waits for some feeds, and which of them are over."""
        messages: list[Message] = []
        endings: list[tuple[Feed, Ending]] = []
        for feed in feeds:
            try:
                messages += feed.take()
                ending = feed.ending()
            except Exception as error:  # noqa: BLE001 - the others are told all the same
                if feed not in self._failing:
                    _LOG.warning("%r could not be told: %s", feed.subscriber.id, error)
                    self._failing.add(feed)
                self._later[feed] = None
                continue
            self._failing.discard(feed)
            if ending is not None:
                endings.append((feed, ending))
        return messages, endings

    def _all_rung(self) -> list[Feed]:
        rung: dict[Feed, None] = {}
        while self._rung:
            rung[self._rung.popleft()] = None
        return [feed for feed in rung if not feed.is_closed and feed not in self._later]

    def _hand_over(self, messages: list[Message], endings: list[tuple[Feed, Ending]]) -> None:
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(_put, messages, endings)
        except RuntimeError:  # the loop was closed: nobody is there any more
            self._is_closed = True


def _put(messages: list[Message], endings: list[tuple[Feed, Ending]]) -> None:
    for message in messages:
        assert message.feed is not None
        message.feed.outlet.put(message)
    for feed, ending in endings:
        if not feed.is_closed:
            feed.on_end(feed, ending)
