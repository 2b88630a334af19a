"""Journal and state under one lock: what is written is applied, and what is applied is written."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from purport.broker.access import AccessRules
from purport.broker.asked import Asked, Query
from purport.broker.cursor import Cursor
from purport.broker.drafting import BacklogFull, Drafting
from purport.broker.engine import Engine, Found
from purport.broker.graph import Graph
from purport.broker.journal import Journal, JournalError, MemoryJournal, Snapshot
from purport.broker.links import Arrival, Links
from purport.broker.publishing import arrived, detected, published
from purport.broker.records import (
    Acknowledged,
    Entry,
    Published,
    Record,
    Scheduled,
    Subscribed,
    TimePassed,
    Unsubscribed,
    Updated,
    UpdateFailed,
)
from purport.broker.registering import Wanted, registered, resumed, told_anew
from purport.broker.registry import Registration, Registry
from purport.broker.restart import restored
from purport.broker.retention import Retention
from purport.broker.schedule import DelayedUpdate
from purport.broker.state import id_at
from purport.broker.updating import Cause, updated
from purport.embedded.acknowledgements import Acknowledgements
from purport.embedded.dropping import droppable
from purport.embedded.on_failure import OnFailure
from purport.embedded.settings import BrokerSettings
from purport.embedded.tally import Counts, Tally
from purport.errors import PurportError
from purport.model.clock import Clock
from purport.model.event import Event
from purport.model.interval import microseconds_of
from purport.model.subscription import Subscription
from purport.sparql.graph_store import Answer

_LOG = logging.getLogger("purport.broker")
_LONGEST_REASON = 1_000
_ENTRIES_BETWEEN_LOOKS = 10_000  # for what can be forgotten
_BEHIND = "the broker could not follow its own journal: open it again"


class BrokerClosed(PurportError):
    """The broker was closed: nothing can be done with it any more."""


class Publication(NamedTuple):
    """The entries of a publication, and which of them came too late to count, by how much."""

    entries: list[Entry]
    late: dict[int, timedelta]  # by their sequences


class Ledger:
    """The journal of a broker and the state that follows from it.

    Every change is drafted from the state, appended to the journal, and applied when the journal
    has it. What cannot be appended has not happened.
    """

    def __init__(
        self,
        journal: Journal,
        engines: Sequence[Engine],
        graph: Graph,
        clock: Clock,
        settings: BrokerSettings,
    ) -> None:
        self.lock = threading.RLock()
        self._journal, self._clock, self._settings = journal, clock, settings
        self._state = restored(journal, engines, graph)
        self.notice: Callable[[Entry], None] = _nobody  # is told of each entry
        self.received = Acknowledgements()
        self._counts = Counts()
        self._has_failed = False  # the last time something was to be written
        self._snapshot_at = self._state.sequence  # the last one is of then
        self._looked_at = self._state.sequence  # for what can be forgotten
        self._why_closed = ""
        self._following = OnFailure(self._fall_behind)
        self._drafting = OnFailure(self._take_back)

    @property
    def registry(self) -> Registry:
        """What is subscribed to."""
        return self._state.registry

    @property
    def links(self) -> Links:
        """What is known of neighbours."""
        return self._state.links

    @property
    def unrunnable(self) -> Mapping[str, str]:
        """Subscriptions that no engine runs any more, and why."""
        return self._state.unrunnable

    @property
    def sequence(self) -> int:
        """The sequence of the last entry."""
        return self._state.sequence

    def set_access(self, access: AccessRules) -> None:
        """Let other rules hold from now on."""
        with self.lock:
            self.require_open()
            self._settings = replace(self._settings, access=access)

    def require_writable(self) -> None:
        """Raise what keeps the journal from being written, if it did last time and still does."""
        with self.lock:
            self.require_open()
            if self._has_failed:
                self._journal.keep_snapshot(Snapshot(self._state.sequence, self._state.snapshot()))
                self._has_failed = False

    def tally(self) -> Tally:
        """What has happened since this process began, and what waits now."""
        with self.lock:
            self.require_open()
            subscriptions = [one.id for one in self.registry if not one.is_link]
            waiting = sum(map(self._waiting, subscriptions))
            return self._counts.tally(self.sequence, len(subscriptions), waiting)

    def _waiting(self, identifier: str) -> int:
        cursor = self.cursor(identifier)
        return 0 if cursor is None else cursor.waiting

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

    def arrive(self, arrivals: Sequence[Arrival], link: str) -> list[Entry]:
        """Publish what came by a link, of it what is not known, as one change."""
        with self.lock, self._drafting:
            self.run_what_may()
            entries = arrived(
                self._state,
                arrivals,
                self._clock.now(),
                link=link,
                limits=self._settings.limits,
                access=self._settings.access,
                received=self.received.all(),
            )
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

    def _found(self) -> Sequence[Found]:
        """What was found in time, and no entry has yet."""
        with self._following:
            return self._state.found()

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

    def record(self, *records: Record) -> list[Entry]:
        """Write records as one change."""
        with self.lock:
            self.require_open()
            drafting = self._new_draft()
            for one in records:
                drafting.add(one)
            self._write(drafting.entries)
            return drafting.entries

    def require_runnable(self, subscription: Subscription) -> None:
        """Raise what is wrong with a subscription before anybody hears of it."""
        with self.lock:
            self.require_open()
            self._state.require_runnable(subscription)

    def free_id(self) -> str:
        """An id that nobody has, or ever had, for a subscription without a name."""
        number = self._state.sequence + 1
        while (found := id_at(number)) in self.registry or found in self._state.ended:
            number += 1
        return found

    def registration(self, identifier: str) -> Registration:
        """What is subscribed to under an id."""
        with self.lock:
            self.require_open()
            return self.registry.get(identifier)

    def cursor(self, identifier: str) -> Cursor | None:
        """How far a subscriber is, with what the journal does not know yet."""
        cursor = self._state.cursors.get(identifier)
        return None if cursor is None else cursor.through(self.received.through(identifier))

    def receive(self, identifier: str, through: int) -> None:
        """Remember what was received; it is written later, of those that outlive the process."""
        with self.lock:
            if self.registry.get(identifier).is_durable:
                self.received.add(identifier, through)
            else:
                self._state.receive(identifier, through)

    def is_full(self, identifier: str) -> bool:
        """Whether as much waits for a subscriber as may."""
        with self.lock:
            cursor = self.cursor(identifier)
            return (
                cursor is not None and cursor.waiting >= self.registry.get(identifier).most_waiting
            )

    def write_received(self) -> None:
        """Have the journal remember what was received."""
        with self.lock:
            if self.is_open:
                drafting = self._new_draft()
                drafting.acknowledge(self.received.all())
                self._write(drafting.entries)

    def expire(self) -> None:
        """Let subscriptions go whose time is up."""
        with self.lock:
            if self.is_open:
                drafting = self._new_draft()
                drafting.expire()
                self._write(drafting.entries)

    def keep_snapshot(self) -> None:
        """Have the journal keep the state, so that a restart need not begin at the beginning."""
        with self.lock:
            self.require_open()
            self._tell_found(())  # which a snapshot does not have
            if self._state.sequence > self._snapshot_at:
                self._journal.keep_snapshot(Snapshot(self._state.sequence, self._state.snapshot()))
                self._snapshot_at = self._state.sequence

    def drop_old(self) -> int:
        """Drop what need not be kept any longer; gives how many entries."""
        retention = self._settings.retention
        if retention == Retention():
            return 0
        with self.lock:
            self.require_open()
            through = droppable(self._journal, self._state, retention, self._clock.now())
            if through < self._journal.first:
                return 0
            self._snapshot_at = 0  # a crash, or a full disk, may have kept the last from being kept
            self.keep_snapshot()
        return self._journal.drop(through)  # which may have to wait until a stretch is written

    def close(self) -> None:
        """Write what is left, and let go of the journal."""
        with self.lock:
            if not self.is_open:
                return
            try:
                self.write_received()
                self.keep_snapshot()
            finally:
                self._let_go("the broker is closed")

    def _let_go(self, why: str) -> None:
        """Nothing can be done with it any more."""
        self._why_closed = why
        try:
            self._journal.close()
        finally:
            if self._state.time is not None:
                self._state.time.close()

    @property
    def is_open(self) -> bool:
        """Whether anything can be done with it."""
        return not self._why_closed

    def require_open(self) -> None:
        """Raise `BrokerClosed` if nothing can be done any more."""
        if self._why_closed:
            raise BrokerClosed(self._why_closed)

    def _fall_behind(self) -> None:
        """The state, or an engine, stays behind the journal: that is the end."""
        self._let_go(_BEHIND)

    def _take_back(self) -> None:
        """What was drafted is not in the journal: the graph is as it was before."""
        self._state.require_graph().take_back()

    @contextmanager
    def _holding(self) -> Iterator[None]:
        """Whoever begins to hear of answers here is told further changes of those very answers."""
        try:
            yield
        finally:
            self._state.require_graph().let_go()

    def _new_draft(self) -> Drafting:
        return Drafting(self._state, self._clock.now(), self._settings.access)

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

    def _write(
        self, entries: Sequence[Entry], subscriptions: Mapping[str, Asked] | None = None
    ) -> None:
        if not entries:
            return
        try:
            self._journal.append(entries)
        except BaseException:
            self._has_failed = True
            if self._journal.last != self._state.sequence:  # or else nothing has happened
                self._let_go(_BEHIND)
            raise
        self._has_failed = False
        with self._following:
            for entry in entries:
                if type(entry.record) is Published:
                    self._state.apply(entry)
                else:
                    self._apply(entry, entry.record, subscriptions or {})
        for entry in entries:
            self._counts.count(entry.record)
            self.notice(entry)
        if self._state.sequence - self._snapshot_at >= self._settings.snapshot_every:
            self._try_to_keep_snapshot()
        if self._state.sequence - self._looked_at >= _ENTRIES_BETWEEN_LOOKS:
            self._forget()

    def _try_to_keep_snapshot(self) -> None:
        if self._found():  # which is told first
            return
        try:
            self.keep_snapshot()
        except PurportError as error:  # what was published is kept all the same
            self._snapshot_at = self._state.sequence
            _LOG.warning("a snapshot could not be kept: %s", error)

    def _forget(self) -> None:
        """Of a journal in memory, drop all but the last entries and what waits."""
        self._looked_at = self._state.sequence
        if isinstance(self._journal, MemoryJournal):
            acknowledged = {name: one.acknowledged for name, one in self._state.cursors.items()}
            through = self._state.sequence - self._settings.memory_entries
            self._journal.forget(through, acknowledged)

    def _apply(self, entry: Entry, record: Record, subscriptions: Mapping[str, Asked]) -> None:
        asked = subscriptions.get(record.id) if isinstance(record, Subscribed) else None
        self._state.apply(entry, asked)
        if isinstance(record, Acknowledged):
            self.received.forget(record.id, record.through)
        elif isinstance(record, Unsubscribed):
            self.received.forget(record.id, self.received.through(record.id))


def _nobody(entry: Entry) -> None:
    """Nobody listens yet."""
