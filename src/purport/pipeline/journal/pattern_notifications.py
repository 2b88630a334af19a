"""A journal to notifications: what patterns in time would have been told of its entries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from pyspark.sql import DataFrame, SparkSession

from purport.broker.gate import Gate, asked_of
from purport.broker.time_engine import HistoryLimits
from purport.errors import EventError, InvalidInput
from purport.model.event import Event
from purport.model.interval import microseconds_of
from purport.model.language.label import label
from purport.model.subscription import Subscription
from purport.pipeline.journal.entries_in_files import EntriesInFiles
from purport.pipeline.journal.shared_out import told_in_shares
from purport.pipeline.matcher_spec import MatcherSettings
from purport.pipeline.tables import PATTERN_NOTIFICATIONS
from purport.pipeline.timed.taking import nothing_collected
from purport.temporal.asked import waits_for_clock
from purport.temporal.engine import TemporalEngine
from purport.temporal.filters import Passed
from purport.temporal.occurrence import Report, report_of
from purport.temporal.progress import BEGINNING
from purport.temporal.told import Detection

_ENTRIES_AT_ONCE = 4096

Entries = Iterable[tuple[int, int, Event | None]]  # with their sequences and times
Row = tuple[str, int, int, int, str, float, list[tuple[str, str, float]]]


@dataclass(frozen=True, slots=True)
class HappenedInFiles:
    """What is replayed to patterns in time: a part of a journal, and what came before it."""

    past: EntriesInFiles
    part: EntriesInFiles
    until: int  # the time with which the part ends, in microseconds since 1970


def pattern_notifications(
    spark: SparkSession,
    subscriptions: Sequence[Subscription],
    happened: HappenedInFiles,
    settings: MatcherSettings,
) -> DataFrame:
    """What each subscription in time is told, as the table PATTERN_NOTIFICATIONS.

    Every task has some of the subscriptions, and goes through everything for them. Those that wait
    for the clock are in all tasks, though one alone tells of them: when their time is up, what is
    told of before is late for all.
    """
    _require_runnable(subscriptions, settings)

    def told(own: range) -> Iterator[Row]:
        return notification_rows(subscriptions, own, happened, settings)

    return told_in_shares(spark, len(subscriptions), told, PATTERN_NOTIFICATIONS)


def notification_rows(
    subscriptions: Sequence[Subscription],
    own: Collection[int],
    happened: HappenedInFiles,
    settings: MatcherSettings,
) -> Iterator[Row]:
    """What a task tells: rows of the table PATTERN_NOTIFICATIONS, for some of the subscriptions.

    `own` are the numbers of these.
    """
    return _Replaying(subscriptions, own, settings).told(happened)


def _require_runnable(subscriptions: Sequence[Subscription], settings: MatcherSettings) -> None:
    """Raise `InvalidInput` if no engine can run a subscription."""
    engine = TemporalEngine(settings.matcher)
    for one in subscriptions:
        try:
            engine.check(asked_of(one))
        except InvalidInput as error:
            raise InvalidInput(f"{label(one)}: {error}") from None


class _Replaying:
    """An engine on its way through a journal, and what subscribers are told on it."""

    def __init__(
        self, subscriptions: Sequence[Subscription], own: Collection[int], settings: MatcherSettings
    ) -> None:
        self._told = {str(number): _Told(subscriptions[number]) for number in own}
        self._asked = {
            str(number): one
            for number, one in enumerate(subscriptions)
            if number in own or waits_for_clock(one.pattern)
        }
        self._engine = HistoryLimits().engine(settings.matcher)
        self._expiries: dict[str, int] = {}  # of those that are subscribed
        self._sequence, self._at = 0, BEGINNING  # of the last entry; or later, by the clock

    def told(self, happened: HappenedInFiles) -> Iterator[Row]:
        """What is told of a part, in this order."""
        for _ in self._take_all(happened.past.events()):  # nobody has subscribed yet
            pass
        self._subscribe(happened.part.span.after)
        yield from self._take_all(happened.part.events())
        yield from self._pass_time(happened.until)

    def _subscribe(self, sequence: int) -> None:
        """Have the engine know what came before, and tell what comes after a sequence."""
        asked = {name: asked_of(one) for name, one in self._asked.items()}
        self._engine.add_all(asked, dict.fromkeys(asked, sequence))
        self._expiries = {
            name: microseconds_of(one.options.expires)
            for name, one in self._asked.items()
            if one.options.expires is not None
        }

    def _take_all(self, entries: Entries) -> Iterator[Row]:
        """Take entries as they come; those of one time are one change, made at once."""
        entries = iter(entries)
        while some := list(islice(entries, _ENTRIES_AT_ONCE)):
            with nothing_collected():
                rows = list(self._take(some))
            yield from rows

    def _take(self, entries: Sequence[tuple[int, int, Event | None]]) -> Iterator[Row]:
        reports = [None if event is None else _report(event, at) for _, at, event in entries]
        passed = self._engine.match(reports)
        for (sequence, at, _), report, known in zip(entries, reports, passed, strict=True):
            if at > self._at:
                yield from self._pass_time(at)
                self._let_go(at)
            self._sequence, self._at = sequence, at
            if report is not None:
                yield from self._tell(self._take_report(report, known))

    def _take_report(self, report: Report, passed: list[Passed] | None) -> Sequence[Detection]:
        """Take what a publication tells; what contradicts it takes no part in time."""
        try:
            report = self._engine.in_turn(report, self._at)
            return self._engine.take_report(report, self._sequence, passed).detections
        except EventError:
            return ()

    def _pass_time(self, until: int) -> Iterator[Row]:
        """Tell what is missing, as its time comes."""
        while (deadline := self._engine.next_deadline) is not None:
            time = microseconds_of(deadline)
            if time > until:
                return
            self._at = max(self._at, time)
            yield from self._tell(self._engine.pass_time(deadline))

    def _let_go(self, at: int) -> None:
        """Let subscriptions go whose time is up."""
        for name in [name for name, expires in self._expiries.items() if expires <= at]:
            del self._expiries[name]
            self._engine.remove(name)

    def _tell(self, detections: Sequence[Detection]) -> Iterator[Row]:
        for one in detections:
            told = self._told.get(one.subscription)
            if told is not None and told.hears(self._at):
                yield told.row(one, self._sequence, self._at)


@dataclass(slots=True)
class _Told:
    """What one subscription is told, numbered and through the broker's gate."""

    subscription: Subscription
    _next: int = 0
    _gate: Gate = field(default_factory=Gate)

    def hears(self, at: int) -> bool:
        """Whether it is told what is found at a time."""
        options = self.subscription.options
        is_over = options.expires is not None and microseconds_of(options.expires) <= at
        if is_over or not self._gate.opens(options, at):
            return False
        self._gate = self._gate.told(at)
        return True

    def row(self, found: Detection, sequence: int, at: int) -> Row:
        """The next row of the table PATTERN_NOTIFICATIONS."""
        number, self._next = self._next, self._next + 1
        parts = [
            (part.place, part.instance.about.id, part.instance.probability)
            for part in found.instance.all_parts()
        ]
        about, probability = found.instance.about.id, found.probability
        return label(self.subscription), number, sequence, at, about, probability, parts


def _report(event: Event, at: int) -> Report | None:
    """What an event tells of time; None if that cannot be understood."""
    try:
        return report_of(event, at)
    except EventError:
        return None
