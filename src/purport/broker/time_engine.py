"""The engine of subscriptions to events in time, over a history that follows from the journal.

As long as nobody asks for time, nothing is kept: whoever does first has the history built from the
journal. From then on it is kept up with, in memory; what lasts of it is written when the broker
keeps a snapshot, and what came after that is found in the journal again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

import msgspec

from purport.broker.engine import Answer, Found
from purport.broker.records import Entry, Published
from purport.errors import EventError
from purport.matching.matcher import Matcher
from purport.model.event import Event
from purport.model.match import Evidence, Explanation, Match
from purport.model.subscription import Subscription
from purport.temporal.asked import is_in_time
from purport.temporal.engine import Mark, TemporalEngine
from purport.temporal.explanation import explain_in_time
from purport.temporal.history import EventHistory
from purport.temporal.instance import Instance
from purport.temporal.occurrence import Occurrence
from purport.temporal.told import Detection
from purport.temporal.unsaved_history import UnsavedHistory

_LOG = logging.getLogger("purport.broker")
_NONE: tuple[Answer, ...] = ()

Past = Callable[[int, int], Iterator[Entry]]  # the entries after a sequence, through another


class KeptTime(msgspec.Struct, frozen=True):
    """What a snapshot has of time, besides what the history keeps."""

    watermark: int
    last_instant: int
    since: dict[str, int]  # the sequences after which subscriptions are told, by their ids
    told: dict[str, list[str]] = {}  # of events that rest on what was dropped, by subscription


class HistoryLimits(msgspec.Struct, frozen=True):
    """How late events may come, and how much of what happened is kept."""

    allowance: timedelta = timedelta(0)
    most_age: timedelta | None = None  # since they ended
    most_events: int | None = None


class HistoryEngine:
    """Detects patterns in what was published; see `TimeEngine` for what it promises."""

    name = "time"

    def __init__(
        self,
        matcher: Callable[[], Matcher],
        history: Callable[[], EventHistory],
        past: Past,
        limits: HistoryLimits | None = None,
    ) -> None:
        self._limits = limits or HistoryLimits()
        self._engine = TemporalEngine(matcher, allowance=self._limits.allowance)
        self._open, self._past = history, past
        self._opened: EventHistory | None = None
        self._history: UnsavedHistory | None = None  # as long as nobody asks for time
        self._sequence = 0
        self._since: dict[str, int] = {}
        self._told: dict[str, set[str]] = {}  # what those that wait were told of before
        self._waiting: dict[str, Subscription] = {}  # to be taken up, all together
        self._found: dict[tuple[str, str], Detection] = {}  # by subscription and event
        self.late = 0  # events that came too late to count

    @property
    def found(self) -> Sequence[Found]:
        self._wake()
        return _grouped(list(self._found.values())) if self._found else ()

    @property
    def next_deadline(self) -> datetime | None:
        self._wake()
        return self._engine.next_deadline

    def refuses(self, subscription: Subscription) -> str | None:
        if not is_in_time(subscription.pattern):
            return "a subscription to single events"
        self._engine.check(subscription)
        self._lasting()  # or who subscribes is told that it cannot be had
        return None

    def add(self, identifier: str, subscription: Subscription) -> None:
        self._waiting[identifier] = subscription
        self._since.setdefault(identifier, self._sequence)

    def remove(self, identifier: str) -> None:
        self._since.pop(identifier, None)
        self._told.pop(identifier, None)
        if self._waiting.pop(identifier, None) is None:
            self._engine.remove(identifier)
        for key in [key for key in self._found if key[0] == identifier]:
            del self._found[key]

    def answers(self, events: Sequence[Event], at: datetime) -> Sequence[Sequence[Answer]]:
        return [_NONE] * len(events)

    def require(self, events: Sequence[Event], sequence: int, at: datetime) -> None:
        self._wake()
        history = self._history
        if history is None:
            return
        known: dict[str, Occurrence] = {}

        def find(identifier: str) -> Occurrence | None:
            return known.get(identifier) or history.find(identifier)

        for number, event in enumerate(events):
            found = self._engine.known_after(event, at, sequence + number, find)
            if found is not None:
                known[found.id] = found

    def advance(self, sequence: int, event: Event, at: datetime) -> None:
        self._wake()
        self._sequence = sequence
        if self._history is not None:
            self._take(self._history, sequence, event, at)

    def told(self, event: str, subscriptions: Sequence[str]) -> None:
        for subscription in subscriptions:
            self._found.pop((subscription, event), None)
            if subscription in self._waiting:
                self._told.setdefault(subscription, set()).add(event)
            else:
                self._engine.note_told(subscription, event)

    def pass_time(self, now: datetime) -> None:
        self._wake()
        self._find(self._engine.pass_time(now))

    def explain(self, match: Match) -> Explanation:
        """Why a pattern in time has come true, by the measures as they are now."""
        return explain_in_time(match, self._engine.matcher)

    def snapshot(self) -> bytes:
        self._wake()
        if self._history is None:
            return b""
        self._drop_old()
        self._history.save(self._sequence)
        mark = self._engine.mark
        told = self._engine.told_of_dropped
        kept = KeptTime(mark.watermark, mark.last_instant, self._since, told)
        return msgspec.json.encode(kept)

    def restore(self, state: bytes) -> None:
        if not state:
            return
        kept = msgspec.json.decode(state, type=KeptTime)
        self._engine.mark = Mark(kept.watermark, kept.last_instant)
        self._since = kept.since
        self._told = {name: set(some) for name, some in kept.told.items()}
        self._begin()

    def close(self) -> None:
        """Let go of the history."""
        if self._opened is not None:
            self._opened.close()

    def _wake(self) -> None:
        """Take up what has been subscribed to, looking at the past once for all of it."""
        if not self._waiting:
            return
        if self._history is None:
            self._read_past(self._begin())
        waiting, self._waiting = self._waiting, {}
        self._engine.add_all(waiting, self._since, self._told)
        self._told.clear()

    def _lasting(self) -> EventHistory:
        """What lasts of the history, opened once."""
        if self._opened is None:
            self._opened = self._open()
        return self._opened

    def _begin(self) -> UnsavedHistory:
        self._history = self._engine.history = UnsavedHistory(self._lasting())
        self._engine.sequence = self._history.applied
        self._sequence = max(self._sequence, self._history.applied)
        return self._history

    def _read_past(self, history: UnsavedHistory) -> None:
        """Have the history know what the journal has."""
        for entry in self._past(history.applied, self._sequence):
            if isinstance(entry.record, Published) and entry.event is not None:
                self._take(history, entry.sequence, entry.event, entry.time)

    def _take(self, history: UnsavedHistory, sequence: int, event: Event, at: datetime) -> None:
        """Take up an event; what contradicts what is known was told before anybody asked."""
        if sequence <= history.saved:
            self._find(self._engine.note(event, at, sequence))
            return
        try:
            taken = self._engine.take(event, at, sequence)
        except EventError as error:
            _LOG.warning("entry %d takes no part in time: %s", sequence, error)
            return
        if taken.late_by is not None:
            self.late += 1
            _LOG.warning("%s came too late by %s to count", taken.occurrence.id, taken.late_by)
        self._find(taken.detections)

    def _find(self, detections: Sequence[Detection]) -> None:
        for one in detections:
            self._found[one.subscription, one.instance.about.id] = one

    def _drop_old(self) -> None:
        limits, watermark = self._limits, self._engine.watermark
        if watermark is not None and (limits.most_age or limits.most_events is not None):
            before = None if limits.most_age is None else watermark - limits.most_age
            self._engine.drop(before=before, most=limits.most_events)


def _grouped(detections: Sequence[Detection]) -> list[Found]:
    """What was found, once for all who asked for the same."""
    by_instance: dict[int, list[Detection]] = {}
    for one in detections:
        by_instance.setdefault(id(one.instance), []).append(one)
    return [
        _found(some[0].instance, tuple(one.subscription for one in some))
        for some in by_instance.values()
    ]


def _found(instance: Instance, subscriptions: tuple[str, ...]) -> Found:
    return Found(
        instance.about.event,
        subscriptions,
        instance.probability,
        evidence_of(instance),
        dict(instance.bindings),
    )


def evidence_of(instance: Instance) -> tuple[Evidence, ...]:
    """The events that an instance rests on, or is made of."""
    return tuple(
        Evidence(part.place, part.instance.about.event, part.instance.probability)
        for part in instance.all_parts()
    )
