"""The engine of subscriptions to events in time: what happens goes in, who is answered comes out.

It holds no clock: times are told. The answers are those that looking at all that happened would
give, whatever order it is told in, as far as it is not told too late.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from msgspec import Struct, structs

from purport.errors import PurportError
from purport.matching.matcher import Matcher
from purport.model.event import Event
from purport.model.interval import is_in_calendar, length_of, microseconds_of, time_of
from purport.model.subscription import Options, Pattern, Subscription
from purport.temporal.asked import is_shallow
from purport.temporal.filters import Filters, Passed, Reading, Taker
from purport.temporal.history import Dropped, KeptEvents, MemoryHistory
from purport.temporal.network import Network
from purport.temporal.occurrence import Occurrence, Report, ReportPart, report_of
from purport.temporal.progress import BEGINNING, Progress
from purport.temporal.told import Detection, Root

_NO_TIME = timedelta(0)
_AT_ONCE = 512  # events of the past that are matched together
Find = Callable[[str], Occurrence | None]
# Of a rank, at a time, one after the other: what is done, and with what.
_Step = tuple[int, int, int, Callable[..., None], tuple[Occurrence, list[Reading]] | tuple[()]]


class Taken(Struct, frozen=True):
    """What became of a publication: what is known of its event, and what it has answered.

    It may have been known before, or come too late to take part in answers (`late_by`).
    """

    occurrence: Occurrence
    detections: Sequence[Detection] = ()
    is_known: bool = False
    late_by: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """How far an engine is in time, for one that goes on from its history."""

    watermark: int = BEGINNING
    last_instant: int = BEGINNING  # the last time that was given to an event without one


class TemporalEngine:
    """Keeps up with what happens, and says who is answered by it.

    >>> from purport import Event, parse
    >>> engine = TemporalEngine()
    >>> engine.add("cause", parse("{type = vpn down, start after(10 s) {type = link down}}"))
    >>> times = [datetime.fromisoformat(f"2026-01-01T00:00:0{second}Z") for second in (1, 9)]
    >>> engine.take(Event.from_json({"type": "link down"}), times[0]).detections
    ()
    >>> [found] = engine.take(Event.from_json({"type": "vpn down"}), times[1]).detections
    >>> found.subscription, [part.place for part in found.instance.parts]
    ('cause', ['start after(10 s) {type = link down}'])

    `allowance` says how late events may come, and `most_ahead` how far beyond the time at which it
    is published an event makes time go on: a wrong clock is not to make all others late. `history`
    has what happened, for subscriptions that come later, and for who starts again.
    """

    def __init__(
        self,
        matcher: Callable[[], Matcher] = Matcher,
        *,
        history: KeptEvents | None = None,
        allowance: timedelta = _NO_TIME,
        most_ahead: timedelta | None = None,
        mark: Mark | None = None,
    ) -> None:
        self.history: KeptEvents = MemoryHistory() if history is None else history
        self._allowance = length_of(allowance)
        self._most_ahead = None if most_ahead is None else length_of(most_ahead)
        self._progress = Progress()
        self._filters = Filters(matcher())
        self._network = Network(self._filters, self._progress)
        self._roots: dict[tuple[Pattern, Options], Root] = {}
        self._root_of: dict[str, tuple[Pattern, Options]] = {}
        self._going_on: dict[str, dict[Taker, None]] = {}  # who has taken what goes on
        self._found: list[Detection] = []
        self._dropped_through = BEGINNING - 1
        self.mark = mark or Mark()
        self.sequence = self.history.applied

    @property
    def matcher(self) -> Matcher:
        """What matches single events."""
        return self._filters.matcher

    @property
    def mark(self) -> Mark:
        """How far it is in time."""
        return Mark(self._progress.watermark, self._last_instant)

    @mark.setter
    def mark(self, mark: Mark) -> None:
        self._progress.watermark, self._last_instant = mark.watermark, mark.last_instant

    @property
    def watermark(self) -> datetime | None:
        """What is told of before this time is late; None if nothing has been told."""
        mark = self._progress.watermark
        return None if mark == BEGINNING else time_of(mark)

    @property
    def next_deadline(self) -> datetime | None:
        """When something is found to be missing, if nothing happens until then.

        That is just after its time is up: what happens at the last moment is in time. None if that
        is never, or when the calendar is over.
        """
        deadline = self._progress.next_deadline
        if deadline is None or not is_in_calendar(deadline + 1 + self._allowance):
            return None
        return time_of(deadline + 1 + self._allowance)

    def __len__(self) -> int:
        return len(self._root_of)

    @property
    def filters(self) -> Filters:
        """What single events are matched against."""
        return self._filters

    @property
    def size(self) -> int:
        """How many nodes and filters there are: patterns that ask for the same share them."""
        return len(self._network) + len(self._filters)

    def add(self, identifier: str, subscription: Subscription) -> None:
        """Take up a subscription; what has happened counts for it, but is not told.

        `InvalidInput` or `NotSupportedYet` if it cannot be run.
        """
        self.add_all({identifier: subscription})

    def add_all(
        self,
        subscriptions: Mapping[str, Subscription],
        since: Mapping[str, int] | None = None,
        told: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        """The same for several, which look at the past together; all of them, or none.

        Of those that were here before, `since` has the sequences after which events are told, and
        `told` events that are not told again (`told_of_dropped`).
        """
        added: list[str] = []
        try:
            for identifier, subscription in subscriptions.items():
                self._add(identifier, subscription, (since or {}).get(identifier, self.sequence))
                added.append(identifier)
                for event in (told or {}).get(identifier, ()):
                    self.note_told(identifier, event)
            self._catch_up()
        except PurportError:
            for identifier in added:
                self.remove(identifier)
            raise

    def note_told(self, identifier: str, event: str) -> None:
        """A subscription was told of an event, which engines before this one may have found."""
        if identifier not in self._root_of:  # it has ended since
            return
        root = self._roots[self._root_of[identifier]]
        if event not in root.told and self.history.find(event) is not None:
            root.note(event)

    @property
    def told_of_dropped(self) -> dict[str, list[str]]:
        """What was told and may rest on what was dropped, by subscription.

        Who starts again cannot find it, and would tell it twice. Where several ask for the same, it
        stands under one of them.
        """
        found = {}
        for root in self._roots.values():
            some = root.resting_before(self._dropped_through)
            if some:
                found[next(iter(root.since))] = some
        return found

    def check(self, subscription: Subscription) -> None:
        """Raise what `add` would raise, and take up nothing."""
        key, _ = self._network.take_up(subscription.pattern, subscription.options)
        self._network.let_go(key)

    def _add(self, identifier: str, subscription: Subscription, since: int) -> None:
        asked = subscription.pattern, subscription.options
        if asked not in self._roots:
            key, node = self._network.take_up(*asked)
            self._roots[asked] = Root.of(asked, key, node, self._found)
        self._roots[asked].since[identifier] = since
        self._root_of[identifier] = asked

    def remove(self, identifier: str) -> None:
        """Drop a subscription."""
        asked = self._root_of.pop(identifier)
        root = self._roots[asked]
        del root.since[identifier]
        if not root.since:
            del self._roots[asked]
            self._let_go(root)

    def _let_go(self, root: Root) -> None:
        root.node.listeners.remove(root.hear)
        for node in self._network.let_go(root.key):
            for event in node.going_on:
                self._going_on[event].pop(node, None)

    def known_after(
        self, event: Event, at: datetime, sequence: int, find: Find | None = None
    ) -> Occurrence | None:
        """What will be known of an event after a publication; None if all of it is known.

        `EventError` if it contradicts what is known. Nothing changes.
        """
        report = self._report(event, at)
        return self._known_after(report, sequence, find or self.history.find)

    def take(self, event: Event, at: datetime, sequence: int | None = None) -> Taken:
        """An event was published; `EventError` if it contradicts what is known."""
        report = self._report(event, at)
        return self.take_report(report, sequence, most=self._latest(at))

    def match(self, reports: Sequence[Report | None]) -> list[list[Passed] | None]:
        """Which filters the statements of reports pass, for `take_report`: quick for many.

        None for an END, which says something only with its START.
        """
        passed: list[list[Passed] | None] = [None] * len(reports)
        whole = {
            number: one
            for number, one in enumerate(reports)
            if one is not None and one.part is not ReportPart.END
        }
        for number, found in zip(whole, self._filters.passed(list(whole.values())), strict=True):
            passed[number] = found
        return passed

    def in_turn(self, report: Report, at: int) -> Report:
        """A report that was published at a time: without a time, it happened then, but in turn."""
        if not report.is_without_time:
            return report
        instant = self._instant(at)
        return replace(report, start=instant, end=instant)

    def take_report(
        self,
        report: Report,
        sequence: int | None = None,
        passed: list[Passed] | None = None,
        *,
        most: int | None = None,
    ) -> Taken:
        """The same of what an event tells; `passed` is what it passes, if that is known.

        Time goes on with it until `most`, and not beyond.
        """
        sequence = self.sequence + 1 if sequence is None else sequence
        occurrence = self._known_after(report, sequence, self.history.find)
        if occurrence is None:
            known = self.history.find(_identifier(report, sequence))
            assert known is not None
            return Taken(known, is_known=True)
        late_by = self._progress.watermark - report.time
        occurrence = self._as_late(occurrence, report, late_by)
        self.sequence = sequence
        self.history.keep([occurrence], sequence)
        self._note_time(report, most)
        self._run([] if occurrence.is_late else self._arrivals(occurrence, passed))
        late = timedelta(microseconds=late_by) if late_by > 0 else None
        return Taken(occurrence, self._take_found(), late_by=late)

    def go_on(self, mark: Mark) -> Sequence[Detection]:
        """Time has come so far, by events that take no part."""
        self.mark = mark
        self._run([])
        return self._take_found()

    def note(self, event: Event, at: datetime, sequence: int) -> Sequence[Detection]:
        """An event was published that the history has already: time goes on with it."""
        self.sequence = max(self.sequence, sequence)
        self._note_time(self._report(event, at), self._latest(at))
        self._run([])
        return self._take_found()

    def pass_time(self, now: datetime) -> Sequence[Detection]:
        """So late is it now: what should have happened before, and has not, is missing."""
        until = microseconds_of(now) - self._allowance
        while (deadline := self._progress.next_deadline) is not None and deadline < until:
            self._progress.watermark = max(self._progress.watermark, deadline + 1)
            self._run([])
        return self._take_found()

    def drop(self, *, before: datetime | None = None, most: int | None = None) -> int:
        """Forget what ended before a time, and the oldest beyond a count; gives how many.

        From then on the answers are those that what is kept would give. What was told stays told,
        and a drop tells nothing: what is true only because something was forgotten counts as told.
        """
        time = None if before is None else microseconds_of(before)
        dropped = self.history.drop(before=time, most=most)
        if dropped:
            self._forget(dropped)
        return len(dropped)

    def _known_after(self, report: Report, sequence: int, find: Find) -> Occurrence | None:
        """What is known of an event after what a publication tells, if that is more."""
        identifier = _identifier(report, sequence)
        is_new = report.part is not ReportPart.END and identifier == _given_id(sequence)
        known = None if is_new else find(identifier)
        if known is None:
            return report.begun(identifier, sequence)
        if report.time < self._progress.watermark and report.is_over(known):
            return None
        return report.ends(known)

    def _report(self, event: Event, at: datetime) -> Report:
        return report_of(event, self._instant(microseconds_of(at)))

    def _instant(self, at: int) -> int:
        """The time of an event that has none: when it was published, but one after the other."""
        return max(at, self._last_instant + 1)

    def _latest(self, at: datetime) -> int | None:
        """How far what is published at a time makes time go on."""
        return None if self._most_ahead is None else microseconds_of(at) + self._most_ahead

    def _note_time(self, report: Report, most: int | None) -> None:
        time = report.time
        if report.is_without_time:
            self._last_instant = time
        elif most is not None and time > most:
            time = most
        self._progress.watermark = max(self._progress.watermark, time - self._allowance)

    def _as_late(self, occurrence: Occurrence, report: Report, late_by: int) -> Occurrence:
        """What comes late takes no part; what ends late has gone on until now."""
        if late_by <= 0:
            return occurrence
        if report.part is ReportPart.END:
            end = max(report.time, self._progress.watermark)
            return structs.replace(occurrence, end=end)
        return structs.replace(occurrence, is_late=True)

    def _arrivals(self, occurrence: Occurrence, passed: list[Passed] | None) -> list[_Step]:
        """What nodes do with an event; what they knew of it while it went on is forgotten."""
        for node in self._going_on.pop(occurrence.id, ()):
            node.forget(occurrence.id)
        if passed is None:
            [passed] = self._filters.passed([occurrence])
        return self._steps(occurrence, passed)

    def _steps(
        self, occurrence: Occurrence, passed: list[Passed], only: set[Taker] | None = None
    ) -> list[_Step]:
        is_going_on = occurrence.end is None
        found = [
            (node, readings)
            for one, readings in passed
            if readings
            for node in one.takers
            if not (is_going_on and node.needs_end) and (only is None or node in only)
        ]
        if is_going_on and found:
            self._going_on.setdefault(occurrence.id, {}).update((node, None) for node, _ in found)
        return [
            (node.rank, BEGINNING, number, node.take, (occurrence, readings))
            for number, (node, readings) in enumerate(found)
        ]

    def _run(self, steps: list[_Step]) -> None:
        """Let nodes take an event and look at what has waited for its time, inner ones first."""
        progress, serial = self._progress, len(steps)
        steps.sort(reverse=True)
        while True:
            if progress.next_look <= progress.watermark:
                for rank, time, look in progress.due():
                    serial += 1
                    steps.append((rank, time, serial, look, ()))
                steps.sort(reverse=True)
            if not steps:
                return
            _, _, _, do, told = steps.pop()
            do(*told)

    def _catch_up(self) -> None:
        """Let new nodes know what has happened; nothing of it is told.

        The watermark is held back until all is there, so that what waits for it sees all of it.
        """
        fresh: set[Taker] = set(self._network.fresh)
        filters = {node.filter for node in self._network.fresh}
        self._network.fresh.clear()
        if not fresh:
            return
        watermark, self._progress.watermark = self._progress.watermark, BEGINNING
        try:
            past = (one for one in self.history.all() if not one.is_late)
            while some := list(islice(past, _AT_ONCE)):
                readings = self._filters.passed(some, filters)
                for occurrence, passed in zip(some, readings, strict=True):
                    self._run(self._steps(occurrence, passed, fresh))
                self._found.clear()
            self._progress.watermark = watermark
            self._run([])
        finally:
            self._progress.watermark = watermark
            self._found.clear()

    def _take_found(self) -> Sequence[Detection]:
        found = tuple(self._found)
        self._found.clear()
        return found

    def _forget(self, dropped: Sequence[Dropped]) -> None:
        """Forget events; patterns that nest deeper are made anew from what is kept."""
        self._dropped_through = max(self._dropped_through, dropped[-1].end)
        deep = {asked: root for asked, root in self._roots.items() if not is_shallow(asked[0])}
        for root in deep.values():
            self._let_go(root)
        for node in self._network.nodes():
            node.drop(dropped)
        for root in self._roots.values():
            root.forget(dropped)
        for asked, root in deep.items():
            root.key, root.node = self._network.take_up(*asked)
            root.node.listeners.append(root.hear)
        if deep:
            self._catch_up()
        self._found.clear()


def _identifier(report: Report, sequence: int) -> str:
    return report.id or _given_id(sequence)


def _given_id(sequence: int) -> str:
    """The id of an event that has none, as a broker gives it."""
    return f"event-{sequence}"
