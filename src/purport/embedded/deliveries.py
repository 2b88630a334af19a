"""What subscribers are handed, and what they have received."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from purport.broker.cursor import Cursor
from purport.broker.journal import Journal
from purport.broker.records import Acknowledged, Delivery, Entry
from purport.broker.registry import Registration
from purport.broker.telling import Explain, notification_of
from purport.embedded.arguments import in_utc, require_number
from purport.embedded.ledger import Ledger
from purport.embedded.recent import RecentEntries
from purport.embedded.status import SubscriptionStatus
from purport.errors import InvalidInput, NotFound
from purport.model.interval import microseconds_of
from purport.model.notification import Notification


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits for a subscriber, some of it, and how far the subscriber is."""

    cursor: Cursor
    notifications: list[Notification]
    is_acknowledged_first: bool  # before it is handed over


class Deliveries:
    """Notifications out of the journal, and acknowledgements on their way into it.

    What is `recent` need not be read from the journal; one in memory needs no such help.
    """

    def __init__(
        self,
        ledger: Ledger,
        journal: Journal,
        explain: Explain | None = None,
        recent: RecentEntries | None = None,
    ) -> None:
        self._ledger, self._journal, self._explain = ledger, journal, explain
        self._recent = recent

    def registration(self, identifier: str) -> Registration:
        """What is subscribed to; `InvalidInput` if there is nothing of that id."""
        return self._ledger.registration(identifier)

    def waiting(
        self, identifier: str, after: int, most: int, *, again: bool = False
    ) -> Backlog | None:
        """The next notifications after a number, and after what was acknowledged.

        With `again` what was acknowledged is among them, as far as it is kept. None if the
        subscription, or the broker, has ended.
        """
        with self._ledger.lock:
            self._ledger.expire()
            cursor = self._ledger.cursor(identifier)
            if not self._ledger.is_open or cursor is None:
                return None
            if not again:
                after = max(after, cursor.acknowledged)
            found = self.told(identifier, after, most) if after < cursor.next - 1 else []
            delivery = self.registration(identifier).delivery
            return Backlog(cursor, found, delivery is Delivery.AT_MOST_ONCE)

    def told(self, identifier: str, after: int, most: int) -> list[Notification]:
        """What a subscription was told under numbers after this one; nothing of one before it."""
        with self._ledger.lock:
            registry = self._ledger.registry
            return [
                notification_of(
                    entry, registry.at(identifier, entry.sequence), explain=self._explain
                )
                for entry in self.entries(identifier, after, most)
            ]

    def entries(self, identifier: str, after: int, most: int) -> Sequence[Entry]:
        """The entries by which it was told that."""
        with self._ledger.lock:
            self._ledger.require_open()
            cursor = self._ledger.cursor(identifier)
            if cursor is None or after >= cursor.next - 1:  # however far beyond, with no database
                return ()
            begin = max(after, cursor.first - 1)
            return self._entries(identifier, begin, most, cursor.next - 1)

    def remember(self, identifier: str, number: int, entry: Entry) -> None:
        """Somebody is about to ask what this entry tells."""
        if self._recent is not None:
            self._recent.add(identifier, number, entry)

    def forget(self, identifier: str) -> None:
        """A subscription has ended."""
        if self._recent is not None:
            self._recent.forget_all(identifier)

    def _entries(self, identifier: str, after: int, most: int, last: int) -> Sequence[Entry]:
        if after >= last or most < 1:
            return ()
        if self._recent is not None:
            found = self._recent.told(identifier, after, most, last=last)
            if found is not None and found[0].sequence >= self._journal.first:
                return found
        return self._journal.told(identifier, after, most)

    def status(self, identifier: str) -> SubscriptionStatus:
        """How a subscription is doing."""
        with self._ledger.lock:
            registration, cursor = self.registration(identifier), self._ledger.cursor(identifier)
            assert cursor is not None
            last = self._journal.told(identifier, max(cursor.next - 2, cursor.first - 1), 1)
            return SubscriptionStatus(
                cursor.waiting,
                cursor.next,
                cursor.acknowledged,
                cursor.missed,
                last[0].time if last else None,
                registration.is_paused,
            )

    def one(self, identifier: str, number: int) -> Notification:
        """A notification that was told, as it was told then; `NotFound` if it is not kept."""
        require_number(number)
        for found in self.told(identifier, number - 1, 1):
            if found.sequence == number:
                return found
        raise NotFound(f"no notification {number} of {identifier!r} is kept")

    def require_told(self, identifier: str, number: int) -> None:
        """Raise `InvalidInput` if no notification had this number yet."""
        require_number(number)
        with self._ledger.lock:
            cursor = self._ledger.cursor(identifier)
        if cursor is not None and number >= cursor.next:
            raise InvalidInput(
                f"{identifier!r} was told {cursor.next:,} notifications, numbered from 0: "
                f"there is no {number} yet"
            )

    def since(self, identifier: str, at: datetime) -> int | None:
        """The number of the first notification at or after a time."""
        at = in_utc(at)
        with self._ledger.lock:
            self._ledger.require_open()
            return self._journal.numbered_since(identifier, microseconds_of(at))

    def acknowledge(self, identifier: str, through: int) -> None:
        """Remember that everything through a number was received, or is about to be."""
        with self._ledger.lock:
            cursor = self._ledger.cursor(identifier)
            if not self._ledger.is_open or cursor is None:
                return
            through = min(through, cursor.next - 1)
            if through <= cursor.acknowledged:
                return
            registration = self.registration(identifier)
            if registration.is_durable and registration.delivery is Delivery.AT_MOST_ONCE:
                self._ledger.record(Acknowledged(identifier, through))
            else:
                self._ledger.receive(identifier, through)
            if self._recent is not None:
                self._recent.forget(identifier, through)
