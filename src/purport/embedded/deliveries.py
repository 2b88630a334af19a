"""What subscribers are handed, and what they have received."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from purport.broker.cursor import Cursor
from purport.broker.journal import Journal
from purport.broker.records import Acknowledged, Delivery
from purport.broker.registry import Registration
from purport.broker.telling import Explain, notification_of
from purport.embedded.ledger import Ledger
from purport.errors import InvalidInput
from purport.model.interval import microseconds_of
from purport.model.notification import Notification


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits for a subscriber, some of it, and how far the subscriber is."""

    cursor: Cursor
    notifications: list[Notification]
    is_acknowledged_first: bool  # before it is handed over


class Deliveries:
    """Notifications out of the journal, and acknowledgements on their way into it."""

    def __init__(self, ledger: Ledger, journal: Journal, explain: Explain | None = None) -> None:
        self._ledger, self._journal, self._explain = ledger, journal, explain

    def registration(self, identifier: str) -> Registration:
        """What is subscribed to; `InvalidInput` if there is nothing of that id."""
        return self._ledger.registration(identifier)

    def waiting(self, identifier: str, after: int, most: int) -> Backlog | None:
        """The next notifications after a number, and after what was acknowledged.

        None if the subscription, or the broker, has ended.
        """
        with self._ledger.lock:
            self._ledger.expire()
            cursor = self._ledger.cursor(identifier)
            if not self._ledger.is_open or cursor is None:
                return None
            found = self.told(identifier, max(after, cursor.acknowledged), most)
            delivery = self.registration(identifier).delivery
            return Backlog(cursor, found, delivery is Delivery.AT_MOST_ONCE)

    def told(self, identifier: str, after: int, most: int) -> list[Notification]:
        """What a subscription was told under numbers after this one; nothing of one before it."""
        with self._ledger.lock:
            self._ledger.require_open()
            registry, cursor = self._ledger.registry, self._ledger.cursor(identifier)
            if cursor is None:
                return []
            entries = self._journal.told(identifier, max(after, cursor.first - 1), most)
            return [
                notification_of(
                    entry, registry.at(identifier, entry.sequence), explain=self._explain
                )
                for entry in entries
            ]

    def since(self, identifier: str, at: datetime) -> int | None:
        """The number of the first notification at or after a time."""
        if not isinstance(at, datetime) or at.tzinfo is None:
            raise InvalidInput(f"expected a time with its zone, got {at!r}")
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
            if self.registration(identifier).delivery is Delivery.AT_MOST_ONCE:
                self._ledger.record(Acknowledged(identifier, through))
            else:
                self._ledger.received.add(identifier, through)
