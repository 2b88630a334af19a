"""The engine of subscriptions to events in time, over a history that follows from the journal.

As long as nobody asks for time, nothing is kept: whoever does first has the history built from the
journal. From then on it is kept up with, in memory; what lasts of it is written when the broker
keeps a snapshot, and what came after that is found in the journal again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import msgspec

from purport.broker.engine import Answer, Found
from purport.broker.journal import Journal
from purport.broker.journaled_history import opened_history
from purport.broker.records import Published
from purport.errors import EventError, InvalidInput
from purport.matching.matcher import Matcher
from purport.model.event import Event
from purport.model.interval import Interval, is_in_calendar, microseconds_of, time_of
from purport.model.match import Evidence, Explanation, Match
from purport.model.subscription import Subscription
from purport.temporal.asked import is_in_time
from purport.temporal.engine import Mark, TemporalEngine
from purport.temporal.explanation import explain_in_time
from purport.temporal.history import EventHistory
from purport.temporal.instance import Instance
from purport.temporal.occurrence import Occurrence, ReportPart, report_of
from purport.temporal.progress import BEGINNING
from purport.temporal.told import Detection
from purport.temporal.unsaved_history import UnsavedHistory

_LOG = logging.getLogger("purport.broker")
_NO_TIME, _LONGEST = timedelta(0), timedelta(days=365_000)
_NONE: tuple[Answer, ...] = ()


class KeptTime(msgspec.Struct, frozen=True):
    """What a snapshot has of time, besides what the history keeps."""

    watermark: int
    last_instant: int
    since: dict[str, int]  # the sequences after which subscriptions are told, by their ids
    applied: int = 0  # the entry of the journal through which the history has it
    told: dict[str, list[str]] = {}  # of events that rest on what was dropped, by subscription


class HistoryLimits(msgspec.Struct, frozen=True):
    """How late events may come, and how much of what happened is kept.

    What is beyond the limits is dropped with each snapshot, and when the broker is closed.
    """

    allowance: timedelta = timedelta(0)
    most_age: timedelta | None = None  # since they ended
    most_events: int | None = None
    most_ahead: timedelta | None = timedelta(0)  # of the clock, that events move time

    def __post_init__(self) -> None:
        for name in ("allowance", "most_age", "most_ahead"):
            length = getattr(self, name)
            if length is None and name != "allowance":
                continue
            if not isinstance(length, timedelta) or not _NO_TIME <= length <= _LONGEST:
                raise InvalidInput(f"{name} is a time of up to 1,000 years, got {length!r}")
        count = self.most_events
        if count is not None and (not isinstance(count, int) or count < 0):
            raise InvalidInput(f"most_events is a number of events, got {count!r}")

    def engine(self, matcher: Callable[[], Matcher]) -> TemporalEngine:
        """An engine that lets events come so late, and so far ahead."""
        return TemporalEngine(matcher, allowance=self.allowance, most_ahead=self.most_ahead)


class HistoryEngine:
    """Detects patterns in what was published; see `TimeEngine` for what it promises."""

    name = "time"

    def __init__(
        self,
        matcher: Callable[[], Matcher],
        history: Callable[[], EventHistory],
        journal: Journal,
        limits: HistoryLimits | None = None,
    ) -> None:
        self._limits = limits or HistoryLimits()
        self._engine = self._limits.engine(matcher)
        self._open, self._journal = history, journal
        self._opened: EventHistory | None = None
        self._history: UnsavedHistory | None = None  # as long as nobody asks for time
        self._sequence = 0  # of the last publication, or of the snapshot
        self._late: dict[int, timedelta] = {}  # by how much, by sequences of publications
        self._since: dict[str, int] = {}
        self._told: dict[str, set[str]] = {}  # what those that wait were told of before
        self._waiting: dict[str, Subscription] = {}  # to be taken up, all together
        self._found: dict[tuple[str, str], Detection] = {}  # by subscription and event

    @property
    def found(self) -> Sequence[Found]:
        self._wake()
        if not self._found:
            return ()
        return _grouped(list(self._found.values()), self._engine.mark.watermark)

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
        self._late.clear()
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
        late_by = self._take(sequence, event, at)
        if late_by is not None:
            self._late[sequence] = late_by
            _LOG.warning("%s came too late by %s to count", event.id, late_by)

    def late_by(self, sequence: int) -> timedelta | None:
        """By how much what was published last came too late to count."""
        return self._late.get(sequence)

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
        self._history.save()
        mark = self._engine.mark
        told, saved = self._engine.told_of_dropped, self._history.saved
        kept = KeptTime(mark.watermark, mark.last_instant, self._since, saved, told)
        return msgspec.json.encode(kept)

    def follow(self, sequence: int) -> None:
        """What comes next follows an entry of the journal: a snapshot has what was before."""
        self._sequence = sequence

    def restore(self, state: bytes) -> None:
        if not state:
            return
        kept = msgspec.json.decode(state, type=KeptTime)
        self._since = kept.since
        self._told = {name: set(some) for name, some in kept.told.items()}
        if self._begin().applied < kept.applied:
            _LOG.warning("the history of events is behind: it is made from the journal")
            self._read_past()
        self._engine.mark = Mark(kept.watermark, kept.last_instant)

    def close(self) -> None:
        """Let go of the history."""
        if self._opened is not None:
            self._opened.close()

    def _wake(self) -> None:
        """Take up what has been subscribed to, looking at the past once for all of it."""
        if not self._waiting:
            return
        if self._history is None:
            self._begin()
            self._read_past()
        waiting, self._waiting = self._waiting, {}
        self._engine.add_all(waiting, self._since, self._told)
        self._told.clear()

    def _lasting(self) -> EventHistory:
        """What lasts of the history, opened once."""
        if self._opened is None:
            self._opened = opened_history(self._open, self._journal)
        return self._opened

    def _begin(self) -> UnsavedHistory:
        self._history = self._engine.history = UnsavedHistory(self._lasting())
        self._engine.sequence = self._history.applied
        return self._history

    def _read_past(self) -> None:
        """Have the history know what the journal has, as far as it has it still."""
        assert self._history is not None
        first, applied = self._journal.first, self._history.applied
        if applied + 1 < min(first, self._sequence + 1):
            _LOG.warning(
                "what was published from entry %d to %d is missing from the history of events: "
                "the journal has dropped it",
                applied + 1,
                first - 1,
            )
        for entry in self._journal.read(0, self._sequence):
            if isinstance(entry.record, Published) and entry.event is not None:
                self._take(entry.sequence, entry.event, entry.time)

    def _take(self, sequence: int, event: Event, at: datetime) -> timedelta | None:
        """Take up an event, and say by how much it came too late.

        What contradicts what is known was told before anybody asked.
        """
        history = self._history
        if history is None:
            return None
        try:
            if sequence <= history.saved:
                if not _is_repeated(history, sequence, event):
                    self._find(self._engine.note(event, at, sequence))
                return None
            history.reach(sequence, microseconds_of(at))
            taken = self._engine.take(event, at, sequence)
        except EventError as error:
            _LOG.warning("entry %d takes no part in time: %s", sequence, error)
            return None
        self._find(taken.detections)
        return taken.late_by

    def _find(self, detections: Sequence[Detection]) -> None:
        for one in detections:
            self._found[one.subscription, one.instance.about.id] = one

    def _drop_old(self) -> None:
        limits, watermark = self._limits, self._engine.mark.watermark
        before = None
        if limits.most_age is not None and watermark != BEGINNING:
            first = watermark - limits.most_age // timedelta(microseconds=1)
            before = time_of(first) if is_in_calendar(first) else None
        if before is not None or limits.most_events is not None:
            self._engine.drop(before=before, most=limits.most_events)


def _is_repeated(history: UnsavedHistory, sequence: int, event: Event) -> bool:
    """Whether a publication told again what the history had, or contradicted it."""
    report = report_of(event, 0)
    known = None if event.id is None else history.find(event.id)
    return known is not None and known.sequence != sequence and report.part is not ReportPart.END


def _grouped(detections: Sequence[Detection], watermark: int) -> list[Found]:
    """What was found, once for all who asked for the same."""
    by_instance: dict[int, list[Detection]] = {}
    for one in detections:
        by_instance.setdefault(id(one.instance), []).append(one)
    return [
        _found(some[0].instance, tuple(one.subscription for one in some), watermark)
        for some in by_instance.values()
    ]


def _found(instance: Instance, subscriptions: tuple[str, ...], watermark: int) -> Found:
    return Found(
        instance.about.event,
        subscriptions,
        instance.probability,
        _evidence_of(instance),
        dict(instance.bindings),
        _interval_of_what_follows(instance, watermark),
    )


def _interval_of_what_follows(instance: Instance, watermark: int) -> Interval:
    """When what is derived of it happens: with its event, or else when it was found.

    That something is missing was not known when its event was, and is not to be told late.
    """
    about, found_at = instance.about, max(instance.known, watermark)
    last = about.start if about.end is None else about.end
    if last >= found_at or not is_in_calendar(found_at):
        assert about.event.interval is not None
        return about.event.interval
    return Interval(time_of(found_at), time_of(found_at))


def _evidence_of(instance: Instance) -> tuple[Evidence, ...]:
    """The events that an instance rests on, or is made of."""
    return tuple(
        Evidence(part.place, part.instance.about.event, part.instance.probability)
        for part in instance.all_parts()
    )
