"""A subscriber's end: notifications, one after the other, and what was received."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import datetime
from enum import Enum, StrEnum, auto

from purport.broker.registry import Registration
from purport.embedded.bell import Bell
from purport.embedded.deliveries import Deliveries
from purport.embedded.status import SubscriptionStatus
from purport.errors import InvalidInput
from purport.model.notification import Notification

_AT_ONCE = 256
_LOOK_SECONDS = 1.0  # a subscription may end by itself, when its time is up


class Acknowledging(StrEnum):
    """When a notification counts as received."""

    WHEN_NEXT_IS_TAKEN = "when the next is taken"
    BY_HAND = "by hand"


class _Look(Enum):
    """What a look for notifications finds."""

    SOME = auto()
    NONE = auto()
    THE_END = auto()


class Subscriber:
    """Notifications of one subscription, in order, beginning after the last acknowledged.

    Iterating waits for what comes, and ends when the subscription or the broker does. `async for`
    does the same in an event loop. Several threads or tasks may share one: each gets what no other
    has got. They acknowledge by hand, since taking the next one counts for all before it.
    """

    def __init__(
        self,
        deliveries: Deliveries,
        identifier: str,
        leave: Callable[[Subscriber], None],
        acknowledging: Acknowledging = Acknowledging.WHEN_NEXT_IS_TAKEN,
    ) -> None:
        self.id = identifier
        self.bell = Bell()
        self._deliveries, self._leave = deliveries, leave
        self._acknowledging = acknowledging
        self._lock = threading.Lock()
        self._taken: deque[Notification] = deque()
        self._position = -1
        self._is_again = False  # whether what was acknowledged before is handed over
        self._handed: int | None = None
        self._is_acknowledged_first = False
        self._is_more = False  # than what was taken
        self._is_closed = False

    def __repr__(self) -> str:
        return f"<subscriber {self.id!r}>"

    @property
    def registration(self) -> Registration:
        """What is subscribed to; `InvalidInput` if it is no longer."""
        return self._deliveries.registration(self.id)

    @property
    def status(self) -> SubscriptionStatus:
        """How far it is, and what waits."""
        return self._deliveries.status(self.id)

    def take(self, timeout: float | None = 0.0) -> Notification | None:
        """The next notification; None if there is none within so many seconds (None: for ever).

        None too when the subscription has ended, or the broker was closed.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            found = self._look()
            if found is _Look.SOME and (notification := self._hand_over()) is not None:
                return notification
            left = _LOOK_SECONDS if deadline is None else deadline - time.monotonic()
            if found is _Look.THE_END or left <= 0:
                return None
            if found is _Look.NONE:
                self.bell.wait(min(left, _LOOK_SECONDS))

    def take_some(self, most: int = _AT_ONCE) -> list[Notification]:
        """What waits now, at most so many, without waiting for more.

        As with `take`, what was handed over before counts as received, unless it is acknowledged by
        hand. When more waits, the bell rings again.
        """
        if most < 1:
            raise InvalidInput(f"at least 1 notification can be taken, got {most!r}")
        with self._lock:
            if self._find(most) is not _Look.SOME:
                return []
            some = [self._taken.popleft() for _ in range(min(most, len(self._taken)))]
            last = some[-1].sequence
            if self._is_acknowledged_first:
                self._acknowledge_first(some, last)
            self._position = self._handed = last
            is_more = bool(self._taken) or self._is_more
        if is_more:
            self.bell.ring()
        return some

    def __iter__(self) -> Iterator[Notification]:
        """What waits and what comes, until the end."""
        while (notification := self.take(timeout=None)) is not None:
            yield notification

    def waiting(self) -> Iterator[Notification]:
        """What waits now, and what comes meanwhile, without waiting for more."""
        while (notification := self.take()) is not None:
            yield notification

    async def __aiter__(self) -> AsyncIterator[Notification]:
        """What waits and what comes, until the end, in an event loop."""
        while (found := await asyncio.to_thread(self._look)) is not _Look.THE_END:
            if found is _Look.NONE:
                await self.bell.heard(_LOOK_SECONDS)
            elif (notification := self._hand_over()) is not None:
                yield notification

    def acknowledge(self, received: Notification | int | None = None) -> None:
        """Everything through a notification, or a number, was received; without it, all taken."""
        through = self._handed
        if isinstance(received, Notification) and received.subscription_id == self.id:
            through = received.sequence
        elif isinstance(received, int):
            self._deliveries.require_told(self.id, received)
            through = received
        elif received is not None:
            raise InvalidInput(f"expected a notification of {self.id!r}, got {received!r:.80}")
        if through is not None:
            self._deliveries.acknowledge(self.id, through)

    def go_on_after(self, number: int) -> int:
        """Take next what follows a number, though it was acknowledged, as far as it is kept.

        It gives that number, or the last that was told: what is still to come is not passed over.
        """
        with self._lock:
            number = min(number, self.status.next - 1)
            self._taken.clear()
            self._position, self._handed, self._is_again = number, None, True
        return number

    @property
    def has_ended(self) -> bool:
        """Whether nothing comes any more."""
        return self._is_closed

    def close(self) -> None:
        """Take no more; the subscription goes on without this one."""
        self._is_closed = True
        self._leave(self)
        self.bell.ring()

    def replay(
        self, *, after: int | None = None, since: datetime | None = None
    ) -> Iterator[Notification]:
        """What was told before, from a number or a time on (or all that is kept), until now.

        It changes nothing: what waits goes on waiting.
        """
        position = -1 if after is None else after
        if since is not None:
            first = self._deliveries.since(self.id, since)
            if first is None:
                return
            position = max(position, first - 1)
        while some := self._deliveries.told(self.id, position, _AT_ONCE):
            yield from some
            position = some[-1].sequence

    def _look(self) -> _Look:
        """Count what was handed over as received, and see whether there is more."""
        with self._lock:
            return self._find(_AT_ONCE)

    def _find(self, most: int) -> _Look:
        self._acknowledge_handed()
        if self._is_closed:
            return _Look.THE_END
        if self._taken:
            return _Look.SOME
        self.bell.still()
        found = self._deliveries.waiting(self.id, self._position, most, again=self._is_again)
        if found is None:
            return _Look.THE_END
        if not found.notifications:
            return _Look.NONE
        first, *others = found.notifications
        if found.cursor.missed and first.sequence == found.cursor.acknowledged + 1:
            never_taken = first.sequence - self._position - 1  # what was taken was not missed
            first = replace(first, missed=min(found.cursor.missed, never_taken))
        self._taken.extend((first, *others))
        self._is_acknowledged_first = found.is_acknowledged_first
        self._is_more = found.notifications[-1].sequence < found.cursor.next - 1
        return _Look.SOME

    def _hand_over(self) -> Notification | None:
        """The next notification; None if somebody else was quicker, or it is over."""
        with self._lock:
            if not self._taken or self._is_closed:
                return None
            if self._is_acknowledged_first:  # which may fail: then it goes on waiting
                self._deliveries.acknowledge(self.id, self._taken[0].sequence)
            notification = self._taken.popleft()
            self._position = self._handed = notification.sequence
            if self._taken:
                self.bell.ring()
            return notification

    def _acknowledge_first(self, some: list[Notification], last: int) -> None:
        """Acknowledge what is about to be handed over; what cannot be goes on waiting."""
        try:
            self._deliveries.acknowledge(self.id, last)
        except BaseException:
            self._taken.extendleft(reversed(some))
            raise

    def _acknowledge_handed(self) -> None:
        if self._handed is not None and self._acknowledging is Acknowledging.WHEN_NEXT_IS_TAKEN:
            self._deliveries.acknowledge(self.id, self._handed)
            self._handed = None
