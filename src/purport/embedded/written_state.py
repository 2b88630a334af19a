"""A journal and the state that follows from it, under one lock."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from purport.broker.access import AccessRules
from purport.broker.asked import Asked
from purport.broker.cursor import Cursor
from purport.broker.drafting import Drafting
from purport.broker.engine import Engine, Found
from purport.broker.graph import Graph
from purport.broker.journal import Journal, MemoryJournal, Snapshot
from purport.broker.links import Links
from purport.broker.records import (
    Acknowledged,
    Entry,
    Published,
    Record,
    Subscribed,
    Unsubscribed,
)
from purport.broker.registry import Registration, Registry
from purport.broker.restart import restored
from purport.broker.retention import Retention
from purport.broker.state import id_at
from purport.embedded.acknowledgements import Acknowledgements
from purport.embedded.dropping import droppable
from purport.embedded.on_failure import OnFailure
from purport.embedded.settings import BrokerSettings
from purport.embedded.tally import Counts, Tally
from purport.errors import PurportError
from purport.model.clock import Clock

_LOG = logging.getLogger("purport.broker")
_ENTRIES_BETWEEN_LOOKS = 10_000  # for what can be forgotten
_BEHIND = "the broker could not follow its own journal: open it again"


class BrokerClosed(PurportError):
    """The broker was closed: nothing can be done with it any more."""


class WrittenState:
    """The journal of a broker and the state that follows from it.

    What is written is applied, and what is applied is written: entries are appended to the journal,
    and applied when the journal has them. What cannot be appended has not happened.
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

    @property
    def is_open(self) -> bool:
        """Whether anything can be done with it."""
        return not self._why_closed

    def require_open(self) -> None:
        """Raise `BrokerClosed` if nothing can be done any more."""
        if self._why_closed:
            raise BrokerClosed(self._why_closed)

    def require_writable(self) -> None:
        """Raise what keeps the journal from being written, if it did last time and still does."""
        with self.lock:
            self.require_open()
            if self._has_failed:
                self._journal.keep_snapshot(Snapshot(self._state.sequence, self._state.snapshot()))
                self._has_failed = False

    def set_access(self, access: AccessRules) -> None:
        """Let other rules hold from now on."""
        with self.lock:
            self.require_open()
            self._settings = replace(self._settings, access=access)

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

    def registration(self, identifier: str) -> Registration:
        """What is subscribed to under an id."""
        with self.lock:
            self.require_open()
            return self.registry.get(identifier)

    def free_id(self) -> str:
        """An id that nobody has, or ever had, for a subscription without a name."""
        number = self._state.sequence + 1
        while (found := id_at(number)) in self.registry or found in self._state.ended:
            number += 1
        return found

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

    def record(self, *records: Record) -> list[Entry]:
        """Write records as one change."""
        with self.lock:
            self.require_open()
            drafting = self._new_draft()
            for one in records:
                drafting.add(one)
            self._write(drafting.entries)
            return drafting.entries

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

    def _fall_behind(self) -> None:
        """The state, or an engine, stays behind the journal: that is the end."""
        self._let_go(_BEHIND)

    def _take_back(self) -> None:
        """What was drafted is not in the journal: the graph is as it was before."""
        self._state.require_graph().take_back()

    def _found(self) -> Sequence[Found]:
        """What was found in time, and no entry has yet."""
        with self._following:
            return self._state.found()

    def _new_draft(self) -> Drafting:
        return Drafting(self._state, self._clock.now(), self._settings.access)

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
