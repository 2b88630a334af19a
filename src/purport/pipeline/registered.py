"""Subscriptions as the registry of a broker has them, read from its journal beside it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from purport.assembly import journal_to_read
from purport.broker.encoding import decoded
from purport.broker.gate import asked_of
from purport.broker.registry import Registration, Registry
from purport.broker.state import BrokerState
from purport.errors import PurportError
from purport.matching.given import Given, given_at
from purport.model.clock import Clock, SystemClock
from purport.model.subscription import Rule, Subscription
from purport.storage.sql_journal import SqlJournal
from purport.storage.stretches import kind_of

Form = Callable[[Subscription], Subscription]

_SCHEME = "broker:"
_CHANGES = {"subscribed", "unsubscribed", "paused", "resumed"}  # of a registry


def watched_at(text: str) -> Given:
    """What a stream is given: `broker:FOLDER`, a file, or a text in braces.

    A stream gives every match: `at most once per` and `on change` are about what a broker tells,
    and are left to it.
    """
    return registered_at(text, asked_of)


def registered_at(text: str, form: Form = lambda subscription: subscription) -> Given:
    """The same, with subscriptions at a broker in the form that is wanted."""
    if text.startswith(_SCHEME):
        return GivenRegistry(text.removeprefix(_SCHEME), form)
    return given_at(text)


@dataclass(slots=True)
class GivenRegistry:
    """What is subscribed to at a broker, which goes on running: rules and what is paused aside.

    A subscription is called by its id.
    """

    place: str
    form: Form
    clock: Clock = field(default_factory=SystemClock)
    _registry: Registry = field(default_factory=Registry)
    _sequence: int = 0  # of the last entry that the registry knows

    def __str__(self) -> str:
        return f"{_SCHEME}{self.place}"

    @property
    def may_be_empty(self) -> bool:
        """Subscribers come and go."""
        return True

    def look(self) -> Hashable:
        """Which versions are active, or why that cannot be said."""
        try:
            return tuple((one.id, one.sequence) for one in self.active())
        except PurportError as error:
            return str(error)

    def subscriptions(self) -> Sequence[Subscription]:
        """Those that are active."""
        return [replace(self.form(one.subscription), name=one.id) for one in self.active()]

    def active(self) -> list[Registration]:
        """The registrations of subscriptions that are told now of what is published."""
        with closing(journal_to_read(self.place)) as journal:
            self._follow(journal)
        now = self.clock.now()
        return [
            one
            for one in self._registry
            if not (one.is_paused or one.is_expired(now) or isinstance(one.subscription, Rule))
        ]

    def _follow(self, journal: SqlJournal) -> None:
        """Take up what has come since the last look; publications are passed over unread."""
        last = journal.last
        if last < self._sequence:  # another journal has taken the place of this one
            self._registry, self._sequence = Registry(), 0
        if last == self._sequence:
            return
        snapshot = journal.snapshot()
        if snapshot is not None and snapshot.sequence > self._sequence:
            state = BrokerState([])  # nothing is matched, so no engine is needed
            state.restore(snapshot.state)
            self._registry, self._sequence = state.registry, state.sequence
        for entry in journal.kept.read(self._sequence, last):
            if kind_of(entry.record) in _CHANGES:
                self._registry.apply(decoded(entry))
            self._sequence = entry.sequence
