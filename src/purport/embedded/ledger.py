"""What happens in a broker: everything is drafted from its state, and written as one change."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from purport.broker.asked import Query
from purport.broker.drafting import BacklogFull
from purport.broker.journal import JournalError
from purport.broker.publishing import detected, published
from purport.broker.records import (
    Entry,
    Published,
    Scheduled,
    TimePassed,
    Updated,
    UpdateFailed,
)
from purport.broker.registering import Wanted, registered, resumed, told_anew
from purport.broker.schedule import DelayedUpdate
from purport.broker.updating import Cause, updated
from purport.embedded.written_state import BrokerClosed, WrittenState
from purport.model.event import Event
from purport.model.interval import microseconds_of
from purport.model.subscription import Subscription
from purport.sparql.graph_store import Answer

_LOG = logging.getLogger("purport.broker")
_LONGEST_REASON = 1_000


class Publication(NamedTuple):
    """The entries of a publication, and which of them came too late to count, by how much."""

    entries: list[Entry]
    late: dict[int, timedelta]  # by their sequences


class Ledger(WrittenState):
    """All that changes a broker, and what is asked of its graph.

    Each change is drafted from the state as it is, after what is due by then.
    """

    def publish(self, events: Sequence[Event], topic: str, publisher: str | None) -> Publication:
        """Publish events, rules included, as one change; what is found by them in others."""
        with self.lock, self._drafting:
            self.run_what_may()
            entries = published(
                self._state,
                events,
                self._clock.now(),
                topic=topic,
                publisher=publisher,
                limits=self._settings.limits,
                access=self._settings.access,
                received=self.received.all(),
            )
            self._write(entries)
            late = self._late(entries)
            self._tell_what_was_found_by(entries)
            return Publication(entries, late)

    def change(self, draft: Callable[..., list[Entry]]) -> list[Entry]:
        """Write the entries that a function gives for the state, a time and what was received."""
        with self.lock, self._drafting:
            self.run_what_may()
            entries = draft(state=self._state, at=self._clock.now(), received=self.received.all())
            self._write(entries)
            self._tell_what_was_found_by(entries)
            return entries

    def update(self, text: str, publisher: str | None) -> Entry:
        """Run an update as one change; gives the entry that says what it changed."""
        with self.lock, self._drafting:
            self.run_due()
            return self._update(text, Cause(publisher))

    def schedule(self, text: str, due: datetime, publisher: str | None) -> Entry:
        """Have an update wait for its time; gives the entry, whose sequence is its number."""
        with self.lock:
            return self.record(Scheduled(text, microseconds_of(due), publisher))[0]

    def delayed(self) -> list[DelayedUpdate]:
        """The updates that wait, in the order in which they are due."""
        with self.lock:
            self.require_open()
            return list(self._state.schedule)

    def delayed_update(self, number: int) -> DelayedUpdate:
        """An update that waits; `InvalidInput` if there is none of this number."""
        with self.lock:
            self.require_open()
            return self._state.schedule.get(number)

    def time_left(self) -> timedelta | None:
        """How long it is until something is due by the clock; None if nothing waits."""
        with self.lock:
            if not self.is_open:
                return None
            one, deadline = self._state.schedule.next(), self.next_deadline
            times = (None if one is None else one.due, deadline)
            due = [time for time in times if time is not None]
            return min(due) - self._clock.now() if due else None

    @property
    def next_deadline(self) -> datetime | None:
        """When something that should have happened by then is missing."""
        with self.lock:
            if self._state.time is None or not self.is_open:
                return None
            with self._following:
                return self._state.time.next_deadline

    def run_due(self) -> list[Entry]:
        """Run the delayed updates whose time has come, in order; gives an entry for each.

        `BacklogFull` if a subscriber wants one to wait: it does, and those after it.
        """
        with self.lock:
            self.require_open()
            self._let_time_pass()
            entries = []
            while (one := self._state.schedule.next()) is not None and self._is_due(one):
                entries.append(self._run_delayed(one))
            return entries

    def _let_time_pass(self) -> None:
        """Find out what is missing by now, and tell it."""
        deadline, now = self.next_deadline, self._clock.now()
        if deadline is not None and deadline <= now:
            self.record(TimePassed(microseconds_of(now)))
            self._tell_found(())

    def _tell_what_was_found_by(self, entries: Sequence[Entry]) -> None:
        """What is published is kept; if what was found by it cannot be, it is told later."""
        try:
            with self._drafting:
                self._tell_found(entries)
        except JournalError as error:
            if self._why_closed:
                raise
            _LOG.warning("what was found in time waits to be told: %s", error)

    def tell_found(self) -> None:
        """After a restart: tell what was found when the last entries were written."""
        with self.lock:
            self._tell_found(())

    def _tell_found(self, entries: Sequence[Entry]) -> None:
        """Tell what was found in time, by these entries too, and what follows from it."""
        origins: dict[str, Published] = {}
        while self._found():
            for one in entries:
                if isinstance(one.record, Published) and one.record.rules and one.event:
                    origins[one.event.id or ""] = one.record
            entries = detected(
                self._state,
                self._clock.now(),
                origins,
                limits=self._settings.limits,
                access=self._settings.access,
            )
            self._write(entries)

    def _late(self, entries: Sequence[Entry]) -> dict[int, timedelta]:
        """Which publications came too late to count in time, and by how much."""
        time = self._state.time
        if time is None:
            return {}
        known = ((one.sequence, time.late_by(one.sequence)) for one in entries)
        return {sequence: late for sequence, late in known if late is not None}

    def run_what_may(self) -> None:
        """The same for what need not come after all of them: it does not wait for a subscriber."""
        self.require_open()
        if self._state.schedule or self.next_deadline is not None:
            with suppress(BacklogFull):
                self.run_due()

    def query(self, query: Query) -> Answer:
        """The answer to a query, after all that is due by now."""
        with self.lock:
            self.run_what_may()
            begun = self._begun(query)
        return begun()

    def query_as_it_is(self, query: Query) -> Answer:
        """The same, and nothing is run before."""
        with self.lock:
            self.require_open()
            begun = self._begun(query)
        return begun()

    def _begun(self, query: Query) -> Callable[[], Answer]:
        """What answers a query, of the graph as it is now, when others may change it again."""
        graph = self._state.require_graph()
        graph.set_time(microseconds_of(self._clock.now()))
        return graph.begin(query)

    def is_followed(self, query: Query) -> bool:
        """Whether somebody is told already how the answer to a query changes."""
        with self.lock:
            self.require_open()
            return self._state.require_graph().is_followed(query)

    def register(self, wanted: Sequence[Wanted]) -> None:
        """Register all that is wanted as one change."""
        with self.lock, self._holding():
            self.run_what_may()
            entries = registered(self._state, wanted, self._clock.now())
            self._write(entries, {one.record.id: one.asked for one in wanted})

    def resume(self, identifier: str) -> None:
        """Let a paused subscription hear again."""
        with self.lock, self._holding():
            self.run_what_may()
            self._write(resumed(self._state, identifier, self._clock.now()))

    def tell_anew(self) -> None:
        """After a restart, tell whoever cannot be sure of it what the answer to its query is."""
        with self.lock, self._holding():
            self.require_open()
            self._write(told_anew(self._state, self._clock.now()))

    def require_runnable(self, subscription: Subscription) -> None:
        """Raise what is wrong with a subscription before anybody hears of it."""
        with self.lock:
            self.require_open()
            self._state.require_runnable(subscription)

    @contextmanager
    def _holding(self) -> Iterator[None]:
        """Whoever begins to hear of answers here is told further changes of those very answers."""
        try:
            yield
        finally:
            self._state.require_graph().let_go()

    def _update(self, text: str, cause: Cause) -> Entry:
        entries = updated(
            self._state,
            text,
            self._clock.now(),
            cause=cause,
            access=self._settings.access,
            received=self.received.all(),
        )
        self._write(entries)
        return next(entry for entry in entries if isinstance(entry.record, Updated))

    def _is_due(self, one: DelayedUpdate) -> bool:
        return one.due_at <= microseconds_of(self._clock.now())

    def _run_delayed(self, one: DelayedUpdate) -> Entry:
        """Run a delayed update, or have it recorded that it could not run."""
        try:
            with self._drafting:
                return self._update(one.text, Cause(one.publisher, delayed=one.number))
        except (JournalError, BrokerClosed, BacklogFull):  # it waits until it can be taken
            raise
        except Exception as error:  # noqa: BLE001 - it must not keep all others from running
            reason = str(error)[:_LONGEST_REASON] or type(error).__name__
            _LOG.warning("the delayed update %d could not run: %s", one.number, reason)
            return self.record(UpdateFailed(one.number, reason))[0]

    def keep_snapshot(self) -> None:
        """The same after what was found in time is told, which a snapshot does not have."""
        with self.lock:
            self.require_open()
            self._tell_found(())
            super().keep_snapshot()
