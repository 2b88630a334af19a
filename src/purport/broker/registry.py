"""The registry: what is subscribed to, rules included, in which version, and by whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from purport.broker.asked import Asked, asked_in, dataset_of, options_of
from purport.broker.records import (
    Delivery,
    Entry,
    Overflow,
    Paused,
    PauseReason,
    Resumed,
    Subscribed,
    Unsubscribed,
)
from purport.errors import NotFound
from purport.model.interval import time_of
from purport.model.subscription import Post, Publish, Rule, Update


@dataclass(frozen=True, slots=True)
class Registration:
    """A subscription, to events or to a query, or a rule as the registry has it."""

    id: str
    text: str
    subscription: Asked
    owner: str | None
    version: int  # counted from 1 for each id
    since: datetime  # of this version
    sequence: int  # of the entry that registered it
    is_durable: bool
    delivery: Delivery
    most_waiting: int
    overflow: Overflow
    is_paused: bool = False
    webhook: str = ""
    pause_reason: PauseReason | None = None  # of what is paused
    is_link: bool = False  # to a neighbouring broker, and no subscription of anybody here

    @property
    def address(self) -> str:
        """Where its notifications are posted; empty if nowhere."""
        rule = self.subscription
        if isinstance(rule, Rule) and isinstance(rule.action, Post):
            return rule.action.url
        return self.webhook

    @property
    def is_failing(self) -> bool:
        """Whether it is paused because the service that it is posted to fails."""
        return self.is_paused and self.pause_reason == "failing"

    @property
    def is_immediate(self) -> bool:
        """Whether it is a rule whose effect is recorded together with its cause."""
        subscription = self.subscription
        return isinstance(subscription, Rule) and isinstance(subscription.action, Publish | Update)

    def is_expired(self, at: datetime) -> bool:
        """Whether its time is up."""
        expires = options_of(self.subscription).expires
        return expires is not None and expires <= at

    @classmethod
    def of(
        cls,
        asked: Subscribed,
        *,
        at: int,
        sequence: int,
        version: int,
        subscription: Asked | None = None,
    ) -> Registration:
        """What a record registers; its text is read if nobody has read it yet."""
        return cls(
            asked.id,
            asked.text,
            subscription or asked_in(asked.text, asked.dataset),
            asked.owner,
            version,
            time_of(at),
            sequence,
            asked.is_durable,
            asked.delivery,
            asked.most_waiting,
            asked.overflow,
            webhook=asked.webhook,
            is_link=asked.is_link,
        )

    def paused(self, reason: PauseReason | None) -> Registration:
        """The same, paused."""
        return replace(self, is_paused=True, pause_reason=reason)

    def resumed(self) -> Registration:
        """The same, hearing again."""
        return replace(self, is_paused=False, pause_reason=None)

    def asked(self) -> Subscribed:
        """The record that registers the same."""
        return Subscribed(
            self.id, self.text, self.owner, self.is_durable, self.delivery, self.most_waiting,
            self.overflow, dataset_of(self.subscription), self.webhook, self.is_link,
        )  # fmt: skip


class Registry:
    """All registrations, by id. `version` is the sequence of the last change."""

    def __init__(self) -> None:
        self._by_id: dict[str, Registration] = {}
        self._earlier: dict[str, list[Registration]] = {}
        self.version = 0

    def __iter__(self) -> Iterator[Registration]:
        """In the order of their first version."""
        return iter(tuple(self._by_id.values()))

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, identifier: str) -> bool:
        return identifier in self._by_id

    def find(self, identifier: str) -> Registration | None:
        """The registration of an id, if there is one."""
        return self._by_id.get(identifier)

    def get(self, identifier: str) -> Registration:
        """The registration of an id; `NotFound` if there is none."""
        found = self._by_id.get(identifier)
        if found is None:
            raise NotFound(f"no subscription {identifier!r}")
        return found

    def versions(self, identifier: str) -> tuple[Registration, ...]:
        """All versions of a registration, oldest first."""
        return (*self._earlier.get(identifier, ()), self.get(identifier))

    def at(self, identifier: str, sequence: int) -> Registration:
        """The version that held when an entry was made."""
        last = self.get(identifier)
        if sequence > last.sequence:
            return last
        earlier = [one for one in self._earlier.get(identifier, ()) if one.sequence < sequence]
        return earlier[-1] if earlier else last

    def put(self, registration: Registration) -> None:
        """Register; what had the same id before becomes an earlier version of it."""
        before = self._by_id.get(registration.id)
        if before is not None and before.version != registration.version:
            self._earlier.setdefault(registration.id, []).append(before)
        self._by_id[registration.id] = registration

    def apply(self, entry: Entry, subscription: Asked | None = None) -> None:
        """Follow the journal; `subscription` is what the text of the record says, if it is known.

        A record about something that is not registered changes nothing.
        """
        match entry.record:
            case Subscribed() as asked:
                before = self._by_id.get(asked.id)
                registration = Registration.of(
                    asked,
                    at=entry.at,
                    sequence=entry.sequence,
                    version=1 if before is None else before.version + 1,
                    subscription=subscription,
                )
                if before is not None and before.is_paused:
                    registration = registration.paused(before.pause_reason)
                self.put(registration)
            case Unsubscribed(identifier):
                self._by_id.pop(identifier, None)
                self._earlier.pop(identifier, None)
            case Paused(identifier, reason):
                if identifier in self._by_id:
                    self.put(self._by_id[identifier].paused(reason))
            case Resumed(identifier):
                if identifier in self._by_id:
                    self.put(self._by_id[identifier].resumed())
            case _:
                return
        self.version = entry.sequence
