"""Subscriptions as the registry of a broker has them, read from its journal beside it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, NamedTuple

from purport.assembly import journal_to_read
from purport.broker.asked import Query
from purport.broker.encoding import EncodedEntry, decoded, require_whole
from purport.broker.gate import asked_of
from purport.broker.journal import JournalError
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


def watched_at(text: str, stretches: Path | None = None) -> Given:
    """What a stream is given: `broker:FOLDER`, a file, or a text in braces.

    A stream gives every match: `at most once per` and `on change` are about what a broker tells,
    and are left to it.
    """
    return registered_at(text, asked_of, stretches)


def registered_at(
    text: str,
    form: Form = lambda subscription: subscription,
    stretches: Path | None = None,
) -> Given:
    """The same, with subscriptions at a broker in the form that is wanted."""
    if text.startswith(_SCHEME):
        return GivenRegistry(text.removeprefix(_SCHEME), form, stretches=stretches)
    return given_at(text)


class _Known(NamedTuple):
    """An entry, as far as it takes to see that it is still the same."""

    sequence: int
    at: int
    checksum: int


@dataclass(slots=True)
class GivenRegistry:
    """What is subscribed to at a broker, which goes on running: rules and what is paused aside.

    A subscription is called by its id.
    """

    may_be_empty: ClassVar = True  # subscribers come and go

    place: str
    form: Form
    clock: Clock = field(default_factory=SystemClock)
    stretches: Path | None = None  # where an address has them
    _registry: Registry = field(default_factory=Registry)
    _sequence: int = 0  # of the last entry that the registry follows from
    _known: _Known | None = None  # that entry

    def __str__(self) -> str:
        return f"{_SCHEME}{self.place}"

    def look(self) -> Hashable:
        """Which versions are active, or why that cannot be said."""
        try:
            return tuple((one.id, one.sequence, one.text) for one in self.active())
        except PurportError as error:
            return str(error)

    def subscriptions(self) -> Sequence[Subscription]:
        """Those that are active."""
        return [
            replace(self.form(one.subscription), name=one.id)
            for one in self.active()
            if isinstance(one.subscription, Subscription)
        ]

    def queries(self) -> dict[str, Query]:
        """The SPARQL queries that are active, by the ids of their subscriptions."""
        active = {one.id: one.subscription for one in self._active()}
        return {name: one for name, one in active.items() if isinstance(one, Query)}

    def active(self) -> list[Registration]:
        """The registrations of subscriptions that are told now of what is published."""
        return [one for one in self._active() if not isinstance(one.subscription, Query)]

    def _active(self) -> list[Registration]:
        with closing(journal_to_read(self.place, stretches=self.stretches)) as journal:
            self._follow(journal)
        now = self.clock.now()
        return [
            one
            for one in self._registry
            if not (
                one.is_link
                or one.is_paused
                or one.is_expired(now)
                or isinstance(one.subscription, Rule)
            )
        ]

    def _follow(self, journal: SqlJournal) -> None:
        """Take up what has come since the last look; what was published is passed over."""
        if self._known is None or self._known != _known_at(journal, self._sequence):
            # nothing is known yet, or another journal has taken the place of that one
            self._registry, self._sequence, self._known = Registry(), 0, None
        last = journal.last
        if last == self._sequence:
            return
        self._take_up_snapshot(journal)
        for entry in journal.kept.read(self._sequence, last):
            self._require_following(entry.sequence)
            self._take_up(entry)
        self._require_following(last + 1)

    def _take_up_snapshot(self, journal: SqlJournal) -> None:
        """Go on from the last snapshot, if that is further; what came before need not be read."""
        snapshot = journal.snapshot()
        if snapshot is None or snapshot.sequence <= self._sequence:
            return
        state = BrokerState([])  # nothing is matched, so no engine is needed
        try:
            state.restore(snapshot.state)
        except PurportError:
            if journal.first > self._sequence + 1:  # or else the entries say as much
                raise
            return
        self._registry, self._sequence = state.registry, state.sequence
        self._known = _known_at(journal, self._sequence)

    def _take_up(self, entry: EncodedEntry) -> None:
        require_whole(entry)
        if kind_of(entry.record) in _CHANGES:
            self._registry.apply(decoded(entry))
        self._sequence, self._known = entry.sequence, _known(entry)

    def _require_following(self, sequence: int) -> None:
        """Raise `JournalError` if entries before this one were dropped, unread."""
        if sequence != self._sequence + 1:
            raise JournalError(
                f"{self.place}: who subscribed is not known: the entries from {self._sequence + 1} "
                f"to {sequence - 1} are no longer in the journal, and it has no snapshot of then"
            )


def _known(entry: EncodedEntry) -> _Known:
    return _Known(entry.sequence, entry.at, entry.checksum)


def _known_at(journal: SqlJournal, sequence: int) -> _Known | None:
    """The entry at a sequence; None if it is not kept, or where nobody can look."""
    try:
        return next(map(_known, journal.kept.read(sequence - 1, sequence)), None)
    except PurportError:
        return None
